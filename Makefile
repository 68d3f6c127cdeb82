# arclift: `make demo` shows it at work, `make test` tests it. Both set themselves up in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/arclift/native/*)

.PHONY: demo test test-twins corpora lint types check bench sanitize fuzz wheel clean

demo: $(VENV)/.demo
	$(BIN)/python examples/demo.py

test: $(VENV)/.dev
	$(BIN)/python -m pytest -q -n 2 -m "not corpora"
	@echo "make test: all tests passed."

test-twins: $(VENV)/.dev
	ARCLIFT_NATIVE=0 $(BIN)/python -m pytest -q -n 2 -m "not corpora"
	@echo "make test-twins: all tests passed on the plain Python code."

corpora: $(VENV)/.dev
	$(BIN)/python -m pytest -q -n 2 -m corpora
	@echo "make corpora: all tests on the treebanks passed."

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

check: lint types test test-twins corpora

bench: $(VENV)/.dev
	for script in bench/*.py; do $(BIN)/python $$script || exit 1; done

# The core with the address and undefined-behaviour sanitizers of GCC, in a place of its own. The interpreter
# keeps memory until it ends, and the size of a hostile model's arrays is no news: neither is an error.
SANE := .venv-sanitize
CHECKED = LD_PRELOAD="$(foreach library,asan ubsan stdc++,$(shell g++ -print-file-name=lib$(library).so))" \
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096 \
  UBSAN_OPTIONS=print_stacktrace=1 ARCLIFT_NATIVE=1 OPENBLAS_NUM_THREADS=1 $(SANE)/bin/python
NATIVE_TESTS := tests/test_native.py tests/trees tests/treebank tests/features tests/learners tests/graph tests/parsing

sanitize: $(SANE)/.done
	$(CHECKED) -m pytest -q -n 2 -m "not corpora" -k "not in_seconds" $(NATIVE_TESTS)
	$(CHECKED) bench/fuzz.py --inputs $(or $(INPUTS),10000) --dry
	@echo "make sanitize: no memory error, nothing undefined."

fuzz: $(SANE)/.done
	$(CHECKED) bench/fuzz.py --inputs $(or $(INPUTS),1000000)

$(SANE)/.done: $(SOURCES)
	$(PYTHON) -m venv $(SANE)
	$(SANE)/bin/python -m pip install -q -e ".[test]" -C build-dir=build/sanitize -C cmake.define.ARCLIFT_SANITIZE=ON
	touch $@

wheel: $(VENV)/.dev
	$(BIN)/python -m pip wheel -q --no-deps -w dist .

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(SOURCES) | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e .
	touch $@

$(VENV)/.dev: $(SOURCES) | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e ".[dev]"
	touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) $(SANE) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
