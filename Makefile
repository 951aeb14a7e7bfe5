# Touchstone. `make` alone prints what there is.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do command -v $$p >/dev/null 2>&1 && \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
RUN := $(VENV)/bin/python
# A set-up is named after what it was made from, so that it runs again exactly when that changed.
PINS := $(shell cat requirements.txt constraints.txt 2>/dev/null | cksum | cut -d' ' -f1)
DEV_PINS := $(shell cat requirements.txt requirements-dev.txt constraints.txt .ci/browser 2>/dev/null | cksum | cut -d' ' -f1)

.PHONY: help demo setup test check bench shots data clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-8s %s\n", $$1, $$2}'

demo: $(VENV)/.run-$(PINS) ## Open the dashboard on a copy of the demo workspace (or on WORKSPACE=dir)
	@$(RUN) data/open_demo.py $(if $(WORKSPACE),--workspace "$(WORKSPACE)") $(if $(PORT),--port $(PORT))

setup: $(VENV)/.dev-$(DEV_PINS) ## Install everything that tests, checks and benches need

test: setup ## Set up and run every test, browser tests included
	@$(RUN) -m pytest -n auto --maxprocesses 4 --dist loadfile $(TESTS)

check: setup ## Lint, types, and which way the arrows run
	@$(RUN) -m ruff check .
	@$(RUN) -m mypy
	@$(VENV)/bin/lint-imports --no-cache

bench: setup ## Measure speed against a stated rival, in the same run
	@$(RUN) -m pytest -m bench -s tests/bench $(TESTS)

shots: setup ## Take the screenshots in docs/shots
	@$(RUN) -m tests.browser.shots

data: setup ## Write data/demo again from the authored material
	@$(RUN) data/generate

clean: ## Remove the virtual environment and caches
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Touchstone needs Python 3.11 or newer; none was found on PATH." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run-$(PINS): $(VENV)/bin/python
	@echo "Installing what the dashboard needs (once) …"
	@$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements.txt -c constraints.txt
	@touch $@

$(VENV)/.dev-$(DEV_PINS): $(VENV)/bin/python
	@echo "Installing what the tests need (once) …"
	@$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt -c constraints.txt
	@PYTHON=$(RUN) .ci/browser
	@touch $@ $(VENV)/.run-$(PINS)
