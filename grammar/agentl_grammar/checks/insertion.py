"""Where a new rule of POLICY goes, so that a person could have written it there.

It never lands in a comment, keeps comments with what they are about, and follows the layout of the text: its
line ends, its indentation, and its one-line blocks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from agentl_grammar.lexer import lex
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Fix, Message, message_id
from agentl_grammar.source import BYTE_ORDER_MARK, Source, Span

_DEFAULT_INDENT = "  "
_GAP = r"(?:[ \t\r\n]|(?:#|//)[^\r\n]*(?:[\r\n]|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*"
_COMMA = re.compile(_GAP + ",").match
_COMMENT = re.compile(r"[ \t]*(?:/\*(?:[^*]|\*(?!/))*\*/|((?:#|//)[^\r\n]*))").match
_BLANKS = re.compile(r"[ \t]*").match
_REST_OF_LINE = re.compile(r"[^\r\n]*").match
_LINE_END = re.compile(r"\r\n|\n|\r")


def rule_fix(layout: Layout, name: str, place: Span, rule: str) -> tuple[Fix, ...]:
    """Return the edit that adds a rule on the tool `name`, declared at `place`, to the policy of its agent.

    There is none for a name that a rule or a path cannot say.
    """
    if not name.isidentifier() or name in WORDS:
        return ()
    title = Message(message_id("Add {rule}"), {"rule": rule})
    return (Fix(title, (layout.with_rule(place, rule),)),)


@dataclass(frozen=True, slots=True)
class PolicyText:
    """Where a POLICY and its rules stand."""

    span: Span
    rules: tuple[Span, ...]


class Layout:
    """How the text of an agent is laid out: `members` and `policies` are where they stand in `source`.

    A first POLICY goes behind `tools`, the last member that declares any: all rules that are missing then go
    to one place, and into one POLICY. Where that is not known it goes behind the tool that it is about.
    """

    def __init__(
        self,
        source: Source,
        agent: Span,
        members: Sequence[Span],
        policies: Sequence[PolicyText],
        tools: Span | None = None,
    ) -> None:
        self._agent = agent
        self._tools = tools
        self._members = members
        self._policies = policies
        self._source = source
        found = _LINE_END.search(source.text)
        self._line_end = found[0] if found else "\n"
        self._outer = self._indentation(agent)
        self._member = self._sibling_indentation(members)
        self._unit = _DEFAULT_INDENT
        if self._member is not None and self._member.startswith(self._outer) and self._member != self._outer:
            self._unit = self._member[len(self._outer) :]

    @cached_property
    def _key(self) -> tuple[object, ...]:
        """What the place and the text of a rule depend on, wherever it all stands."""
        home = self._policies[-1].span if self._policies else self._tools
        own = (self._line_end, self._outer, self._member, self._unit, self._is_one_line(self._agent))
        if home is None:
            return (*own, self._source.slice(self._agent))
        start = self._line_start(home.start)
        if self._policies and self._policies[-1].rules:  # nothing above the last rule moves it
            rules = self._policies[-1].rules
            start, own = rules[-1].start, (*own, self._indentation(home), self._sibling_indentation(rules))
        rest = _REST_OF_LINE(self._source.text, home.end)
        behind = rest[0] if rest else ""
        last = self._agent.end - home.end <= len(behind)
        return (*own, bool(self._policies), self._source.text[start : home.end], behind, last)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def with_rule(self, tool: Span, rule: str) -> tuple[Span, str]:
        """Return the edit that adds a rule about a tool that is declared at `tool`."""
        if not self._policies:
            return self._new_policy(tool, rule)
        place, before, behind = self._in_policy
        return place, f"{before}{rule}{behind}"

    @cached_property
    def _in_policy(self) -> tuple[Span, str, str]:
        """Where a rule goes behind the last one of the POLICY, and what stands before and behind it."""
        policy = self._policies[-1]
        start, line_open = self._behind(self._last_of(policy))
        closing = policy.span.end - 1
        blanks = self._blanks_end(start)
        indentation = self._sibling_indentation(policy.rules)
        empty = not policy.rules and blanks == closing and not self._is_one_line(self._agent)
        if not (line_open or empty or indentation is not None or self._breaks(start, closing)):
            place = Span(start, blanks if blanks == closing else start)
            return place, " ", " " if blanks == closing and self._blank_before(closing) else ""
        if indentation is None:
            indentation = self._indentation(policy.span) + self._unit
        before = f"{self._line_end}{indentation}"
        if empty:
            return Span(start, closing), before, f"{self._line_end}{self._indentation(policy.span)}"
        return Span(start, start), before, ""

    def _new_policy(self, tool: Span, rule: str) -> tuple[Span, str]:
        """Return the edit that puts a POLICY behind the last tools."""
        member = self._tools or next(member for member in self._members if member.contains(tool.start))
        start, _ = self._behind(member.end)
        if self._is_one_line(self._agent):
            return Span(start, start), f" POLICY {{ {rule} }}"
        indentation = self._indentation(member) if self._opens_line(member) else self._member
        if indentation is None:
            indentation = self._outer + self._unit
        lines = ["", "", f"{indentation}POLICY {{", f"{indentation}{self._unit}{rule}", f"{indentation}}}"]
        end = self._blanks_end(start)
        if end == len(self._source.text) or self._source.text[end] in "\r\n":
            return Span(start, start), self._line_end.join(lines)
        closes = end == self._agent.end - 1
        lines.append(self._outer if closes else indentation)
        return Span(start, end), self._line_end.join(lines)

    # ------------------------------------------------------------------------------------------- the text

    def _last_of(self, policy: PolicyText) -> int:
        """Return where the last rule of a policy ends, with its comma; its opening brace when it is empty."""
        if policy.rules:
            end = policy.rules[-1].end
            comma = _COMMA(self._source.text, end)
            return comma.end() if comma else end
        brace = lex(self._source.slice(policy.span)).tokens[1]
        return policy.span.start + brace.end

    def _behind(self, offset: int) -> tuple[int, bool]:
        """Return where the comments on this line end, and whether the last one takes the rest of the line."""
        while comment := _COMMENT(self._source.text, offset):
            offset = comment.end()
            if comment[1] is not None:
                return offset, True
        return offset, False

    def _blanks_end(self, offset: int) -> int:
        blanks = _BLANKS(self._source.text, offset)
        return blanks.end() if blanks else offset

    def _blank_before(self, closing: int) -> bool:
        opening = self._source.text[closing - 1]
        return opening in " \t{"

    def _breaks(self, start: int, end: int) -> bool:
        return _LINE_END.search(self._source.text, start, end) is not None

    def _is_one_line(self, place: Span) -> bool:
        return not self._breaks(place.start, place.end)

    def _sibling_indentation(self, places: Sequence[Span]) -> str | None:
        """Return the indentation of the last of these places that opens its line."""
        last = next((place for place in reversed(places) if self._opens_line(place)), None)
        return self._indentation(last) if last else None

    def _indentation(self, place: Span) -> str:
        start = self._line_start(place.start)
        return self._source.text[start : self._blanks_end(start)]

    def _opens_line(self, place: Span) -> bool:
        return not self._source.text[self._line_start(place.start) : place.start].strip(" \t")

    def _line_start(self, offset: int) -> int:
        """Return where the line begins, behind a byte order mark; nobody has counted the lines for this."""
        text = self._source.text
        start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
        return start + text.startswith(BYTE_ORDER_MARK, start)
