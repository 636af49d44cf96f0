"""How each rule of agent.lark is laid out: concrete trees to documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentl_grammar.formatter.concrete import Branch, Child
from agentl_grammar.formatter.documents import (
    Atom,
    Document,
    Gap,
    Group,
    Item,
    Nest,
    breaks_inside,
    first_atom,
    group,
)
from agentl_grammar.lexer import Token

Atoms = Callable[[Token], Atom]

_CALLS = frozenset(("call", "function_call", "confidence_call", "short_tool"))
# In these a line holds one item, only phases stand side by side.
_STATEMENTS = frozenset(("block", "plan", "event", "on_message", "decide", "rules"))
# On one line these are read as a sentence; the fields of others stand two spaces apart.
_SENTENCES = frozenset(("memory_write", "message", "delegate", "ask", "reason", "tool_list"))
_SIGNED = frozenset(("unary", "utility_entry", "domain"))
_OPTIONS = frozenset((
    "when", "guard", "on_unknown_escalate", "on_unknown_degrade", "confidence", "belief_source",
    "belief_updated", "bind", "attests", "default", "abstain", "likelihood", "given_not", "timeout",
))  # fmt: skip
_OPTION_WORDS = frozenset(("_WITH", "_VALUE", "_WHERE", "_INTERNAL"))
# What has a name and a value: separators are aligned in these.
_ENTRIES = frozenset((
    "argument", "belief_entry", "effect_entry", "payload_entry", "choice_option", "typed_field",
    "input_field", "produce_field", "assign", "question_noul", "question_choice", "question_score",
    "explains",
))  # fmt: skip
_CHAINS = {"_OR": 1, "_AND": 2, "_PLUS": 3, "_MINUS": 3, "_STAR": 4, "_SLASH": 4}
_FURTHER = 4


class Rules:
    """Documents of the rules; `atoms` gives the atom of a token."""

    def __init__(self, atoms: Atoms) -> None:
        self._atoms = atoms

    def document(self, child: Child) -> Document:
        """Return the document of a token or of a rule."""
        if isinstance(child, Token):
            return self._atoms(child)
        rule = child.rule
        if rule == "if_statement":
            return Nest(self._if(child), 0)
        if rule == "binary" and _level(child):
            return self._chain(child)
        if rule == "step" and not _is_block(child.children[-1]):
            return self._bare_step(child)
        if rule in _CALLS or rule in ("list_expression", "domain"):
            return Nest(self._bracketed(child), 0)
        return Nest(self._joined(child.rule, child.children), 0)

    # ------------------------------------------------------------------ side by side

    def _joined(self, rule: str, children: Sequence[Child]) -> list[Document]:
        """Return children one behind the other; what stands in braces is a block."""
        parts: list[Document] = []
        at = 0
        while at < len(children):
            child = children[at]
            if at:
                parts += self._between(rule, children, at)
            if isinstance(child, Token) and child.type == "_LBRACE":
                end = _closing(children, at)
                parts.append(self.block(rule, children[at : end + 1]))
                at = end
            elif isinstance(child, Token) and child.type == "_LBRACKET":
                end = len(children) - 1 - [_type(each) for each in reversed(children)].index("_RBRACKET")
                parts += self._list(children[at : end + 1])
                at = end
            elif _is_option(child):
                parts.append(Nest([self.document(child)], _FURTHER))
            else:
                parts.append(self.document(child))
            at += 1
        return parts

    def _between(self, rule: str, children: Sequence[Child], at: int) -> list[Document]:
        before, child = children[at - 1], children[at]
        atom = self._atoms(_first(child))
        flat = self._flat(rule, before, child)
        if _is_option(child) or (rule == "redaction" and _type(before) == "_COMMA"):
            stop = (
                "option" if isinstance(child, Token) else child.rule.partition("_esc")[0].partition("_deg")[0]
            )
            gap = Gap(
                " ", stop="" if rule in ("redaction", "plan") else "option" if rule == "observation" else stop
            )
            return [Nest([Group([gap], atom.on_new_line)], _FURTHER)]
        return [Gap(flat, breaks=False, stop=_stop(rule, before, child, at) if flat else "")]

    def _flat(self, rule: str, before: Child, child: Child) -> str:
        last, first = _last(before), _first(child)
        if first.type in ("_COMMA", "_RPAR", "_RBRACKET", "_DOT", "_COLON"):
            return ""
        if last.type == "_DOT":
            return " " if self._would_join(last, first) else ""
        if last.type in ("_LPAR", "_LBRACKET"):
            return ""
        if last.type == "_MINUS" and rule in _SIGNED:
            return ""
        return " "

    def _would_join(self, dot: Token, behind: Token) -> bool:
        """Tell whether `1 . 5` would be read as one number."""
        return behind.type == "NUMBER" and self._atoms(dot).after_number

    # ------------------------------------------------------------------ blocks

    def block(self, rule: str, children: Sequence[Child]) -> Document:
        """Return what stands in braces, the braces included."""
        items = _items(children[1:-1])
        opening, closing = self._atoms(_token(children[0])), self._atoms(_token(children[-1]))
        if not items:
            gap = Gap(" ", blank=True, opens=True, closes=True)
            return Group([opening, gap, closing], closing.forced)
        documents = [self._item(rule, item) for item in items]
        firsts = [first_atom(document) for document in documents]
        written = any(atom.on_new_line for atom in (*firsts, closing))
        broken = written or breaks_inside([opening, *documents, closing])
        parts: list[Document] = [Gap(" ", blank=True, opens=True)]
        for at, document in enumerate(documents):
            if at:
                parts.append(_item_gap(rule, items[at - 1], items[at], firsts[at], written=written))
            parts.append(document)
        return Group([opening, Nest(parts), Gap(" ", blank=True, closes=True), closing], broken)

    def _item(self, rule: str, item: Sequence[Child]) -> Item:
        if len(item) == 1:
            return Item([self.document(item[0])])
        return Item(self._joined(rule, item))

    def _bare_step(self, step: Branch) -> Document:
        """Return a STEP without braces."""
        at = next((at for at in range(len(step.children)) if _starts_body(step.children, at)), None)
        head = step.children[:at]
        parts = self._joined("step", head)
        if at is None:
            return Nest(parts, 0)
        items = _items(step.children[at:])
        documents = [self._item("step", item) for item in items]
        written = any(first_atom(document).on_new_line for document in documents)
        if len(documents) == 1 and not written:
            return Nest([*parts, Gap(" ", breaks=False), *documents], 0)
        body: list[Document] = []
        for place, document in enumerate(documents):
            gap = Gap(
                " " if not place or _ends_with_comma(items[place - 1]) else "  ", blank=True, opens=not place
            )
            if place and _are_phases(items[place - 1], items[place]):
                body.append(Group([Gap(" ", blank=True)], first_atom(document).on_new_line))
            else:
                body.append(gap)
            body.append(document)
        return Nest([*parts, Group([Nest(body)], written or breaks_inside(documents))], 0)

    # ------------------------------------------------------------------ brackets

    def _bracketed(self, branch: Branch) -> list[Document]:
        """Return a call or a list."""
        kinds = [_type(child) for child in branch.children]
        opening = next((at for at, kind in enumerate(kinds) if kind in ("_LPAR", "_LBRACKET")), None)
        if opening is None:
            return self._joined(branch.rule, branch.children)
        head = self._joined(branch.rule, branch.children[:opening]) if opening else []
        if head:
            head.append(Gap("", breaks=False))
        return [*head, *self._list(branch.children[opening:])]

    def _list(self, children: Sequence[Child]) -> list[Document]:
        """Return what stands in brackets, the brackets included."""
        opening, closing = self._atoms(_token(children[0])), self._atoms(_token(children[-1]))
        documents = [self._item("domain", item) for item in _items(children[1:-1])]
        if not documents:
            return [opening, Gap("", breaks=False), closing]
        written = any(first_atom(document).on_new_line for document in documents)
        parts: list[Document] = [Gap("")]
        for at, document in enumerate(documents):
            parts += [Gap(" ", blank=True), document] if at else [document]
        return [group([opening, Nest(parts), Gap(""), closing], broken=written or closing.on_new_line)]

    # ------------------------------------------------------------------ expressions, conditionals

    def _chain(self, branch: Branch) -> Document:
        """Return operands of the same strength: a line may end before each operator."""
        level = _level(branch)
        links: list[tuple[Child, Child]] = []
        left: Child = branch
        while isinstance(left, Branch) and left.rule == "binary" and _level(left) == level:
            links.append((left.children[1], left.children[2]))
            left = left.children[0]
        parts: list[Document] = []
        written = False
        for operator, operand in reversed(links):
            atom = self._atoms(_token(operator))
            written = written or atom.on_new_line
            parts += [Gap(" "), atom, Gap(" ", breaks=False), self.document(operand)]
        return group([self.document(left), Nest(parts, _FURTHER)], broken=written)

    def _if(self, branch: Branch) -> list[Document]:
        kinds = [_type(child) for child in branch.children]
        then = kinds.index("_THEN")
        parts = self._joined("if_statement", branch.children[: then + 1])
        body = branch.children[then + 1]
        parts += self._branch(body)
        if "_ELSE" not in kinds:
            return parts
        word, other = branch.children[then + 2 :]
        atoms = [self._atoms(_first(child)) for child in (body, word, other)]
        tail = [self._atoms(_token(word)), *self._branch(other)]
        if _is_block(body):
            return [*parts, Gap(" ", breaks=False), *tail]
        apart = any(atom.on_new_line for atom in atoms[: 2 if _is_block(other) or _is_if(other) else 3])
        return [Group([*parts, Gap(" "), *tail], apart)]

    def _branch(self, body: Child) -> list[Document]:
        document = self.document(body)
        if _is_block(body) or _is_if(body):
            return [Gap(" ", breaks=False), document]
        return [Nest([Group([Gap(" ")], first_atom(document).on_new_line), document])]


def _items(children: Sequence[Child]) -> list[list[Child]]:
    """Return the items of a block or list: each with its comma, and with the words before it."""
    items: list[list[Child]] = []
    complete = True
    signs = ("_MINUS", "_CONDITION", "_COLON", "_EQ")
    for child in children:
        if _type(child) == "_COMMA":
            items[-1].append(child)
            complete = True
        elif complete:
            items.append([child])
            complete = _type(child) not in signs
        else:
            items[-1].append(child)
            complete = _type(child) not in signs
    return items


def _item_gap(
    rule: str, before: Sequence[Child], item: Sequence[Child], atom: Atom, *, written: bool
) -> Document:
    phases = _are_phases(before, item)
    close = phases or rule in _SENTENCES or _ends_with_comma(before) or _is_when(before)
    gap = Gap(" " if close else "  ", blank=True)
    beside = phases or (written and rule not in _STATEMENTS and not _is_step(item))
    return Group([gap], atom.on_new_line) if beside else gap


def _ends_with_comma(item: Sequence[Child]) -> bool:
    return _last(item[-1]).type == "_COMMA"


def _are_phases(*items: Sequence[Child]) -> bool:
    return all(isinstance(item[0], Branch) and item[0].rule == "phase" for item in items)


def _is_when(item: Sequence[Child]) -> bool:
    return isinstance(item[0], Branch) and item[0].rule == "when"


def _is_step(item: Sequence[Child]) -> bool:
    return isinstance(item[0], Branch) and item[0].rule == "step"


def _is_block(child: Child) -> bool:
    return isinstance(child, Branch) and child.rule == "block"


def _is_if(child: Child) -> bool:
    return isinstance(child, Branch) and child.rule == "if_statement"


def _is_option(child: Child) -> bool:
    return child.type in _OPTION_WORDS if isinstance(child, Token) else child.rule in _OPTIONS


def _starts_body(children: Sequence[Child], at: int) -> bool:
    return at > 1 and _type(children[at]) not in ("_COLON", "_EQ")


def _stop(rule: str, before: Child, child: Child, at: int) -> str:
    """Return the column that may be aligned between two parts of an item, if any."""
    if rule in _ENTRIES:
        if _type(child) == "_EQ" or _type(before) == "_COLON":
            return "value"
        return ""
    return "field" if at == 1 and isinstance(before, Token) else ""


def _level(branch: Branch) -> int:
    return _CHAINS.get(_type(branch.children[1]), 0)


def _type(child: Child) -> str:
    return child.type if isinstance(child, Token) else ""


def _token(child: Child) -> Token:
    if isinstance(child, Token):
        return child
    raise TypeError(child.rule)


def _first(child: Child) -> Token:
    while isinstance(child, Branch):
        child = child.children[0]
    return child


def _last(child: Child) -> Token:
    while isinstance(child, Branch):
        child = child.children[-1]
    return child


def _closing(children: Sequence[Child], opening: int) -> int:
    """Return where the brace is that closes the one at `opening`; inner ones are in rules of their own."""
    return next(at for at in range(opening + 1, len(children)) if _type(children[at]) == "_RBRACE")
