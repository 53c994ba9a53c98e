# `make tournament` and `make test` work on a fresh checkout: both set up .venv by themselves.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
ROUNDS ?= 100

PROTOS := $(shell find proto -name '*.proto' 2>/dev/null)
NODE_BOTS := $(patsubst %/package.json,%,$(wildcard sample_bots/*/package.json))
PYTHON_BOTS := $(patsubst %/main.py,%,$(wildcard sample_bots/*/main.py bot_templates/*/python/main.py))
TYPED := hatch_build.py $(wildcard proto/gavelport_codecs engine sdk server tests)

.PHONY: help env system proto node-bots lint format test test-long browser bench tournament clean

help: ## these lines
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

env: $(VENV)/.protos node-bots ## make or refresh .venv (only if pyproject.toml or proto/ changed)

$(VENV)/.installed: pyproject.toml hatch_build.py
	@python=; \
	for candidate in python3.11 python3; do \
	    if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$candidate; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	    echo "error: no Python 3.11 or newer found (tried python3.11 and python3); install one, e.g. apt-get install python3.11 python3.11-venv" >&2; exit 1; \
	fi; \
	if ! "$$python" -c 'import venv, ensurepip' 2>/dev/null; then \
	    echo "error: $$python has no venv module; install it, e.g. apt-get install python3.11-venv" >&2; exit 1; \
	fi; \
	echo "Setting up $(VENV) with $$("$$python" --version); the first time takes about a minute."; \
	$(BIN)/python -m pip --version >/dev/null 2>&1 || "$$python" -m venv --clear $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[server,dev]'
	@touch $@

$(VENV)/.protos: $(VENV)/.installed $(PROTOS)
	@$(BIN)/python hatch_build.py
	@touch $@

proto: $(VENV)/.installed ## regenerate the protobuf code in place
	@$(BIN)/python hatch_build.py
	@touch $(VENV)/.protos

node-bots: $(NODE_BOTS:%=%/node_modules/.package-lock.json)

# Without a lock file: one would carry the address of whichever registry made it.
sample_bots/%/node_modules/.package-lock.json: sample_bots/%/package.json
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
	    echo "Installing what sample_bots/$* needs (npm)"; \
	    npm install --prefix sample_bots/$* --no-package-lock --no-audit --no-fund --loglevel=error; \
	    touch $@; \
	else \
	    echo "notice: node or npm is missing; the Node bot sample_bots/$* is left out"; \
	fi

# What the sandbox's tests need of the system. Where it cannot be installed they are left out, and say so.
system:
	@if ! command -v bwrap >/dev/null; then \
	    if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	        echo "Installing bubblewrap (apt-get)"; \
	        apt-get install -qq -y bubblewrap libseccomp2 >/dev/null || { apt-get update -qq && apt-get install -qq -y bubblewrap libseccomp2 >/dev/null; }; \
	    else \
	        echo "notice: bubblewrap is missing; the sandbox is not tested"; \
	    fi; \
	fi

lint: env ## every static check
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy $(TYPED)
	@for bot in $(PYTHON_BOTS); do echo "mypy $$bot"; MYPYPATH=$$bot $(BIN)/mypy $$bot/*.py; done
	$(BIN)/lint-imports --no-logo
	$(BIN)/buf lint
	$(BIN)/buf format -d --exit-code
	$(BIN)/codespell

format: env ## bring Python and .proto files into form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/buf format -w

test: env system lint ## lint, then the tests, on as many cores as there are
	$(BIN)/pytest -n auto --dist loadfile

test-long: env system ## the long tests only
	$(BIN)/pytest -m long --timeout=1800

browser: env ## the pages in a real browser (needs Debian's package chromium)
	@command -v chromium >/dev/null || { echo "error: no chromium found; apt-get install chromium" >&2; exit 1; }
	$(BIN)/pytest tests/pages -m long --timeout=600

bench: env ## compare with the yardsticks
	$(BIN)/gavelport bench engine
	$(BIN)/gavelport bench referee

tournament: env ## 100 rounds between the sample bots (ROUNDS=n for another number)
	$(BIN)/run-tournament --rounds $(ROUNDS)

clean: ## remove what env, builds and tests made; tournaments' data stay
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	rm -rf $(NODE_BOTS:%=%/node_modules)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find proto -name '*_pb2*.py' -delete -o -name '*_pb2*.pyi' -delete
