--- What the plugin tells the person, always through `vim.notify` and under one title.
local M = {}

---@param level integer one of `vim.log.levels`
local function sender(level)
  ---@param text string
  ---@param ... any values of the template
  return function(text, ...)
    local message = select("#", ...) > 0 and text:format(...) or text
    vim.notify("agentl: " .. message, level, { title = "agentl" })
  end
end

M.inform = sender(vim.log.levels.INFO)
M.warn = sender(vim.log.levels.WARN)
M.fail = sender(vim.log.levels.ERROR)

return M
