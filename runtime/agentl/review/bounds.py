"""D209 and D210: what nothing holds back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentl.review.view import Target, View, warning
from agentl_grammar.checks.effects import touched_by
from agentl_grammar.checks.insertion import rule_fix
from agentl_grammar.checks.naming import related_paths
from agentl_grammar.checks.order import comes_behind
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
    if all(_is_approved(view, target) for target in view.targets if view.acts(target)):
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
    checked, read = _verified(view)
    for target in view.targets:
        if _acts_without_rule(view, target) and target.name not in checked and not _touches(target, read):
            yield Found(
                target.span,
                said(
                    message_id("{tool} acts on the world; no rule is about it, and no VERIFY checks it"),
                    tool=target.name,
                ),
                said(message_id("add a rule, or VERIFY behind the call that it did what it should")),
                fixes=_approval(view, target),
            )


def _acts_without_rule(view: View, target: Target) -> bool:
    tool = target.tool
    return tool is not None and bool(tool.side_effects) and not view.index.rules_on(target.name)


def _approval(view: View, target: Target) -> tuple[Fix, ...]:
    place = target.part.at(target.tool) if target.tool else target.span
    return rule_fix(view.index.layout, target.name, place, f"REQUIRE APPROVAL FOR {target.name}")


def _denies_by_default(view: View) -> bool:
    defaults = [node for _, node in view.index.all(PolicyDefault)]
    return bool(defaults) and defaults[-1].verdict == "DENY"


def _verified(view: View) -> tuple[set[str], set[str]]:
    """Return the tools with a VERIFY behind a call in the same body, and the paths that VERIFYs read."""
    checked: set[str] = set()
    read: set[str] = set()
    for part in view.index.parts:
        verifies = part.all(Verify)
        if verifies:
            checked.update(
                call.target.text
                for call in part.all(CallStatement)
                if any(comes_behind(part, call, verify) for verify in verifies)
            )
            read.update(path for verify in verifies for path in part.reads(verify.condition))
    return checked, read


def _touches(target: Target, read: set[str]) -> bool:
    touched = touched_by(target.tool) if target.tool else set[str]()
    return any(related_paths(path, name) for path in read for name in touched)
