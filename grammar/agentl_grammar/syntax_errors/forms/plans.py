"""Statements as other languages write them: Python, JavaScript, shell and prose."""

from __future__ import annotations

from agentl_grammar.lexicon import PHASES
from agentl_grammar.problems import message_id
from agentl_grammar.syntax_errors.forms.form import STATEMENT, Form

_LABEL = message_id("the first text behind VERIFY is its name, and no part of the condition")
_LABEL_BEHIND = message_id("the name of a VERIFY stands before its condition")
_ON_FAIL = message_id("ON FAIL stands inside the braces of VERIFY")
_GIVEN = message_id("a value is given with `=`")
_EQUAL = message_id("write `=`")
_ON_FAIL_HINT = message_id("write VERIFY {{ CONDITION … ON FAIL … }}")
_OR_ELSE = message_id("what is done when VERIFY fails stands behind ON FAIL")
_ONE_VARIABLE = message_id("FOREACH has one variable: nothing counts the items")
_FOREACH = message_id("write FOREACH {item} IN {list} {{ … }}")
_NO_PARENTHESES = message_id("FOREACH has no parentheses")
_RETRY = message_id("RETRY is followed by a number alone")
_CALL = message_id("a call has its arguments in parentheses")
_NO_VALUE = message_id("a call gives no value: nothing stands behind it")
_OUTPUT = message_id("call it as a statement, then read {tool}.<field> of its OUTPUT")
_WAIT = message_id("nothing sleeps: write EVENT name {{ … }} for what is waited for")
_WAIT_UNTIL = message_id("give what comes then a PLAN of its own: PLAN <name> WHEN {condition} {{ … }}")
_ENDS = message_id("a LOOP always ends")
_LOOP_HINT = message_id("write LOOP UNTIL <condition> {{ … }} or LOOP MAX <number> {{ … }}")
_TRY = message_id("check what came of the call behind it: VERIFY {{ CONDITION <condition> ON FAIL {{ … }} }}")
_CASES = message_id("write IF {name} == <value> THEN {{ … }} ELSE IF {name} == <value> THEN {{ … }}")
_RAISE = message_id("write ESCALATE to hand over to a person, VERIFY <condition> for a plan that fails")
_ESCALATE = message_id("ESCALATE stands alone")
_ESCALATE_HINT = message_id('write ASK <who> "…" to ask one person, ESCALATE alone to hand over')
_LOG = message_id("remove it: the trace shows every step; what people are to read, a TOOL sends")
_IN_TURN = message_id("write its statements without `{word}` and braces: they are done one behind the other")
_IF = message_id("write IF <condition> THEN {{ … }}")
_TYPE = message_id("a value has no type")
_SEVERAL = message_id("`=` gives a value to one path")
_EACH = message_id("write one for each: {path} = {value}")
_ITEM = message_id("nothing stands before a statement")
_REMOVE = message_id("remove `{item}`")
_ON_ERROR = message_id(
    "write VERIFY {{ CONDITION <condition> ON FAIL {{ … }} }}, or ON VERIFY.FAIL {{ … }} in AGENT"
)
_ITEM_IN = message_id("write FOREACH item IN {list} {{ … }}")
_NO_LIST = message_id("FOREACH names the item, and then the list")
_COUNTS = message_id("write LOOP MAX {count} {{ … }}: nothing counts the rounds")
_WHERE = message_id("FOREACH takes every item")
_WHERE_HINT = message_id("write {head} {{ IF <condition> THEN {{ … }} }}")
_BLOCK = message_id("what is done stands in braces")
_BLOCK_HINT = message_id("write {head} {{ … }}")
_LOOPS = message_id("a LOOP has UNTIL or MAX before what ends it")
_UNTIL = message_id("write LOOP UNTIL <condition that ends it> {{ … }}")
_MAX = message_id("write LOOP MAX <number> {{ … }}")
_IS = message_id("write {path} = {value} to give the value, VERIFY {path} == {value} to ask for it")
_PAIRS = r"%name [:=] %value(?: ,? ?%name [:=] %value)*"
_RANGE = r"(?:(?i:IN) 0 \. \.(?: \.)?|= 0 (?i:TO)|(?i:IN RANGE) \((?: 0 ,)?)"
_INDEX = message_id("`[` behind a value does not belong to the language: nothing has an index")
_WHOLE = message_id("give the whole value: {value} = [ … ]")
_JOINED = message_id("statements are not joined by {word}")
_IN_ORDER = message_id("write one behind the other: each is done in its turn")
_LATE = message_id("how long a tool may take is not said in the program")
_HOST = message_id('the host says it: @host.tool("name", idempotent=…, retries=…, timeout=…)')
_AROUND = message_id("write LOOP UNTIL {condition} {{ … }} around the call")
_RULE = message_id("a rule stands in a POLICY; in a PLAN, VERIFY asks whether a condition holds")
_POLICY = message_id("write POLICY {{ {word} … }} in AGENT")
_AIM = message_id("what is to be reached stands in a GOAL")
_GOAL = message_id("write GOAL {{ {word} <condition> }} in AGENT")
_KEEPS = message_id("what is kept, and when, stands in MEMORY")
_MEMORY = message_id("write MEMORY {{ WRITE {{ WHEN <condition> STORE {{ path }} }} }} in AGENT")
_PHASE = message_id("a phase of LOOP stands without parentheses")
_COMMA = message_id("no comma stands behind the name of a VERIFY")
_BY_NAME = message_id("a plan is started by its name alone, found `{word}` before it")
_WITHOUT = message_id("write {name} without `{word}`")
_STARTS = r"(?i:CALL|EXECUTE|RUN|DO|START|TRIGGER|INVOKE|PERFORM|PLAN)"
_DONE = r"(?P<tool>%path) \( [^(){}\n]*\)"
_FOREVER = r"(?i:FOREVER|INFINITE|INFINITELY|ENDLESS|ALWAYS|INDEFINITELY)"
_CONTROL = "(?:RETRY(?: 0)?|(?:ROLLBACK|ESCALATE)(?! %name))"
_HANDLER = rf"(?:\{{\s[^{{}}]*\}}|{_CONTROL}|%path \( [^(){{}}\n]*\))"
_VERIFY = r'(?P<verify>VERIFY(?: ")?) '
_BEGIN = r"(?:%name|SET|IF|ASK|VERIFY|REASON|DELEGATE|MESSAGE|FOREACH|LOOP)"

