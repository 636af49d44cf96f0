"""Rules of a POLICY as other languages write them: Rego, Cedar, SQL and prose."""

from __future__ import annotations

from agentl_grammar.problems import message_id
from agentl_grammar.syntax_errors.forms.form import RULE, Form

_TOOL = message_id("`{word}` does not stand before the tool of a rule")
_GUARD = message_id("the guard of a rule stands behind the tool")
_ONE = message_id("a rule names one tool")
_EACH = message_id("write a rule for each tool, each with its guard: {rule} {first}")
_DEFAULT = message_id("what holds for the tools that no rule names stands behind DEFAULT")
_PATHS = message_id("the paths behind NEVER SEND have no brackets")
_ALWAYS = message_id("NEVER SEND keeps a path from every model, always")
_TO = message_id("write {send}: a MESSAGE sends only what its PAYLOAD lists")
_GUARDED = message_id("write {send} without a guard; what a model may see at times, USING in a PLAN chooses")
_COMMA = message_id("no comma joins two conditions")
_JOIN = message_id("write AND where both must hold, OR where one is enough")
_BOUND = message_id(
    "write the other bound as a condition of its own: AND {path} < {value}, or AND {path} > {value}"
)
_ONE_OF = message_id("write {path} IN [{one}, {other}] for one of several values")
_APPROVE = message_id(
    "write REQUIRE APPROVAL FOR {tool} where a person approves it, ALLOW {tool} where nobody has to"
)
_BEGINS = message_id("a rule begins with ALLOW, DENY, NEVER or REQUIRE APPROVAL FOR, and a tool")
_ANY = message_id("write ALLOW <tool> WHEN <condition>, or DENY <tool> WHEN <condition>, for each tool")
_TURNED = message_id("the word of a rule stands before the tool")
_TWICE = message_id("a guard begins with one word, IF or WHEN")
_NOT = message_id("write WHEN NOT (<condition>)")
_WHO = message_id("a rule does not say who approves: the host asks")
_ITEM = message_id("nothing stands before a rule")
_REMOVE = message_id("remove `{item}`")
_ACTOR = message_id("a rule holds for the agent that it stands in: it names the tool alone")
_ALONE = message_id("write {rule} {tool}")
_BRACES = message_id("a condition has no braces")
_BEHIND = message_id("behind the tool of a rule stands its guard alone, found `{word}`")
_AS_GUARD = message_id("say it as a condition: {rule} WHEN <condition>")
_APPROVED = message_id("what a person must approve stands behind REQUIRE APPROVAL FOR")
_NO_TOOL = message_id("a rule names its tool before its guard")
_NAME_TOOL = message_id("write REQUIRE APPROVAL FOR <tool> WHEN <condition>, or `*` for every tool")
_TEXT = message_id("a rule has no text")
_AS_COMMENT = message_id("put it behind `#`, as a comment")
_ALL_OF = message_id("write a rule for each tool, or {rule} * for every one")
_APART = message_id("the word of a rule stands apart from its tool, found `{word}`")
_APART_HINT = message_id("put a blank in the place of `_`, as in NEVER pay")
_TOOL_FIRST = message_id("write {rule} <tool> {guard} <condition>, or `*` for every tool")
_NO_BRACES = message_id("the guard of a rule has no braces")
_BEGINS_GUARD = message_id("the guard of a rule begins with WHEN")
_NO_NAME = message_id("a rule has no name and no number")
_ORDER = message_id("remove `{word}`: NEVER goes before DENY, and DENY before ALLOW, wherever they stand")
_RULE = "(?P<rule>NEVER|DENY|ALLOW|REQUIRE APPROVAL FOR)"
_WHOLE = "(?P<rule>(?:NEVER|DENY|ALLOW|REQUIRE APPROVAL FOR) %target)"
_OPEN, _CLOSE = r"(?:\[|\{|\()", r"(?:\]|\}|\))"
_FIRST = r"(?:^|(?<=\{ )|(?<=, )|(?<=DEFAULT DENY )|(?<=DEFAULT ALLOW ))"
_IF = rf"{_FIRST}(?P<guard>WHEN|IF) (?P<condition>%condition)"
_CALL = r"(?i:CALL|CALLS|CALLING|INVOKE|INVOKING|USE|RUN|RUNNING|TOOL|EXECUTE|ACTION|USING)"
_ALL = r"(?:(?i:ALL|EVERYTHING|ANYTHING|ANY|EVERY)|\*)"
_MODEL = r"(?i:(?:(?:A|ANY|THE|EVERY) )?(?:MODELS?|ORACLE|LLMS?|AI|GPT))"
# Not DEFAULT, nor a slip for it.
_NO_DEFAULT = r"(?!(?i:default)|[A-Z]+\b)"
_ONLY = r"WHILE|PROVIDED(?: THAT)?|ONLY (?:IF|WHEN)|(?:AS|SO) LONG AS|GIVEN|SUBJECT TO|REQUIRES"
_WHILE = rf"(?i:{_ONLY}|WITH(?! (?:MESSAGE|REASON)))"
_WHY = r"(?i:BECAUSE|AS|WITH MESSAGE|WITH REASON|MESSAGE|REASON|SAYING)(?: :)?"
_FORBIDS = r"(?i:(?:MUST|DO|SHALL|MAY|CAN|SHOULD) NOT|CANNOT|DONT|REFUSE|STOP|PREVENT)"
_HIDES = r"(?i:(?:NEVER (?:REVEAL|SHOW|SHARE|LEAK|EXPOSE|DISCLOSE|LOG|PRINT))|REDACT|HIDE|MASK|CONCEAL)"
_ASKS = r"(?:ALWAYS )?(?:ASK|CONFIRM|CHECK|APPROVE|ALWAYS ASK)(?: FIRST)? (?:BEFORE|FOR|PRIOR TO)"
_COMPARED = r"(?:NOT )?%path (?:==|!=|<|>|<=|>=) %value"
_END = r"(?=\n| \}| ,|$)"


