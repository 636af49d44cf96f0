"""D209 and D210: what nothing holds back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentl.review.view import Target, View, warning
from agentl_grammar.checks.effects import touched_by
from agentl_grammar.checks.insertion import rule_fix
from agentl_grammar.checks.naming import related_paths
from agentl_grammar.checks.registry import Found, said
from agentl_grammar.problems import Fix, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import CallStatement, MainLoop, PolicyDefault, Verify

_LONG = 1000
"""More ticks than anybody looks at one by one."""
_AFTER_A_RESUME = re.compile(r"run\.(resumed|resumes|age_s)")


@warning("D209")
def run_without_end(view: View) -> Iterator[Found]:
    """D209: a long run that nobody attends: no MAX that is near, no budget, no approval after a resume.

    Told at the LOOP of an agent that acts on the world, when its MAX is missing, 0, or above 1,000. Any
    condition that reads `budget.…` bounds the run; any rule of POLICY that reads `run.resumed`,
    `run.resumes` or `run.age_s` brings a person in, as does an approval of every action.
    """
    index = view.index
    if any(name.startswith("budget.") for name in index.reads) or _asks_after_a_resume(view):
        return
    if all(_is_approved(view, target) for target in view.targets() if view.acts(target)):
        return
    for part, loop in index.all(MainLoop):
        maximum = loop.maximum.value if loop.maximum else 0
        if maximum <= 0 or maximum > _LONG:
            yield Found(
                part.at(loop.maximum) if loop.maximum else _word(part.at(loop)),
                said(
                    message_id(
                        "the run may last long and nobody attends it: LOOP has no MAX that is near, nothing "
                        "reads a budget, and no rule asks a person after a resume"
                    )
                ),
                said(
                    message_id(
                        "add MAX n to LOOP, or a rule: REQUIRE APPROVAL FOR * WHEN run.resumed == true"
                    )
                ),
            )


def _word(loop: Span) -> Span:
    return Span(loop.start, loop.start + len("LOOP"))


def _is_approved(view: View, target: Target) -> bool:
    rules = (rule for _, rule in view.index.rules_on(target.name))
    return any(rule.kind == "REQUIRE" and rule.guard is None for rule in rules)


def _asks_after_a_resume(view: View) -> bool:
    return any(
        _AFTER_A_RESUME.fullmatch(name)
        for part, rule in view.index.rules
        if rule.guard is not None
        for name in part.reads(rule.guard)
    )


@warning("D210")
def effect_without_control(view: View) -> Iterator[Found]:
    """D210: a tool with SIDE_EFFECT that no rule of POLICY is about, and that no VERIFY follows.

    A rule on `*` is about every tool, and DEFAULT DENY lets no tool through that has no rule. A VERIFY counts
    when it stands behind a call in the same body, or reads what the tool touches.
    """
    if _denies_by_default(view):
        return
    for target in view.targets():
        if _is_uncontrolled(view, target):
            yield Found(
                target.span,
                said(
                    message_id("{tool} acts on the world; no rule is about it, and no VERIFY checks it"),
                    tool=target.name,
                ),
                said(message_id("add a rule, or VERIFY behind the call that it did what it should")),
                fixes=_approval(view, target),
            )


def _is_uncontrolled(view: View, target: Target) -> bool:
    tool = target.tool
    if tool is None or not tool.side_effects or view.index.rules_on(target.name):
        return False
    return not _is_verified(view, target)


def _approval(view: View, target: Target) -> tuple[Fix, ...]:
    place = target.part.at(target.tool) if target.tool else target.span
    return rule_fix(view.index.layout, target.name, place, f"REQUIRE APPROVAL FOR {target.name}")


def _denies_by_default(view: View) -> bool:
    defaults = [node for _, node in view.index.all(PolicyDefault)]
    return bool(defaults) and defaults[-1].verdict == "DENY"


def _is_verified(view: View, target: Target) -> bool:
    touched = touched_by(target.tool) if target.tool else set[str]()
    for part in view.index.parts:
        calls = [node.span.start for node in part.all(CallStatement) if node.target.text == target.name]
        for verify in part.all(Verify):
            if any(start < verify.span.start for start in calls):
                return True
            read = part.reads(verify.condition)
            if any(related_paths(path, name) for path in read for name in touched):
                return True
    return False
