"""The fix of D201: where a rule on a doubt goes, so that a person could have written it there.

It never lands in a comment, keeps comments with what they are about, and follows the layout of the text: its
line ends, its indentation, and its one-line blocks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentl_grammar.lexer import lex
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Fix, Message, message_id
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Agent, Node, Policy, Tool

_DEFAULT_INDENT = "  "
_GAP = r"(?:[ \t\r\n]|(?:#|//)[^\r\n]*(?:[\r\n]|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*"
_COMMA = re.compile(_GAP + ",").match
_COMMENT = re.compile(r"[ \t]*(?:/\*(?:[^*]|\*(?!/))*\*/|((?:#|//)[^\r\n]*))").match
_BLANKS = re.compile(r"[ \t]*").match
_LINE_END = re.compile(r"\r\n|\n|\r")


def guard_fix(agent: Agent, tool: Tool, source: Source) -> tuple[Fix, ...]:
    """Return the edit that adds `NEVER tool WHEN tools.tool.in_doubt == true` to the policy of `agent`.

    There is none for a name that a rule or a path cannot say. `source` is the text of the agent.
    """
    name = tool.name.text
    if not name.isidentifier() or name in WORDS:
        return ()
    rule = f"NEVER {name} WHEN tools.{name}.in_doubt == true"
    policies = agent.of(Policy)
    layout = _Layout(agent, source)
    edit = layout.in_policy(policies[-1], rule) if policies else layout.new_policy(tool, rule)
    return (Fix(Message(message_id("Add {rule}"), {"rule": rule}), (edit,)),)


class _Layout:
    """How the text around an agent is laid out."""

    def __init__(self, agent: Agent, source: Source) -> None:
        self._agent = agent
        self._source = source
        found = _LINE_END.search(source.text)
        self._line_end = found[0] if found else "\n"
        self._outer = self._indentation(agent)
        self._member = self._sibling_indentation(agent.members)
        self._unit = _DEFAULT_INDENT
        if self._member is not None and self._member.startswith(self._outer) and self._member != self._outer:
            self._unit = self._member[len(self._outer) :]

    def in_policy(self, policy: Policy, rule: str) -> tuple[Span, str]:
        """Return the edit that puts a rule behind the last one of a POLICY."""
        start, line_open = self._behind(self._last_of(policy))
        closing = policy.span.end - 1
        blanks = self._blanks_end(start)
        indentation = self._sibling_indentation(policy.rules)
        empty = not policy.rules and blanks == closing and not self._is_one_line(self._agent)
        if not (line_open or empty or indentation is not None or self._breaks(start, closing)):
            place = Span(start, blanks if blanks == closing else start)
            return place, f" {rule}" + (" " if blanks == closing and self._blank_before(closing) else "")
        if indentation is None:
            indentation = self._indentation(policy) + self._unit
        added = f"{self._line_end}{indentation}{rule}"
        if empty:
            return Span(start, closing), f"{added}{self._line_end}{self._indentation(policy)}"
        return Span(start, start), added

    def new_policy(self, tool: Tool, rule: str) -> tuple[Span, str]:
        """Return the edit that puts a POLICY behind the member that declares the tool."""
        member = next(member for member in self._agent.members if member.span.contains(tool.span.start))
        start, _ = self._behind(member.span.end)
        if self._is_one_line(self._agent):
            return Span(start, start), f" POLICY {{ {rule} }}"
        indentation = self._indentation(member) if self._opens_line(member) else self._member
        if indentation is None:
            indentation = self._outer + self._unit
        lines = ["", "", f"{indentation}POLICY {{", f"{indentation}{self._unit}{rule}", f"{indentation}}}"]
        end = self._blanks_end(start)
        if end == len(self._source.text) or self._source.text[end] in "\r\n":
            return Span(start, start), self._line_end.join(lines)
        closes = end == self._agent.span.end - 1
        lines.append(self._outer if closes else indentation)
        return Span(start, end), self._line_end.join(lines)

    # ------------------------------------------------------------------------------------------- the text

    def _last_of(self, policy: Policy) -> int:
        """Return where the last rule of a policy ends, with its comma; its opening brace when it is empty."""
        if policy.rules:
            end = policy.rules[-1].span.end
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

    def _is_one_line(self, node: Node) -> bool:
        return not self._breaks(node.span.start, node.span.end)

    def _sibling_indentation(self, nodes: Sequence[Node]) -> str | None:
        """Return the indentation of the last of these nodes that opens its line."""
        opening = [node for node in nodes if self._opens_line(node)]
        return self._indentation(opening[-1]) if opening else None

    def _indentation(self, node: Node) -> str:
        line = self._source.line(self._source.position(node.span.start).line).lstrip("\ufeff")
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _opens_line(self, node: Node) -> bool:
        position = self._source.position(node.span.start)
        return not self._source.line(position.line)[: position.column].strip(" \t\ufeff")
