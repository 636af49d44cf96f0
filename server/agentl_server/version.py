"""The version of the server: that of the distribution it came with."""

from importlib.metadata import PackageNotFoundError, version


def _find() -> str:
    try:
        return version("agentl")
    except PackageNotFoundError:
        return "0+source"


VERSION = _find()
