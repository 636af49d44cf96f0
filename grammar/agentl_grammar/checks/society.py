"""Several agents in one program: who speaks to whom (§5.14, §5.16)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.registry import (
    Found,
    did_you_mean,
    error,
    nearest,
    renaming,
    said,
    warning,
)
from agentl_grammar.problems import Related, message_id
from agentl_grammar.tree import Delegate, GivenMessage, Message, MessageHandler


@dataclass(frozen=True, slots=True)
class Society:
    """All agents of a program."""

    agents: Sequence[Index]
    names: dict[str, Index] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", {index.name.lower(): index for index in reversed(self.agents)})


@error("E007")
def message_to_nobody(society: Society) -> Iterator[Found]:
    """E007: MESSAGE to an agent that is not there, or with neither TO nor BROADCAST; in a society only."""
    if len(society.agents) < 2:  # noqa: PLR2004 (a society)
        return
    for index in society.agents:
        for part, message in index.all(Message):
            if message.to is None and not message.broadcast:
                yield Found(
                    part.at(message.name),
                    said(message_id("the message {name} goes to nobody"), name=message.name.text),
                    said(message_id("add TO an agent, or BROADCAST")),
                )
            elif message.to is not None and message.to.text.lower() not in society.names:
                span = part.at(message.to)
                names = [other.name for other in society.agents if other is not index]
                near = nearest(message.to.text, names)
                yield Found(
                    span,
                    said(message_id("there is no agent {name}"), name=message.to.text),
                    did_you_mean(near, said(message_id("the others are {names}"), names=", ".join(names))),
                    fixes=renaming(span, message.to.text, near),
                )


@error("E012")
def agents_of_one_name(society: Society) -> Iterator[Found]:
    """E012: two agents whose names are the same but for their case: messages could not tell them apart."""
    seen: dict[str, Index] = {}
    for index in society.agents:
        before = seen.setdefault(index.name.lower(), index)
        if before is not index:
            yield Found(
                index.agent.name.span,
                said(message_id("there is an agent {name} already"), name=before.name),
                said(message_id("rename one of the two")),
                (Related(before.agent.name.span, said(message_id("declared here"))),),
            )


@warning("W111")
def message_nobody_handles(society: Society) -> Iterator[Found]:
    """W111: a message that no agent it can reach handles. What E007 says is not said again."""
    handlers = {
        (index.name.lower(), node.name.text)
        for index in society.agents
        for _, node in index.all(MessageHandler)
    }
    for index in society.agents:
        for part, message in index.all(Message):
            to = message.to.text.lower() if message.to and not message.broadcast else None
            if len(society.agents) > 1 and (to not in society.names if to else not message.broadcast):
                continue
            others = [to] if to else [other.name.lower() for other in society.agents if other is not index]
            if not any((other, message.name.text) in handlers for other in others):
                yield Found(
                    part.at(message.name),
                    said(
                        message_id("no agent that gets the message {name} handles it"), name=message.name.text
                    ),
                    said(
                        message_id("add ON MESSAGE {name} {{ … }} to its recipient"), name=message.name.text
                    ),
                )


@warning("W112")
def handler_nobody_calls(society: Society) -> Iterator[Found]:
    """W112: ON MESSAGE for a message that no other agent sends here; a GIVEN MESSAGE of a scenario counts.

    A near name is sure only where more places say it: otherwise the message may be the one misspelt.
    """
    said_at = Counter(
        node.name.text
        for index in society.agents
        for kind in (Message, MessageHandler)
        for _, node in index.all(kind)
    )
    messages = [(index, message) for index in society.agents for _, message in index.all(Message)]
    for index in society.agents:
        sent = {
            message.name.text
            for other, message in messages
            if other is not index
            and (message.broadcast or (message.to and message.to.text.lower() == index.name.lower()))
        }
        given = {given.name.text for part, _ in index.scenarios for given in part.all(GivenMessage)}
        names = sorted(sent)
        for part, handler in index.all(MessageHandler):
            name, span = handler.name.text, part.at(handler.name)
            if name not in sent | given:
                near = nearest(name, names)
                yield Found(
                    span,
                    said(
                        message_id("nobody sends the message {name} to {agent}"), name=name, agent=index.name
                    ),
                    did_you_mean(
                        near,
                        said(
                            message_id("send it: MESSAGE {name} {{ TO {agent} }}"),
                            name=name,
                            agent=index.name,
                        ),
                    ),
                    fixes=renaming(span, name, near, opens=said_at[near or name] <= said_at[name]),
                )


@warning("W127", Delegate)
def delegate_without_contract(index: Index) -> Iterator[Found]:
    """W127: DELEGATE to an agent without a TOOL of that name: its risk is CRITICAL, its effects unknown."""
    for part, node in index.own(Delegate):
        name = node.target.text
        if name not in index.tools and index.delegates[name][1] is node:
            yield Found(
                part.at(node.target),
                said(message_id("no TOOL says what the sub-agent {name} may do"), name=name),
                said(message_id("declare it: TOOL {name} {{ RISK … SIDE_EFFECT {{ … }} }}"), name=name),
                tuple(
                    see(home, rule, said(message_id("this rule takes it for CRITICAL")))
                    for home, rule in index.rules_on(name)
                    if rule.target is not None
                ),
            )


RULES = (delegate_without_contract,)
PROGRAM_RULES = (message_to_nobody, agents_of_one_name, message_nobody_handles, handler_nobody_calls)
