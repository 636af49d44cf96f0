"""One rendering of every error and notice, on standard error.

    error R304: the run is held by process 4711 since 10:31:02
      at: runs/payments
      help: wait until it is done, or stop it
      more: agentl explain R304
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from agentl_grammar.problems import Message, message_id
from agentl_grammar.rendering import excerpt, render

from agentl.errors import Explained, Place, ProgramError
from agentl.messages import translate

_ERROR = message_id("error")
_AT = message_id("at: {place}")
_RECORD = message_id("record #{number}")
_HELP = message_id("help: {action}")
_MORE = message_id("more: agentl explain {code}")
