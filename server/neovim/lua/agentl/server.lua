--- Starts the language server, and says why when it cannot.
local interpreter = require("agentl.interpreter")
local messages = require("agentl.messages")

local M = {}

--- `cmd` of the client configuration. Raises a plain message when there is no interpreter; Neovim shows it.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@return vim.lsp.rpc.PublicClient
function M.start(dispatchers)
  local python, problem = interpreter.find()
  if not python then
    error("agentl: " .. problem, 0)
  end
  return vim.lsp.rpc.start({ python.path, "-m", "agentl_server" }, dispatchers)
end

--- `before_init` of the client configuration: tell the server which interpreter was chosen.
---@param parameters lsp.InitializeParams
function M.before_init(parameters)
  local python = assert(interpreter.find())
  local options = { interpreter = python.path }
  parameters.initializationOptions = vim.tbl_extend("keep", parameters.initializationOptions or {}, options)
end

local TERMINATED = 15 -- the signal of a client that is stopped on purpose

--- `on_exit` of the client configuration.
---@param code integer
---@param signal integer
function M.on_exit(code, signal)
  if code ~= 0 or (signal ~= 0 and signal ~= TERMINATED) then
    vim.schedule(function()
      messages.fail("the language server ended (code %d, signal %d): see :checkhealth agentl", code, signal)
    end)
  end
end

--- `root_dir` of the client configuration: the project, else the folder of the program; runs are found below it.
---@param bufnr integer
---@param on_found fun(root: string)
function M.root(bufnr, on_found)
  local markers = { "pyproject.toml", ".git" }
  on_found(vim.fs.root(bufnr, markers) or vim.fs.dirname(vim.api.nvim_buf_get_name(bufnr)))
end

return M
