"""The protocol itself, with the gaps of pygls 2.1.1 closed: a reply to every request, the right exit code.

Messages are taken apart as a whole, never by an object hook: an object that happens to hold a `jsonrpc` key
stays one.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from typing import Any, cast

from cattrs import Converter
from lsprotocol import types as t
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage

from agentl_server.texts import TextWorkspace

log = logging.getLogger("agentl_server")


REQUEST_FAILED = -32803
"""LSP: the request was well formed and could not be carried out."""
_HEARD = (t.CANCEL_REQUEST, t.SET_TRACE)
"""The notifications beginning with $/ that do something here."""


def converter() -> Converter:
    """Return the converter of messages: untyped parameters and results stay plain JSON."""
    made = default_converter()

    def structure(data: dict[str, Any], kind: Callable[..., Any]) -> Any:
        known = {name: data.get(name) for name in ("id", "method", "params", "result") if name in data}
        if kind is not JsonRPCResponseMessage:
            known.setdefault("params", None)
        return kind(jsonrpc="2.0", **known)

    for message in (JsonRPCRequestMessage, JsonRPCNotification, JsonRPCResponseMessage):
        made.register_structure_hook(message, structure)
    return made


class Wire(LanguageServerProtocol):
    """JSON-RPC and the life of a server. `exit_code` is None until the client asks to exit."""

    exit_code: int | None = None
    initialize_params: t.InitializeParams
    _server: Any
    _workspace: Any

    def __init__(self, server: Any, converter: Converter) -> None:
        super().__init__(server, converter)
        self._cancelled: set[int | str] = set()

    # ------------------------------------------------------------------------------------------- receiving

    def receive(self, body: bytes) -> None:
        """Handle one message. A request that cannot be understood is answered with an error."""
        try:
            data: object = json.loads(body)
        except (ValueError, RecursionError) as error:
            self._refuse(None, JsonRpcParseError(f"not JSON: {error}"))
            return
        if not isinstance(data, dict):
            self._refuse(None, JsonRpcInvalidRequest("a message is one JSON object"))
            return
        self._receive_object(cast("dict[str, Any]", data))

    def _receive_object(self, data: dict[str, Any]) -> None:
        identifier: Any = data.get("id")
        known_id = (
            identifier if isinstance(identifier, int | str) and not isinstance(identifier, bool) else None
        )
        if error := self._why_refused(data, known_id):
            self._refuse(known_id, error, reply="id" in data or "method" not in data)
            return
        if self._shutdown and data.get("method") != t.EXIT:
            # replies to what was asked before the end may still be under way
            return
        try:
            message = self.structure_message(data)
        except JsonRpcException as error:
            self._refuse_parameters(data, known_id, error)
            return
        self.handle_message(message)

    def _why_refused(self, data: Mapping[str, Any], known_id: int | str | None) -> JsonRpcException | None:
        method = data.get("method")
        request = "id" in data and "method" in data
        begun = self._workspace is not None
        refusals: list[tuple[bool, JsonRpcException]] = [
            (data.get("jsonrpc") != "2.0", JsonRpcInvalidRequest("not a JSON-RPC 2.0 message")),
            (not isinstance(data.get("method", ""), str), JsonRpcInvalidRequest("a method is a text")),
            (
                request and known_id is None,
                JsonRpcInvalidRequest("the id of a request is a number or a text"),
            ),
            (request and self._shutdown, JsonRpcInvalidRequest("the server was asked to shut down")),
            (begun and method == t.INITIALIZE, JsonRpcInvalidRequest("the server is initialized already")),
            (
                request and not begun and method != t.INITIALIZE,
                JsonRpcServerNotInitialized("the first request is initialize"),
            ),
        ]
        return next((error for refused, error in refusals if refused), None)

    def _refuse(self, identifier: int | str | None, error: JsonRpcException, *, reply: bool = True) -> None:
        log.warning("refused a message: %s", error)
        if reply:
            self._send_response(cast("Any", identifier), error=error.to_response_error())

    def _refuse_parameters(
        self, data: dict[str, Any], identifier: int | str | None, error: JsonRpcException
    ) -> None:
        reason = JsonRpcInvalidParams(f"the parameters do not fit: {error.__cause__}"[:2000])
        if "method" not in data:
            waiting = self._request_futures.pop(cast("Any", identifier), None)
            if waiting is not None and not waiting.done():
                waiting.set_exception(reason)
            return
        self._refuse(identifier, reason, reply="id" in data)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return the typed message. Raises JsonRpcInvalidParams when it does not fit its schema."""
        level = logging.getLogger("pygls.protocol.json_rpc").level
        logging.getLogger("pygls.protocol.json_rpc").setLevel(logging.CRITICAL)
        try:
            return super().structure_message(data)
        finally:
            logging.getLogger("pygls.protocol.json_rpc").setLevel(level)

    def _handle_notification(self, method_name: str, params: Any) -> None:
        # LSP: what begins with $/ may be ignored, and is not worth a word
        if method_name in _HEARD or not method_name.startswith("$/"):
            super()._handle_notification(method_name, params)

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        # a request that was answered meanwhile is not worth a word either
        if msg_id in self._request_futures:
            self._cancelled.add(msg_id)
            super()._handle_cancel_notification(msg_id)

    def cancelled_by_client(self) -> bool:
        """Tell whether the client cancelled the request that is being handled; a shutdown cancels, too."""
        return self.msg_id in self._cancelled

    # ------------------------------------------------------------------------------------------- answering

    def _send_handler_result(self, future: Future[Any], *, msg_id: int | str) -> None:
        self._request_futures.pop(msg_id, None)
        self._cancelled.discard(msg_id)
        if future.cancelled():
            self._send_response(msg_id, error=JsonRpcRequestCancelled("cancelled").to_response_error())
            return
        if (error := future.exception()) is not None:
            self._send_response(msg_id, error=_as_response(error).to_response_error())
            return
        try:
            self._send_response(msg_id, result=future.result())
        except (TypeError, ValueError, AttributeError) as unsendable:
            log.exception("a result cannot be sent")
            self._send_response(msg_id, error=JsonRpcInternalError(str(unsendable)).to_response_error())

    def _check_handler_result(self, future: Future[Any]) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            log.error("a notification could not be handled", exc_info=error)

    def _send_data(self, data: Any) -> None:
        body = json.dumps(data, default=self._serialize_message, separators=(",", ":")).encode("ascii")
        if self.writer is None:
            return
        try:
            self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        except (OSError, ValueError):
            log.info("the client is gone")

    # ------------------------------------------------------------------------------------------------ life

    @lsp_method(t.INITIALIZE)
    def lsp_initialize(self, params: t.InitializeParams) -> Generator[Any, Any, t.InitializeResult]:
        """Answer initialize with a workspace that counts lines and columns as editors do."""
        self.initialize_params = params
        result = yield from super().lsp_initialize(params)
        self._workspace = TextWorkspace.like(self._workspace)
        return result

    @lsp_method(t.EXIT)
    def lsp_exit(self, *_: Any) -> Generator[Any, Any, None]:
        """End the process: 0 after a shutdown, else 1."""
        self.exit_code = 0 if self._shutdown else 1
        yield from ()

    @lsp_method(t.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # pyright: ignore[reportIncompatibleMethodOverride]  # pygls takes coroutines, too
        self, params: t.ExecuteCommandParams
    ) -> Any:
        """Run a command in the task of its request, so that cancelling the request cancels the command."""
        return await self._server.carry_out(params)


def _as_response(error: BaseException) -> JsonRpcException:
    from agentl.errors import AgentlError  # noqa: PLC0415  # see server.py
    from agentl.messages import translate  # noqa: PLC0415

    if isinstance(error, JsonRpcException):
        return error
    if isinstance(error, AgentlError):
        action = translate(error.action) if error.action else None
        return JsonRpcException(
            translate(error.message), code=REQUEST_FAILED, data={"code": error.code, "action": action}
        )
    log.error("a request could not be handled", exc_info=error)
    return JsonRpcInternalError(f"{type(error).__name__}: {error}")
