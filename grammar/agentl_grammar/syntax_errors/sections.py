"""A member of AGENT that begins with another word, or with none, told by what stands in its braces.

Other languages say POLICIES, TEST or STATE. Where only one member can hold what stands there, it is meant;
where more than one can, the word tells; else what is possible is named, and nothing is offered.
"""

from __future__ import annotations

from agentl_grammar.lexer import Token
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.syntax_errors import misplaced
from agentl_grammar.syntax_errors.brackets import closer_of
from agentl_grammar.syntax_errors.expectations import MEMBERS, joined
from agentl_grammar.syntax_errors.misspelt import misspelt
from agentl_grammar.syntax_errors.near import Near
from agentl_grammar.syntax_errors.place import Place, found, insert

_BEFORE = message_id("expected {expected} before {found}")
_BEFORE_HINT = message_id("insert `{text}` before {found}")
_ONE_OF_HINT = message_id("write {expected} before {found}")
_CALLED_HINT = message_id("that is called {member} here: write {member}, and what belongs to it")
_NOT_HERE = {
    "IMPORT": message_id("remove it: nothing is imported, an agent stands in one file"),
    "INCLUDE": message_id("remove it: nothing is imported, an agent stands in one file"),
    "MODEL": message_id("remove it: the model is named where the agent is run, not in its program"),
    "PROMPT": message_id('what a model is asked stands in a PLAN: REASON {{ TASK "…" }}'),
    "EDGES": message_id("what is done in turn stands in a PLAN, one statement behind the other"),
    "GRAPH": message_id("what is done in turn stands in a PLAN, one statement behind the other"),
}
_WORDS = frozenset(f"_{word}" for word in WORDS)
# A head with so many tokens before its `{`, or so many members that fit, tells nothing.
_FAR, _MANY = 30, 3
_CALLED = {
    "POLICY": "POLICIES RULES GUARDRAILS GUARDRAIL GUARDS PERMISSIONS RESTRICTIONS CONSTRAINTS SAFETY",
    "SCENARIO": "TEST TESTS SCENARIOS SPEC CASE EXAMPLE",
    "TOOL": "FUNCTION FUNCTIONS ACTION ACTIONS CAPABILITY CAPABILITIES RESOURCE",
    "PLAN": "WORKFLOW FLOW TASK PROCEDURE FUNCTION ACTION PROCESS ROUTINE DEF FN NODE JOB",
    "BELIEF": "STATE FACT FACTS VARIABLE VARIABLES VARS ASSUMPTIONS",
    "OBSERVE": "SENSOR SENSORS INPUTS WATCH PERCEIVE PERCEPTION OBSERVATION OBSERVATIONS",
    "GOAL": "OBJECTIVE OBJECTIVES AIM INTENT",
    "EVENT": "TRIGGER HANDLER WHEN",
    "MEMORY": "STORE KNOWLEDGE",
    "DECIDE": "DECISION DECISIONS RULES",
}


def section(place: Place) -> Problem | None:
    """Report what begins a member in AGENT with a word no member has (S108, S116), or none."""
    if place.head != "AGENT" or "_POLICY" not in place.accepts or place.token.type in MEMBERS:
        return None
    if not _begins(place):
        return None
    block = _block(place)
    problem = _told(place, block) if block else None
    elsewhere = _called(place, list(_CALLED))
    return problem or _unknown(place, elsewhere)


def _told(place: Place, block: list[Token]) -> Problem | None:
    """Return what is told by the tokens of a block."""
    members = sorted(MEMBERS & place.accepts)
    replaced = _fitting(place, members, block[1:])
    kinds = [token.type for token in block]
    begin = block[1 : kinds.index("_LBRACE") + 2]
    # The first token in the braces is enough for a word that is known: a mistake may stand further on.
    called = _called(place, replaced) or _called(place, _fitting(place, members, begin)) or _plural(place)
    if called:
        return misspelt(place, place.token, Near(called[0], slip=True))
    inserted = _fitting(place, members, block)
    if place.token.type == "_LBRACE":
        return _missing(place, inserted) if len(inserted) == 1 else None
    if _called(place, list(_CALLED)) or _WORDS.isdisjoint(kinds[kinds.index("_LBRACE") :]):
        return None
    if len(replaced) == 1 and not inserted and place.token.text[:1].isalpha():
        return misspelt(place, place.token, Near(replaced[0], slip=False))
    return _missing(place, inserted)


def _unknown(place: Place, called: list[str]) -> Problem | None:
    message = Message(misplaced.UNKNOWN, {"word": place.token.text})
    hint = _NOT_HERE.get(place.token.text.upper())
    if called:
        return place.problem("S116", message, Message(_CALLED_HINT, {"member": called[0]}))
    return place.problem("S116", message, Message(hint)) if hint else None


def _begins(place: Place) -> bool:
    """Tell whether a member may begin at the place: nothing of another one stands before it on its line."""
    line, column = place.source.position(place.token.start)
    before = place.source.line(line)[:column].rstrip()
    return not before or before[-1] in "{}"


def _called(place: Place, members: list[str]) -> list[str]:
    return [member for member in members if place.token.text.upper() in _CALLED.get(member, "").split()]


def _plural(place: Place) -> list[str]:
    """Return the member whose plural the word is: it is meant, whatever stands in the braces."""
    word = place.token.text.upper()
    singular = f"{word.removesuffix('IES')}Y" if word.endswith("IES") else word.removesuffix("S")
    return [singular] if singular != word and f"_{singular}" in MEMBERS & place.accepts else []


def _fitting(place: Place, members: list[str], tokens: list[Token]) -> list[str]:
    """Return the members that may begin with these tokens; any word is a tool where TOOL lists them."""
    heads = {member[1:]: place.token._replace(type=member, text=member[1:]) for member in members}
    fitting = [word for word, head in heads.items() if place.cursor.refused([head, *tokens]) is None]
    return [word for word in fitting if word != "TOOL" or tokens[0].type != "_LBRACE" or len(fitting) == 1]


def _block(place: Place) -> list[Token]:
    """Return the tokens up to the end of the braces that open behind the place."""
    for at in range(place.index, min(place.index + _FAR, len(place.tokens))):
        if place.tokens[at].type == "_LBRACE":
            end = closer_of(place, at)
            return [] if end is None else place.tokens[place.index : end + 1]
    return []


def _missing(place: Place, fitting: list[str]) -> Problem | None:
    if not 0 < len(fitting) <= _MANY or place.previous is None:
        return None
    words = {"expected": joined(fitting), "found": found(place), "text": fitting[0]}
    message = Message(_BEFORE, words)
    if len(fitting) > 1:
        return place.problem("S101", message, Message(_ONE_OF_HINT, words))
    fix = insert(place.token.start, f"{fitting[0]} ")
    return place.problem("S101", message, Message(_BEFORE_HINT, words), fix)
