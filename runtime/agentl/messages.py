"""The gettext catalogue: English is the key, French is shipped (durability.md §1).

The language is chosen by `--lang`, then AGENTL_LANG, then the locale; English when unknown. Trace text does
not pass through here.
"""

from __future__ import annotations

import gettext
import locale
import os
import re
from functools import lru_cache
from pathlib import Path

from agentl_grammar.problems import Message

DOMAIN = "agentl"
LANGUAGES = ("en", "fr")
_DIRECTORY = Path(__file__).parent / "locale"
_chosen: list[str] = []


def choose_language(wanted: str | None) -> None:
    """Fix the language of messages for this process; None goes back to the environment."""
    _chosen[:] = [wanted] if wanted else []


def language() -> str:
    """Return the language in force: one of `LANGUAGES`."""
    candidates = [*_chosen, os.environ.get("AGENTL_LANG", ""), _locale()]
    for candidate in candidates:
        if candidate:
            short = re.split("[-_.@]", candidate)[0].lower()
            return short if short in LANGUAGES else "en"
    return "en"


def _locale() -> str:
    """Return the locale that the environment wants for messages (POSIX); it need not be installed."""
    wanted = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return next(filter(None, wanted), locale.getlocale()[0]) or ""


@lru_cache
def _catalogue(name: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, _DIRECTORY, languages=[name], fallback=True)


def translate_template(template: str) -> str:
    """Return the template in the language in force; its holes are left as they are."""
    return _catalogue(language()).gettext(template)


def translate(message: Message) -> str:
    """Return the sentence in the language in force. A Message among the arguments is translated as well."""
    return message.translated(translate_template)
