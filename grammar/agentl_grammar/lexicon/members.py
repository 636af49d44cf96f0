"""What is said about the reserved words of declarations: group → word → (documentation, syntax, example)."""

from __future__ import annotations

Description = tuple[str, str, str]

GROUPS: dict[str, dict[str, Description]] = {
    "agent": {
        "AGENT": (
            "An agent: what it sees, what it may do and when it acts. A program is one or more agents.",
            "AGENT name { members }",
            "AGENT payments { GOAL { queue.pending == 0 } }",
        ),
        "VERSION": (
            "The version of the agent, kept as it is written.",
            'VERSION ("text" | number | date)',
            'VERSION "1.4"',
        ),
        "DESCRIPTION": (
            "A sentence for people. It changes nothing in a run.",
            'DESCRIPTION "text"',
            'DESCRIPTION "Pays approved invoices"',
        ),
    },
    "goal": {
        "GOAL": (
            "What the agent is for. A goal's score is the share of its conditions that hold.",
            "GOAL [name] { [MAINTAIN | ACHIEVE] …  [TARGET …]  [WEIGHT number] }",
            "GOAL paid { ACHIEVE queue.pending == 0 }",
        ),
        "MAINTAIN": (
            "The condition of a goal that must go on holding.",
            "MAINTAIN …",
            "MAINTAIN disk.free > 10%",
        ),
        "ACHIEVE": (
            "The condition of a goal to reach; in a PLANNER, what the search aims at.",
            "ACHIEVE …",
            "ACHIEVE invoice.state == paid",
        ),
        "TARGET": (
            "One more condition of a goal, or several in braces. Each counts the same in the score.",
            "TARGET … | TARGET { …, … }",
            "TARGET { cpu.load < 80, disk.free > 10% }",
        ),
        "WEIGHT": (
            "How much a goal counts in the overall score; 1 if left out.",
            "WEIGHT number",
            "WEIGHT 2",
        ),
    },
    "belief": {
        "BELIEF": (
            "What the agent takes for true before it has looked.",
            "BELIEF { path = … [CONFIDENCE number] [SOURCE word] [UPDATED value] }",
            "BELIEF { door.state = shut CONFIDENCE 0.6 }",
        ),
        "CONFIDENCE": (
            "How sure a belief is, from 0 to 1; CONFIDENCE(path) reads it; in a HYPOTHESIS it means PRIOR.",
            "CONFIDENCE number | CONFIDENCE(path)",
            "NEVER transfer WHEN CONFIDENCE(balance) < 0.8",
        ),
        "SOURCE": ("Where a belief comes from; `declared` if left out.", "SOURCE word", "SOURCE survey"),
        "UPDATED": ("When a belief was formed, for people.", "UPDATED value", "UPDATED 2026-07-26"),
    },
    "perception": {
        "OBSERVE": (
            "The paths whose sensors are read in every tick; alone in a LOOP, the phase that reads them.",
            (
                "OBSERVE { path [WHEN …] [ON UNKNOWN ESCALATE | ON UNKNOWN DEGRADE …] } | OBSERVE "
                "path | OBSERVE"
            ),
            "OBSERVE { queue.pending ON UNKNOWN ESCALATE }",
        ),
        "EVERY": (
            "Reserved so that old programs fail loudly: it was removed in 1.8. Say when to read with WHEN.",
            "(not usable)",
            "OBSERVE { logs WHEN tick.even == yes }",
        ),
        "WHEN": (
            "A condition: the line that it ends counts only where it holds.",
            "WHEN …",
            "PLAN pay WHEN queue.pending > 0 { next }",
        ),
        "UNKNOWN": (
            "Behind ON in OBSERVE: what to do while the sensor says nothing.",
            "ON UNKNOWN ESCALATE | ON UNKNOWN DEGRADE …",
            "OBSERVE { balance ON UNKNOWN DEGRADE 0 }",
        ),
        "DEGRADE": (
            "Goes on with this value, at confidence 0.3, while the sensor says nothing.",
            "ON UNKNOWN DEGRADE …",
            "OBSERVE { load ON UNKNOWN DEGRADE 100% }",
        ),
    },
    "memory": {
        "MEMORY": (
            "What the agent remembers from tick to tick, and when it writes it down.",
            (
                "MEMORY { [SHORT_TERM { names }]  [LONG_TERM { names }]  [KNOWLEDGE { names }]\n"
                "  [SHARED { names }]  [WRITE { STORE { paths } }] }"
            ),
            "MEMORY { LONG_TERM { payments } }",
        ),
        "SHORT_TERM": (
            "Names of memories that last for this run.",
            "SHORT_TERM { names }",
            "SHORT_TERM { attempts }",
        ),
        "LONG_TERM": ("Names of memories to keep.", "LONG_TERM { names }", "LONG_TERM { payments }"),
        "KNOWLEDGE": (
            "Names of memories that hold what is known.",
            "KNOWLEDGE { names }",
            "KNOWLEDGE { suppliers }",
        ),
        "SHARED": (
            "Names of memories that all agents of the program share; SHARED.name reads one in an expression.",
            "SHARED { names } | SHARED.name[.count | .version | .last]",
            "VERIFY SHARED.alerts.count == 0",
        ),
        "WRITE": (
            "One note of the memory: when to write, what, and where.",
            "WRITE { [WHEN …]  STORE { paths }  [INTO bucket] }",
            "WRITE { WHEN sent == yes STORE { invoice.id } INTO LONG_TERM.payments }",
        ),
        "STORE": (
            "The paths whose values a WRITE keeps as one record.",
            "STORE { paths }",
            "STORE { invoice.id, invoice.sum }",
        ),
        "INTO": (
            "Where a WRITE puts its record; LONG_TERM.records if left out.",
            "INTO bucket",
            "INTO SHARED.alerts",
        ),
        "FROM": (
            "Behind PRIOR, the memory to learn from; behind MESSAGE in a scenario, the sender.",
            "PRIOR FROM bucket [WHERE …] | GIVEN MESSAGE name FROM agent { path = … }",
            "PRIOR FROM LONG_TERM.incidents",
        ),
        "WHERE": (
            "Which records of a PRIOR FROM count as cases.",
            "PRIOR FROM bucket WHERE …",
            "PRIOR FROM LONG_TERM.incidents WHERE cause == disk",
        ),
    },
    "tool": {
        "TOOL": (
            "The contract of an action: what it takes, gives, changes and risks. The host does the work.",
            (
                'TOOL name { [DESCRIPTION "text"]  [INPUT { fields }]  [OUTPUT { fields }]\n'
                "  [SIDE_EFFECT { paths }]  [RISK level]  [REQUIRES …]  [EFFECT { path = … }]\n"
                "  [OUTCOME name { path = … }]  [COST number]  [DURATION duration] }\n"
                "| TOOL { name[(fields)] }"
            ),
            "TOOL transfer { INPUT { amount: Number, to: String } RISK HIGH }",
        ),
        "INPUT": (
            "The parameters of a tool; in a DELEGATE, the paths that are handed over.",
            "INPUT { name[: Type] [BIND path] [ATTESTS parameter] } | INPUT { paths }",
            "INPUT { amount: Number BIND invoice.sum }",
        ),
        "OUTPUT": (
            "What a tool returns; all else that it returns is dropped.",
            "OUTPUT { name[: Type] }",
            "OUTPUT { receipt: String }",
        ),
        "SIDE_EFFECT": (
            "What in the outside world a tool changes.",
            "SIDE_EFFECT { paths }",
            "SIDE_EFFECT { bank.account }",
        ),
        "RISK": (
            "How much harm a tool can do, from NONE to CRITICAL; LOW if left out; of a block the highest.",
            "RISK (NONE | INFO | LOW | MEDIUM | HIGH | SEVERE | CRITICAL) | RISK { word: level }",
            "RISK HIGH",
        ),
        "REQUIRES": (
            "What must be known to be true before a tool may run; unknown is not enough.",
            "REQUIRES … | REQUIRES { … }",
            "REQUIRES account.state == open",
        ),
        "EFFECT": (
            "What should be true once a tool has succeeded; believed until an observation says otherwise.",
            "EFFECT { path = … [INTERNAL] }",
            "EFFECT { door.state = open }",
        ),
        "INTERNAL": (
            "Marks an effect on the agent's own books, which no sensor shows.",
            "path = … INTERNAL",
            "EFFECT { ledger.sent = yes INTERNAL }",
        ),
        "OUTCOME": (
            "One way in which a tool may turn out, with its probability; for the planner and scenarios.",
            "OUTCOME name [WITH probability] { path = … }",
            "OUTCOME ok WITH 0.9 { door.state = open }",
        ),
        "WITH": (
            "The probability of an OUTCOME; 1 if left out.",
            "OUTCOME name WITH probability { path = … }",
            "OUTCOME stuck WITH 10% { door.state = shut }",
        ),
        "COST": (
            "What a use of the tool costs the planner; derived from RISK if left out.",
            "COST number",
            "COST 3",
        ),
        "DURATION": (
            "How long a use of the tool takes, for the planner.",
            "DURATION duration",
            "DURATION 20s",
        ),
        "BIND": (
            "The path from which the planner takes a parameter.",
            "name[: Type] BIND path",
            "INPUT { angle: Number BIND wanted.angle }",
        ),
        "ATTESTS": (
            "This tool vouches for that parameter of others. For the checks only: a run enforces none of it.",
            "name[: Type] ATTESTS parameter",
            "TOOL look_up { INPUT { iban: String ATTESTS account } }",
        ),
    },
    "policy": {
        "POLICY": (
            "What the agent may do. Every action is checked against all rules before it reaches the host.",
            "POLICY { [DEFAULT (ALLOW | DENY)]  rules }",
            "POLICY { DEFAULT DENY  ALLOW notify }",
        ),
        "NEVER": (
            "Forbids an action, whatever allows it; a condition that cannot be decided forbids too.",
            "NEVER (tool | *) [WHEN …] | NEVER SEND path, path | EXPECT NEVER CALL tool",
            "NEVER transfer WHEN tools.transfer.in_doubt == true",
        ),
        "ALLOW": (
            "Permits an action where its condition is known to hold.",
            "ALLOW (tool | *) [WHEN …] | DEFAULT ALLOW",
            "ALLOW notify",
        ),
        "DENY": (
            "Forbids an action where its condition holds or cannot be decided.",
            "DENY (tool | *) [WHEN …] | DEFAULT DENY",
            "DENY transfer WHEN amount > 1000",
        ),
        "REQUIRE": (
            "Asks a person before an action is done.",
            "REQUIRE [APPROVAL] FOR (tool | *) [WHEN …]",
            "REQUIRE APPROVAL FOR transfer WHEN amount > 100",
        ),
        "APPROVAL": (
            "What REQUIRE asks for: the yes of a person.",
            "REQUIRE APPROVAL FOR (tool | *) [WHEN …]",
            "REQUIRE APPROVAL FOR transfer",
        ),
        "FOR": (
            "Names the action that needs an approval.",
            "REQUIRE [APPROVAL] FOR (tool | *) [WHEN …]",
            "REQUIRE APPROVAL FOR *",
        ),
        "DEFAULT": (
            "The verdict when no rule speaks; elsewhere the value to take when there is no answer.",
            "DEFAULT (ALLOW | DENY) | DEFAULT …",
            "POLICY { DEFAULT DENY }",
        ),
        "SEND": (
            "Behind NEVER: keeps the values of these paths away from every model.",
            "NEVER SEND path, path",
            "NEVER SEND customer.phone",
        ),
    },
    "inference": {
        "HYPOTHESIS": (
            "A cause that is not seen itself; its probability is revised from the evidence in every tick.",
            (
                'HYPOTHESIS name { [DESCRIPTION "text"]  [PRIOR number]  [EVIDENCE { evidences }]\n'
                "  [PREDICT …]  [EXPLAINS path = …]  [THRESHOLD number]  [MAX_EVIDENCE number] }"
            ),
            "HYPOTHESIS leak { PRIOR 5% EVIDENCE { tank.level < 3 LIKELIHOOD 0.9 GIVEN_NOT 0.1 } }",
        ),
        "PREDICT": (
            "One evidence with the usual likelihoods, 0.9 and 0.1.",
            "PREDICT …",
            "PREDICT tank.level < 3",
        ),
        "EVIDENCE": (
            "What speaks for or against a hypothesis.",
            "EVIDENCE { … [LIKELIHOOD number] [GIVEN_NOT number] }",
            "EVIDENCE { smoke == yes LIKELIHOOD 0.95 GIVEN_NOT 0.01 }",
        ),
        "PRIOR": (
            "The probability before any evidence, or the memory to count it from; 0.1 if left out.",
            "PRIOR number | PRIOR FROM bucket [WHERE …]",
            "PRIOR 0.05",
        ),
        "LIKELIHOOD": (
            "How probable an evidence is if the hypothesis is true.",
            "… LIKELIHOOD number",
            "smoke == yes LIKELIHOOD 0.95",
        ),
        "GIVEN_NOT": (
            "How probable an evidence is if the hypothesis is false.",
            "… GIVEN_NOT number",
            "smoke == yes GIVEN_NOT 0.01",
        ),
        "THRESHOLD": (
            "From this probability on a hypothesis counts as supported; 0.9 if left out.",
            "THRESHOLD number",
            "THRESHOLD 0.8",
        ),
        "EXPLAINS": (
            "What to believe once a hypothesis is supported.",
            "EXPLAINS path [= …]",
            "EXPLAINS outage.cause = disk",
        ),
        "GROUP": (
            "Evidences that say the same thing: only the strongest of them counts.",
            "GROUP name { evidences }",
            "GROUP heat { air.temp > 30 LIKELIHOOD 0.9 GIVEN_NOT 0.1 }",
        ),
        "MAX_EVIDENCE": (
            "The most, in bits, that all evidence together may move a hypothesis.",
            "MAX_EVIDENCE number",
            "MAX_EVIDENCE 6",
        ),
    },
    "planner": {
        "PLANNER": (
            "Lets the agent find a sequence of tools by itself when no plan was started.",
            (
                "PLANNER { [ENABLE]  [ACHIEVE …]  [MAX_DEPTH number]  [MAX_NODES number]\n"
                "  [APPROVAL_COST number]  [TARGET_CONFIDENCE number]  [DEADLINE duration]\n"
                "  [TIME_WEIGHT number] }"
            ),
            "PLANNER { ACHIEVE door.state == open MAX_DEPTH 3 }",
        ),
        "ENABLE": ("Says again what the block PLANNER says already.", "ENABLE", "PLANNER { ENABLE }"),
        "MAX_DEPTH": (
            "How many tools a found plan may have; 4 if left out.",
            "MAX_DEPTH number",
            "MAX_DEPTH 3",
        ),
        "MAX_NODES": (
            "How many situations the planner may try; 2000 if left out.",
            "MAX_NODES number",
            "MAX_NODES 500",
        ),
        "APPROVAL_COST": (
            "What it costs the planner to ask a person; 10 if left out.",
            "APPROVAL_COST number",
            "APPROVAL_COST 20",
        ),
        "TARGET_CONFIDENCE": (
            "How probable success must be; 1 if left out.",
            "TARGET_CONFIDENCE number",
            "TARGET_CONFIDENCE 95%",
        ),
        "DEADLINE": ("How long a found plan may take.", "DEADLINE duration", "DEADLINE 2min"),
        "TIME_WEIGHT": (
            "What a second costs the planner; 0 if left out.",
            "TIME_WEIGHT number",
            "TIME_WEIGHT 0.05",
        ),
        "UTILITY": (
            "What situations are worth; the planner weighs it against cost.",
            "UTILITY { … VALUE [-]number }",
            "UTILITY { door.state == open VALUE 50, door.broken == yes VALUE -80 }",
        ),
        "VALUE": (
            "What a situation is worth in UTILITY; may be negative.",
            "… VALUE [-]number",
            "roof.damaged == yes VALUE -80",
        ),
    },
}
