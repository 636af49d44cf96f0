--- The runs this editor has heard of, and what their processes said.
local messages = require("agentl.messages")
local scratch = require("agentl.scratch")
local view = require("agentl.view")

local M = {}

---@class agentl.Run the parameters of `agentl/runChanged`
---@field directory string
---@field program string
---@field runId string empty while the run has no journal
---@field state string
---@field entries integer
---@field openIntents integer
---@field inDoubt integer
---@field command string what a person types next in a terminal

---@type table<string, agentl.Run> directory -> the run as last reported
local known = {}

---@param directory string
---@return agentl.Run?
function M.get(directory)
  return known[directory]
end

---@param directory string
---@return string the directory as a person would type it
function M.place(directory)
  return vim.fn.fnamemodify(directory, ":~:.")
end

---@param run agentl.Run
---@return string
function M.describe(run)
  local parts = { vim.trim("run " .. run.runId:sub(1, 6)) .. (" (%s)"):format(M.place(run.directory)), run.state }
  parts[#parts + 1] = ("%d entries"):format(run.entries)
  if run.openIntents > 0 then
    parts[#parts + 1] = ("%d open intent%s"):format(run.openIntents, run.openIntents == 1 and "" or "s")
  end
  if run.inDoubt > 0 then
    parts[#parts + 1] = ("%d in doubt"):format(run.inDoubt)
  end
  return table.concat(parts, " · ")
end

--- |lsp-handler| for `agentl/runChanged`: remember it, say a new state aloud, refresh what shows it.
---@param run agentl.Run
---@param context lsp.HandlerContext
function M.on_changed(_, run, context)
  local before = known[run.directory]
  known[run.directory] = run
  if before and before.state ~= run.state then
    local tell = (run.state == "running" or run.state == "completed") and messages.inform or messages.warn
    tell("%s", M.describe(run))
  end
  view.refresh(context.client_id)
end

---@param directory string
---@return string
local function output_name(directory)
  return "agentl://output" .. directory
end

--- |lsp-handler| for `agentl/runOutput`: collect it, one buffer per run.
---@param output {directory: string, runId: string?, stream: string, text: string}
function M.on_output(_, output)
  scratch.append(scratch.buffer(output_name(output.directory), "agentl-output"), output.text)
end

--- The buffer with what a run has printed, if it printed anything while this editor listened.
---@param directory string
---@return integer? bufnr
function M.output(directory)
  return scratch.find(output_name(directory))
end

---@return string[] directories of the runs whose output was collected
function M.with_output()
  return vim.tbl_filter(M.output, vim.tbl_keys(known))
end

return M
