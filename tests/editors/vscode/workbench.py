"""One browser window with VS Code in it, as a person sees it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .server import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

NO_BREAK_SPACE = "\u00a0"

# The texts of the drawn spans that lie where a decoration lies.
WORDS_UNDER = """
decoration => {
  const all = selector => [...document.querySelectorAll(".editor-instance " + selector)];
  const spans = all(".view-line span span");
  const marks = all(decoration).map(mark => mark.getBoundingClientRect());
  const under = mark => spans.filter(span => {
    const { top, height, left, right } = span.getBoundingClientRect();
    const inLine = mark.top < top + height / 2 && top + height / 2 < mark.bottom;
    return inLine && left < mark.right - 1 && right > mark.left + 1;
  });
  marks.sort((one, other) => one.top - other.top);
  return marks.map(mark => under(mark).map(span => span.textContent.trim()).join(""));
}
"""


def plain(text: str) -> str:
    """Return what is on the page with ordinary spaces and without the marks that only the page has."""
    return text.replace(NO_BREAK_SPACE, " ").replace("\u200b", "").replace("\u200c", "")


@dataclass(frozen=True)
class Workbench:
    """Drives the page. Everything waits for what it names to be there; nothing is tried twice."""

    page: Page

    # ------------------------------------------------------------------------------------ getting around
    def palette(self, title: str) -> None:
        """Execute a command of the command palette by its exact title."""
        self.page.keyboard.press("F1")
        self._pick(f">{title}", title)

    def open(self, file: str) -> None:
        """Open a file of the folder in an editor."""
        self.page.keyboard.press("Control+P")
        self._pick(file, file)
        self.page.locator(f'.tab.active[data-resource-name="{Path(file).name}"]').first.wait_for()
        self.page.locator(".editor-instance .view-line").first.wait_for()

    def _pick(self, typed: str, wanted: str) -> None:
        box = self.page.locator(".quick-input-widget input.input")
        box.wait_for()
        box.fill(typed)
        row = self.page.locator(".quick-input-list .monaco-list-row", has_text=wanted).first
        row.wait_for()
        row.click()

    def choose(self, wanted: str) -> None:
        """Choose an entry of the quick pick that is open."""
        self.page.locator(".quick-input-list .monaco-list-row", has_text=wanted).first.click()

    def go_to(self, line: int, column: int = 1) -> None:
        """Put the caret somewhere."""
        self.page.keyboard.press("Control+G")
        box = self.page.locator(".quick-input-widget input.input")
        box.wait_for()
        box.fill(f":{line}:{column}")
        self.page.keyboard.press("Enter")
        self.page.locator(".quick-input-widget").wait_for(state="hidden")
        self.page.locator(".statusbar-item", has_text=f"Ln {line}, Col {column}").wait_for()

    def scroll(self, lines: int) -> None:
        """Turn the mouse wheel over the editor."""
        self.page.locator(".editor-instance .view-lines").first.hover()
        self.page.mouse.wheel(0, 19 * lines)
        self.rest()

    def rest(self) -> None:
        """Take the mouse where it hovers over nothing."""
        self.page.mouse.move(2, 2)
        self.page.locator(".monaco-hover:visible").first.wait_for(state="hidden")

    # ------------------------------------------------------------------------------------ what the page shows
    def text(self) -> str:
        """The lines of the first editor as they are drawn, inlay hints included."""
        lines = self.page.locator(".editor-instance .view-lines").first.locator(".view-line")
        drawn = lines.evaluate_all("lines => lines.map(line => [line.offsetTop, line.textContent])")
        return "\n".join(plain(text) for _, text in sorted(drawn))

    def line(self, containing: str) -> Locator:
        """The drawn line that holds the text."""
        pattern = re.compile(re.escape(containing).replace(r"\ ", r"\s"))
        return self.page.locator(".editor-instance .view-line").filter(has_text=pattern).first

    def shows(self, text: str) -> None:
        """Wait until the text is drawn in an editor."""
        self.line(text).wait_for()

    def wait_for(self, condition: Callable[[], Any], what: str) -> None:
        """Wait until a condition on the page holds."""
        wait_until(lambda: condition() or self.page.wait_for_timeout(20), what)

    def type_at(self, line: int, column: int, text: str) -> None:
        """Put the text somewhere, as one edit."""
        self.go_to(line, column)
        # a move by hand ends the edit before: otherwise both would be undone together
        self.page.keyboard.press("ArrowLeft")
        self.page.keyboard.press("ArrowRight")
        self.page.keyboard.insert_text(text)

    def undo(self) -> None:
        """Take the last edit back."""
        self.page.keyboard.press("Control+Z")

    def fixes(self) -> list[str]:
        """The titles of the quick fixes at the caret, which stay open."""
        self.page.keyboard.press("Control+.")
        rows = self.page.locator(".action-widget .monaco-list-row.action")
        rows.first.wait_for()
        return [plain(title).strip() for title in rows.all_inner_texts()]

    def lens(self, text: str) -> Locator:
        """The code lens with the text."""
        return self.page.locator(".codelens-decoration a", has_text=text).first

    def lenses(self) -> list[str]:
        """The titles of the code lenses."""
        return [plain(title) for title in self.page.locator(".codelens-decoration a").all_inner_texts()]

    def account(self) -> str:
        """All that a person would look at when something is missing, in words."""
        texts = {
            "lenses": self.lenses(),
            "status bar": [plain(text) for text in self.page.locator(".statusbar-item").all_inner_texts()],
            "language status": self.page.locator('[id="status.languageStatus"] a').evaluate_all(
                "items => items.map(item => item.ariaLabel)"
            ),
            "notifications": self.page.locator(".notifications-toasts").all_inner_texts(),
            "editor": self.text(),
        }
        return "\n".join(f"{name}: {shown}" for name, shown in texts.items())

    def warned(self) -> list[str]:
        """The words that have the squiggle of a warning, from top to bottom."""
        return self.page.evaluate(WORDS_UNDER, ".squiggly-warning")

    def hover(self, line: str, word: str) -> str:
        """Put the mouse on a word of a line and return the text of the hover."""
        self.page.mouse.move(2, 2)
        span = self.line(line).locator("span span", has_text=word).first
        span.hover()
        box = self.page.locator(".monaco-hover:visible").filter(has_not_text="Loading...").first
        box.wait_for()
        return plain(box.inner_text())

    def output(self) -> Locator:
        """What the output view shows."""
        return self.page.locator(".panel .output-view-container, .panel .view-lines").first

    def output_channel(self) -> str:
        """The name of the output channel that is shown."""
        box = self.page.locator(".panel select").last
        return box.evaluate("box => box.selectedOptions[0].text")

    def notification(self, text: str) -> Locator:
        """The toast that holds the text."""
        return self.page.locator(".notifications-toasts .notification-toast", has_text=text).first

    def language_status(self, expected: str) -> str:
        """Wait until the language status of the status bar says what is expected; return all that it says."""
        item = self.page.locator(f'[id="status.languageStatus"] a[aria-label*="{expected}"]')
        item.wait_for()
        return plain(item.get_attribute("aria-label") or "")


@contextmanager
def opened(browser: Browser, address: str, **options: object) -> Iterator[Workbench]:
    """A browser window that has loaded the workbench.

    The environment variable AGENTL_LAST_PICTURES names a folder for a picture of how each window ended.
    """
    context = browser.new_context(**{"viewport": {"width": 1600, "height": 1800}, **options})
    page = context.new_page()
    # a window that is slow is no fault: the limit only ends what would hang
    page.set_default_timeout(180_000)
    page.goto(address)
    page.locator(".monaco-workbench .part.statusbar").wait_for()
    try:
        yield Workbench(page)
    finally:
        if pictures := os.environ.get("AGENTL_LAST_PICTURES"):
            page.screenshot(path=Path(pictures) / f"{time.time_ns()}.png")
        context.close()
