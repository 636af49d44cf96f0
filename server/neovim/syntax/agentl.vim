" Vim syntax file
" Language: agentl (*.agent)
" Made by server/neovim/generate_syntax.py from the lexicon: do not edit.

if exists("b:current_syntax")
  finish
endif

syntax case match
syntax iskeyword @,48-57,_

syntax keyword agentlAgent AGENT VERSION DESCRIPTION
highlight default link agentlAgent Structure
syntax keyword agentlGoal GOAL MAINTAIN ACHIEVE TARGET WEIGHT
highlight default link agentlGoal Keyword
syntax keyword agentlBelief BELIEF CONFIDENCE SOURCE UPDATED
highlight default link agentlBelief Keyword
syntax keyword agentlPerception OBSERVE EVERY WHEN UNKNOWN DEGRADE
highlight default link agentlPerception Keyword
syntax keyword agentlMemory MEMORY SHORT_TERM LONG_TERM KNOWLEDGE SHARED WRITE STORE INTO FROM WHERE
highlight default link agentlMemory Keyword
syntax keyword agentlTool TOOL INPUT OUTPUT SIDE_EFFECT RISK REQUIRES EFFECT INTERNAL OUTCOME WITH COST
  \ DURATION BIND ATTESTS
highlight default link agentlTool Keyword
syntax keyword agentlPolicy POLICY NEVER ALLOW DENY REQUIRE APPROVAL FOR DEFAULT SEND
highlight default link agentlPolicy Exception
syntax keyword agentlPlan PLAN STEP IF THEN ELSE SET LOOP UNTIL MAX FOREACH
highlight default link agentlPlan Keyword
syntax keyword agentlVerify VERIFY CONDITION ON FAIL RETRY ROLLBACK ESCALATE
highlight default link agentlVerify Keyword
syntax keyword agentlOracle REASON TASK USING PRODUCE ASK QUESTION TIMEOUT DELEGATE EXPECT
highlight default link agentlOracle Keyword
syntax keyword agentlMessages MESSAGE TO BROADCAST PAYLOAD RECEIVE
highlight default link agentlMessages Keyword
syntax keyword agentlReaction EVENT DECIDE RULES
highlight default link agentlReaction Keyword
syntax keyword agentlPhases UPDATE_BELIEFS EVALUATE_GOALS SELECT_PLAN EXECUTE UPDATE_MEMORY ACT
  \ UPDATE_HYPOTHESES SYNTHESIZE
highlight default link agentlPhases Function
syntax keyword agentlInference HYPOTHESIS PREDICT EVIDENCE PRIOR LIKELIHOOD GIVEN_NOT THRESHOLD EXPLAINS GROUP
  \ MAX_EVIDENCE
highlight default link agentlInference Keyword
syntax keyword agentlPlanner PLANNER ENABLE MAX_DEPTH MAX_NODES APPROVAL_COST TARGET_CONFIDENCE DEADLINE
  \ TIME_WEIGHT UTILITY VALUE
highlight default link agentlPlanner Keyword
syntax keyword agentlScenario SCENARIO GIVEN WITHIN
highlight default link agentlScenario Keyword
syntax keyword agentlOperators AND OR NOT IN
highlight default link agentlOperators Operator
syntax keyword agentlJudge JUDGE NOUL CHOICE SCORE ABSTAIN BELOW
highlight default link agentlJudge Keyword

" a reserved word behind a dot is part of a path; before "(" stands a tool or a function
syntax match agentlField "\.\h\w*"
syntax match agentlCall "\<\h\w*\ze\s*("

syntax match agentlNumber "\<\d\+\%(\.\d\+\)\?\>"
syntax match agentlNumber "\<\d\+\%(\.\d\+\)\?%"
syntax match agentlTimespan "\<\d\+\%(\.\d\+\)\?\%(ms\|s\|sec\|m\|min\|h\|d\)\>"
syntax match agentlDatetime "\<\d\{4\}-\d\d-\d\d\%(T\d\d:\d\d\%(:\d\d\)\?\)\?"

syntax region agentlString start=+"+ skip=+\\.+ end=+"+ contains=agentlEscape
syntax match agentlEscape "\\." contained

syntax keyword agentlTodo contained TODO FIXME NOTE
syntax region agentlComment start="#" end="$" oneline contains=agentlTodo,@Spell
syntax region agentlComment start="//" end="$" oneline contains=agentlTodo,@Spell
syntax region agentlComment start="/\*" end="\*/" contains=agentlTodo,@Spell

highlight default link agentlCall Function
highlight default link agentlField Identifier
highlight default link agentlNumber Number
highlight default link agentlTimespan Number
highlight default link agentlDatetime Constant
highlight default link agentlString String
highlight default link agentlEscape SpecialChar
highlight default link agentlTodo Todo
highlight default link agentlComment Comment

syntax sync minlines=50

let b:current_syntax = "agentl"