PLANS: tuple[Form, ...] = (
    Form(
        STATEMENT,
        rf"(?<=THEN )(?P<word>{_STARTS}) (?P<name>%name)",
        _BY_NAME,
        _WITHOUT,
        write="{name}",
        at="word",
        refused="name",
    ),
    Form(
        STATEMENT,
        r"(?<=THEN )(?P<word>PLAN) (?P<name>%name)",
        _BY_NAME,
        _WITHOUT,
        write="{name}",
        at="word",
    ),
    Form(STATEMENT, r'(?P<verify>VERIFY ") (?P<comma>,)', _COMMA, write="{verify}", at="comma"),
    Form(
        STATEMENT,
        r"(?P<word>(?i:RETRIES|TRIES|ATTEMPTS|MAX_RETRIES)) (?P<count>0)",
        write="RETRY {count}",
        at="word",
        guess=True,
    ),
    Form(
        STATEMENT,
        rf"(?P<phase>{'|'.join(sorted(PHASES))}) (?P<open>\( \))",
        _PHASE,
        write="{phase}",
        at="open",
    ),
    Form(
        STATEMENT,
        r'VERIFY (?P<text>") (?P<sign>==|!=) (?P<value>%path)(?! \()',
        _LABEL,
        write="VERIFY {value} {sign} {text}",
        at="text",
        reach=1,
    ),
    Form(
        STATEMENT,
        r'VERIFY (?P<condition>[^"{}\n]+?)(?: ,)? (?P<text>")',
        _LABEL_BEHIND,
        write="VERIFY {text} {condition}",
        at="text",
        refused="text",
    ),
    Form(
        STATEMENT,
        rf"{_VERIFY}\{{ (?P<condition>[^{{}}\n]+) \}} (?P<word>ON FAIL) (?P<handler>{_HANDLER})",
        _ON_FAIL,
        write="{verify} {{ {condition} ON FAIL {handler} }}",
        at="word",
        code="S116",
    ),
    Form(
        STATEMENT,
        rf"{_VERIFY}(?P<condition>%condition) (?P<word>ON FAIL) (?P<handler>{_HANDLER})",
        _ON_FAIL,
        write="{verify} {{ {condition} ON FAIL {handler} }}",
        at="word",
        code="S116",
    ),
    Form(
        STATEMENT,
        rf"{_VERIFY}(?P<condition>%condition) (?P<word>(?i:OR|OTHERWISE)) (?P<handler>{_CONTROL})",
        _OR_ELSE,
        write="{verify} {{ {condition} ON FAIL {handler} }}",
        at="word",
    ),
    Form(
        STATEMENT,
        rf"{_VERIFY}(?P<condition>%condition) (?P<word>ELSE) (?P<handler>{_HANDLER})",
        _OR_ELSE,
        write="{verify} {{ {condition} ON FAIL {handler} }}",
        at="word",
        code="S116",
    ),
    Form(
        STATEMENT,
        r"VERIFY [^{}\n]*? (?P<word>ELSE)",
        _OR_ELSE,
        _ON_FAIL_HINT,
        at="word",
        code="S116",
        refused="word",
    ),
    Form(STATEMENT, r"(?P<word>ON (?i:ERROR|FAILURE|EXCEPTION|TIMEOUT)) \{", hint=_ON_ERROR, at="word"),
    Form(
        STATEMENT,
        r"FOREACH (?P<list>%path) (?P<word>(?i:AS)) (?P<item>%name)",
        _NO_LIST,
        write="FOREACH {item} IN {list}",
        at="word",
    ),
    Form(STATEMENT, r"FOREACH (?P<list>%path)(?= \{)", _NO_LIST, _ITEM_IN, at="list", reach=1),
    Form(
        STATEMENT,
        r"(?P<head>FOREACH %name IN %path) (?P<word>WHERE|WHEN|IF)",
        _WHERE,
        _WHERE_HINT,
        at="word",
    ),
    Form(STATEMENT, r"(?P<head>FOREACH %name IN %path) (?P<colon>:)", _BLOCK, _BLOCK_HINT, at="colon"),
    Form(
        STATEMENT,
        rf"(?P<word>(?i:FOR|FOREACH)) %name {_RANGE} (?P<count>0)",
        hint=_COUNTS,
        at="word",
        reach=2,
    ),
    Form(
        STATEMENT,
        r"FOREACH (?P<item>%name) (?P<more>, %name) IN (?P<list>%path)",
        _ONE_VARIABLE,
        _FOREACH,
        at="more",
    ),
    Form(
        STATEMENT,
        r"FOREACH \( (?P<item>%name) IN (?P<list>%path) \)",
        _NO_PARENTHESES,
        write="FOREACH {item} IN {list}",
    ),
    Form(STATEMENT, r"RETRY (?P<more>\( (?P<count>0) \))", _RETRY, write="RETRY {count}", at="more"),
    Form(
        STATEMENT,
        r"RETRY (?P<more>(?i:MAX|UP TO|AT MOST|TIMES|COUNT)(?: [=:])? (?P<count>0)(?: (?i:TIMES))?)",
        _RETRY,
        write="RETRY {count}",
        at="more",
    ),
    Form(STATEMENT, r"(?P<word>(?i:WAIT|PAUSE|DELAY|SLEEP|AFTER)(?: FOR)?) 0", hint=_WAIT, at="word"),
    Form(
        STATEMENT,
        r"(?P<word>(?i:WAIT) (?:UNTIL|FOR)) (?P<condition>%condition)(?=\n| \})",
        hint=_WAIT_UNTIL,
        at="word",
    ),
    Form(STATEMENT, rf"LOOP (?P<word>{_FOREVER}) \{{", _ENDS, _LOOP_HINT, at="word"),
    Form(
        frozenset(("_LOOP",)),
        r"(?:LOOP|(?i:REPEAT|DO)) (?P<count>0)(?: (?i:TIMES))?(?= \{)",
        _LOOPS,
        write="LOOP MAX {count}",
    ),
    Form(
        STATEMENT,
        r"SET (?P<path>%path) (?P<word>(?i:TO|AS|IS|BE))(?= (?:[\[(\"]|-|NOT|0|%name))",
        _GIVEN,
        _EQUAL,
        write="SET {path} =",
        at="word",
        code="S110",
        reach=1,
    ),
    Form(STATEMENT, r"LOOP (?P<more>\( (?P<count>0) \))(?= \{)", _LOOPS, write="LOOP MAX {count}", at="more"),
    Form(
        STATEMENT,
        r"LOOP (?P<condition>%path (?:==|!=|>=|<=|>|<|IN) %value)(?= \{)",
        _LOOPS,
        _UNTIL,
        at="condition",
    ),
    Form(STATEMENT, r"LOOP (?P<word>MAX) \{", _LOOPS, _MAX, at="word"),
    Form(STATEMENT, r"(?P<word>(?i:REPEAT|DO)) \{", hint=_LOOP_HINT, at="word"),
    Form(
        STATEMENT,
        r"(?P<word>(?i:PARALLEL|CONCURRENTLY|TRANSACTION|ATOMIC|BEGIN|SEQUENCE|BLOCK)) \{",
        hint=_IN_TURN,
        at="word",
    ),
    Form(
        STATEMENT,
        r"(?P<word>(?i:TRY|CATCH|FINALLY|EXCEPT|RESCUE))(?: %path)*(?: \( [^(){}\n]*\))? \{",
        hint=_TRY,
        at="word",
    ),
    Form(
        STATEMENT, r"(?P<word>(?i:MATCH|SWITCH)) (?:\( )?(?P<name>%path)(?: \))? [{:]", hint=_CASES, at="word"
    ),
    Form(STATEMENT, r'(?P<word>(?i:RAISE|THROW|ABORT|ERROR|PANIC)) "', hint=_RAISE, at="word"),
    Form(STATEMENT, r'(?P<word>(?i:LOG|PRINT|ECHO|TRACE|DEBUG)) "', hint=_LOG, at="word"),
    Form(
        STATEMENT,
        r"(?:SET )?(?P<value>%path) (?P<index>\[ [^][]+ \]) =",
        _INDEX,
        _WHOLE,
        at="index",
        code="S105",
        wordless=True,
    ),
    Form(STATEMENT, rf"{_DONE} (?P<word>OR)", _JOINED, _TRY, at="word"),
    Form(STATEMENT, rf"{_DONE} (?P<word>AND)", _JOINED, _IN_ORDER, at="word"),
    Form(STATEMENT, rf"{_DONE} (?P<word>INTO)", _NO_VALUE, _OUTPUT, at="word"),
    Form(STATEMENT, rf"{_DONE} (?P<word>TIMEOUT)", _LATE, _HOST, at="word"),
    Form(
        STATEMENT,
        rf"{_DONE} (?P<word>UNTIL) (?P<condition>%condition)(?=\n| \}})",
        _LOOPS,
        _AROUND,
        at="word",
    ),
    Form(
        STATEMENT,
        r"REQUIRE (?P<condition>%path (?:==|!=|>=|<=|>|<|IN) [^{}\n]+?)(?=\n| \})",
        _RULE,
        write="VERIFY {condition}",
    ),
    Form(
        STATEMENT, r"(?P<word>ALLOW|DENY|NEVER|REQUIRE) (?:\*|%path|APPROVAL|SEND)", _RULE, _POLICY, at="word"
    ),
    Form(STATEMENT, r"(?P<word>ACHIEVE|MAINTAIN) %path", _AIM, _GOAL, at="word"),
    Form(STATEMENT, r"(?P<word>STORE|WRITE) (?:%path|\{)", _KEEPS, _MEMORY, at="word"),
    Form(STATEMENT, r'ESCALATE (?P<more>TO(?: \w+)?|(?:%name )?")', _ESCALATE, _ESCALATE_HINT, at="more"),
    Form(
        STATEMENT,
        rf"{_VERIFY}(?P<condition>%condition) (?P<open>\{{) (?P<fail>ON FAIL {_HANDLER}) \}}",
        _ON_FAIL,
        write="{verify} {{ {condition} {fail} }}",
        at="open",
        code="S116",
    ),
    Form(
        frozenset(("_ON",)),
        rf"(?P<word>ELSE|(?i:OTHERWISE)) (?P<handler>{_HANDLER})",
        _OR_ELSE,
        write="ON FAIL {handler}",
        at="word",
        heads=("VERIFY",),
    ),
    Form(
        frozenset(("_ON",)),
        r"(?P<word>(?i:ON_FAIL|ONFAIL|ON_FAILURE|FAILS)|FAIL|ON (?i:ERROR|EXCEPTION|FALSE))",
        _OR_ELSE,
        write="ON FAIL",
        at="word",
        heads=("VERIFY",),
    ),
    Form(
        STATEMENT,
        r"(?P<path>%path) (?P<word>(?i:IS|EQUALS)) (?P<value>%value)",
        hint=_IS,
        at="word",
    ),
    Form(
        STATEMENT,
        r"(?P<word>if) (?P<condition>%condition)(?= \{)",
        write="IF {condition} THEN",
        at="word",
        reach=1,
    ),
    Form(
        STATEMENT,
        rf"(?P<tool>%path) (?P<open>\{{) (?P<pairs>{_PAIRS}) \}}",
        _CALL,
        write="{tool}({pairs})",
        refused="open",
        guess=True,
    ),
    Form(STATEMENT, r"(?P<word>if) %condition :", hint=_IF, at="word"),
    Form(
        STATEMENT,
        r"(?P<path>%path) (?P<type>: %name) = (?P<value>%value)",
        _TYPE,
        write="{path} = {value}",
        at="type",
    ),
    Form(
        STATEMENT,
        r"(?P<path>%path) , %path = (?P<value>%value) , %value",
        _SEVERAL,
        _EACH,
    ),
    Form(
        STATEMENT,
        r"(?P<tool>%path) \( [^(){}\n]*\) (?P<behind>\. \w+)",
        _NO_VALUE,
        _OUTPUT,
        at="behind",
        refused="behind",
    ),
    Form(
        STATEMENT,
        rf"(?:^|(?<=\{{ ))(?P<item>[-*]|0 [.)]) (?P<first>{_BEGIN})",
        _ITEM,
        _REMOVE,
        write="{first}",
        at="item",
        wordless=True,
    ),
    Form(
        STATEMENT,
        r'(?P<tool>(?!(?i:RETRY)\b)%path) (?P<value>(?:"|0)(?: , %value)*)(?! (?:\w|"|==|!=|<|>|\.|\{|:))',
        _CALL,
        write="{tool}({value})",
        refused="value",
        guess=True,
    ),
)
