--- `:AgentRun` `:AgentResume` `:AgentInspect` `:AgentStop` `:AgentLog`.
local actions = require("agentl.actions")
local messages = require("agentl.messages")
local runs = require("agentl.runs")
local scratch = require("agentl.scratch")

local M = {}

local PATIENCE_MS = 3000

---@class agentl.Choice
---@field directory string
---@field argument table what the command is sent with
---@field label string

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

--- A run executes the file on disk, so what is on the page must be on disk.
---@return boolean
local function saved()
  if vim.bo.modified then
    messages.fail("%s has changes that are not on disk, and a run executes the file: save it (:w) first", vim.fn.expand("%:."))
  end
  return not vim.bo.modified
end

--- What the lenses of the current buffer offer for one command, one choice per run.
---@param client vim.lsp.Client
---@param command string
---@return agentl.Choice[]
local function choices(client, command)
  local document = { textDocument = vim.lsp.util.make_text_document_params(0) }
  local reply = client:request_sync("textDocument/codeLens", document, PATIENCE_MS, 0)
  local found, seen = {}, {}
  for _, lens in ipairs(reply and reply.result or {}) do
    local argument = lens.command and lens.command.command == command and lens.command.arguments[1]
    if argument and not seen[argument.directory] then
      seen[argument.directory] = true
      local run = runs.get(argument.directory)
      local label = run and runs.describe(run) or ("%s  %s"):format(runs.place(argument.directory), lens.command.title)
      table.insert(found, { directory = argument.directory, argument = argument, label = label })
    end
  end
  return found
end

--- Every name under which a person may mean a run: its id, the place of its directory, the last part of it.
---@param directory string
---@return string[]
local function names(directory)
  local run = runs.get(directory)
  local found = { runs.place(directory), vim.fs.basename(directory), directory }
  if run and run.runId ~= "" then
    table.insert(found, 1, run.runId)
  end
  return found
end

---@param choice agentl.Choice
---@param word string a name of a run, or the beginning of its id
---@return boolean
local function is_meant(choice, word)
  local run = runs.get(choice.directory)
  return vim.list_contains(names(choice.directory), word) or (run ~= nil and vim.startswith(run.runId, word))
end

--- Hand the run that is meant to `act`: the named one, the only one, or the one the person picks.
---@param offered agentl.Choice[]
---@param word string the argument of the user command, or ""
---@param verb string for the prompt and the messages
---@param act fun(choice: agentl.Choice)
local function choose(offered, word, verb, act)
  local meant = word == "" and offered or vim.tbl_filter(function(choice)
    return is_meant(choice, word)
  end, offered)
  if #meant == 0 then
    messages.warn(word == "" and "no run of this program to %s" or "no run of this program to %s is called %s", verb, word)
  elseif #meant == 1 then
    act(meant[1])
  else
    local prompt = { prompt = ("Which run to %s?"):format(verb), kind = "agentl.run", format_item = function(choice)
      return choice.label
    end }
    vim.ui.select(meant, prompt, function(choice)
      if choice then
        act(choice)
      end
    end)
  end
end

---@param call {args: string}
local function resume(call)
  local client = current_client()
  if client and saved() then
    choose(choices(client, "agentl.resume"), call.args, "resume", function(choice)
      actions.by_command["agentl.resume"](client, choice.argument)
    end)
  end
end

---@param call {args: string}
local function inspect(call)
  local client = current_client()
  if client then
    choose(choices(client, "agentl.inspect"), call.args, "inspect", function(choice)
      actions.by_command["agentl.inspect"](client, choice.argument)
    end)
  end
end

--- A run may have a process until the server has said otherwise.
---@param choice agentl.Choice
---@return boolean
local function may_have_process(choice)
  local run = runs.get(choice.directory)
  return run == nil or run.state == "running" or run.state == "waiting"
end

---@param call {args: string}
local function stop(call)
  local client = current_client()
  if client then
    local offered = vim.tbl_filter(may_have_process, choices(client, "agentl.inspect"))
    choose(offered, call.args, "stop", function(choice)
      actions.by_command["agentl.stop"](client, { directory = choice.directory })
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
  if client and saved() then
    actions.by_command["agentl.run"](client, { uri = vim.uri_from_bufnr(0), ticks = ticks })
  end
end

---@param call {args: string}
local function log(call)
  local offered = vim.tbl_map(function(directory)
    return { directory = directory, label = runs.describe(assert(runs.get(directory))) }
  end, runs.with_output())
  choose(offered, call.args, "show the output of", function(choice)
    scratch.show(assert(runs.output(choice.directory)))
  end)
end

---@param offering string
---@return fun(lead: string): string[]
local function completion(offering)
  return function(lead)
    local client = vim.lsp.get_clients({ name = "agentl", bufnr = 0 })[1]
    local words = vim.tbl_map(function(choice)
      return names(choice.directory)[1]
    end, client and choices(client, offering) or {})
    return vim.tbl_filter(function(word)
      return vim.startswith(word, lead)
    end, words)
  end
end

--- Define the user commands.
function M.define()
  local define = vim.api.nvim_create_user_command
  local any = completion("agentl.inspect")
  define("AgentRun", run, { nargs = "?", desc = "Start a new run of this program, for N ticks if given" })
  define("AgentResume", resume, {
    nargs = "?",
    complete = completion("agentl.resume"),
    desc = "Resume a run of this program",
  })
  define("AgentInspect", inspect, { nargs = "?", complete = any, desc = "Show the journal of a run as a document" })
  define("AgentStop", stop, { nargs = "?", complete = any, desc = "Stop the process of a run; it can be resumed" })
  define("AgentLog", log, { nargs = "?", complete = any, desc = "Show what a run printed" })
end

return M
