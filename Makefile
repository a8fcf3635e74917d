# Needs Python 3.11+ and make. Everything else goes into .venv, which is made once and
# installed into again only when pyproject.toml has changed.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Campaigns and their tests start the kit again and again: what is compiled is kept, also where containers say otherwise.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help certify selftest test campaign bench reports lint node clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

certify: $(VENV)/.stamp-run ## certify the bundled SQLite gate
	$(BIN)/stopcheck certify sqlite

selftest: $(VENV)/.stamp-run ## try the kit on gates that are known to be wrong, and right
	$(BIN)/stopcheck selftest --all

test: $(VENV)/.stamp-dev ## run the tests on three workers: some of them wait
	$(BIN)/python -m pytest -n 3

campaign: $(VENV)/.stamp-dev ## run the long explorations that `make test` leaves out
	$(BIN)/python -m pytest -n 2 -m campaign tests/fast tests/slow

bench: $(VENV)/.stamp-dev ## run the benchmarks in tests/bench
	$(BIN)/python -m pytest -m 'campaign or not campaign' -o python_files='bench_*.py' tests/bench $(ARGS)

reports: $(VENV)/.stamp-dev ## make the published reports again, and the picture in the README
	$(BIN)/python -m tests.slow.reports $(ARGS)

lint: $(VENV)/.stamp-dev ## ruff, mypy, pyright, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports --no-logo

clean: ## remove .venv, caches and what was built
	rm -rf $(VENV) fixtures/stopcheck_fixtures/node/node_modules build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.stamp-venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "stopcheck needs Python 3.11 or newer, but '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)." >&2; \
		echo "Name another one: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

# What a user needs; the dev stamp adds the tools to the same .venv.
$(VENV)/.stamp-run: pyproject.toml | $(VENV)/.stamp-venv
	$(PIP) --editable .
	@touch $@

# The gate in JavaScript, for those who have node; its tests say so where it is absent.
node: ## install what the bundled JavaScript gate needs
	npm ci --prefix fixtures/stopcheck_fixtures/node --no-audit --no-fund

$(VENV)/.stamp-dev: pyproject.toml | $(VENV)/.stamp-run
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.stamp-run
