"""The pictures of the documentation, light and dark, and that nothing in them is cut.

    AGENTL_WRITE_PICTURES=1 python -m pytest tests/editors/vscode/test_pictures.py

writes them to docs/images; otherwise they are only made and measured.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .project import Project
from .server import ROOT
from .workbench import Workbench, opened

pytestmark = pytest.mark.needs("vsce", "code-server", "chromium", "playwright")

THEMES = {"light": "Default Light Modern", "dark": "Default Dark Modern"}
CALL = "amount = queue.next.amount)"
BARE = {
    "workbench.activityBar.location": "hidden",
    "breadcrumbs.enabled": False,
    "editor.stickyScroll.enabled": False,
    "editor.scrollBeyondLastLine": False,
    "window.menuBarVisibility": "hidden",
    "editor.lightbulb.enabled": "off",
    "editor.scrollbar.horizontal": "hidden",
}
# What is drawn further right than its editor, or outside the window.
CUT = """
() => {
  const cut = [];
  for (const editor of document.querySelectorAll(".editor-instance:has(.view-lines)")) {
    const { right } = editor.querySelector(".overflow-guard").getBoundingClientRect();
    for (const line of editor.querySelectorAll(".view-line > span"))
      if (right > 0 && line.getBoundingClientRect().right > right) cut.push(line.textContent);
  }
  for (const box of document.querySelectorAll(".monaco-hover:not(.hidden), .notification-toast")) {
    const { left, top, right, bottom } = box.getBoundingClientRect();
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) cut.push(box.textContent);
  }
  return cut;
}
"""
Take = Callable[..., None]


@pytest.fixture(params=THEMES)
def theme(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def take(theme: str, tmp_path: Path) -> Take:
    """Take a picture of the window, after its measures were found right."""
    target = ROOT / "docs" / "images" if os.environ.get("AGENTL_WRITE_PICTURES") else tmp_path

    def picture(workbench: Workbench, name: str, **options: object) -> None:
        assert workbench.page.evaluate(CUT) == []
        file = target / f"vscode-{name}-{theme}.png"
        workbench.page.screenshot(path=file, animations="disabled", **options)

    return picture


@pytest.fixture
def page(browser, code_server, project: Project, run: str, theme: str):
    code_server.configure(
        agentl__interpreter=sys.executable, **BARE, **{"workbench.colorTheme": THEMES[theme]}
    )
    size = {"width": 1240, "height": 1240}
    with opened(browser, code_server.page(project.folder), viewport=size, device_scale_factor=1.5) as page:
        page.palette("View: Toggle Primary Side Bar Visibility")
        page.open(project.program.name)
        page.lens(f"Resume {run}").wait_for()
        page.wait_for(lambda: page.warned() == ["notify"], "the page is settled")
        page.go_to(8)
        page.scroll(8)
        yield page


def test_pictures_of_an_interrupted_run(page: Workbench, take: Take):
    page.shows(f"{CALL} … open intent (t1)")
    take(page, "interrupted")
    page.hover(CALL, "transfer")
    take(page, "hover")


def test_pictures_of_an_edit_that_ends_the_run(page: Workbench, project: Project, take: Take):
    page.type_at(*project.place("queue.next.amount)"), "2 * ")
    page.wait_for(lambda: "pay" in page.warned(), "the changed plan is marked")
    page.shows("… open intent (t1) · stale")
    page.hover("PLAN pay", "pay")
    take(page, "cannot-resume")


def test_pictures_of_a_doubt(page: Workbench, run: str, take: Take):
    page.lens("Resume").click()
    page.lens("in doubt since tick 1").wait_for()
    page.output().filter(has_text="notice to treasury").wait_for()
    page.shows("in_doubt == true ✓ applied 1\u00d7 (tick 2)")
    # a run that completed offers nothing to resume
    page.wait_for(lambda: not any("Resume" in lens for lens in page.lenses()), "the lens of the run is gone")
    page.rest()
    take(page, "in-doubt")


def test_pictures_of_a_journal(page: Workbench, take: Take):
    page.lens("Resume").click()
    page.lens("in doubt since tick 1").wait_for()
    page.palette("View: Toggle Panel Visibility")
    page.page.set_viewport_size({"width": 2720, "height": 1240})
    page.lens("in doubt since tick 1").click()
    journal = page.page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")
    journal.locator("body", has_text="completed").wait_for()
    # above the first tick the journal names directories of this machine
    first = journal.locator("h2", has_text="Tick 1").bounding_box()
    last = journal.locator("li").last.bounding_box()
    assert first
    assert last
    left, top = first["x"] - 32, first["y"] - 12
    size = {"width": first["width"] + 64, "height": last["y"] + last["height"] + 24 - top}
    page.rest()
    take(page, "journal", clip={"x": left, "y": top, **size})
