-- What the plugin does where no server is needed. $INTERPRETER is what the person has configured.
package.path = vim.env.PROBES .. "/?.lua;" .. package.path
local probing = require("probing")
local buffer = vim.api.nvim_get_current_buf()

local function highlights(line)
  local found = {}
  for column = 1, #vim.fn.getline(line) do
    local name = vim.fn.synIDattr(vim.fn.synID(line, column, 1), "name")
    if name ~= "" and name ~= (found[#found] or {})[1] then
      table.insert(found, { name, "" })
    end
    if name ~= "" then
      found[#found][2] = found[#found][2] .. vim.fn.getline(line):sub(column, column)
    end
  end
  return found
end

local function output()
  local scratch = require("agentl.scratch")
  local log = scratch.buffer("agentl://output/runs/payments", "agentl-output")
  local function lines()
    return vim.api.nvim_buf_get_lines(log, 0, -1, false)
  end
  scratch.show(log)
  local found = { name = vim.api.nvim_buf_get_name(log) }
  scratch.append(log, "tick 1\r\ntransf")
  scratch.append(log, "er sent\n")
  found.lines, found.follows = lines(), vim.fn.line(".")
  vim.cmd("normal! gg")
  scratch.append(log, ("more\n"):rep(10000))
  found.kept, found.first, found.stays = #lines(), lines()[1], vim.fn.line(".")
  found.writable, found.modified = vim.bo[log].modifiable, vim.bo[log].modified
  return found
end

local function interpreters()
  local interpreter = require("agentl.interpreter")
  local function choice()
    local found, problem = interpreter.find()
    return found and found.reason or problem
  end
  local found = {}
  vim.env.VIRTUAL_ENV = vim.env.TEST_PREFIX
  vim.g.agentl_interpreter = vim.env.TEST_PREFIX .. "/bin/python"
  found.configured = choice()
  vim.g.agentl_interpreter = nil
  found.environment = choice()
  vim.env.VIRTUAL_ENV = nil
  found.path = choice()
  vim.env.PATH = "/nowhere"
  found.none = choice()
  vim.g.agentl_interpreter = "/nowhere/python"
  found.unusable = choice()
  return found
end

probing.tell(function(found)
  probing.wait("the interpreter that cannot be executed is reported", function()
    return #probing.messages > 0
  end)
  found.filetype, found.commentstring = vim.bo.filetype, vim.bo.commentstring
  found.highlights = vim.tbl_map(highlights, vim.fn.range(1, vim.fn.line("$")))
  vim.cmd("AgentRun")
  vim.cmd("AgentRun many")
  vim.cmd("AgentLog")
  vim.cmd("new")
  vim.cmd("AgentInspect")
  vim.cmd("checkhealth agentl")
  found.health = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  found.output = output()
  found.interpreters = interpreters()
end)
