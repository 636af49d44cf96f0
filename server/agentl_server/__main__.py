"""`python -m agentl_server`: the language server on standard input and output."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the server, or print its version. Returns the exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from agentl_server.version import VERSION  # noqa: PLC0415  # the version is printed without loading the server

        print(VERSION)  # noqa: T201
        return 0
    if arguments not in ([], ["--stdio"]):
        print("usage: python -m agentl_server [--stdio | --version]", file=sys.stderr)  # noqa: T201
        return 2
    from agentl_server.stdio import serve  # noqa: PLC0415

    return serve()


if __name__ == "__main__":
    sys.exit(main())
