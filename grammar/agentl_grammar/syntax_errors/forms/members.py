"""Members of an AGENT, and what stands around one, as other languages write them: YAML, HCL and Python."""

from __future__ import annotations

from agentl_grammar.problems import message_id
from agentl_grammar.syntax_errors.forms.form import MEMBER, NAME, STATEMENT, TOP, Form

_ENDS = message_id("a LOOP always ends")
_LOOP = message_id("write LOOP UNTIL <condition> {{ … }} or LOOP MAX <number> {{ … }}")
_SEVERAL = message_id("several paths stand in braces")
_BRACES = message_id("what belongs to {head} stands in braces")
_GOAL_TEXT = message_id("a GOAL is a condition, which is checked in every round")
_GOAL_TEXT_HINT = message_id(
    "write GOAL {{ MAINTAIN <condition> }}; its words stand in DESCRIPTION, or behind `#`"
)
_GOAL_GUARD = message_id("a GOAL has no guard")
_GOAL_GUARD_HINT = message_id(
    "write it into the condition: GOAL {name} {{ MAINTAIN NOT (<guard>) OR <condition> }}"
)
_GIVES = message_id("OBSERVE reads {path}, and gives it no value")
_GIVES_HINT = message_id(
    "write {path} ON UNKNOWN DEGRADE {value} for while nothing can be read, or BELIEF {{ {path} = {value} }}"
)
_NAMELESS = message_id("OBSERVE has no name, found `{word}`")
_TYPED = message_id("an observation is a path: it has no type")
_TYPED_HINT = message_id("remove the type; when it is read stands behind WHEN")
_EVERY = message_id("EVERY was removed from the language (1.8): it never scheduled anything")
_EVERY_HINT = message_id("say when to read it with a guard: WHEN <condition>")
_ONE_LEVEL = message_id("RISK is one word, found `{word}` behind it")
_LEVELS = message_id("write one level: LOW, MEDIUM, HIGH or CRITICAL")
_REMEMBERS = message_id("MEMORY gives no value to {path}")
_BELIEF = message_id("write BELIEF {{ {path} = {value} }}")
_OBSERVE = message_id("write OBSERVE {{ path }}")
_SET = message_id("no `{word}` stands before a path that is given a value here")
_REMOVE = message_id("remove `{word}`")
_WRITES = message_id("what is kept stands in WRITE")
_NO_LIST = message_id("a path has no sign behind it that says it is a list")
_LIST = message_id("a list has the type List")
_DOC = message_id("a text cannot stand alone")
_DOC_HINT = message_id('write DESCRIPTION "…", or a comment, which begins with `#` or `//`')
_COMMENT = message_id("a comment begins with `#` or `//`")
_IMPORT = message_id(
    "declare each TOOL in its AGENT; what it does stands in the host, the Python file beside the program"
)
_PLAN = message_id("write AGENT <name> {{ PLAN <name> {{ … }} }}: what is done stands in a PLAN")
_POLICY = message_id("write AGENT <name> {{ POLICY {{ ALLOW <tool> WHEN <condition> }} }}")
_BLOCK = message_id("write TOOL {name} {{ … }}, in the braces of AGENT <name> {{ … }}")
_YAML = message_id("write AGENT <name> {{ … }}: what belongs together stands in braces")
_WHEN = message_id("write PLAN <name> WHEN {condition} {{ … }}")
_REACTION = message_id("what is done when a condition holds stands in a PLAN")
_DELEGATE = message_id("write DELEGATE {name} {{ … }} in a PLAN; what it may do, TOOL {name} {{ … }} says")
_HOST = message_id('the host says it: @host.tool("name", idempotent=…, retries=…, timeout=…)')
_NO_FIELD = message_id("`{word}` is no field of TOOL")
_RISK = message_id("RISK is one level, or a list of kinds, each with its level")
_DOES = message_id(
    'what a tool does stands in the host, the Python file beside the program: @host.tool("name")'
)
_NO_GOAL = message_id("a PLAN names no goal")
_STARTS = message_id("say when it starts: PLAN {name} WHEN <condition> {{ … }}")
_CODE = r"(?i:RUN|URL|CODE|SCRIPT|COMMAND|HANDLER|ENDPOINT|HTTP|CALL|EXEC|FUNCTION|IMPLEMENTATION|BODY)"
_AGAIN = message_id("write RETRY {count} behind the ON FAIL of a VERIFY")
_PERSON = message_id("write REQUIRE APPROVAL FOR <tool> in a POLICY")
_ONE = message_id("REQUIRES takes one condition")
_UNIT = message_id("COST is a plain number")
_NO_BRACES = message_id("braces hold conditions: this stands behind EXPECT itself")
_THEN = message_id("what must hold stands behind EXPECT")
_NO_NAME = message_id("a PLAN has a name before its guard")
_NAMED = message_id("write PLAN <name> {guard} {condition} {{ … }}")
_DOUBLED = message_id("`{word}` stands there twice")
_GUARD = message_id("the guard of a PLAN stands before its braces")
_GUARD_HINT = message_id("write PLAN {name} {guard} <condition> {{ … }}")
_NO_PRIORITY = message_id("a PLAN has no priority")
_REMOVE_IT = message_id("remove `{word}`: each plan whose WHEN holds is done")
_FOREVER = r"(?i:FOREVER|INFINITE|INFINITELY|ENDLESS|ALWAYS|INDEFINITELY)"
_COMPARED = r"%path (?:==|!=|>|<|>=|<=|IN) [^{}\n]+?"
_END = r"(?=\n| \}|$)"
_GIVEN = r"(?P<path>%path) (?:=|(?:DEFAULT|FALLBACK|DEFAULTS TO|OR|ELSE)(?: [:=])?) (?P<value>%value)"
_FIELD = frozenset(("_RISK", "_COST"))
_SCENARIO = frozenset(("_GIVEN", "_WITHIN"))
_MEMORY = frozenset(("_WRITE", "_SHORT_TERM"))
_PATHS = ("MEMORY", "OBSERVE", "STORE", "SHORT_TERM", "LONG_TERM", "KNOWLEDGE")
_GUARDED = r"PLAN (?P<name>%name) \{\s(?P<guard>WHEN)(?!.*\bTHEN\b)"
_BLOCKS = r"(?P<word>(?i:RESOURCE|TOOL|PROVIDER|MODULE|DATA|VARIABLE))"

