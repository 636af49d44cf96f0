"""What is asked of a model, a person or another agent, as other languages write it."""

from __future__ import annotations

from agentl_grammar.problems import message_id
from agentl_grammar.syntax_errors.forms.form import NAME, STATEMENT, Form

_NO_ADDRESSEE = message_id("ASK says first whom it asks")
_ASK_WHO = message_id('write ASK <who> "…": manager, for example')
_ASK = message_id("behind ASK stand whom it asks and the question")
_ORDER = message_id("TIMEOUT stands before DEFAULT")
_ANSWER = message_id("an answer needs no name: it is read as `answer`")
_OPTIONS = message_id("ASK takes no list of answers")
_OPTIONS_HINT = message_id("name the answers in the question; DEFAULT <value> is what holds without one")
_TIMEOUT = message_id("how long ASK waits stands behind TIMEOUT")
_REASON = message_id("REASON says in braces what it reads and what it gives")
_REASON_HINT = message_id("write REASON {task} {{ USING {{ path }} PRODUCE {{ name: Type }} }}")
_DELEGATE = message_id("DELEGATE says in braces what is to be done")
_NO_TYPE = message_id("DELEGATE passes paths, without types")
_INPUT = message_id("write its name alone: {name}")
_MESSAGE = message_id("a MESSAGE has its parts in braces")
_NAMELESS = message_id("a MESSAGE has a name, and its parts in braces")
_SENDS = message_id("what goes to another agent is a MESSAGE")
_SEND = message_id("write MESSAGE <name> {{ TO {to} PAYLOAD {{ name = value }} }}")
_RANGE = message_id("the least and the most stand in brackets, with a comma between them")
_VALUES = message_id("the values that a field may have stand behind IN, in brackets")
_NONE = message_id("a field of a tool is not bound to values")
_ONE_OF = message_id("write {name}: String, and NEVER <tool> WHEN NOT ({name} IN [{values}]) in POLICY")
_ONE_OF_ANSWERS = message_id("write {name}: String; what it must be stands in a VERIFY behind the call")
_SEVERAL = message_id("several paths stand in braces")
_ENUM = r"(?i:ENUM|ONEOF|ONE_OF|LITERAL|CHOICE|UNION) [\[(] (?P<values>[^(){}\[\]\n]+) [\])]"
_BOUND = message_id("write {name}: {type}; what it must not be stands in POLICY: NEVER <tool> WHEN …")
_BOUND_ANSWER = message_id("write {name}: {type}; what it must be stands in a VERIFY behind the call")
_SHORT = message_id("the question of ASK stands in its braces, or without braces behind ASK {who}")
_ASK_BOB = message_id('write ASK {who} "…"')
_ASKS_NOTHING = message_id("ASK {who} asks nothing")
_FIELD_TEXT = message_id("a text in braces has a word before it")
_DELEGATE_BARE = message_id('write DELEGATE {who} {{ TASK "…" }}')
_SAYS = message_id("what a MESSAGE says stands in PAYLOAD")
_GIVES = message_id("what REASON gives stands in PRODUCE")
_TYPED = message_id("write PRODUCE {{ {name}: Type }}")
_MODEL = message_id("remove it: the model is named where the agent is run, not in its program")
_NO_TO = message_id("`{word}` does not stand behind {verb}")
_REMOVE = message_id("remove `{word}`")
_NO_PRODUCE = message_id("JUDGE has its questions in braces, and no {word}")
_ASKS = message_id('write a name for each question: name NOUL "…" for yes or no, or CHOICE or SCORE')
_KIND = message_id("a question of JUDGE has a kind, and no type")
_QUOTES = message_id("a text has one quote at each end")
_ONE_QUOTE = message_id('write "…": a text may go over lines')
_PAIRS = r"%path = %value(?: ,? ?%path = %value)*"
_LISTED = "USING|STORE|SIDE_EFFECT|SHORT_TERM|KNOWLEDGE"

