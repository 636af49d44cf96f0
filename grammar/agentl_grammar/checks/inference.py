"""HYPOTHESIS: numbers that cannot do what they are there for (§5.15)."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

from agentl_grammar.checks.guards import hypotheses_read
from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, error, said, warning
from agentl_grammar.problems import message_id
from agentl_grammar.tree import Evidence, FunctionCall, Hypothesis, NumberLiteral, Path

_PRIOR, _LIKELIHOOD, _GIVEN_NOT, _THRESHOLD = 0.10, 0.90, 0.10, 0.90
_LEAST = 1e-6
_LONGEST = 60.0
_MANY = 3
_ASKING = frozenset({"P", "PROBABILITY", "POSTERIOR"})


@error("E006", Evidence)
def certain_evidence(index: Index) -> Iterator[Found]:
    """E006: LIKELIHOOD or GIVEN_NOT is not strictly between 0 and 1: no evidence is certain."""
    for part, evidence in index.own(Evidence):
        for word, number in (("LIKELIHOOD", evidence.likelihood), ("GIVEN_NOT", evidence.given_not)):
            if number is not None and not 0 < number.value < 1:
                yield Found(
                    part.at(number),
                    said(message_id("{word} is a probability between 0 and 1, neither of them"), word=word),
                    said(message_id("write 0.99 or 0.01 for what is nearly certain")),
                )


@warning("W107")
def inference_without_use(index: Index) -> Iterator[Found]:
    """W107: nothing asks for the posterior of a hypothesis, or an evidence says nothing about it.

    Asked means P(h) and its like, `h.…`, `hypothesis.h.…`, `hypotheses.best…`, or reading what it EXPLAINS.
    """
    asked = {
        argument.value.text
        for _, call in index.all(FunctionCall)
        if call.function.text in _ASKING
        for argument in call.arguments
        if isinstance(argument.value, Path)
    }
    everything = any(text.startswith("hypotheses.") for text in index.read_paths)
    for name, (part, node) in index.hypotheses.items():
        by_path = any(
            text.removeprefix("hypothesis.").split(".")[0] == name and "." in text
            for text in index.read_paths
        )
        explained = node.explains is not None and index.is_read(node.explains.path.text)
        if not (everything or name in asked or by_path or explained or _given_to_a_model(index, name)):
            yield Found(
                part.at(node.name),
                said(message_id("nothing asks how probable {hypothesis} is"), hypothesis=name),
                said(
                    message_id("use P({hypothesis}) in a guard, or leave the hypothesis out"), hypothesis=name
                ),
            )
    for part, evidence in index.all(Evidence):
        if _weights(evidence)[0] == _weights(evidence)[1]:
            yield Found(
                part.at(evidence),
                said(message_id("this evidence is as likely either way, so it says nothing")),
                said(message_id("make LIKELIHOOD and GIVEN_NOT differ")),
            )


def _given_to_a_model(index: Index, name: str) -> bool:
    return name in index.read_paths


def _weights(evidence: Evidence) -> tuple[float, float]:
    likelihood = evidence.likelihood.value if evidence.likelihood else _LIKELIHOOD
    given_not = evidence.given_not.value if evidence.given_not else _GIVEN_NOT
    return likelihood, given_not


@warning("W114")
def evidence_counted_twice(index: Index) -> Iterator[Found]:
    """W114: a hypothesis that POLICY or REQUIRES asks for adds up three evidences or more as independent."""
    if not index.hypotheses:
        return
    guards = [(part, rule.guard) for part, rule in index.rules if rule.guard]
    guards += [(part, tool.requires) for part, tool in index.tools.values() if tool.requires]
    told: set[str] = set()
    for home, guard in guards:
        for name in sorted(hypotheses_read(index, home, guard) - told):
            part, node = index.hypotheses[name]
            grouped = any(evidence.groups for evidence in node.evidence)
            if len(node.evidence) >= _MANY and not grouped and node.max_evidence is None:
                told.add(name)
                yield Found(
                    part.at(node.name),
                    said(
                        message_id("{hypothesis} adds up {count} evidences as if none depended on another"),
                        hypothesis=name,
                        count=len(node.evidence),
                    ),
                    said(
                        message_id("put those that go together in a GROUP, or limit the sum: MAX_EVIDENCE …")
                    ),
                    (see(home, guard, said(message_id("an action depends on it here"))),),
                )


@warning("W116", Hypothesis)
def threshold_out_of_reach(index: Index) -> Iterator[Found]:
    """W116: THRESHOLD is above what all evidence together can reach, or not above what none of it leaves.

    Silent where it makes no difference: no THRESHOLD, no EXPLAINS, and nobody reads `supported`.
    """
    for part, node in index.own(Hypothesis):
        if index.hypotheses[node.name.text][1] is not node or not (
            _threshold_matters(index, node) and _has_fixed_odds(node)
        ):
            continue
        threshold = node.threshold.value if node.threshold else _THRESHOLD
        low, high = reachable(node)
        if not low < threshold <= high:
            yield _unreachable(part, node, threshold, low, high)


def _unreachable(part: Part, node: Hypothesis, threshold: float, low: float, high: float) -> Found:
    values = {
        "hypothesis": node.name.text,
        "threshold": f"{threshold:.4g}",
        "low": f"{low:.4g}",
        "high": f"{high:.4g}",
    }
    if threshold > high:
        message = said(
            message_id("{hypothesis} never reaches {threshold}: with all its evidence it comes to {high}"),
            **values,
        )
        return Found(
            part.at(node.threshold or node.name),
            message,
            said(message_id("lower THRESHOLD, or add evidence")),
        )
    message = said(
        message_id("{hypothesis} is never below {threshold}: without any evidence it is at {low}"), **values
    )
    return Found(
        part.at(node.threshold or node.name), message, said(message_id("raise THRESHOLD, or lower PRIOR"))
    )


def _threshold_matters(index: Index, node: Hypothesis) -> bool:
    name = f"{node.name.text}.supported"
    read = any(path in index.read_paths for path in (name, f"hypothesis.{name}"))
    return bool(node.threshold or node.explains or read)


def _has_fixed_odds(node: Hypothesis) -> bool:
    numbers = (number for evidence in node.evidence for number in (evidence.likelihood, evidence.given_not))
    return node.prior_from is None and all(_is_probability(number) for number in numbers)


def _is_probability(number: NumberLiteral | None) -> bool:
    return number is None or 0 < number.value < 1


def reachable(node: Hypothesis) -> tuple[float, float]:
    """Return the lowest and the highest posterior that evidence can lead to (§5.15)."""
    groups: dict[str, list[tuple[float, float]]] = {}
    for number, evidence in enumerate(node.evidence):
        group = evidence.groups[-1].text if evidence.groups else f"#{number}"
        likelihood, given_not = (min(max(value, _LEAST), 1 - _LEAST) for value in _weights(evidence))
        bits = log2(likelihood / given_not), log2((1 - likelihood) / (1 - given_not))
        groups.setdefault(group, []).append((min(*bits, 0), max(*bits, 0)))
    low = sum(min(pair[0] for pair in pairs) for pairs in groups.values())
    high = sum(max(pair[1] for pair in pairs) for pairs in groups.values())
    limit = abs(node.max_evidence.value) if node.max_evidence else _LONGEST
    prior = min(max(node.prior.value if node.prior else _PRIOR, _LEAST), 1 - _LEAST)
    return _posterior(prior, max(low, -limit)), _posterior(prior, min(high, limit))


def _posterior(prior: float, bits: float) -> float:
    odds = max(-_LONGEST, min(_LONGEST, log2(prior / (1 - prior)) + bits))
    return 1 / (1 + 2**-odds)


RULES = (certain_evidence, inference_without_use, evidence_counted_twice, threshold_out_of_reach)
