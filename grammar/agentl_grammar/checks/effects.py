"""What actions do to the world, and who looks afterwards (§5.5, §5.9)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.flow import Checked, VerifiedBehind, bodies
from agentl_grammar.checks.guards import functions_in, hypotheses_read
from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.naming import effects_of, parameters_of, prefixes, related_paths
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, said, warning
from agentl_grammar.problems import Fix, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Block,
    CallStatement,
    ForEach,
    Goal,
    MainLoop,
    Observe,
    Tool,
    Verify,
)

_PENDING = frozenset({"pending", "remaining", "unresolved"})
_ATTESTED = frozenset({"ATTESTED"})


def acts(index: Index, tool: Tool) -> bool:
    """Tell whether a call of a tool is to be checked afterwards: it predicts an effect, or is risky."""
    return any(not effect.internal for effect in effects_of(tool)) or index.is_risky(tool)


def touched_by(tool: Tool) -> set[str]:
    """Return the paths that a call of a tool is about: its effects and its results."""
    name = tool.name.text
    outputs = {key.name.text for key in tool.outputs}
    return {
        *(effect.path.text for effect in effects_of(tool)),
        *(path.text for path in tool.side_effects),
        *outputs,
        f"{name}",
        f"result.{name}",
        *(f"result.{key}" for key in outputs),
        f"tools.{name}",
    }


@warning("W102", CallStatement)
def nobody_looks(index: Index) -> Iterator[Found]:
    """W102: a call that acts (EFFECT, or HIGH and above) with a way to the end without a VERIFY on it.

    A VERIFY counts when it reads a path of EFFECT, OUTCOME, SIDE_EFFECT or OUTPUT of the tool, one above or
    below it, or a fact of the tool; also in a plan that is started behind the call.
    """
    acting = index.ask(_touched_by_tool)
    for part in dict.fromkeys(home for home, _ in index.own(CallStatement)):
        if not any(call.target.text in acting for call in part.all(CallStatement)):
            continue
        open_calls: list[CallStatement] = []

        def visit(call: CallStatement, behind: Checked, found: list[CallStatement] = open_calls) -> None:
            touched = acting.get(call.target.text)
            if touched and not _meet(touched, behind):
                found.append(call)

        for body in bodies(part.node):
            VerifiedBehind(index, part, visit).body(body)
        for call in sorted(open_calls, key=lambda call: call.span.start):
            yield _unverified(index, part, call)


def _touched_by_tool(index: Index) -> dict[str, set[str]]:
    return {
        name: home.keep(touched_by, tool) for name, (home, tool) in index.tools.items() if acts(index, tool)
    }


def _meet(touched: set[str], verified: Checked) -> bool:
    return any(related_paths(one, other) for other in verified for one in touched)


def _unverified(index: Index, part: Part, call: CallStatement) -> Found:
    home, tool = index.tools[call.target.text]
    effects = [effect for effect in effects_of(tool) if not effect.internal]
    results = [f"{tool.name.text}.{output.name.text}" for output in tool.outputs]
    changed = [path.text for path in tool.side_effects]
    about = next(iter([*(effect.path.text for effect in effects), *results, *changed]), None)
    hint = said(message_id("declare what it changes or answers (EFFECT, OUTPUT), and VERIFY that behind it"))
    if about is not None:
        hint = said(message_id("add behind it: VERIFY {path} == …"), path=about)
    return Found(
        part.at(call),
        said(message_id("nothing checks what {tool} did, at least on one way through"), tool=tool.name.text),
        hint,
        (see(home, effects[0], said(message_id("this is only believed"))),) if effects else (),
    )


@warning("W121", Verify)
def verify_of_a_belief(index: Index) -> Iterator[Found]:
    """W121: VERIFY reads a path of an EFFECT that nothing observes: it checks what the program said."""
    for part, verify in index.own(Verify):
        for text in dict.fromkeys(part.reads(verify.condition)):
            effect = next((index.effects[above] for above in prefixes(text) if above in index.effects), None)
            if effect and not index.is_observed(text) and text not in index.outputs:
                home, tool, entry = effect[0]
                yield Found(
                    part.at(verify),
                    said(
                        message_id("{path} is not observed: this verifies what {tool} was said to do"),
                        path=text,
                        tool=tool.name.text,
                    ),
                    said(message_id("observe it: OBSERVE {{ {path} }}"), path=text),
                    (see(home, entry, said(message_id("said here"))),),
                    _observing(index, text),
                )


def _observing(index: Index, path: str) -> tuple[Fix, ...]:
    found = [(part, node) for part, node in index.all(Observe) if node.entries]
    if not found or index.source.text[found[-1][0].at(found[-1][1]).end - 1] != "}":
        return ()
    part, node = found[-1]
    end = part.at(node.entries[-1]).end
    return (Fix(said(message_id("Observe {path}"), path=path), ((Span(end, end), f", {path}"),)),)


def _loops_with_calls(block: Block | ForEach, part: Part) -> list[CallStatement]:
    start, end = block.span.start, block.span.end
    return [call for call in part.all(CallStatement) if start <= call.span.start < end]


@warning("W122", ForEach)
def one_hypothesis_for_every_element(index: Index) -> Iterator[Found]:
    """W122: in a FOREACH a call on the element is allowed by a hypothesis that is about no element.

    Silent where a tool called in the same loop ATTESTS the parameter, or an ALLOW asks ATTESTED of it.
    """
    for part, loop in index.own(ForEach):
        calls = _loops_with_calls(loop, part)
        for call in calls:
            known = index.tools.get(call.target.text)
            allows = [(home, rule) for home, rule in index.rules_on(call.target.text) if rule.kind == "ALLOW"]
            globals_ = [
                (home, rule, name)
                for home, rule in allows
                if rule.guard and not functions_in(home, rule.guard, _ATTESTED)
                for name in sorted(hypotheses_read(index, home, rule.guard))
            ]
            if known is None or not globals_:
                continue
            element = loop.variable.text
            taken = [
                argument.name.text if argument.name else "".join(parameters_of(known[1])[place : place + 1])
                for place, argument in enumerate(call.arguments)
                if any(
                    text == element or text.startswith(f"{element}.") for text in part.reads(argument.value)
                )
            ]
            vouched = {
                parameter.attests.text
                for other in calls
                if other.target.text in index.tools
                for parameter in index.tools[other.target.text][1].inputs
                if parameter.attests
            }
            if taken and not vouched & set(taken):
                home, rule, name = globals_[0]
                yield Found(
                    part.at(call),
                    said(
                        message_id("{hypothesis} says nothing about {element}, and allows {tool} for each"),
                        hypothesis=name,
                        element=element,
                        tool=call.target.text,
                    ),
                    said(message_id("check each element with a tool that ATTESTS {name}"), name=taken[0]),
                    (see(home, rule, said(message_id("allowed here"))),),
                )


@warning("W123")
def done_while_work_is_left(index: Index) -> Iterator[Found]:
    """W123: a tool can end the run (LOOP UNTIL waits for its EFFECT) while an observed count is not 0.

    A count is an observed path with a word pending, remaining or unresolved. Silent where UNTIL, the goals it
    asks for, a rule on the tool or its REQUIRES read that count.
    """
    loops = [(part, loop) for part, loop in index.all(MainLoop) if loop.until]
    counts = [
        (part, node)
        for text, (part, node) in index.observed.items()
        if _PENDING & {word for segment in text.lower().split(".") for word in segment.split("_")}
    ]
    if not loops or not counts:
        return
    until = _waited_for(index, *loops[0])
    for name, (part, tool) in index.tools.items():
        effects = [
            effect
            for effect in effects_of(tool)
            if any(related_paths(effect.path.text, path) for path in until)
        ]
        if not effects:
            continue
        asked = {*until, *part.reads(tool.requires)}
        for home, rule in index.rules_on(name):
            asked.update(home.reads(rule.guard))
        for home, count in counts:
            text = count.path.text
            if not any(related_paths(text, path) for path in asked):
                yield Found(
                    part.at(tool.name),
                    said(message_id("{tool} can end the run while {path} is not done"), tool=name, path=text),
                    said(message_id("ask for it: ALLOW {tool} WHEN {path} == 0"), tool=name, path=text),
                    (see(home, count, said(message_id("observed, and not asked"))),),
                )


def _waited_for(index: Index, part: Part, loop: MainLoop) -> set[str]:
    paths = set(part.reads(loop.until))
    if any(path.split(".")[0] in ("goal", "goals") for path in paths):
        for home, goal in index.all(Goal):
            paths.update(path for node in (goal.condition, *goal.targets) for path in home.reads(node))
    return paths


RULES = (
    nobody_looks,
    verify_of_a_belief,
    one_hypothesis_for_every_element,
    done_while_work_is_left,
)
