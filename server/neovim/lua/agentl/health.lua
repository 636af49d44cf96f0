--- `:checkhealth agentl`
local interpreter = require("agentl.interpreter")

local M = {}

---@param python agentl.Interpreter
local function check_server(python)
  local result = vim.system({ python.path, "-m", "agentl_server", "--version" }, { text = true }):wait()
  if result.code == 0 then
    vim.health.ok(vim.trim(result.stdout))
    return
  end
  vim.health.error("the language server does not start: " .. vim.trim(result.stderr), {
    ("install it: %s -m pip install agentl"):format(python.path),
    "or choose another interpreter: vim.g.agentl_interpreter",
  })
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = "agentl" })
  if #clients == 0 then
    vim.health.info("no program is open, so no server is running; its log: " .. vim.lsp.log.get_filename())
  end
  for _, client in ipairs(clients) do
    vim.health.ok(("serving %s (%d buffers)"):format(client.root_dir, vim.tbl_count(client.attached_buffers)))
  end
end

function M.check()
  vim.health.start("agentl")
  if vim.fn.has("nvim-0.11") == 0 then
    vim.health.error("Neovim 0.11 or newer is needed")
    return
  end
  local python, problem = interpreter.find()
  if not python then
    vim.health.error(assert(problem))
    return
  end
  vim.health.ok(("interpreter: %s (from %s)"):format(python.path, python.reason))
  check_server(python)
  check_clients()
end

return M
