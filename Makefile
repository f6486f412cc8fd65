# Two commands do everything: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test slow lint types layers docs bench baseline results conformance clean

help: ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@ $(VENV)/.base

demo: $(VENV)/.base ## install, then the whole job on a small shop, into demo/
	$(BIN)/stretto demo --out demo

test: $(VENV)/.test ## install the test tools too, then the whole suite, on every core
	$(BIN)/python -m pytest -q -n auto --maxprocesses 8 --dist worksteal

slow: $(VENV)/.test ## the checks that take minutes
	$(BIN)/python -m pytest -q -m slow

lint: $(VENV)/.test ## ruff: lint and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test ## mypy --strict
	$(BIN)/mypy

layers: $(VENV)/.test ## import-linter contracts
	$(BIN)/lint-imports

docs: $(VENV)/.test ## write the pages that are made from the code
	$(BIN)/python -m tests.docs.cli_page
	$(BIN)/python -m tests.claims

bench: $(VENV)/.test ## measure, each number beside its baseline
	$(BIN)/python -m pytest -o addopts= -q benchmarks --benchmark-only

baseline: $(VENV)/.test ## measure benchmarks and commands on a quiet machine, and write that down
	$(BIN)/python -m benchmarks.refresh --runs 4
	$(BIN)/python -m benchmarks.commands --out docs/results

results: $(VENV)/.base ## reproduce docs/results from ../shared/data
	$(BIN)/python benchmarks/figures.py --out docs/results
	$(BIN)/python benchmarks/phase0.py --out docs/results/phase0
	$(BIN)/python benchmarks/guards.py --out docs/results
	$(BIN)/python benchmarks/sweep.py --out docs/results
	$(BIN)/python -m benchmarks.deciders --out docs/results
	$(BIN)/python -m benchmarks.environment --out docs/results
	$(BIN)/python benchmarks/offpolicy.py --out docs/results
	$(BIN)/python -m benchmarks.elsewhere --out docs/results
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[search]'
	$(BIN)/python -m benchmarks.search --out docs/results

conformance: $(VENV)/.test ## MCP's own suite, directly and through the proxy (needs npm)
	$(BIN)/python -m tests.conformance.run

clean: ## remove what the targets above made
	rm -rf $(VENV) demo
