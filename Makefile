PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
PEERS := .venv-bench

.PHONY: demo run test check bench bench-peers lock clean

# A story of two agents, a sub-agent and a user over four simulated months, on a store of its own.
demo: $(STAMP)
	$(BIN)/muniment demo

# The server, on a store in memory/ unless MUNIMENT_DATA names another: RUN='--port 9000'.
run: $(STAMP)
	MUNIMENT_DATA=$${MUNIMENT_DATA:-memory} $(BIN)/muniment serve $(RUN)

# Style, types and the import rules, then every test.
test: check
	$(BIN)/pytest

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports

# Every figure beside its target: BENCH='--memories 100000', '--only saving', '--locomo PATH'.
bench: $(STAMP)
	$(or $(wildcard $(PEERS)/bin/python),$(BIN)/python) -m benchmarks $(BENCH)

# What the benchmarks compare with, in an environment of its own; the model's takes about 2 GB.
bench-peers: $(STAMP)
	$(PYTHON) -m venv --clear $(PEERS)
	$(PEERS)/bin/python -m pip install -q --disable-pip-version-check 'pip>=25.1'
	$(PEERS)/bin/python -m pip install -q --disable-pip-version-check --group bench rank-bm25==0.2.2 -e '.[server]'

$(STAMP): requirements.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Muniment needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	@echo 'Making the environment in .venv (once, about a minute) ...'
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# Writes requirements.txt anew. Needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --all-extras --group test \
	  --no-emit-index-url --no-emit-find-links --no-header -q pyproject.toml -o requirements.txt

clean:
	rm -rf .venv $(PEERS) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
