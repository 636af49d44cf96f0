"""Which model a run has: by name over pydantic-ai, or none at all (language.md §8.3)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from agentl.errors import ModelError
from agentl.oracles.limits import Limits
from agentl.oracles.mock import MockLLM
from agentl.oracles.model import Model, Questions
from agentl_grammar.problems import Message, message_id

if TYPE_CHECKING:
    from pydantic_ai.models import Model as PydanticModel

SETTING = "AGENTL_MODEL"
URL_SETTING = "AGENTL_MODEL_URL"
_OPENAI_ELSEWHERE = "OPENAI_BASE_URL"
_UNSET = re.compile(r"Set the `(\w+)` environment variable")
NO_MODEL = Message(
    message_id("{code}: no model is set: REASON and JUDGE have no answers; set --model or AGENTL_MODEL"),
    {"code": "M101"},
)


class NoModel(MockLLM):
    """The model of a run without one: nothing is answered, the first plan is chosen.

    `notify` hears of it once, when the model is first asked for an answer.
    """

    def __init__(self, notify: Callable[[Message], None]) -> None:
        super().__init__()
        self._notify: Callable[[Message], None] | None = notify

    def reason(self, task: str, context: dict[str, Any], schema: dict[str, str]) -> Any:
        """Return no field."""
        self._tell()
        return super().reason(task, context, schema)

    def judge(self, task: str, context: dict[str, Any], questions: Questions) -> Any:
        """Return no judgement."""
        self._tell()
        return super().judge(task, context, questions)

    def _tell(self) -> None:
        notify, self._notify = self._notify, None
        if notify is not None:
            notify(NO_MODEL)


def choose_model(wanted: str | None, of_host: Model | None, notify: Callable[[Message], None]) -> Model:
    """Return the model of a run: the one named by an option, else the host's, else that of AGENTL_MODEL.

    Without any, a model that answers nothing. Raises ModelError M102, M103.
    """
    name = wanted or ("" if of_host is not None else os.environ.get(SETTING, "").strip())
    if name:
        return model_named(name)
    return NoModel(notify) if of_host is None else of_host


def model_named(name: str, *, url: str | None = None, limits: Limits | None = None) -> Model:
    """Return a model of a provider: `anthropic:…`, `openai:…`, `google:…`, `ollama:…` and others.

    Args:
        name: the provider and its model, as pydantic-ai names them.
        url: where the provider is; default: AGENTL_MODEL_URL, else the provider's own.
        limits: how long and how often it is asked; default: those of the environment.

    Raises:
        ModelError: the extra is not installed (M102); the name, the key or a limit cannot be used (M103).
    """
    limits = limits or Limits.of_environment()
    address = url or os.environ.get(URL_SETTING, "").strip() or None
    try:
        from agentl.oracles.provider import ProviderModel  # noqa: PLC0415  # loaded only when a model is used
        from agentl.oracles.provider_errors import without_keys  # noqa: PLC0415
    except ImportError as error:
        raise _missing_extra(name) from error
    try:
        return ProviderModel(_inferred(name, address), name, limits, priced=address is None)
    except ImportError as error:
        raise _missing_extra(name) from error
    except Exception as error:  # whatever a provider's library refuses a name or a key with
        raise _unusable(name, _reason(without_keys(str(error)))) from error


def _inferred(name: str, address: str | None) -> PydanticModel:
    from pydantic_ai.models import infer_model  # noqa: PLC0415  # loaded only when a model is used
    from pydantic_ai.providers import infer_provider_class  # noqa: PLC0415

    provider, colon, model = name.partition(":")
    if not colon:
        raise ValueError("it names no provider")
    elsewhere = address or os.environ.get(_OPENAI_ELSEWHERE, "").strip()
    # Whoever else speaks OpenAI's format speaks its chat format; few speak its newer one.
    spoken = f"openai-chat:{model}" if provider == "openai" and elsewhere else name
    if address is None:
        return infer_model(spoken)

    def at_address(kind: str) -> Any:
        build = cast("Callable[..., Any]", infer_provider_class(kind))
        try:
            return build(base_url=address)
        except TypeError:
            raise ValueError(f"its address cannot be set; leave {URL_SETTING} out") from None

    return infer_model(spoken, provider_factory=at_address)


def _missing_extra(name: str) -> ModelError:
    return ModelError(
        "M102",
        Message(message_id("the model {name} needs a package that is not installed"), {"name": name}),
        action=Message(
            message_id(
                "install it: pip install {package}; for a provider it leaves out, its part of pydantic-ai"
            ),
            {"package": "'agentl[models]'"},
        ),
    )


def _reason(told: str) -> str | Message:
    """Return why a provider's library refuses a model, without its advice to Python programmers."""
    unset = _UNSET.match(told)
    return told if unset is None else Message(message_id("{variable} is not set"), {"variable": unset[1]})


def _unusable(name: str, reason: str | Message) -> ModelError:
    return ModelError(
        "M103",
        Message(message_id("the model {name} cannot be used: {reason}"), {"name": name, "reason": reason}),
        action=Message(message_id("name it provider:model, and set the key that its provider asks for")),
    )
