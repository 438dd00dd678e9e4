# Everything sets itself up: on a machine with Python 3.11 or newer and make, `make demo` and `make test` are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo tour test lint types arrows pytest coverage bench eval docs format clean

help: ## show what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

setup: $(READY) ## make the virtual environment

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Hexad needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "setting up $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(READY)

demo: $(READY) ## see an agent learn over three conversations, offline
	@$(BIN)/python examples/adk_assistant --demo

tour: $(READY) ## see the engine by itself: remember, retrieve, assemble, explain
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
	@$(BIN)/python -m pytest -n 2 -q --cov --cov-report=

coverage: $(READY) ## show what the last `make test` did not reach
	@$(BIN)/coverage report

$(VENV)/.bench: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]' || echo "drain3 is not to be had here: measuring without it"
	@touch $@

bench: $(VENV)/.bench ## measure, and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks

eval: $(READY) ## measure retrieval on ../shared/evals, if it is there
	@$(BIN)/python -m benchmarks.evaluating

docs: $(READY) ## write docs/reference from the code
	@$(BIN)/python -m documenting

format: $(READY) ## tidy the code
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format .

clean: ## remove what was set up
	rm -rf $(VENV) .coverage* .hypothesis .pytest_cache .mypy_cache .ruff_cache
