# make demo    install, simulate judges of known skill, show the figures
# make test    install what tests need, run them all
# make check   all that CI runs
# make models  ask model servers on this machine: faults, kills; a Ray cluster of two nodes
# make browser try the explorer, and reports in Chromium: sorting, filtering, hostile texts, widths
# make screenshots   every page of Adjudge, light and dark, at three widths, in build/screenshots, to be looked at
# make dist    the wheel and the sdist in dist/, checked; make smoke tries the wheel, make pythons on other versions of Python too
# make floors  the least versions that pyproject.toml declares: the demo and part of the tests
# make image   an image of Docker with the command, for a user who is not root
# make docs    the pages under docs/ as a site, in build/site
# make fuzz MINUTES=10   give every reader files gone bad; what is found is kept in tests/fuzz/corpus
# make simulations   see that intervals, gates and plans keep what they promise, whenever statistics/ or metrics/ change

PYTHON ?= python3
BIN := .venv/bin
PIP := -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# uv installs in a third of pip's time, and reads none of its settings; where it finds no package, pip does.
INSTALL = UV_FIND_LINKS="$$PIP_FIND_LINKS" $(BIN)/uv pip install --quiet --python .venv --constraint constraints.txt

.PHONY: demo test check models browser chromium screenshots docs fuzz simulations format lint types imports dist smoke clean

demo: .venv/installed
	$(BIN)/adjudge demo

# Bytecode is kept whatever the environment says, or each process of the many would compile all modules anew. A worker
# more than there are cores works while others wait for processes and servers. Each begins with a third of the tests, so
# that those of one file, which share what they prepare, stay together.
test models browser: export PYTHONDONTWRITEBYTECODE =
test: .venv/tested
	$(BIN)/python -m pytest --numprocesses $$(nproc) --dist worksteal -m "not models and not browser"

check: format lint types imports test smoke

# What asks models, or loads them with torch, takes seconds to begin.
# Inspect and its HTTP client leave sockets to the garbage collector, which is no fault of what is tested.
models: .venv/tested
	$(BIN)/python -m pytest tests/evaluations/agreement tests/llm tests/runners tests/text -m models -W ignore::ResourceWarning -W ignore::pytest.PytestUnraisableExceptionWarning

# The explorer is tried, and reports are opened in Debian's Chromium. It is installed where it is missing: the form without
# windows, which takes less time, or the whole where there is no such package. Tests of a file stay together: one browser
# and one explorer serve them.
browser: .venv/tested chromium
	POLARS_MAX_THREADS=1 $(BIN)/python -m pytest tests/browser tests/explorer -m browser --numprocesses 2 --dist loadfile --no-loadscope-reorder

chromium:
	command -v chromium-headless-shell > /dev/null || { apt-get update --quiet=2; \
	    apt-get install --quiet=2 --yes chromium-headless-shell fonts-liberation || command -v chromium > /dev/null || \
	    apt-get install --quiet=2 --yes chromium; }

screenshots: docs chromium
	$(BIN)/python docs/make_screenshots.py

# The README is the first page: its links lead out of docs/, those of a site do not.
docs: .venv/tested
	$(BIN)/python $(PIP) --editable '.[docs]'
	rm -rf build
	mkdir -p build
	cp -r docs build/docs
	sed 's#](docs/#](#g; s#](SECURITY.md#](promises.md#g' README.md > build/docs/index.md
	sed 's#](docs/#](#g' CONTRIBUTING.md > build/docs/CONTRIBUTING.md
	sed 's#](docs/#](#g; s#](SECURITY.md#](promises.md#g' CHANGELOG.md > build/docs/CHANGELOG.md
	sed 's#](docs/#](#g' SECURITY.md > build/docs/promises.md
	sed -i 's#](../SECURITY.md#](promises.md#g' build/docs/security.md
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "build/site/index.html"

MINUTES ?= 10
SEED ?= 1
fuzz: .venv/tested
	cd tests && PYTHONPATH=. ../$(BIN)/python -m fuzz --minutes $(MINUTES) --seed $(SEED)

simulations: .venv/tested
	$(BIN)/python -m pytest benchmarks/test_simulations.py

format: .venv/tested
	$(BIN)/ruff format --check

lint: .venv/tested
	$(BIN)/ruff check

types: .venv/tested
	$(BIN)/mypy

imports: .venv/tested
	$(BIN)/lint-imports

# The wheel is built from the sdist.
dist: .venv-release/installed
	rm -rf dist
	.venv-release/bin/python -m build > /dev/null
	.venv-release/bin/twine check --strict dist/* > /dev/null
	$(PYTHON) tests/dist.py dist

# The wheel, installed as a user installs it: no extra, nothing for tests. mypy reads the types that it ships.
smoke: dist .venv/tested
	$(PYTHON) -m venv --clear .venv-smoke
	.venv-smoke/bin/python $(PIP) dist/*.whl
	sh tests/smoke.sh .venv-smoke
	mkdir -p build
	cp tests/typed.py build/typed.py
	cd build && ../$(BIN)/mypy --strict --python-executable ../.venv-smoke/bin/python --cache-dir=/dev/null typed.py

# Such as make pythons PYTHONS="python3.12 python3.13"
PYTHONS ?= $(shell for one in python3.12 python3.13; do $$one --version > /dev/null 2>&1 && echo $$one; done)
pythons: dist
	set -e; for one in $(PYTHONS); do \
	    $$one -m venv --clear .venv-smoke; .venv-smoke/bin/python $(PIP) dist/*.whl; sh tests/smoke.sh .venv-smoke; \
	done

# Early versions warn of what later ones of their own dependencies do, and take longer over wide tables.
FLOORS := tests/readers/test_tables.py tests/readers/test_answer_formats.py tests/metrics/test_cells.py tests/render/test_files.py
floors: dist
	$(PYTHON) -m venv --clear .venv-floors
	.venv-release/bin/uv pip install --quiet --python .venv-floors/bin/python --resolution lowest-direct -r pyproject.toml
	.venv-release/bin/uv pip install --quiet --python .venv-floors/bin/python --no-deps dist/*.whl
	sh tests/smoke.sh .venv-floors
	.venv-release/bin/uv pip install --quiet --python .venv-floors/bin/python pytest hypothesis zstandard
	PYTHONPATH=src .venv-floors/bin/python -m pytest -q -p no:cacheprovider -W ignore::DeprecationWarning -k 'not in_time' $(FLOORS)

image:
	docker build --tag adjudge .
	docker run --rm adjudge --version

$(BIN)/uv:
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python $(PIP) uv

.venv/installed: pyproject.toml constraints.txt | $(BIN)/uv
	$(INSTALL) --editable '.[models]' || $(BIN)/python $(PIP) --editable '.[models]'
	touch $@

.venv/tested: pyproject.toml constraints.txt | $(BIN)/uv
	$(INSTALL) --editable '.[dev]' || $(BIN)/python $(PIP) --editable '.[dev]'
	touch $@ .venv/installed

.venv-release/installed: constraints.txt
	test -x .venv-release/bin/python || $(PYTHON) -m venv .venv-release
	.venv-release/bin/python $(PIP) build twine uv
	touch $@

clean:
	rm -rf .venv .venv-* build dist adjudge-demo