MEMBERS: tuple[Form, ...] = (
    Form(
        MEMBER,
        rf"{_GUARDED} (?P<condition>%condition)(?=\n(?!AND|OR))",
        _GUARD,
        write="PLAN {name} {guard} {condition} {{",
        at="guard",
        guess=True,
    ),
    Form(MEMBER, _GUARDED, _GUARD, _GUARD_HINT, at="guard"),
    Form(
        MEMBER,
        r"PLAN %name(?: WHEN %condition)? (?P<word>(?i:PRIORITY)(?: [:=])? 0)(?= \{)",
        _NO_PRIORITY,
        _REMOVE_IT,
        at="word",
    ),
    Form(
        NAME,
        r"(?P<path>%path) (?P<word>ON_UNKNOWN|ONUNKNOWN|(?:IF|WHEN) UNKNOWN)",
        write="{path} ON UNKNOWN",
        at="word",
        heads=("OBSERVE",),
        reach=1,
    ),
    Form(
        MEMBER, r"(?P<word>(?i:ON_MESSAGE|ONMESSAGE)) (?P<name>%name)", write="ON MESSAGE {name}", at="word"
    ),
    Form(_FIELD, r"(?P<word>(?i:SIDE - EFFECTS?))", write="SIDE_EFFECT"),
    Form(NAME, r"(?P<path>%path) (?P<index>\[ \])", _NO_LIST, write="{path}", at="index", heads=_PATHS),
    Form(
        MEMBER,
        r"PLAN (?P<guard>WHEN|IF) (?P<condition>%condition)(?=\s\{|\n|$)",
        _NO_NAME,
        _NAMED,
        at="guard",
    ),
    Form(
        MEMBER,
        r"(?P<word>AGENT|PLAN|GOAL|TOOL|EVENT|HYPOTHESIS|SCENARIO) (?P<head>(?P=word) %name)",
        _DOUBLED,
        write="{head}",
        at="word",
    ),
    Form(MEMBER, rf"LOOP (?P<word>{_FOREVER}) \{{", _ENDS, _LOOP, at="word"),
    Form(
        MEMBER,
        r"OBSERVE(?: :)?(?: \[| \()? (?P<paths>%path(?: ,\s%path)+)(?: ,)?(?: \]| \))?",
        _SEVERAL,
        write="OBSERVE {{ {paths} }}",
        at="paths",
    ),
    Form(
        MEMBER,
        r"OBSERVE (?P<word>%name)(?= \{)",
        _NAMELESS,
        _REMOVE,
        write="OBSERVE",
        at="word",
        code="S116",
        reach=1,
    ),
    Form(NAME, r"%path (?P<type>: %name)", _TYPED, _TYPED_HINT, at="type", code="S110", heads=("OBSERVE",)),
    Form(
        NAME,
        r"(?P<word>(?!EVERY)(?i:EVERY)) 0",
        _EVERY,
        _EVERY_HINT,
        at="word",
        code="S111",
        heads=("OBSERVE",),
    ),
    Form(MEMBER, r"(?P<head>OBSERVE) :", _BRACES, _OBSERVE, at="head"),
    Form(MEMBER, r'GOAL(?: \w+)?(?: :)? (?P<text>")', _GOAL_TEXT, _GOAL_TEXT_HINT, at="text"),
    Form(MEMBER, r"GOAL (?P<name>%name) (?P<word>WHEN|IF)", _GOAL_GUARD, _GOAL_GUARD_HINT, at="word"),
    Form(
        MEMBER,
        rf"(?P<head>GOAL)(?: :)? (?P<condition>{_COMPARED}){_END}",
        _BRACES,
        write="GOAL {{ {condition} }}",
        at="condition",
    ),
    Form(
        _SCENARIO,
        r"(?P<head>GIVEN) (?P<path>%path) (?P<sign>==) (?P<value>%value)",
        _BRACES,
        write="GIVEN {{ {path} = {value} }}",
        at="path",
    ),
    Form(
        _SCENARIO,
        rf"(?P<word>THEN) (?P<condition>{_COMPARED}){_END}",
        _THEN,
        write="EXPECT {{ {condition} }}",
        at="word",
    ),
    Form(
        _SCENARIO,
        r"(?P<word>THEN) \{ (?P<condition>[^{}\n]+) \}",
        _THEN,
        write="EXPECT {{ {condition} }}",
        at="word",
    ),
    Form(
        _SCENARIO,
        r"EXPECT \{ (?P<what>(?i:NEVER CALL|EVENT)) (?P<name>%path) \}",
        _NO_BRACES,
        write="EXPECT {what} {name}",
        at="what",
    ),
    Form(
        NAME,
        rf"{_GIVEN}(?! ON)",
        _GIVES,
        _GIVES_HINT,
        write="{path} ON UNKNOWN DEGRADE {value}",
        heads=("OBSERVE",),
        guess=True,
        wordless=True,
    ),
    Form(NAME, _GIVEN, _GIVES, _GIVES_HINT, heads=("OBSERVE",), wordless=True),
    Form(_MEMORY, r"(?P<path>%path) = (?P<value>%value)", _REMEMBERS, _BELIEF, heads=("MEMORY",)),
    Form(
        NAME,
        r"(?P<word>SET|LET) (?P<path>%path)(?= [:=])",
        _SET,
        _REMOVE,
        write="{path}",
        at="word",
        heads=("EFFECT", "BELIEF", "GIVEN", "OUTCOME"),
        reach=1,
    ),
    Form(
        _MEMORY,
        r"(?P<store>STORE (?:\{ [^{}\n]* \}|%path)(?: INTO %path)?)",
        _WRITES,
        write="WRITE {{ {store} }}",
        heads=("MEMORY",),
    ),
    Form(
        _MEMORY,
        r"WRITE (?P<what>%path(?: INTO \w+(?: \. \w+)*)?)",
        _WRITES,
        write="WRITE {{ STORE {what} }}",
        heads=("MEMORY",),
    ),
    Form(
        NAME,
        r"(?P<name>%name) : (?P<list>\[ %name \])",
        _LIST,
        write="{name}: List",
        at="list",
        heads=("INPUT", "OUTPUT", "PRODUCE", "TOOL", "("),
    ),
    Form(_FIELD, r"(?P<word>(?i:IDEMPOTENT))(?: (?:=|:))?(?: %name)?", _NO_FIELD, _HOST, at="word"),
    Form(_FIELD, r"(?P<word>(?i:TIMEOUT|RETRIES))(?: (?:=|:))? 0", _NO_FIELD, _HOST, at="word"),
    Form(
        _FIELD,
        r"RISK(?: [:=])? %name (?P<word>%name)(?! (?:\{|\"|[:=(]))",
        _ONE_LEVEL,
        _LEVELS,
        at="word",
        refused="word",
    ),
    Form(_FIELD, r"RISK (?P<open>\{) (?P<level>%name) \}", _RISK, write="RISK {level}", at="open"),
    Form(_FIELD, rf"(?P<word>{_CODE})(?= (?:[:=({{]|\"|%name))", _NO_FIELD, _DOES, at="word", reach=1),
    Form(_FIELD, r"(?P<word>RETRY) (?P<count>0)", _NO_FIELD, _AGAIN, at="word"),
    Form(_FIELD, r"REQUIRES (?P<word>(?:(?i:HUMAN) )?APPROVAL)", _ONE, _PERSON, at="word"),
    Form(
        _FIELD,
        rf"REQUIRES (?P<one>%condition) , (?P<other>{_COMPARED}){_END}",
        _ONE,
        write="REQUIRES {one} AND {other}",
        at="other",
        refused="other",
        guess=True,
    ),
    Form(
        _FIELD,
        r"COST (?P<cost>0) (?P<unit>[A-Za-z]+)(?=\n| \})",
        _UNIT,
        write="COST {cost}",
        at="unit",
        guess=True,
    ),
    Form(
        MEMBER,
        r"PLAN (?P<name>\w+) (?P<word>FOR|ACHIEVE|GOAL|TO|(?i:ACHIEVES|SATISFIES)) %path",
        _NO_GOAL,
        _STARTS,
        at="word",
    ),
    Form(MEMBER, rf"(?P<word>ON) (?P<condition>{_COMPARED}) \{{", _REACTION, _WHEN, at="word"),
    Form(MEMBER, rf"(?P<word>WHEN) (?P<condition>{_COMPARED}) \{{", _REACTION, _WHEN, at="word"),
    Form(MEMBER, r"(?P<word>(?i:SUBAGENT|SUB_AGENT)) (?P<name>%name)", hint=_DELEGATE, at="word"),
    Form(MEMBER, r'""(?: " "")?', _DOC, _DOC_HINT),
    Form(STATEMENT, r'""(?: " "")?', _DOC, _COMMENT),
    Form(TOP, r'""(?: " "")?', _DOC, _COMMENT, code="S116"),
    Form(
        TOP,
        r'(?P<word>(?i:IMPORT|FROM|INCLUDE|REQUIRE|USE|USING|PACKAGE))(?: %path| ")',
        hint=_IMPORT,
        at="word",
    ),
    Form(TOP, r"(?P<word>(?i:(?:ASYNC )?(?:DEF|FUNC|FN|FUNCTION)|CLASS)) %name", hint=_PLAN, at="word"),
    Form(
        TOP, r"(?P<word>(?i:permit|forbid|allow|deny|default)) (?:\(|\{|if|allow|=)", hint=_POLICY, at="word"
    ),
    Form(TOP, rf'{_BLOCKS} (?:"|%name) (?P<name>"|%name) \{{', hint=_BLOCK, at="word"),
    Form(TOP, rf'{_BLOCKS} (?P<name>"|%name) \{{', hint=_BLOCK, at="word"),
    Form(TOP, r"(?P<word>(?!(?i:agents?|agnet)\b)%name) :", hint=_YAML, at="word"),
)
