"""The story of issue 3, over stdio: the example beside an interrupted run, in an editor."""

from __future__ import annotations

import os
import signal

import pytest
from lsprotocol import types as t
from story import (
    OF_A_RUN,
    PUBLISH,
    REFRESHES,
    Editor,
    copy_example,
    environment,
    interrupted_run,
    journal,
    let_the_bank_wait,
    start_run,
    wait_until,
)


def codes(diagnostics):
    return [diagnostic.code for diagnostic in diagnostics]


def titles(lenses):
    return [lens.command.title for lens in lenses]


@pytest.mark.asyncio
async def test_the_run_on_the_page_from_open_to_resumed(tmp_path):
    program = copy_example(tmp_path)
    directory = tmp_path / "runs" / "payments"
    interrupted_run(program, directory, PAYMENTS_PROMISE="none")
    editor = await Editor(tmp_path, environment(tmp_path, PAYMENTS_PROMISE="none")).begin()

    changed = await editor.next("agentl/runChanged")
    assert (changed["directory"], changed["state"], changed["entries"]) == (str(directory), "interrupted", 5)
    assert (changed["openIntents"], changed["inDoubt"], changed["program"]) == (1, 0, str(program))
    short = changed["runId"][:6]
    uri = editor.open(program)
    assert codes(await editor.diagnostics(uri)) == ["D201"]

    await sees_the_run(editor, uri, short)
    await sees_what_an_edit_breaks(editor, uri, short)
    await resumes(editor, uri, short, directory)
    assert all(codes(params.diagnostics) == ["D201"] for params in editor.take_all(PUBLISH))
    await editor.finish(*OF_A_RUN)


async def sees_the_run(editor, uri, short):
    lenses = await editor.lenses(uri)
    resume = f"↻ Resume {short} (interrupted · 5 entries · 1 open intent)"
    assert titles(lenses) == ["▶ Run", resume, f"⌕ Inspect {short}"]
    send = line_of(editor.texts[uri], "transfer(order")
    assert (send, "… open intent (t1)") in await editor.hints(uri)
    hover = await editor.hover(uri, "transfer(order")
    for text in ("tick 1", 'order="order-7"', "open intent", "ALLOWED by `DEFAULT ALLOW`", "promise: none"):
        assert text in hover


async def sees_what_an_edit_breaks(editor, uri, short):
    """An argument edited: a warning. Undone: gone. A comment: nothing."""
    send = line_of(editor.texts[uri], "transfer(order")
    editor.edit(uri, "amount = queue.next.amount", "amount = 1")
    (warning,) = [found for found in await editor.diagnostics(uri) if found.code == "R101"]
    assert warning.severity is t.DiagnosticSeverity.Warning
    assert warning.message.startswith(f"run {short} cannot resume: the program changed")
    assert "amount=queue.next.amount" in warning.message
    assert "amount=1" in warning.message
    assert covered(editor.texts[uri], warning.range) == "pay"
    (related,) = warning.related_information
    assert related.location.uri.endswith(".agent")
    assert "/runs/payments/programs/" in related.location.uri
    assert (send, "… open intent (t1) · stale") in await editor.hints(uri)
    editor.edit(uri, "amount = 1", "amount = queue.next.amount")
    assert codes(await editor.diagnostics(uri)) == ["D201"]
    assert (send, "… open intent (t1)") in await editor.hints(uri)
    editor.edit(uri, "  PLAN pay", "  // pays\n\n  PLAN   pay")
    assert codes(await editor.diagnostics(uri)) == ["D201"]
    assert (send + 2, "… open intent (t1)") in await editor.hints(uri)
    editor.edit(uri, "  // pays\n\n  PLAN   pay", "  PLAN pay")
    assert codes(await editor.diagnostics(uri)) == ["D201"]