def _either(value: str) -> Form:
    """Return the row of two values with a comma between them, of the shape `value`."""
    before = rf"{_WHOLE} (?:WHEN|IF) [^{{}}\n]*?(?P<path>%path) == "
    pattern = rf"{before}(?P<one>{value}) (?P<comma>,) (?P<other>{value})"
    return Form(RULE, pattern, _COMMA, _ONE_OF, at="comma", refused="other")


POLICY: tuple[Form, ...] = (
    Form(
        RULE,
        r"(?P<word>REQUIRES?_APPROVAL)(?: FOR)? (?P<tool>%target)",
        write="REQUIRE APPROVAL FOR {tool}",
        at="word",
    ),
    Form(RULE, r"(?P<word>DEFAULT_DENY)", write="DEFAULT DENY"),
    Form(RULE, r"(?P<word>DEFAULT_ALLOW)", write="DEFAULT ALLOW"),
    Form(RULE, r"(?P<word>(?:NEVER|DENY|ALLOW)_\w+)", _APART, _APART_HINT),
    Form(
        RULE,
        rf"{_FIRST}{_RULE} (?P<guard>WHEN|IF) (?P<condition>{_COMPARED}) (?P<tool>%name){_END}",
        _NO_TOOL,
        write="{rule} {tool} {guard} {condition}",
        at="guard",
    ),
    Form(RULE, rf"{_FIRST}(?P<rule>NEVER|DENY|ALLOW) (?P<guard>WHEN|IF)", _NO_TOOL, _TOOL_FIRST, at="guard"),
    Form(
        RULE,
        rf"{_WHOLE} (?P<open>\{{)\s(?P<guard>WHEN|IF) (?P<condition>[^{{}}\n]+?)\s\}}",
        _NO_BRACES,
        write="{rule} {guard} {condition}",
        at="open",
    ),
    Form(
        RULE,
        rf"{_WHOLE} (?P<sign>[:=]) (?P<condition>%path (?:==|!=|<|>|<=|>=|IN) [^{{}}\n]+?){_END}",
        _BEGINS_GUARD,
        write="{rule} WHEN {condition}",
        at="sign",
    ),
    _either('"'),
    Form(RULE, rf"{_RULE} (?P<word>{_CALL}) (?P<tool>%target)", _TOOL, write="{rule} {tool}", at="word"),
    Form(
        RULE,
        rf"REQUIRE(?: APPROVAL)? (?P<word>(?i:TO|BEFORE)(?: {_CALL})?|FOR {_CALL}) (?P<tool>%target)",
        _TOOL,
        write="REQUIRE APPROVAL FOR {tool}",
        at="word",
    ),
    Form(RULE, rf"{_RULE} (?P<who>%name TO) (?P<tool>%target)", _ACTOR, _ALONE, at="who"),
    Form(
        RULE,
        r"NEVER (?P<tool>%target) (?P<word>(?i:WITHOUT|UNLESS) (?:(?i:HUMAN|AN) )?(?i:APPROVAL|APPROVED))",
        _APPROVED,
        write="REQUIRE APPROVAL FOR {tool}",
        at="word",
    ),
    Form(
        RULE,
        r"(?P<word>APPROVAL (?i:REQUIRED|NEEDED|IS REQUIRED) (?:FOR|TO)) (?P<tool>%target)",
        _APPROVED,
        write="REQUIRE APPROVAL FOR {tool}",
        at="word",
    ),
    Form(
        RULE,
        r"(?P<word>ON|FOR|(?i:BEFORE)) (?P<tool>%target)(?: :)? REQUIRE APPROVAL(?! FOR)",
        _APPROVED,
        write="REQUIRE APPROVAL FOR {tool}",
        at="word",
    ),
    Form(
        RULE,
        r"REQUIRE APPROVAL (?:WHEN|IF) (?P<condition>%condition) FOR (?P<tool>%target)",
        _GUARD,
        write="REQUIRE APPROVAL FOR {tool} WHEN {condition}",
    ),
    Form(RULE, r"REQUIRE APPROVAL (?P<guard>WHEN|IF)", _NO_TOOL, _NAME_TOOL, at="guard"),
    Form(
        RULE,
        r"REQUIRE(?: APPROVAL)? (?P<who>(?i:FROM|BY|OF) (?:(?i:A|AN|THE) )?\w+) FOR (?P<tool>%target)",
        _WHO,
        write="REQUIRE APPROVAL FOR {tool}",
        at="who",
    ),
    Form(
        RULE,
        r"(?P<rule>REQUIRE APPROVAL FOR %target) (?P<who>(?i:FROM|BY|OF) (?:(?i:A|AN|THE) )?\w+)",
        _WHO,
        write="{rule}",
        at="who",
    ),
    Form(
        RULE,
        rf"{_IF}(?: THEN)?(?: :)?\s\{{\s{_WHOLE}\s\}}(?! ELSE)",
        _GUARD,
        write="{rule} WHEN {condition}",
        at="guard",
    ),
    Form(
        RULE,
        rf"{_IF}(?:(?: THEN)?(?: [:,])? |(?: THEN| :)\n){_WHOLE}",
        _GUARD,
        write="{rule} WHEN {condition}",
        at="guard",
    ),
    Form(RULE, rf"{_RULE} (?P<list>{_OPEN}\s(?P<first>%path)\s[^][(){{}}]*{_CLOSE})", _ONE, _EACH, at="list"),
    Form(
        RULE,
        rf"NEVER SEND(?: [:=])? (?P<list>{_OPEN}\s(?P<paths>%rows)(?: ,)?\s{_CLOSE})",
        _PATHS,
        write="NEVER SEND {paths}",
        at="list",
    ),
    Form(
        RULE,
        rf"(?P<send>NEVER SEND %paths) (?P<word>(?:TO|INTO) {_MODEL})",
        _ALWAYS,
        write="{send}",
        at="word",
    ),
    Form(RULE, r"(?P<send>NEVER SEND %paths) (?P<word>TO|INTO)", _ALWAYS, _TO, at="word"),
    Form(RULE, r"(?P<send>NEVER SEND %paths) (?P<word>WHEN|IF)", _ALWAYS, _GUARDED, at="word"),
    Form(RULE, rf"(?P<word>{_HIDES}) (?P<paths>%paths)", write="NEVER SEND {paths}", at="word"),
    Form(RULE, rf"{_WHOLE} (?:WHEN|IF) NOT (?P<word>WHEN|IF)", _TWICE, _NOT, at="word"),
    Form(
        RULE,
        rf"{_WHOLE} (?P<word>{_WHILE}) (?P<condition>%condition){_END}",
        write="{rule} WHEN {condition}",
        at="word",
    ),
    Form(
        RULE,
        rf"{_WHOLE} (?P<if>WHEN|IF) (?P<open>\{{) (?P<condition>[^{{}}\n]+) \}}",
        _BRACES,
        write="{rule} {if} {condition}",
        at="open",
    ),
    Form(
        RULE,
        rf'{_WHOLE}(?: (?:WHEN|IF) %condition)? (?P<why>(?:{_WHY} )?")',
        _TEXT,
        _AS_COMMENT,
        at="why",
        refused="why",
    ),
    Form(RULE, rf"{_RULE} %path (?P<all>\. \*)", _ONE, _ALL_OF, at="all"),
    Form(RULE, rf"{_WHOLE} (?P<word>EVERY|0)", _BEHIND, _AS_GUARD, at="word"),
    Form(
        RULE,
        rf"(?P<word>(?i:PRIORITY|ORDER|RULE|WEIGHT)(?: %name| 0)?)(?: :)? {_WHOLE}",
        _NO_NAME,
        _ORDER,
        at="word",
    ),
    Form(RULE, '(?P<text>")(?! :)', _TEXT, _AS_COMMENT, at="text", heads=("POLICY",)),
    Form(
        RULE,
        rf"{_WHOLE} (?:WHEN|IF) [^{{}}\n]+?(?P<comma>,) (?P<next>(?:NOT )?%path (?:==|!=|<|>|<=|>=|IN))",
        _COMMA,
        _JOIN,
        at="comma",
        refused="next",
    ),
    Form(
        RULE,
        rf"(?P<word>(?i:{_ASKS})) (?P<tool>%target)",
        write="REQUIRE APPROVAL FOR {tool}",
        at="word",
    ),
    Form(
        RULE,
        r"(?P<tool>%target) (?P<word>(?i:REQUIRES?|NEEDS?)(?: (?i:HUMAN|AN))? (?i:APPROVAL))",
        _TURNED,
        write="REQUIRE APPROVAL FOR {tool}",
    ),
    Form(RULE, r"(?P<word>(?i:APPROVE|CONFIRM|REVIEW)|ASK) (?P<tool>%target)", hint=_APPROVE, at="word"),
    Form(RULE, rf"(?P<word>{_FORBIDS}) (?P<tool>%target)", write="DENY {tool}", at="word"),
    Form(
        RULE,
        rf"(?P<rule>DENY|ALLOW)(?: {_ALL})? BY DEFAULT(?!\s(?:ALLOW|DENY))",
        _DEFAULT,
        write="DEFAULT {rule}",
        reach=1,
    ),
    Form(
        RULE,
        rf"(?P<all>(?P<rule>DENY|ALLOW)(?: {_ALL})? BY DEFAULT)",
        _DEFAULT,
        message_id("write DEFAULT {rule}"),
        reach=2,
    ),
    Form(
        RULE,
        rf"(?P<rule>DENY|ALLOW) {_ALL} (?i:ELSE|OTHERS?(?: TOOLS)?|THE REST)",
        _DEFAULT,
        write="DEFAULT {rule}",
    ),
    Form(
        RULE,
        r"DEFAULT (?i:TO|IS|POLICY|ACTION|RULE|EFFECT|DECISION|VERDICT)(?: [:=])? (?P<rule>ALLOW|DENY)",
        _DEFAULT,
        write="DEFAULT {rule}",
    ),
    Form(
        RULE,
        rf"{_FIRST}(?i:OTHERWISE|ELSE|REST)(?: [:,])? (?P<rule>ALLOW|DENY)(?: {_ALL})?{_END}",
        _DEFAULT,
        write="DEFAULT {rule}",
    ),
    Form(RULE, r"(?i:default) allow(?: :)? = (?i:false)", _DEFAULT, write="DEFAULT DENY"),
    Form(RULE, r"(?i:default) allow(?: :)? = (?i:true)", _DEFAULT, write="DEFAULT ALLOW"),
    Form(
        RULE,
        rf"{_NO_DEFAULT}(?P<tool>%target) [:=] (?i:ALLOW|ALLOWED|YES|TRUE|PERMIT)",
        _TURNED,
        write="ALLOW {tool}",
    ),
    Form(
        RULE,
        rf"{_NO_DEFAULT}(?P<tool>%target) [:=] (?i:DENY|DENIED|NO|FALSE|FORBID|NEVER)",
        _TURNED,
        write="DENY {tool}",
    ),
    Form(
        RULE,
        r"(?P<rule>ALLOW|DENY|NEVER) (?P<sign>[:=]) (?P<tool>%target)",
        _TOOL,
        write="{rule} {tool}",
        at="sign",
    ),
    Form(
        RULE,
        rf"(?:^|(?<=\{{ ))(?P<item>(?:[-*]|0(?: [.)])?)) {_WHOLE}",
        _ITEM,
        _REMOVE,
        write="{rule}",
        at="item",
    ),
    Form(
        RULE,
        r'(?P<word>(?i:allow|deny|permit|forbid)(?= (?:(?i:if) )?(?:\(|\{|\[|:? ?=))|"(?= :))',
        _BEGINS,
        _ANY,
        at="word",
        wordless=True,
    ),
)

BEHIND: tuple[Form, ...] = (
    Form(
        RULE,
        rf"{_WHOLE} (?:WHEN|IF) [^{{}}\n]*?(?P<path>%path)(?: (?:<|<=|>|>=) 0)? (?P<comma>,) (?P<value>0)",
        _COMMA,
        _BOUND,
        at="comma",
        refused="value",
    ),
    _either("0"),
    Form(RULE, rf"{_WHOLE} (?P<word>[A-Za-z]\w*)", _BEHIND, _AS_GUARD, at="word", refused="word"),
)
"""What is told when nothing else is known of it."""
