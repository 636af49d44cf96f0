"""The names of commands and custom messages (docs/editor-protocol.md); loaded before anything else is."""

RUN_CHANGED = "agentl/runChanged"
RUN_OUTPUT = "agentl/runOutput"

RUN = "agentl.run"
RESUME = "agentl.resume"
INSPECT = "agentl.inspect"
STOP = "agentl.stop"
COMMANDS = (RUN, RESUME, INSPECT, STOP)
