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

local function resumes(found)
  vim.cmd("AgentResume " .. vim.env.RUN_ID)
  probing.wait("hint of the doubt", function()
    return probing.shows(hints(), "in doubt", "(t1)")
  end)
  probing.wait("lens of the doubt", function()
    return probing.shows(lenses(), "in doubt since tick 1")
  end)
  probing.wait("the end of the run", function()
    return probing.shows(vim.tbl_map(function(text)
      return { label = text }
    end, probing.messages), "completed")
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
    return probing.shows(lenses(), "running", "1 open intent")
  end)
  local process = tonumber(probing.messages[#probing.messages]:match("process (%d+)"))
  vim.uv.kill(process, "sigkill")
  local killed = vim.uv.hrtime()
  probing.wait("lens of the killed run", function()
    return probing.shows(lenses(), "Resume", "interrupted")
  end)
  found.seconds_until_interrupted = (vim.uv.hrtime() - killed) / 1e9
  found.killed = { lenses = lenses(), hints = hints() }
end

probing.tell(function(found)
  opens(found)
  edits(found)
  resumes(found)
  is_killed(found)
end)