async def resumes(editor, uri, short, directory):
    """The hints follow the journal: the server asks for them to be fetched again."""
    editor.take_all(*REFRESHES)
    resume = f"↻ Resume {short}"
    (lens,) = [lens for lens in await editor.lenses(uri) if lens.command.title.startswith(resume)]
    started = await editor.execute(lens.command)
    assert started["directory"] == str(directory)
    assert started["pid"] > 0
    done = await editor.next("agentl/runChanged", lambda change: change["state"] == "completed")
    assert (done["openIntents"], done["inDoubt"]) == (0, 1)
    await editor.next(t.WORKSPACE_INLAY_HINT_REFRESH)
    await editor.next(t.WORKSPACE_CODE_LENS_REFRESH)
    hints = await editor.hints(uri)
    send = line_of(editor.texts[uri], "transfer(order")
    rule = line_of(editor.texts[uri], "NEVER transfer WHEN tools")
    assert (send, f"⚠ in doubt (t1) · ⛔ NEVER l.{rule} (t2)") in hints
    assert (rule, "✓ applied 1× (tick 2)") in hints
    assert "in doubt since tick 1" in titles(await editor.lenses(uri))
    await printed_and_reported(editor, directory)


async def printed_and_reported(editor, directory):
    output = await editor.next("agentl/runOutput", lambda piece: "resuming durable run" in piece["text"])
    assert output["text"].startswith("↻")  # what is said first comes first
    await editor.next(t.PROGRESS, lambda progress: kind(progress) == "end")
    text = await editor.execute("agentl.inspect", {"directory": str(directory)})
    assert text["languageId"] == "markdown"
    assert "## Tick 2" in text["text"]


@pytest.mark.asyncio
async def test_run_killed_from_outside_is_told_as_interrupted_without_a_request(tmp_path):
    program = copy_example(tmp_path)
    directory = tmp_path / "runs" / "payments"
    editor = await Editor(tmp_path, environment(tmp_path)).begin()
    uri = editor.open(program)
    await editor.diagnostics(uri)
    process = start_run(program, directory, environment(tmp_path, PAYMENTS_DELAY="60"))
    await editor.next(
        "agentl/runChanged", lambda change: (change["state"], change["openIntents"]) == ("running", 1)
    )
    assert any(title.startswith("■ Stop") for title in titles(await editor.lenses(uri)))
    process.send_signal(signal.SIGKILL)
    process.wait()
    # without another request; within a second, says `make bench`
    await editor.next("agentl/runChanged", lambda change: change["state"] == "interrupted")
    assert any(
        "(interrupted · 5 entries · 1 open intent)" in title for title in titles(await editor.lenses(uri))
    )
    await editor.finish(*REFRESHES, PUBLISH, "agentl/runChanged")


@pytest.mark.asyncio
async def test_run_is_started_stopped_and_resumed_from_the_lenses(tmp_path):
    program = copy_example(tmp_path)
    bank_is_open = let_the_bank_wait(program)
    editor = await Editor(tmp_path, environment(tmp_path)).begin()
    uri = editor.open(program)
    await editor.diagnostics(uri)
    (run,) = [lens.command for lens in await editor.lenses(uri) if lens.command.title == "▶ Run"]
    started = await editor.execute(run)
    assert started["directory"] == str(tmp_path / "runs" / "payments")
    assert started["runId"]
    begin = await editor.next(t.PROGRESS)
    assert (kind(begin), begin.value["cancellable"]) == ("begin", True)
    await editor.next(t.PROGRESS, lambda progress: progress.value.get("message") == "tick 1 of 5")
    # another run gets a directory of its own
    second = await editor.execute(run)
    assert second["directory"] == str(tmp_path / "runs" / "payments-2")
    stopped = await editor.execute("agentl.stop", {"directory": started["directory"]})
    assert stopped == {"stopped": True}
    await editor.next(
        "agentl/runChanged",
        lambda change: (change["directory"], change["state"]) == (started["directory"], "interrupted"),
    )
    assert await editor.execute("agentl.stop", {"directory": started["directory"]}) == {"stopped": False}
    await editor.execute("agentl.resume", {"uri": uri, "directory": started["directory"]})
    bank_is_open.touch()
    completed = set()
    while completed != {started["directory"], second["directory"]}:
        change = await editor.next("agentl/runChanged", lambda change: change["state"] == "completed")
        completed.add(change["directory"])
    for _ in range(3):
        await editor.next(t.PROGRESS, lambda progress: kind(progress) == "end")
    await editor.finish(*OF_A_RUN)


