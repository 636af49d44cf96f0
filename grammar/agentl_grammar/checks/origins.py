"""Arguments of risky calls that come from a model, and the rules that stop them (§5.6, §5.7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentl_grammar.checks.contents import OracleUse
from agentl_grammar.checks.guards import Known, boolean_of, connected, risk_known, truth
from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.naming import parameters_of
from agentl_grammar.checks.order import holds
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, said, warning
from agentl_grammar.problems import message_id
from agentl_grammar.tree import (
    Argument,
    Binary,
    CallStatement,
    Domain,
    Expression,
    ForEach,
    FunctionCall,
    Node,
    NumberLiteral,
    Path,
    ProduceField,
    Reason,
    Rule,
)

_TARGETS = frozenset(
    [
        "target",
        "host",
        "ip",
        "pid",
        "user",
        "account",
        "file",
        "path",
        "recipient",
        "address",
        "resource",
        "device",
        "object",
        "entity",
        "vm",
        "container",
        "key",
        "id",
        "repository",
    ]
)
_RAW = frozenset(["raw", "log", "logs", "message", "messages", "body", "content"])
_GOOD = frozenset({"TRUSTED", "ATTESTED"})
_BAD = frozenset({"UNTRUSTED", "LLM_DERIVED"})


def _raw_reads(reason: Reason) -> list[str]:
    paths = [path.text for path in reason.using.paths] if reason.using else []
    return [
        path
        for path in paths
        if _RAW & {word for part in path.lower().split(".") for word in part.split("_")}
    ]


class _Chosen(NamedTuple):
    """An argument of a risky call that comes from a model: its parameter, the path read, and the field."""

    part: Part
    call: CallStatement
    argument: Argument
    name: str
    text: str
    use: OracleUse


def _oracle_arguments(index: Index) -> Iterator[_Chosen]:
    for part, call in index.own(CallStatement) if index.asks_models else ():
        known = index.tools.get(call.target.text)
        if known is None or not index.is_risky(known[1]):
            continue
        names = parameters_of(known[1])
        for position, argument in enumerate(call.arguments):
            name = argument.name.text if argument.name else "".join(names[position : position + 1])
            for text in part.reads(argument.value):
                use = _source_of(index, part, call, text)
                if use:
                    yield _Chosen(part, call, argument, name, text, use)


def _source_of(index: Index, part: Part, place: Node, path: str) -> OracleUse | None:
    """Return the field that a path reads at a place, also where it is an element of a FOREACH over one."""
    first = path.split(".", maxsplit=1)[0]
    around = [loop for loop in part.all(ForEach) if loop.variable.text == first and holds(loop.body, place)]
    if not around:
        return index.oracle_source(path)
    uses = (_source_of(index, part, around[-1], text) for text in part.reads(around[-1].source))
    return next((use for use in uses if use), None)


@warning("W119", CallStatement)
def target_from_a_model(index: Index) -> Iterator[Found]:
    """W119: a model chooses the target of a risky call, and nothing vouches for its choice.

    A parameter is target-like when a word of its name is in the list of §10.2. Silent where a tool that is
    called in the same member ATTESTS that parameter or field, where the field has a closed domain (the
    program lists the targets), and where a rule on the tool stops such arguments. A path that is only ever
    SET from a field is that field, and so is an element of it in FOREACH.
    """
    for part, call, argument, name, text, use in _oracle_arguments(index):
        domain = use.field.domain if isinstance(use.field, ProduceField) else None
        if not _words_of(name) & _TARGETS or _closed(domain):
            continue
        if _is_attested(index, part, {name, use.field.name.text, text}) or _origin_guarded(
            index, call.target.text, {name, "action"}
        ):
            continue
        yield Found(
            part.at(argument),
            said(
                message_id("a model chooses {name} of {tool}, and nothing vouches for it"),
                name=name,
                tool=call.target.text,
            ),
            said(
                message_id(
                    "call a tool that ATTESTS {name}, and demand it: NEVER {tool} WHEN NOT ATTESTED({name})"
                ),
                name=name,
                tool=call.target.text,
            ),
            (see(use.part, use.field.name, said(message_id("the model is asked for it here"))),),
        )


def _closed(domain: Domain | None) -> bool:
    return domain is not None and not any(isinstance(item, NumberLiteral) for item in domain.items)


def _is_attested(index: Index, part: Part, names: set[str]) -> bool:
    called = {call.target.text for call in part.all(CallStatement)}
    attested = {
        parameter.attests.text
        for name in called
        if name in index.tools
        for parameter in index.tools[name][1].inputs
        if parameter.attests
    }
    return bool(attested & names)


def _words_of(name: str) -> set[str]:
    return set(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_"))


def _origin_guarded(index: Index, tool: str, names: set[str]) -> bool:
    """Tell whether rules on a tool stop arguments that a model derived, whatever else may be so.

    One rule that certainly applies is enough to forbid or ask. Of ALLOW none may hold: one that holds lets
    the call through.
    """
    rules = index.rules_on(tool)
    known = risk_known(index.tools[tool][1])
    held = [(rule.kind, _of_derived(part, rule, names, known)) for part, rule in rules]
    allowed = [holds_so for kind, holds_so in held if kind == "ALLOW"]
    stopped = any(kind != "ALLOW" and holds_so is True for kind, holds_so in held)
    return stopped or (
        all(holds_so is False for holds_so in allowed) and (allowed != [] or index.denies_by_default)
    )


def _of_derived(part: Part, rule: Rule, names: set[str], known: Known) -> bool | None:
    """Return what a rule says of arguments that a model derived; None where something else decides."""

    def atom(node: Expression) -> bool | None:
        if isinstance(node, FunctionCall):
            is_asked = node.function.text in _GOOD | _BAD and names & set(part.reads(node))
            return node.function.text in _BAD if is_asked else None
        return compared(node) if isinstance(node, Binary) else truth(node, known)

    def compared(node: Binary) -> bool | None:
        operator = node.operator.text
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, FunctionCall) and isinstance(other, Path):
                if operator == "IN" and one.function.text == "ORIGIN" and names & set(part.reads(one)):
                    return True if other.text == "LLM" else None
                value, word = atom(one), boolean_of(other)
                is_known = value is not None and word is not None and operator in ("==", "!=")
                return (value == word) == (operator == "==") if is_known else None
        return truth(node, known)

    return True if rule.guard is None else connected(rule.guard.condition, atom)


@warning("W125", CallStatement)
def raw_text_moves_a_risky_call(index: Index) -> Iterator[Found]:
    """W125: a risky call takes an argument from a REASON over raw text, which anybody may have written.

    Text is raw when a word of its path is raw, log, message, body or content. A rule on the tool protects
    when it forbids (or asks about) UNTRUSTED or LLM_DERIVED values whatever else is so, or when every ALLOW
    asks TRUSTED or ATTESTED; a rule the wrong way round does not. REQUIRE APPROVAL, NEVER and DENY without a
    guard protect as well.
    """
    for part, call, argument, name, text, use in _oracle_arguments(index):
        if not isinstance(use.statement, Reason):
            continue
        raw = _raw_reads(use.statement)
        if raw and not _origin_guarded(index, call.target.text, {name, text, "action"}):
            using = use.statement.using or use.statement
            yield Found(
                part.at(argument),
                said(
                    message_id("whoever writes {raw} can steer {tool} through the model"),
                    raw=raw[0],
                    tool=call.target.text,
                ),
                said(
                    message_id("add a rule: REQUIRE APPROVAL FOR {tool} WHEN LLM_DERIVED({name})"),
                    tool=call.target.text,
                    name=name,
                ),
                (see(use.part, using, said(message_id("read by the model here"))),),
            )


RULES = (target_from_a_model, raw_text_moves_a_risky_call)
