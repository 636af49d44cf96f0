-- What every probe needs: messages are collected, conditions are waited for, one JSON line goes out.
local M = { messages = {}, published = {} }

local PATIENCE_MS = 20000

vim.notify = function(text)
  table.insert(M.messages, text)
end

local on_diagnostics = vim.lsp.handlers["textDocument/publishDiagnostics"]
vim.lsp.handlers["textDocument/publishDiagnostics"] = function(problem, result, context)
  table.insert(M.published, { version = result.version, codes = vim.tbl_map(function(found)
    return found.code
  end, result.diagnostics) })
  return on_diagnostics(problem, result, context)
end

--- Wait until the condition holds; a condition that never holds ends the probe with its name.
function M.wait(name, condition)
  if not vim.wait(PATIENCE_MS, condition, 10) then
    error("never came true: " .. name, 0)
  end
end

function M.server()
  return vim.lsp.get_clients({ name = "agentl" })[1]
end

function M.lenses(buffer)
  return vim.tbl_map(function(lens)
    return { line = lens.range.start.line, title = lens.command and lens.command.title }
  end, vim.lsp.codelens.get(buffer))
end

function M.hints(buffer)
  return vim.tbl_map(function(found)
    local label = found.inlay_hint.label
    local text = type(label) == "string" and label or vim.iter(label):map(function(part)
      return part.value
    end):join("")
    return { line = found.inlay_hint.position.line, label = text }
  end, vim.lsp.inlay_hint.get({ bufnr = buffer }))
end

function M.codes(buffer)
  return vim.tbl_map(function(found)
    return found.code
  end, vim.diagnostic.get(buffer))
end

--- Whether a lens or hint has all these texts in it.
function M.shows(shown, ...)
  local wanted = { ... }
  return vim.iter(shown):any(function(item)
    return vim.iter(wanted):all(function(text)
      return (item.title or item.label):find(text, 1, true) ~= nil
    end)
  end)
end

--- Line (from 0) and column (from 0) of the first place of a text.
function M.place(buffer, text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local column = line:find(text, 1, true)
    if column then
      return number - 1, column - 1
    end
  end
  error("not in the buffer: " .. text, 0)
end

function M.replace(buffer, old, new)
  local line, column = M.place(buffer, old)
  vim.api.nvim_buf_set_text(buffer, line, column, line, column + #old, { new })
end

function M.hover(buffer, text)
  local line, column = M.place(buffer, text)
  vim.api.nvim_win_set_cursor(0, { line + 1, column })
  local client = M.server()
  local position = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local reply = client:request_sync("textDocument/hover", position, PATIENCE_MS, buffer)
  return reply and reply.result and reply.result.contents.value
end

--- Run the steps of a probe, print what they found out, leave.
function M.tell(steps)
  local found = {}
  local fine, problem = xpcall(steps, debug.traceback, found)
  found.failure = not fine and problem or nil
  found.messages, found.published = M.messages, M.published
  io.stdout:write("\n" .. vim.json.encode(found) .. "\n")
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop()
  end
  vim.wait(5000, function()
    return #vim.lsp.get_clients() == 0
  end, 10)
  vim.cmd("qall!")
end

return M
