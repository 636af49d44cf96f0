if vim.g.loaded_agentl then
  return
end
vim.g.loaded_agentl = true

if vim.fn.has("nvim-0.11") == 0 then
  vim.notify("agentl: Neovim 0.11 or newer is needed", vim.log.levels.ERROR)
  return
end

require("agentl.commands").define()

local group = vim.api.nvim_create_augroup("agentl", {})

---@param event "LspAttach"|"LspDetach"
---@param act fun(client: vim.lsp.Client, bufnr: integer)
local function on(event, act)
  vim.api.nvim_create_autocmd(event, {
    group = group,
    callback = function(details)
      local client = vim.lsp.get_client_by_id(details.data.client_id)
      if client and client.name == "agentl" then
        act(client, details.buf)
      end
    end,
  })
end

on("LspAttach", function(client, bufnr)
  require("agentl.view").attach(client, bufnr)
end)
on("LspDetach", function(_, bufnr)
  require("agentl.view").detach(bufnr)
end)

vim.lsp.enable("agentl")
