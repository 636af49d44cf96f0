--- The runs the server has told of, and what their processes printed.
local messages = require("agentl.messages")
local scratch = require("agentl.scratch")
local view = require("agentl.view")

local M = {}

---@class agentl.Run the parameters of `agentl/runChanged`
---@field directory string
---@field program string? the file it was started from
---@field runId string empty while the run has no journal
---@field state string
---@field entries integer
---@field openIntents integer
---@field inDoubt integer
---@field command string what a person types next in a terminal

---@type table<string, agentl.Run> directory -> the run as last reported
local known = {}

--- The runs that are known and still on the disk.
---@return agentl.Run[]
function M.all()
  local found = vim.tbl_filter(function(run)
    return vim.fn.isdirectory(run.directory) == 1
  end, vim.tbl_values(known))
  table.sort(found, function(one, other)
    return one.directory < other.directory
  end)
  return found
end

--- The runs of the program in a buffer.
---@param bufnr integer
---@param fits fun(run: agentl.Run): boolean
---@return agentl.Run[]
function M.of_buffer(bufnr, fits)
  local program = vim.uv.fs_realpath(vim.api.nvim_buf_get_name(bufnr))
  return vim.tbl_filter(function(run)
    return run.program == program and fits(run)
  end, M.all())
end

---@return boolean
function M.any()
  return true
end

---@param run agentl.Run
---@return boolean
function M.can_resume(run)
  return not vim.list_contains({ "running", "completed", "cancelled" }, run.state)
end

---@param run agentl.Run
---@return boolean
function M.has_process(run)
  return run.state == "running" or run.state == "waiting"
end

---@param directory string
---@return string the directory as a person would type it
function M.place(directory)
  return vim.fn.fnamemodify(directory, ":~:.")
end

---@param run agentl.Run
---@return string the word that names a run on the command line
function M.name(run)
  return run.runId ~= "" and run.runId or M.place(run.directory)
end

--- Whether a word means this run: its id or the beginning of it, its directory or the last part of it.
---@param run agentl.Run
---@param word string
---@return boolean
function M.is_called(run, word)
  local names = { run.directory, M.place(run.directory), vim.fs.basename(run.directory) }
  return vim.startswith(run.runId, word) or vim.list_contains(names, word)
end

---@param run agentl.Run
---@return string
function M.describe(run)
  local parts = { vim.trim("run " .. run.runId:sub(1, 6)) .. (" (%s)"):format(M.place(run.directory)), run.state }
  table.insert(parts, run.entries == 1 and "1 entry" or ("%d entries"):format(run.entries))
  if run.openIntents > 0 then
    table.insert(parts, run.openIntents == 1 and "1 open intent" or ("%d open intents"):format(run.openIntents))
  end
  if run.inDoubt > 0 then
    table.insert(parts, ("%d in doubt"):format(run.inDoubt))
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
---@param output {directory: string, runId: string?, text: string}
function M.on_output(_, output)
  scratch.append(scratch.buffer(output_name(output.directory), "agentl-output"), output.text)
end

--- The buffer with what a run has printed, if it printed anything while this editor listened.
---@param directory string
---@return integer? bufnr
function M.output(directory)
  return scratch.find(output_name(directory))
end

---@param run agentl.Run
---@return boolean
function M.has_output(run)
  return M.output(run.directory) ~= nil
end

return M
