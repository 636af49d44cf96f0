-- What docs/neovim.md tells a person to write, and nothing more. $AGENTL_PLUGIN is the directory of the plugin.
vim.opt.runtimepath:prepend(vim.env.AGENTL_PLUGIN)
vim.diagnostic.config({ virtual_text = true })
vim.keymap.set("n", "grx", vim.lsp.codelens.run)
vim.o.winborder = "rounded"
vim.g.agentl_interpreter = vim.env.INTERPRETER
