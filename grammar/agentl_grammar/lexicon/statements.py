"""What is said about the reserved words of statements: group → word → (documentation, syntax, example)."""

from __future__ import annotations

from agentl_grammar.lexicon.members import Description

GROUPS: dict[str, dict[str, Description]] = {
    "plan": {
        "PLAN": (
            "A named course of action; it is started where its WHEN holds, or by its name elsewhere.",
            "PLAN name [WHEN …] { STEP name { statements } | statements }",
            "PLAN pay WHEN queue.pending > 0 { STEP send { transfer(amount=100) } }",
        ),
        "STEP": (
            "A named part of a plan; steps run in the written order.",
            "STEP name { statements } | STEP name: statements",
            "STEP send { transfer(amount=100) }",
        ),
        "IF": (
            "Runs one branch or the other; behind a rule of a POLICY it is the rule's condition.",
            "IF … THEN branch [ELSE branch] | ALLOW tool IF …",
            "IF stock < 5 THEN order() ELSE wait",
        ),
        "THEN": (
            "What to do: one statement or a block.",
            "IF … THEN branch [ELSE branch] | THEN branch",
            "IF stock < 5 THEN { order() notify() }",
        ),
        "ELSE": (
            "What to do otherwise; it belongs to the nearest IF.",
            "IF … THEN branch ELSE branch",
            "IF ok == yes THEN go ELSE stop",
        ),
        "SET": ("Gives a path a value.", "SET path = …", "SET human.asked = yes"),
        "LOOP": (
            "In an agent: the order of its phases and when it is done. As a statement: repeats its block.",
            "LOOP [UNTIL …] [MAX number] { statements }",
            "LOOP UNTIL goal.satisfied MAX 6 { OBSERVE SELECT_PLAN EXECUTE }",
        ),
        "UNTIL": (
            "Ends a LOOP where it holds; tested behind each round.",
            "LOOP UNTIL … [MAX number] { statements }",
            "LOOP UNTIL queue.pending == 0 { next() }",
        ),
        "MAX": (
            "The most rounds of a LOOP, or items of a FOREACH.",
            "LOOP [UNTIL …] MAX number { statements } | FOREACH variable IN … MAX number { statements }",
            "FOREACH item IN queue.items MAX 10 { pay(id=item.id) }",
        ),
        "FOREACH": (
            "Runs a block for each item of a list; the item's fields are read as variable.field.",
            "FOREACH variable IN … [MAX number] { statements }",
            "FOREACH bill IN queue.bills { pay(id=bill.id) }",
        ),
    },
    "verify": {
        "VERIFY": (
            "Looks again and checks; a failure stops the plan. Alone: the phase that scores goals.",
            (
                'VERIFY ["label"] … | VERIFY ["label"] { [CONDITION] … [ON FAIL branch] }\n'
                "| ON VERIFY.FAIL { statements } | VERIFY"
            ),
            "VERIFY { CONDITION receipt != none ON FAIL { RETRY 2 ESCALATE } }",
        ),
        "CONDITION": (
            "What a VERIFY checks.",
            "VERIFY { CONDITION … [ON FAIL branch] }",
            "VERIFY { CONDITION door.state == open }",
        ),
        "ON": (
            "Begins a reaction: to a silent sensor, a failed check or a message.",
            (
                "ON UNKNOWN ESCALATE | ON UNKNOWN DEGRADE … | ON FAIL branch\n"
                "| ON MESSAGE name { statements } | ON VERIFY.FAIL { statements }"
            ),
            "ON VERIFY.FAIL { call_human }",
        ),
        "FAIL": (
            "Behind ON: what to do when a VERIFY fails.",
            "ON FAIL branch | ON VERIFY.FAIL { statements }",
            "VERIFY { mail.sent == yes ON FAIL RETRY 1 }",
        ),
        "RETRY": (
            "In a reaction to a failed VERIFY: starts the whole plan again, so many times.",
            "RETRY [number]",
            "VERIFY { mail.sent == yes ON FAIL { RETRY 2 call_human } }",
        ),
        "ROLLBACK": (
            "Undoes what the plan has done, by the host's compensations, last first.",
            "ROLLBACK",
            "VERIFY { mail.sent == yes ON FAIL { ROLLBACK ESCALATE } }",
        ),
        "ESCALATE": (
            "Asks the operator.",
            "ESCALATE | ON UNKNOWN ESCALATE",
            "VERIFY { mail.sent == yes ON FAIL ESCALATE }",
        ),
    },
    "oracle": {
        "REASON": (
            "Asks a model for values; only the fields of PRODUCE are taken from its answer.",
            (
                'REASON ["task"] { [TASK "text"]  [USING { paths }]  PRODUCE { fields } } | ASK who '
                "{ REASON word }"
            ),
            'REASON "kind of bill" { USING { bill.text } PRODUCE { kind: Symbol IN [rent, tax, other] } }',
        ),
        "TASK": ("What is asked of a model or a sub-agent.", 'TASK "text"', 'TASK "Find the due date"'),
        "USING": ("The only values that a model is shown.", "USING { paths }", "USING { bill.text }"),
        "PRODUCE": (
            "The fields to take from a model's answer, with their types, domains and defaults.",
            "PRODUCE { name[: Type] [IN [values]] [DEFAULT …] }",
            "PRODUCE { risk: Symbol IN [low, high] DEFAULT high }",
        ),
        "ASK": (
            "Asks a person and waits for the answer.",
            (
                'ASK who "text" [TIMEOUT duration] [DEFAULT …]\n'
                '| ASK who { QUESTION "text"  [REASON word]  [TIMEOUT duration]  [DEFAULT …] }'
            ),
            'ASK clerk "Pay it?" TIMEOUT 10min DEFAULT no',
        ),
        "QUESTION": ("What an ASK asks.", 'QUESTION "text"', 'ASK clerk { QUESTION "Pay it?" }'),
        "TIMEOUT": ("How long an ASK waits.", "TIMEOUT duration", "TIMEOUT 10min"),
        "DELEGATE": (
            "Hands a task to a sub-agent of the host.",
            'DELEGATE agent { [TASK "text"]  [INPUT { paths }]  [EXPECT { names }] }',
            'DELEGATE auditor { TASK "Check it" INPUT { bill.id } EXPECT { verdict } }',
        ),
        "EXPECT": (
            "What a scenario must show, or what a sub-agent must answer.",
            (
                "EXPECT ({ …, … } | [NEVER] CALL tool | BLOCKED tool | EVENT path | NO ERROR) "
                "[WITHIN number]\n| EXPECT { names }"
            ),
            "EXPECT NEVER CALL transfer",
        ),
    },
    "messages": {
        "MESSAGE": (
            "Sends a message to another agent; behind ON, receives one.",
            (
                "MESSAGE name { TO agent | BROADCAST  [PAYLOAD { key: … }] }\n"
                "| ON MESSAGE name { statements } | GIVEN MESSAGE name FROM agent { path = … }"
            ),
            "MESSAGE paid { TO ledger PAYLOAD { id: bill.id } }",
        ),
        "TO": ("The agent that a message goes to.", "TO agent", "MESSAGE paid { TO ledger }"),
        "BROADCAST": ("Sends a message to all other agents.", "BROADCAST", "MESSAGE alarm { BROADCAST }"),
        "PAYLOAD": (
            "The values that a message carries.",
            "PAYLOAD { key: … }",
            "PAYLOAD { id: bill.id, sum: 100 }",
        ),
        "RECEIVE": (
            "The phase that hands waiting messages to the ON MESSAGE reactions.",
            "RECEIVE",
            "LOOP { RECEIVE OBSERVE EXECUTE }",
        ),
    },
    "reaction": {
        "EVENT": (
            "What to do when the host reports an event; in a scenario, an event to report or to expect.",
            "EVENT path { [WHEN …]  statements } | GIVEN EVENT path { path = … } | EXPECT EVENT path",
            "EVENT door.opened { WHEN severity >= HIGH THEN inspect }",
        ),
        "DECIDE": (
            "Rules that are tried in every tick, and a model to ask when nothing else chose a plan.",
            (
                "DECIDE { [IF … THEN branch]  [RULES { IF … THEN branch }]  "
                "[REASON { PRODUCE { fields } }] } | DECIDE"
            ),
            "DECIDE { IF planner.exhausted THEN call_human }",
        ),
        "RULES": (
            "Groups the rules of a DECIDE; it changes nothing.",
            "RULES { IF … THEN branch }",
            "DECIDE { RULES { IF idle == yes THEN tidy } }",
        ),
    },
    "phases": {
        "UPDATE_BELIEFS": (
            "The phase that turns what was read into beliefs and audits effects.",
            "UPDATE_BELIEFS",
            "LOOP { OBSERVE UPDATE_BELIEFS EXECUTE }",
        ),
        "EVALUATE_GOALS": (
            "The phase that scores the goals.",
            "EVALUATE_GOALS",
            "LOOP { OBSERVE EVALUATE_GOALS EXECUTE }",
        ),
        "SELECT_PLAN": (
            "The phase that handles events and chooses the plans to run.",
            "SELECT_PLAN",
            "LOOP { OBSERVE SELECT_PLAN EXECUTE }",
        ),
        "EXECUTE": ("The phase that runs the chosen plans.", "EXECUTE", "LOOP { SELECT_PLAN EXECUTE }"),
        "UPDATE_MEMORY": (
            "The phase that writes the memory down.",
            "UPDATE_MEMORY",
            "LOOP { EXECUTE UPDATE_MEMORY }",
        ),
        "ACT": ("The same as EXECUTE.", "ACT", "LOOP { SELECT_PLAN ACT }"),
        "UPDATE_HYPOTHESES": (
            "The phase that revises the hypotheses.",
            "UPDATE_HYPOTHESES",
            "LOOP { OBSERVE UPDATE_HYPOTHESES EXECUTE }",
        ),
        "SYNTHESIZE": (
            "The phase that lets the planner look for a plan.",
            "SYNTHESIZE",
            "LOOP { SYNTHESIZE EXECUTE }",
        ),
    },
    "scenario": {
        "SCENARIO": (
            "A test of the agent: a situation and what must come of it. It changes nothing in a run.",
            "SCENARIO name { [GIVEN { path = … }]  EXPECT { … } [WITHIN number] }",
            "SCENARIO cold { GIVEN { air.temp = 4 } EXPECT NEVER CALL open_vent }",
        ),
        "GIVEN": (
            "What a scenario starts from: values, an event or a message.",
            (
                "GIVEN { path = … } | GIVEN EVENT path { path = … } | GIVEN MESSAGE name FROM agent "
                "{ path = … }"
            ),
            "GIVEN { queue.pending = 1, operator.approval = yes }",
        ),
        "WITHIN": (
            "In how many ticks a scenario must come true; 1 if left out.",
            "WITHIN number",
            "WITHIN 3",
        ),
    },
    "operators": {
        "AND": ("Both hold. Binds stronger than OR.", "… AND …", "a == yes AND b == yes"),
        "OR": ("At least one holds.", "… OR …", "a == yes OR b == yes"),
        "NOT": ("Does not hold. Binds weaker than a comparison.", "NOT …", "NOT queue.pending > 0"),
        "IN": (
            "Is one of; also the list of a FOREACH and the domain of a field.",
            (
                "… IN … | FOREACH variable IN … [MAX number] { statements } | name[: Type] IN "
                "[values] [DEFAULT …]"
            ),
            "state IN [open, ready]",
        ),
    },
    "judge": {
        "JUDGE": (
            "Asks a model closed questions, each with the probability of its answer.",
            'JUDGE ["task"] { [TASK "text"]  [USING { paths }]  questions }',
            'JUDGE { USING { mail.text } spam NOUL "Is it spam?" ABSTAIN BELOW 0.8 }',
        ),
        "NOUL": (
            "A question of JUDGE that is answered yes or no.",
            'name NOUL "text" [ABSTAIN BELOW number] [DEFAULT …]',
            'spam NOUL "Is it spam?"',
        ),
        "CHOICE": (
            "A question of JUDGE with the answers to choose from.",
            'name CHOICE "text" { answer: "meaning" } [ABSTAIN BELOW number] [DEFAULT …]',
            'tone CHOICE "What tone?" { calm: "polite", angry: "complains" }',
        ),
        "SCORE": (
            "A question of JUDGE on a scale, lowest level first.",
            'name SCORE "text" ["level", "level"] [ABSTAIN BELOW number] [DEFAULT …]',
            'risk SCORE "How risky?" ["none", "some", "much"]',
        ),
        "ABSTAIN": (
            "Drops an answer that is not probable enough.",
            "ABSTAIN BELOW number",
            'spam NOUL "Is it spam?" ABSTAIN BELOW 0.8',
        ),
        "BELOW": (
            "The probability under which an answer is dropped.",
            "ABSTAIN BELOW number",
            'spam NOUL "Is it spam?" ABSTAIN BELOW 80%',
        ),
    },
}
