# Every word here is also what .ci/run calls. `make demo` and `make test` need nothing but Python 3.11 or newer.

VENV  := .venv
RUN   := $(VENV)/bin/python
BASE  := pyproject.toml hatch_build.py grammar/agentl_grammar/agent.lark $(wildcard runtime/agentl/locale/*/LC_MESSAGES/*.po)
PATHS := grammar runtime server tests docs/examples vscode-extension/tools hatch_build.py

.PHONY: help demo test lint crash bench setup vsix catalogue clean

help:
	@echo "make demo       one payment, killed in the middle, three banks"
	@echo "make test       everything that needs no root"
	@echo "make lint       style, types, layers, catalogue"
	@echo "make crash      breaks runs in every way there is, and writes docs/crash-proof.md (needs root, strace)"
	@echo "make bench      the numbers, in one run"
	@echo "make vsix       the extension for VS Code (needs node and npm)"
	@echo "make catalogue  collect the messages again, after one was added or changed"
	@echo "sudo make setup system packages for the tests that need them"

demo: $(VENV)/installed
	@$(RUN) docs/examples/demo.py

test: $(VENV)/installed-dev
	@$(RUN) -m pytest -n auto --cov --cov-report=term:skip-covered

lint: $(VENV)/installed-dev
	$(RUN) -m ruff check $(PATHS)
	$(RUN) -m ruff format --check $(PATHS)
	$(RUN) -m pyright
	$(VENV)/bin/lint-imports
	$(RUN) -m pytest -q tests/house
	@if test -d vscode-extension/node_modules; then cd vscode-extension && npm run check; \
	  else echo "left out: the TypeScript of vscode-extension (sudo make setup, or npm ci there)"; fi

crash: $(VENV)/installed-dev
	@AGENTL_CRASH=all $(RUN) -m pytest -q -n 0 --no-cov tests/crash

bench: $(VENV)/installed-dev
	@$(RUN) tests/bench/bench.py

vsix:
	cd vscode-extension && npm ci --no-audit --no-fund && npm run package

catalogue: $(VENV)/installed-dev
	$(RUN) hatch_build.py --collect-messages

clean:
	rm -rf $(VENV) .cache build dist grammar/agentl_grammar/tables.json runtime/agentl/locale/*/LC_MESSAGES/*.mo

# ------------------------------------------------------------------------------------------ the virtual environment
# Made anew when the project's metadata, grammar or catalogues changed; otherwise left alone.

FIND_PYTHON = for name in python3.13 python3.12 python3.11 python3.14 python3 python; do \
	  "$$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$name" && break; \
	done

$(VENV)/installed: $(BASE)
	@test -x $(RUN) || { found=$$($(FIND_PYTHON)); \
	  test -n "$$found" || { echo "agentl needs Python 3.11 or newer, with its venv module, on the PATH (Debian: apt install python3-venv)." >&2; exit 1; }; \
	  echo "Setting up $(VENV) with $$($$found --version) ..."; $$found -m venv $(VENV); }
	@$(RUN) -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(RUN) -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	@$(RUN) -m pip install --quiet --disable-pip-version-check --group dev
	@touch $@

# ------------------------------------------------------------------------------------------ system packages (root)
# One variable a part of the project; `make test` names the parts that are missing.

SETUP_FAULTS := strace
SETUP_STORES := postgresql
SETUP_SCREEN := tmux
SETUP_PAGE   := chromium fonts-noto-color-emoji ripgrep libkrb5-dev gcc g++ make
APT          := DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends
# What needs no root belongs to whoever called sudo, so that `make vsix` can write there later.
AS_CALLER    := $(if $(SUDO_USER),sudo -u $(SUDO_USER) --preserve-env=PATH,)

setup:
	@test "$$(id -u)" = 0 || { echo "setup installs system packages: sudo make setup" >&2; exit 1; }
	apt-get update -qq
	$(APT) $(SETUP_FAULTS) $(SETUP_STORES) $(SETUP_SCREEN) $(SETUP_PAGE)
	command -v node >/dev/null || $(APT) nodejs
	command -v npm >/dev/null || $(APT) npm
	cd vscode-extension && $(AS_CALLER) npm ci --ignore-scripts --no-audit --no-fund
	cd vscode-extension && $(AS_CALLER) npm rebuild esbuild --foreground-scripts
	$(AS_CALLER) sh -c 'mkdir -p .cache; tests/editors/vscode/install-code-server.sh > .cache/code-server.log 2>&1 \
	  || { tail -40 .cache/code-server.log >&2; exit 1; }'
