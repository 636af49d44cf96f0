--- The four commands of the server, as the person at the keyboard uses them: from a lens or from `:Agent…`.
local messages = require("agentl.messages")
local runs = require("agentl.runs")
local scratch = require("agentl.scratch")
local view = require("agentl.view")

local M = {}

--- Send `workspace/executeCommand` and hand its result on; an error is shown.
---@param client vim.lsp.Client
---@param command string
---@param argument table the one argument of every agentl command
---@param on_result fun(result: table)
local function execute(client, command, argument, on_result)
  client:request("workspace/executeCommand", { command = command, arguments = { argument } }, function(problem, result)
    if problem then
      messages.fail("%s", problem.message)
    elseif result then
      on_result(result)
    end
    view.refresh(client.id)
  end)
end

---@param verb string
---@return fun(started: {directory: string, runId: string?, pid: integer})
local function announcing(verb)
  return function(started)
    local place = runs.place(started.directory)
    messages.inform("%s %s (process %d). :AgentLog shows what it prints.", verb, place, started.pid)
  end
end

---@type table<string, fun(client: vim.lsp.Client, argument: table)>
M.by_command = {
  ["agentl.run"] = function(client, argument)
    execute(client, "agentl.run", argument, announcing("running"))
  end,
  ["agentl.resume"] = function(client, argument)
    execute(client, "agentl.resume", argument, announcing("resuming"))
  end,
  ["agentl.inspect"] = function(client, argument)
    execute(client, "agentl.inspect", argument, function(document)
      local bufnr = scratch.buffer("agentl://journal" .. argument.directory, document.languageId)
      scratch.replace(bufnr, document.text)
      vim.b[bufnr].agentl_title = document.title
      scratch.show(bufnr)
    end)
  end,
  ["agentl.stop"] = function(client, argument)
    execute(client, "agentl.stop", argument, function(reply)
      if reply.stopped then
        messages.inform("stopping %s", runs.place(argument.directory))
      else
        messages.warn("%s has no process to stop: it is not running.", runs.place(argument.directory))
      end
    end)
  end,
}

--- The `commands` of the client configuration: a lens does what the user command does.
---@return table<string, fun(command: lsp.Command, context: {client_id: integer})>
function M.client_commands()
  return vim.tbl_map(function(action)
    return function(command, context)
      action(assert(vim.lsp.get_client_by_id(context.client_id)), command.arguments[1])
    end
  end, M.by_command)
end

return M
