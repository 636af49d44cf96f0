--- Buffers without a file: the journal of a run, the output of a run.
local M = {}

local LONGEST = 10000 -- lines of output kept per run; the server keeps the whole output in a file

---@type table<string, integer> name -> buffer
local buffers = {}

--- The buffer of this name, made when it is missing.
---@param name string such as "agentl://output/…"
---@param filetype string
---@return integer bufnr
function M.buffer(name, filetype)
  local known = buffers[name]
  if known and vim.api.nvim_buf_is_valid(known) then
    return known
  end
  local bufnr = vim.api.nvim_create_buf(true, true)
  vim.api.nvim_buf_set_name(bufnr, name)
  vim.bo[bufnr].filetype = filetype
  vim.bo[bufnr].modifiable = false
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = bufnr, desc = "close this window" })
  buffers[name] = bufnr
  return bufnr
end

--- The buffer of this name, if there is one.
---@param name string
---@return integer?
function M.find(name)
  local known = buffers[name]
  return known and vim.api.nvim_buf_is_valid(known) and known or nil
end

---@param bufnr integer
---@param write fun()
local function unlocked(bufnr, write)
  vim.bo[bufnr].modifiable = true
  write()
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].modified = false
end

--- Replace the whole text of a buffer.
---@param bufnr integer
---@param text string
function M.replace(bufnr, text)
  unlocked(bufnr, function()
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(text, "\n"))
  end)
end

---@param bufnr integer
---@return integer[] windows that show the buffer with the cursor in its last line
local function following(bufnr)
  local last = vim.api.nvim_buf_line_count(bufnr)
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] == last
  end, vim.fn.win_findbuf(bufnr))
end

--- Add text, which may end within a line, at the end of a buffer; windows at its end stay at its end.
---@param bufnr integer
---@param text string
function M.append(bufnr, text)
  local windows = following(bufnr)
  unlocked(bufnr, function()
    vim.api.nvim_buf_set_text(bufnr, -1, -1, -1, -1, vim.split(text, "\r?\n"))
    local surplus = vim.api.nvim_buf_line_count(bufnr) - LONGEST
    if surplus > 0 then
      vim.api.nvim_buf_set_lines(bufnr, 0, surplus, false, {})
    end
  end)
  for _, window in ipairs(windows) do
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(bufnr), 0 })
  end
end

--- Show a buffer: in the window that has it already, else in a new one.
---@param bufnr integer
function M.show(bufnr)
  local window = vim.fn.bufwinid(bufnr)
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
    return
  end
  vim.cmd.split()
  vim.api.nvim_win_set_buf(0, bufnr)
end

return M
