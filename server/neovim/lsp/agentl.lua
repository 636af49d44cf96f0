--- Configuration of the built-in client (|lsp-config|). Change parts of it with vim.lsp.config("agentl", { … }).
local server = require("agentl.server")
local runs = require("agentl.runs")
local view = require("agentl.view")

local handlers = {
  ["agentl/runChanged"] = runs.on_changed,
  ["agentl/runOutput"] = runs.on_output,
}
if vim.fn.has("nvim-0.12") == 0 then
  handlers["textDocument/inlayHint"] = view.on_hints
  -- 0.11 answers this request with MethodNotFound
  handlers["workspace/codeLens/refresh"] = function(_, _, context)
    view.refresh(context.client_id)
    return vim.NIL
  end
end

return {
  cmd = server.start,
  filetypes = { "agentl" },
  root_dir = server.root,
  before_init = server.before_init,
  on_exit = server.on_exit,
  handlers = handlers,
  commands = require("agentl.actions").client_commands(),
  capabilities = {
    workspace = {
      codeLens = { refreshSupport = true },
      didChangeWatchedFiles = { dynamicRegistration = true }, -- off by default on Linux
    },
    experimental = { agentl = { runOutput = true, runChanged = true, inspect = true } },
  },
}
