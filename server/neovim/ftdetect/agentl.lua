vim.filetype.add({ extension = { agent = "agentl" } })