PEOPLE: tuple[Form, ...] = (
    Form(frozenset(), r'(?<=[A-Z:=] )(?P<text>"" "\s"")', _QUOTES, _ONE_QUOTE),
    Form(NAME, r"(?P<word>PRODUCE|TASK|QUESTION|OUTPUT) \{", _NO_PRODUCE, _ASKS, at="word", heads=("JUDGE",)),
    Form(
        NAME,
        r'(?P<name>%name) (?P<type>: (?i:BOOLEAN|BOOL)|(?i:BOOLEAN)) (?P<text>")',
        _KIND,
        write="{name} NOUL {text}",
        at="type",
        heads=("JUDGE",),
    ),
    Form(
        NAME,
        r"%name(?: :)? (?P<type>(?i:NUMBER|INTEGER|INT|FLOAT|STRING|STR|TEXT|SYMBOL))",
        _KIND,
        _ASKS,
        at="type",
        heads=("JUDGE",),
    ),
    Form(STATEMENT, r'ASK (?P<text>")(?! "| \{)', _NO_ADDRESSEE, _ASK_WHO, at="text", reach=1),
    Form(
        STATEMENT,
        r'ASK \( (?P<who>%path|") ,? ?(?P<text>") \)',
        _ASK,
        write="ASK {who} {text}",
    ),
    Form(
        STATEMENT,
        r'ASK (?P<who>%name) (?P<word>(?i:TO|FOR|IF|ABOUT|WHETHER|THAT|WITH)) (?P<text>")',
        _ASK,
        write="ASK {who} {text}",
        at="word",
    ),
    Form(
        STATEMENT,
        r'ASK (?P<who>%name) (?P<text>") (?P<open>\{) (?P<more>[^{}\n]*) \}',
        _SHORT,
        write="ASK {who} {{ QUESTION {text} {more} }}",
        at="open",
    ),
    Form(STATEMENT, r'ASK (?P<who>%name)(?! (?:"|\{|\w|:|=))', _ASKS_NOTHING, _ASK_BOB, reach=1),
    Form(frozenset(("_QUESTION",)), '(?P<text>")', _FIELD_TEXT, write="QUESTION {text}", heads=("ASK",)),
    Form(
        frozenset(("_TASK",)), '(?P<text>")', _FIELD_TEXT, write="TASK {text}", heads=("REASON", "DELEGATE")
    ),
    Form(
        STATEMENT,
        r'(?P<ask>ASK \w+ ")\s(?P<default>DEFAULT(?: [:=])? %value)\s(?P<timeout>TIMEOUT(?: [:=])? 0)',
        _ORDER,
        write="{ask} {timeout} {default}",
        at="timeout",
    ),
    Form(
        STATEMENT,
        r'(?P<ask>ASK \w+ ") (?P<word>WITHIN|(?i:AFTER|DEADLINE|WAIT)|FOR|UNTIL) (?P<time>0)',
        _TIMEOUT,
        write="{ask} TIMEOUT {time}",
        at="word",
    ),
    Form(
        STATEMENT,
        r'(?P<ask>ASK \w+ ") (?P<word>INTO|(?i:AS)) (?P<path>%path)',
        _ANSWER,
        write="{ask} SET {path} = answer",
        at="word",
        guess=True,
    ),
    Form(
        STATEMENT,
        r'ASK \w+ " (?P<word>(?i:OPTIONS|CHOICES|ANSWERS)|IN|CHOICE) ?(?:[:=] )?[\[{(]',
        _OPTIONS,
        _OPTIONS_HINT,
        at="word",
    ),
    Form(STATEMENT, r'REASON (?P<task>")(?! \{| USING| PRODUCE| TASK)', _REASON, _REASON_HINT, reach=1),
    Form(
        STATEMENT,
        r'DELEGATE (?P<who>%name) (?P<task>")(?! \{)',
        _DELEGATE,
        write="DELEGATE {who} {{ TASK {task} }}",
    ),
    Form(
        NAME,
        r"(?P<name>%name) (?P<type>: %name)",
        _NO_TYPE,
        _INPUT,
        at="type",
        code="S110",
        heads=("DELEGATE", "INPUT", "EXPECT"),
    ),
    Form(
        STATEMENT,
        r'DELEGATE (?P<task>") (?P<word>TO) (?P<who>%name)(?! \{)',
        _DELEGATE,
        write="DELEGATE {who} {{ TASK {task} }}",
    ),
    Form(
        STATEMENT,
        r"DELEGATE (?P<who>%name) (?P<arguments>\( (?P<paths>%paths) \))",
        _DELEGATE,
        write="DELEGATE {who} {{ INPUT {{ {paths} }} }}",
    ),
    Form(STATEMENT, r"DELEGATE (?P<who>%name)(?! (?:\{|\w|:|=))", _DELEGATE, _DELEGATE_BARE, reach=1),
    Form(STATEMENT, r'REASON (?P<open>\() (?P<task>") \)', _REASON, _REASON_HINT, at="open"),
    Form(
        frozenset(("_PRODUCE",)),
        r"(?P<word>(?i:MODEL|TEMPERATURE|MAX_TOKENS|SYSTEM|LLM|PROVIDER))(?: [:=])? %value",
        hint=_MODEL,
        at="word",
        heads=("REASON", "JUDGE"),
    ),
    Form(
        frozenset(("_PRODUCE",)),
        r"(?P<field>(?P<name>%name) : %name)",
        _GIVES,
        write="PRODUCE {{ {field} }}",
        heads=("REASON",),
    ),
    Form(
        frozenset(("_PRODUCE",)),
        r"(?P<name>%name)(?= (?:\}|,))",
        _GIVES,
        _TYPED,
        heads=("REASON",),
    ),
    Form(
        frozenset(("_PAYLOAD",)),
        rf"(?P<pairs>{_PAIRS})",
        _SAYS,
        write="PAYLOAD {{ {pairs} }}",
        heads=("MESSAGE",),
    ),
    Form(
        frozenset(("_PAYLOAD",)),
        r'PAYLOAD(?: [:=])? (?P<text>")',
        _SAYS,
        write="PAYLOAD {{ text = {text} }}",
        heads=("MESSAGE",),
        guess=True,
    ),
    Form(
        STATEMENT,
        r"(?P<verb>DELEGATE|ASK) (?P<word>TO|(?i:THE|AN?)) (?P<who>%name)",
        _NO_TO,
        _REMOVE,
        write="{verb} {who}",
        at="word",
        code="S116",
    ),
    Form(STATEMENT, r"BROADCAST (?P<name>%name)(?! \{)", _SENDS, write="MESSAGE {name} {{ BROADCAST }}"),
    Form(
        STATEMENT,
        rf"MESSAGE (?P<name>%name) (?P<word>TO) (?P<to>%name) \{{ (?P<pairs>{_PAIRS}) \}}",
        _MESSAGE,
        write="MESSAGE {name} {{ TO {to} PAYLOAD {{ {pairs} }} }}",
        at="word",
    ),
    Form(
        STATEMENT,
        r"MESSAGE (?P<name>%name) (?P<word>TO) (?P<to>%name)(?! \{)",
        _MESSAGE,
        write="MESSAGE {name} {{ TO {to} }}",
        at="word",
    ),
    Form(STATEMENT, r'MESSAGE (?P<to>%name) "', _NAMELESS, _SEND),
    Form(
        STATEMENT,
        r"(?i:SEND)(?: %value| \{ [^{}\n]* \})? (?P<word>TO) (?P<to>\w+)(?: \{ [^{}\n]* \})?",
        _SENDS,
        _SEND,
    ),
    Form(
        frozenset(),
        rf"(?P<word>{_LISTED})(?: \[)? (?P<paths>%path(?: ,\s%path)+)(?: ,)?(?: \])?",
        _SEVERAL,
        write="{word} {{ {paths} }}",
        at="paths",
    ),
    Form(
        frozenset(("_IN",)),
        r"IN (?P<range>(?:\[ )?(?P<low>0) \. \.(?: \.)? (?P<high>0)(?: \])?)",
        _RANGE,
        write="IN [{low}, {high}]",
        at="range",
        heads=("PRODUCE", "["),
    ),
    Form(
        NAME,
        r"(?P<name>%name) : (?P<list>\[ (?P<values>[^][(){}\n]+ , [^][(){}\n]+) \])",
        _VALUES,
        write="{name}: Symbol IN [{values}]",
        at="list",
        heads=("PRODUCE",),
    ),
    Form(
        NAME,
        rf"(?P<name>%name) : (?P<enum>{_ENUM})",
        _VALUES,
        write="{name}: Symbol IN [{values}]",
        at="enum",
        heads=("PRODUCE",),
    ),
    Form(
        NAME,
        rf"(?P<name>%name) : (?P<enum>{_ENUM})",
        _NONE,
        _ONE_OF,
        at="enum",
        heads=("INPUT",),
    ),
    Form(
        NAME,
        rf"(?P<name>%name) : (?P<enum>{_ENUM})",
        _NONE,
        _ONE_OF_ANSWERS,
        at="enum",
        heads=("OUTPUT",),
    ),
    Form(
        NAME,
        r"(?P<name>%name) : (?P<type>%name) (?P<more>IN|==|!=|>=|<=|>|<|\()",
        _NONE,
        _BOUND,
        at="more",
        heads=("INPUT",),
        wordless=True,
    ),
    Form(
        NAME,
        r"(?P<name>%name) : (?P<type>%name) (?P<more>IN|==|!=|>=|<=|>|<|\()",
        _NONE,
        _BOUND_ANSWER,
        at="more",
        heads=("OUTPUT",),
        wordless=True,
    ),
)
