-- A person opens a program beside an interrupted run, edits it, resumes the run, starts another that is killed.
package.path = vim.env.PROBES .. "/?.lua;" .. package.path
local probing = require("probing")
local buffer = vim.api.nvim_get_current_buf()

local function lenses()
  return probing.lenses(buffer)
end
local function hints()
  return probing.hints(buffer)
end
local function has(code)
  return vim.list_contains(probing.codes(buffer), code)
end
local function version()
  return vim.lsp.util.buf_versions[buffer]
end

local function opens(found)
  probing.wait("a server is there", function()
    return probing.server() and probing.server().initialized
  end)
  probing.wait("D201", function()
    return has("D201")
  end)
  probing.wait("lenses of the interrupted run", function()
    return probing.shows(lenses(), "Resume", "interrupted", "1 open intent")
  end)
  probing.wait("hint of the open intent", function()
    return probing.shows(hints(), "open intent", "(t1)")
  end)
  found.client = { root = probing.server().root_dir, filetype = vim.bo.filetype }
  found.diagnostics = vim.tbl_map(function(item)
    return { line = item.lnum, code = item.code, source = item.source, message = item.message }
  end, vim.diagnostic.get(buffer))
  found.opened = { lenses = lenses(), hints = hints() }
  found.hover = probing.hover(buffer, "transfer(order")
end

local function fixes(found)
  local line = probing.place(buffer, "TOOL notify")
  vim.api.nvim_win_set_cursor(0, { line + 1, 7 })
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title:find("^Add NEVER notify") ~= nil
    end,
  })
  probing.wait("no D201 after the fix", function()
    return not has("D201")
  end)
  found.fixed = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  vim.cmd("AgentResume")
  probing.wait("the resume of a changed program is refused", function()
    return #probing.messages > 0
  end)
  found.refusal = table.remove(probing.messages)
  vim.cmd("silent undo")
  probing.wait("D201 after the undo", function()
    return has("D201")
  end)
end

local function edits(found)
  vim.cmd("normal! gg")
  probing.replace(buffer, "amount = queue.next.amount", "amount = 200")
  probing.wait("R101 after the edit", function()
    return has("R101")
  end)
  vim.cmd("silent undo")
  probing.wait("no R101 after the undo", function()
    return not has("R101")
  end)
  vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { "// a comment" })
  found.commented = version()
  probing.wait("the comment was looked at", function()
    return vim.iter(probing.published):any(function(item)
      return item.version == found.commented
    end)
  end)
  probing.replace(buffer, "amount = queue.next.amount", "amount = 300")
  probing.wait("R101 after the second edit", function()
    return has("R101")
  end)
  vim.cmd("silent undo")
  vim.cmd("silent undo")
  probing.wait("no R101 after both undos", function()
    return not has("R101")
  end)
  found.modified = vim.bo.modified
end

local function told(text)
  return vim.iter(probing.messages):any(function(message)
    return message:find(text, 1, true) ~= nil
  end)
end

local function resumes(found)
  found.completion = vim.fn.getcompletion("AgentResume ", "cmdline")
  vim.cmd("AgentResume " .. vim.env.RUN_ID:sub(1, 6))
  probing.wait("hint of the doubt", function()
    return probing.shows(hints(), "in doubt", "(t1)")
  end)
  probing.wait("lens of the doubt", function()
    return probing.shows(lenses(), "in doubt since tick 1")
  end)
  probing.wait("the end of the run", function()
    return told("completed") and probing.shows(lenses(), "(completed)")
  end)
  found.resumed = { lenses = lenses(), hints = hints() }
  vim.cmd("AgentLog")
  found.output = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  vim.cmd.close()
  vim.cmd("AgentInspect payments")
  probing.wait("the journal as a document", function()
    return vim.bo.filetype == "markdown"
  end)
  found.journal = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  vim.cmd.close()
end

local function is_killed(found)
  vim.cmd("AgentRun")
  probing.wait("lens of the new run", function()
    return probing.shows(lenses(), "Stop", "running", "1 open intent") and told("running runs/payments-2")
  end)
  local announced = vim.iter(probing.messages):find(function(message)
    return message:find("running runs/payments-2", 1, true)
  end)
  vim.uv.kill(tonumber(announced:match("process (%d+)")), "sigkill")
  probing.wait("lens of the killed run", function()
    return probing.shows(lenses(), "Resume", "interrupted")
  end)
  found.killed = { lenses = lenses(), hints = hints() }
end

local function is_stopped(found)
  vim.cmd("AgentRun 3")
  probing.wait("lens of the third run", function()
    return probing.shows(lenses(), "Stop", "1 open intent") and told("running runs/payments-3")
  end)
  vim.cmd("AgentStop")
  probing.wait("the end of the stopped run", function()
    return told("stopping runs/payments-3") and told("runs/payments-3) · interrupted")
  end)
  probing.wait("lens of the stopped run", function()
    return not probing.shows(lenses(), "Stop")
  end)
  found.stopped = { lenses = lenses() }
end

local function is_resumed_while_hidden(found)
  vim.ui.select = function(items, options, on_choice)
    found.choice = { prompt = options.prompt, items = vim.tbl_map(options.format_item, items) }
    on_choice(items[2])
  end
  vim.cmd("AgentResume")
  vim.cmd("hide enew")
  probing.wait("the end of the resumed run", function()
    return told("resuming runs/payments-3") and told("runs/payments-3) · completed")
  end)
  probing.wait("lenses of the hidden page", function()
    return #vim.tbl_filter(function(lens)
      return vim.startswith(lens.title, "↻ Resume")
    end, lenses()) == 1
  end)
  vim.cmd.buffer(buffer)
  probing.wait("hint of the doubt, back on the page", function()
    return probing.shows(hints(), "in doubt", "NEVER")
  end)
  vim.cmd("AgentResume nobody")
  vim.cmd("AgentStop")
end

probing.tell(function(found)
  opens(found)
  fixes(found)
  edits(found)
  resumes(found)
  is_killed(found)
  is_stopped(found)
  is_resumed_while_hidden(found)
end)
