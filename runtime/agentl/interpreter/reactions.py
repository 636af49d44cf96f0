"""EVENT and ON MESSAGE: what comes in, and the handlers that take it (language.md §5.11, §5.16)."""

from __future__ import annotations

from collections.abc import Sequence

from agentl.interpreter.core import Arrival, Core, Steps
from agentl.interpreter.crossings import Answered, Drain
from agentl.interpreter.payloads import bind_payload, source_of
from agentl.interpreter.rollback import own_actions
from agentl.interpreter.written import join_guard
from agentl.provenance import EXTERNAL, Label, of, union, unmarked_fields
from agentl_grammar.printer import print_node
from agentl_grammar.tree import EventHandler, Expression, Message, MessageHandler


def take_events(core: Core) -> Steps[None]:
    """Handle the events that wait at the host."""
    outcome = yield from core.cross(Drain(agent=core.name, tick=core.state.tick))
    for event in outcome.value or () if isinstance(outcome, Answered) else ():
        payload, marked = unmarked_fields(event["payload"])
        arrival = Arrival("event", event["source"], payload, marked=frozenset(marked))
        core.trace.emit("event.received", source=arrival.source, payload=arrival.payload)
        handlers = [on for on in core.of(EventHandler) if on.source.text == arrival.source]
        if not handlers:
            core.trace.emit("event.unhandled", source=arrival.source)
        yield from _handle(core, arrival, handlers)


def receive(core: Core) -> Steps[None]:
    """RECEIVE: deliver the messages that wait in the inbox; one that comes meanwhile waits for the next."""
    waiting, core.state.inbox = core.state.inbox, []
    for message in waiting:
        arrival = Arrival("message", message["name"], message["payload"], message["from"])
        core.state.count("messages_received")
        core.trace.emit(
            "message.received", source=arrival.source, sender=arrival.sender, payload=arrival.payload
        )
        handlers = [on for on in core.of(MessageHandler) if on.name.text == arrival.source]
        if not handlers:
            core.trace.emit("message.unhandled", source=arrival.source)
        yield from _handle(core, arrival, handlers)


def _handle(core: Core, arrival: Arrival, handlers: Sequence[EventHandler | MessageHandler]) -> Steps[None]:
    for number, handler in enumerate(handlers):
        before = core.bound
        bind_payload(core, arrival, announce=number == 0)
        join_guard(core, handler.body, core.guard_label(handler.when), but=_sent(core, arrival, handler.when))
        if core.holds(handler.when):
            with core.under(of(source_of(arrival)) | core.guard_label(handler.when)), own_actions(core):
                yield from core.run_body(handler.body)
            continue
        guard = "" if handler.when is None else print_node(handler.when)
        is_event = arrival.kind == "event"
        core.trace.emit(
            "event.declined" if is_event else "message.declined", source=arrival.source, guard=guard
        )
        bind_payload(core, before, announce=False)


def _sent(core: Core, arrival: Arrival, guard: Expression | None) -> Label:
    """Return the sources in the label of `guard` that are there only because of what was sent."""
    source = of(source_of(arrival))
    paths = () if guard is None else core.read_by(guard)[1]
    others = (core.state.label(path) for path in paths)
    return source | (of(EXTERNAL) - union(*(label for label in others if not label & source)))


def send(core: Core, statement: Message) -> Steps[None]:
    """MESSAGE: without a society there is nobody to send it to."""
    recipient = "everybody" if statement.to is None else statement.to.text
    payload = {entry.key.text: core.value_or_undefined(entry.value) for entry in statement.payload}
    core.trace.emit("message.undelivered", name=statement.name.text, recipient=recipient, payload=payload)
    yield from ()