@pytest.mark.asyncio
async def test_cancelled_progress_stops_the_run(tmp_path):
    program = copy_example(tmp_path)
    editor = await Editor(tmp_path, environment(tmp_path, PAYMENTS_DELAY="60")).begin()
    uri = editor.open(program)
    await editor.diagnostics(uri)
    await editor.execute("agentl.run", {"uri": uri})
    progress = await editor.next(t.PROGRESS)
    await editor.next("agentl/runChanged", lambda change: change["openIntents"] == 1)
    editor.client.window_work_done_progress_cancel(t.WorkDoneProgressCancelParams(token=progress.token))
    await editor.next("agentl/runChanged", lambda change: change["state"] == "interrupted")
    await editor.next(t.PROGRESS, lambda progress: kind(progress) == "end")
    await editor.finish(*OF_A_RUN)


@pytest.mark.asyncio
async def test_run_outlives_the_editor(tmp_path):
    program = copy_example(tmp_path)
    editor = await Editor(
        tmp_path, environment(tmp_path, PAYMENTS_DELAY="2"), progress=False, abilities={}, refreshes=False
    ).begin()
    uri = editor.open(program)
    await editor.diagnostics(uri)
    started = await editor.execute("agentl.run", {"uri": uri})
    await editor.finish_without_looking()
    assert os.getsid(started["pid"]) == started["pid"]
    wait_until(lambda: b'"ended"' in journal(tmp_path / "runs" / "payments"))


@pytest.mark.asyncio
async def test_plain_client_hears_nothing_beyond_lsp(tmp_path):
    program = copy_example(tmp_path)
    interrupted_run(program, tmp_path / "runs" / "payments")
    editor = await Editor(
        tmp_path, environment(tmp_path), progress=False, abilities={}, refreshes=False
    ).begin()
    uri = editor.open(program)
    await editor.diagnostics(uri)
    started = await editor.execute(
        "agentl.resume", {"uri": uri, "directory": str(tmp_path / "runs" / "payments")}
    )
    wait_until(lambda: b'"ended"' in journal(tmp_path / "runs" / "payments"))
    assert started["runId"]
    await editor.finish(PUBLISH)


@pytest.mark.asyncio
async def test_program_that_cannot_run_and_text_that_is_not_saved_are_refused_with_the_reason(tmp_path):
    program = copy_example(tmp_path)
    editor = await Editor(tmp_path, environment(tmp_path, PAYMENTS_PROMISE="maybe")).begin()
    uri = editor.open(program)
    await editor.diagnostics(uri)
    with pytest.raises(Exception, match="PAYMENTS_PROMISE is 'maybe'"):
        await editor.execute("agentl.run", {"uri": uri})
    await editor.next(t.PROGRESS, lambda progress: kind(progress) == "end")
    editor.edit(uri, "amount <= 0", "amount <= 1")
    with pytest.raises(Exception, match="not saved"):
        await editor.execute("agentl.run", {"uri": uri})
    await editor.diagnostics(uri)
    await editor.finish("agentl/runOutput", t.WINDOW_WORK_DONE_PROGRESS_CREATE, t.PROGRESS)


def kind(progress):
    return progress.value["kind"]


def line_of(text, needle):
    return text[: text.index(needle)].count("\n") + 1


def covered(text, found):
    line = text.split("\n")[found.start.line]
    return line[found.start.character : found.end.character]
