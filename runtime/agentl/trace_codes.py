"""The codes of trace events: kind and English template, in one table (language.md §8.5, durability.md §6).

A code, its kind and the names of its arguments are part of the events digest. The templates are not.
"""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "tick.started": ("TICK", "tick {number}"),
    "tick.cut": ("ERROR", "the tick ends here: {reason}"),
    # perception
    "sensor.read": ("OBSERVE", "{path} = {value!r}"),
    "sensor.mute": ("OBSERVE", "{path} does not answer"),
    "sensor.failed": ("ERROR", "reading {path} failed: {error}: {message}"),
    "sensor.degraded": ("OBSERVE", "{path} does not answer; {value!r} is assumed"),
    "sensor.escalated": ("ASK", "{path} does not answer; a person is asked"),
    "belief.formed": ("BELIEF", "{path} = {value!r}"),
    "belief.changed": ("BELIEF", "{path} = {value!r} (was {before!r})"),
    "belief.expected": ("BELIEF", "{path} = {value!r} is expected after {tool}, confidence {confidence}"),
    "effect.refuted": ("ERROR", "{tool} was to make {path} {before!r}; observed is {value!r}"),
    "effect.unknown": (
        "ERROR",
        "the effect of {tool} on {path} cannot be told ({error}); it is not believed",
    ),
    "goal.evaluated": ("GOAL", "{goal}: {score}"),
    # plans
    "plan.queued": ("PLAN", "{plan} is queued"),
    "plan.unknown": ("ERROR", "there is no plan {plan}"),
    "plan.started": ("PLAN", "{plan} starts"),
    "plan.finished": ("PLAN", "{plan} is done"),
    "plan.failed": ("PLAN", "{plan} failed"),
    "plan.retried": ("RETRY", "{plan} starts again, {attempt} of {retries}"),
    "step.started": ("STEP", "{plan} / {step}"),
    "verify.passed": ("VERIFY_OK", "{condition}"),
    "verify.failed": ("VERIFY_FAIL", "{condition}"),
    "loop.exhausted": ("INFO", "the loop stops after {rounds} rounds"),
    "set.failed": ("ERROR", "{path} is not set: {error}"),
    "guard.failed": ("ERROR", "{guard} cannot be told ({error}); it counts as false"),
    # tools
    "tool.called": ("TOOL", "{tool}({arguments:call}) → {outputs!r}"),
    "tool.failed": ("ERROR", "{tool}({arguments:call}) failed: {error}: {message}"),
    "tool.in_doubt": ("ERROR", "{tool}({arguments:call}) may have happened: {reason}"),
    "tool.skipped": ("INFO", "{tool} is skipped: {requires} does not hold"),
    "tool.output_dropped": ("INFO", "{tool} returned undeclared {key}; it is dropped"),
    "tool.output_refused": ("ERROR", "{tool} broke its contract: {key}: {reason}"),
    "tool.undeclared": ("BLOCKED", "{tool} is not declared"),
    "tool.argument_failed": ("BLOCKED", "{tool}: an argument cannot be told ({error})"),
    "tool.input_refused": ("BLOCKED", "{tool}: {key}: {reason}"),
    "tool.circuit_open": ("BLOCKED", "{tool} failed {failures} times in a row; it rests until tick {until}"),
    "policy.argument_overrides": (
        "POLICY",
        "the argument {path} = {value!r} stands for {before!r} in the guards",
    ),
    "policy.denied": ("BLOCKED", "{tool}({arguments:call}) is denied: {rule}"),
    "policy.failed": ("BLOCKED", "{tool} is denied: the policy cannot be evaluated"),
    "approval.asked": ("APPROVAL", "{tool}({arguments:call}) needs approval: {rule}"),
    "approval.granted": ("APPROVAL", "{tool} is approved"),
    "approval.refused": ("BLOCKED", "{tool} is not approved"),
    # people, events, models
    "event.received": ("EVENT", "{source} {payload!r}"),
    "event.unhandled": ("EVENT", "{source} has no handler"),
    "event.declined": ("EVENT", "{source}: {guard} does not hold"),
    "event.name_taken": ("BLOCKED", "the payload of {source} does not hide {key}"),
    "ask.answered": ("ASK", "{addressee}: {question!r} → {answer!r}"),
    "ask.unanswered": ("ASK", "{addressee}: {question!r} has no answer; {answer!r} is taken"),
    "ask.failed": ("ERROR", "asking {addressee} failed: {error}: {message}"),
    "reason.answered": ("LLM", "{task!r} → {fields!r}"),
    "reason.failed": ("ERROR", "{task!r} failed: {error}: {message}"),
    "reason.missing": ("LLM", "no answer for {fields:list}"),
    "reason.clamped": ("BLOCKED", "{field} = {answer!r} is outside its domain; {value!r} is taken"),
    "reason.redacted": ("BLOCKED", "{path} is not sent"),
}
