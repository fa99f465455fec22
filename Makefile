PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: demo test check bench lock clean

# A story of two agents and a user over three simulated months, on a store of its own.
demo: $(STAMP)
	$(BIN)/muniment demo

# Style, types and the import rules, then every test.
test: check
	$(BIN)/pytest

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m benchmarks $(BENCH)

$(STAMP): requirements.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Muniment needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# Writes requirements.txt anew. Needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --all-extras --group test \
	  --no-emit-index-url --no-emit-find-links --no-header -q pyproject.toml -o requirements.txt

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
