--- Keeps lenses and hints as fresh as the journal they show.
local M = {}

local PAUSE_MS = 50 -- a running agent reports each record; one refresh serves all records of this pause
local pending = {} ---@type table<integer, true> ids of clients whose refresh is due

--- Ask for the lenses of one buffer again.
---
--- `vim.lsp.codelens.refresh` of 0.11 drops a refresh while one is in flight, and the answer in flight may be older than
--- the change that asked for it; so the request is made here. From 0.12 on Neovim keeps lenses fresh by itself.
---@param client vim.lsp.Client
---@param bufnr integer
function M.refresh_lenses(client, bufnr)
  if vim.lsp.codelens.enable or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  if client:supports_method("textDocument/codeLens", bufnr) then
    local document = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
    client:request("textDocument/codeLens", document, vim.lsp.codelens.on_codelens, bufnr)
  end
end

---@type table<integer, {version: integer, hints: lsp.InlayHint[]}> buffer -> the last answer
local answered = {}

--- |lsp-handler| for the answer of `textDocument/inlayHint`.
---
--- Neovim 0.11 draws the hints of a line once per version of the text, so a newer answer for the same text is stored and
--- not drawn. Enabling hints again forgets what is drawn and asks once more; the same answer ends it.
---@param problem lsp.ResponseError?
---@param hints lsp.InlayHint[]?
---@param context lsp.HandlerContext
function M.on_hints(problem, hints, context)
  vim.lsp.handlers["textDocument/inlayHint"](problem, hints, context)
  local bufnr = context.bufnr
  if problem or not hints or context.version ~= vim.lsp.util.buf_versions[bufnr] then
    return
  end
  local before = answered[bufnr]
  answered[bufnr] = { version = context.version, hints = hints }
  local newer = before and before.version == context.version and not vim.deep_equal(before.hints, hints)
  if newer and vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }) then
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  end
end

---@param client vim.lsp.Client
local function refresh_all(client)
  for bufnr in pairs(client.attached_buffers) do
    M.refresh_lenses(client, bufnr)
  end
  vim.lsp.handlers["workspace/inlayHint/refresh"](nil, nil, { client_id = client.id, method = "workspace/inlayHint/refresh" })
end

--- Ask for lenses and hints of every buffer of a client again, soon; calls that come close together are one.
---@param client_id integer
function M.refresh(client_id)
  if pending[client_id] then
    return
  end
  pending[client_id] = true
  vim.defer_fn(function()
    pending[client_id] = nil
    local client = vim.lsp.get_client_by_id(client_id)
    if client and not client:is_stopped() then
      refresh_all(client)
    end
  end, PAUSE_MS)
end

---@param events string[]
---@param bufnr integer
---@param act fun()
local function on(events, bufnr, act)
  vim.api.nvim_create_autocmd(events, {
    group = vim.api.nvim_create_augroup("agentl.view." .. bufnr, { clear = false }),
    buffer = bufnr,
    desc = "agentl: refresh lenses and hints",
    callback = act,
  })
end

--- Show lenses, and hints unless `vim.g.agentl_inlay_hints` is false, in a buffer a client has just attached to.
---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  M.detach(bufnr)
  if vim.g.agentl_inlay_hints ~= false and client:supports_method("textDocument/inlayHint", bufnr) then
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  end
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
  end
  M.refresh_lenses(client, bufnr)
  on({ "InsertLeave", "TextChanged" }, bufnr, function()
    M.refresh_lenses(client, bufnr)
  end)
  -- Neovim refreshes the hints of visible buffers only, so one that was hidden may show old ones
  on({ "BufEnter" }, bufnr, function()
    M.refresh(client.id)
  end)
end

--- Undo `attach`.
---@param bufnr integer
function M.detach(bufnr)
  answered[bufnr] = nil
  vim.api.nvim_create_augroup("agentl.view." .. bufnr, {})
end

return M
