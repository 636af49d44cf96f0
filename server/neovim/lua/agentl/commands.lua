--- `:AgentRun` `:AgentResume` `:AgentInspect` `:AgentStop` `:AgentLog`.
local actions = require("agentl.actions")
local messages = require("agentl.messages")
local runs = require("agentl.runs")
local scratch = require("agentl.scratch")

local M = {}

--- The client of the current buffer, or a message that says why there is none.
---@return vim.lsp.Client?
local function current_client()
  local client = vim.lsp.get_clients({ name = "agentl", bufnr = 0 })[1]
  if client then
    return client
  end
  if vim.bo.filetype == "agentl" then
    messages.fail("the language server is not attached to this buffer: see :checkhealth agentl")
  else
    messages.fail("this is not a program: go to a buffer with an .agent file first")
  end
end

--- The directory of the run that a word names: a run that is known, else a directory on the disk.
---@param word string
---@return string?
local function named(word)
  local matches = vim.tbl_filter(function(run)
    return runs.is_called(run, word)
  end, runs.all())
  if #matches == 1 then
    return matches[1].directory
  end
  local directory = vim.fs.normalize(vim.fs.abspath(word))
  return vim.fn.isdirectory(directory) == 1 and directory or nil
end

--- Hand a run's directory to `act`: of the run that is named, of the only one, or of the one the person picks.
---@param offered agentl.Run[]
---@param word string the argument of the user command, or ""
---@param verb string for the prompt and the messages
---@param act fun(directory: string)
local function choose(offered, word, verb, act)
  if word ~= "" then
    local directory = named(word)
    if directory then
      act(directory)
    else
      messages.fail("%s names no run, or several: give a longer id or a directory", word)
    end
  elseif #offered == 0 then
    messages.warn("no run of this program to %s", verb)
  elseif #offered == 1 then
    act(offered[1].directory)
  else
    local prompt = { prompt = ("Which run to %s?"):format(verb), kind = "agentl.run", format_item = runs.describe }
    vim.ui.select(offered, prompt, function(run)
      if run then
        act(run.directory)
      end
    end)
  end
end

---@param call {args: string}
local function run(call)
  local ticks = tonumber(call.args)
  if call.args ~= "" and not (ticks and ticks >= 1 and ticks % 1 == 0) then
    messages.fail(":AgentRun takes a number of ticks, not %s", call.args)
    return
  end
  local client = current_client()
  if client then
    actions.by_command["agentl.run"](client, { uri = vim.uri_from_bufnr(0), ticks = ticks })
  end
end

---@param call {args: string}
local function resume(call)
  local client = current_client()
  if client then
    local uri = vim.uri_from_bufnr(0)
    choose(runs.of_buffer(0, runs.can_resume), call.args, "resume", function(directory)
      actions.by_command["agentl.resume"](client, { uri = uri, directory = directory })
    end)
  end
end

---@param command "agentl.inspect"|"agentl.stop"
---@param fits fun(run: agentl.Run): boolean which runs are offered when none is named
---@param verb string
---@return fun(call: {args: string})
local function on_directory(command, fits, verb)
  return function(call)
    local client = current_client()
    if client then
      choose(runs.of_buffer(0, fits), call.args, verb, function(directory)
        actions.by_command[command](client, { directory = directory })
      end)
    end
  end
end

---@param call {args: string}
local function log(call)
  choose(vim.tbl_filter(runs.has_output, runs.all()), call.args, "show the output of", function(directory)
    local buffer = runs.output(directory)
    if buffer then
      scratch.show(buffer)
    else
      messages.warn("%s has printed nothing since this editor listens", runs.place(directory))
    end
  end)
end

---@param fits fun(run: agentl.Run): boolean
---@return fun(lead: string): string[]
local function completion(fits)
  return function(lead)
    local words = vim.tbl_map(runs.name, runs.of_buffer(0, fits))
    return vim.tbl_filter(function(word)
      return vim.startswith(word, lead)
    end, words)
  end
end

---@param name string
---@param act fun(call: {args: string})
---@param fits fun(run: agentl.Run): boolean which runs <Tab> offers
---@param description string
local function define(name, act, fits, description)
  vim.api.nvim_create_user_command(name, act, { nargs = "?", complete = completion(fits), desc = description })
end

--- Define the user commands.
function M.define()
  local inspect = on_directory("agentl.inspect", runs.any, "inspect")
  local stop = on_directory("agentl.stop", runs.has_process, "stop")
  vim.api.nvim_create_user_command("AgentRun", run, { nargs = "?", desc = "Start a new run of this program" })
  define("AgentResume", resume, runs.can_resume, "Resume a run of this program")
  define("AgentInspect", inspect, runs.any, "Show the journal of a run as a document")
  define("AgentStop", stop, runs.has_process, "Stop the process of a run; it can be resumed")
  define("AgentLog", log, runs.has_output, "Show what a run printed")
end

return M
