if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = 1

vim.bo.comments = "s1:/*,mb:*,ex:*/,://,:#"
vim.bo.commentstring = "// %s"
vim.bo.expandtab = true
vim.bo.shiftwidth = 2
vim.bo.softtabstop = 2
vim.b.undo_ftplugin = "setlocal comments< commentstring< expandtab< shiftwidth< softtabstop<"
