# Everything sets itself up: on a machine with Python 3.11 or newer and make, `make demo` and `make test` are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := $(VENV)/.demo
CORE := $(VENV)/.core
# The tests run the real Codex, TypeScript and axe where npm can install them; everything else works without.
NPM := ! command -v npm >/dev/null || npm install --silent --no-audit --no-fund --no-package-lock
CODEX := $(NPM) --prefix $(VENV)/codex @openai/codex@0.166.0 >/dev/null 2>&1
TYPESCRIPT := $(NPM) --prefix examples/typescript >/dev/null 2>&1
NAMES := awk '/^Collecting/ { print "  " $$2; fflush() }'
# Install Hexad, with an extra if one is given: one line for each package. pip's warnings stay in a log, which is
# printed if pip fails; the stamp is written only if it succeeds.
define install
	@rm -f $@
	@echo "installing hexad$(1) into $(VENV)"
	@{ $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -c constraints.txt -e '.$(1)' \
		2>$(VENV)/pip.log && touch $@; } | $(NAMES)
	@test -e $@ || { cat $(VENV)/pip.log; exit 1; }
endef

.DEFAULT_GOAL := help
.PHONY: help setup demo demo-postgres tour test lint types arrows pytest test-browser pictures coverage soak fuzz bench eval docs site format clean

help: ## show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

setup: $(READY) ## make the virtual environment, with everything that the tests need

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Hexad needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	$(call install,[dev])
	@touch $(DEMO) $(CORE)
	@echo "installing Codex, TypeScript and axe for their tests, if npm is there"
	@$(CODEX) || echo "without Codex: its test is skipped"
	@$(TYPESCRIPT) || echo "without TypeScript and axe: their tests are skipped"

$(CORE): pyproject.toml | $(BIN)/python
	$(call install,)

$(DEMO): pyproject.toml constraints.txt | $(BIN)/python
	$(call install,[adk])
	@touch $(CORE)

demo: $(DEMO) ## see an agent learn over three conversations, offline
	@$(BIN)/python examples/adk_assistant --demo

demo-postgres: $(READY) ## the same, with its memory on a PostgreSQL server that is started for it
	@$(BIN)/python -m tests.store.postgres_server $(BIN)/python examples/adk_assistant --demo --db

tour: $(CORE) ## see the engine by itself: remember, retrieve, assemble, explain
	@$(BIN)/python examples/demo.py

test: lint types arrows pytest ## everything that CI checks

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .

types: $(READY)
	@$(BIN)/mypy

arrows: $(READY)
	@$(BIN)/lint-imports --no-cache | tail -n 12

pytest: $(READY)
	@$(BIN)/python -m pytest -n 2 -q -m "not soak"

test-browser: $(READY) ## the pages in a real browser (apt install chromium chromium-driver)
	@$(BIN)/python -m pytest -q -m browser

pictures: $(READY) ## take the docs' pictures of the pages anew, in a real browser
	@$(BIN)/python -m pytest -q -m browser -k pictures --pictures

coverage: $(READY) ## run the tests again and show the lines that they do not reach
	@$(BIN)/python -m pytest -n 2 -q -m "not soak" --cov --cov-report=
	@$(BIN)/coverage report

soak: $(READY) ## the long tests: storms, kills, fuzzing, large loads
	@$(BIN)/python -m pytest -n 2 -q -m soak

fuzz: $(READY) ## call everything public with hostile values, for ten minutes (MINUTES=10)
	@$(BIN)/python -m tests.fuzzing $(or $(MINUTES),10)

bench: $(READY) ## measure, and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks

eval: $(READY) ## measure retrieval on ../shared/evals, if it is there
	@$(BIN)/python -m benchmarks.evaluating

docs: $(READY) ## write docs/reference from the code
	@$(BIN)/python -m documenting

site: $(READY) ## build docs/ as a static site, which `hexad serve` shows under /docs
	@$(BIN)/zensical build --clean --strict

format: $(READY) ## tidy the code
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format .

clean: ## remove what was set up
	rm -rf $(VENV) .cache src/hexad/server/site .coverage* .hypothesis .pytest_cache .mypy_cache .ruff_cache
