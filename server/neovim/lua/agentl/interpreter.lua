--- Which Python runs the language server and the runs started from it.
local M = {}

---@class agentl.Interpreter
---@field path string absolute path of the executable
---@field reason string where the choice comes from, for people

---@param path string
---@param reason string
---@return agentl.Interpreter?
local function executable(path, reason)
  local found = vim.fn.exepath(vim.fn.expand(path))
  return found ~= "" and { path = found, reason = reason } or nil
end

--- The interpreter in use: `vim.g.agentl_interpreter`, then `$VIRTUAL_ENV`, then `python3` on PATH.
--- A configured interpreter that cannot be used is a problem, never silently replaced by another one.
---@return agentl.Interpreter? interpreter
---@return string? problem what is wrong and what to do next
function M.find()
  local configured = vim.g.agentl_interpreter
  if configured and configured ~= "" then
    local found = executable(configured, "vim.g.agentl_interpreter")
    if not found then
      return nil, ("vim.g.agentl_interpreter is %s, which cannot be executed: correct it or remove it."):format(configured)
    end
    return found
  end
  local environment = vim.env.VIRTUAL_ENV
  if environment and environment ~= "" then
    local scripts = vim.fn.has("win32") == 1 and "/Scripts/python.exe" or "/bin/python"
    local found = executable(environment .. scripts, "$VIRTUAL_ENV")
    if found then
      return found
    end
  end
  local found = executable("python3", "python3 on PATH")
  if not found then
    return nil, "no python3 on PATH: install Python 3.11 or newer, or set vim.g.agentl_interpreter."
  end
  return found
end

return M
