# The verbs of the project. `make run` and `make test` do everything on a machine that has python3, git and make.
.PHONY: help setup run check test fuzz bench docs screenshots build

UV := $(shell sh scripts/uv.sh)
ifeq ($(UV),)
$(error uv is missing, see the line above)
endif

# Many tests wait for processes: more of them at a time than there are cores.
PYTEST := pytest -n 4
PACKAGES := zot-provider zot-core zot-tui zot-ext zot-agent
# Installed zot writes byte code once; a checkout compiles itself anew in every process without it.
unexport PYTHONDONTWRITEBYTECODE

help: ## list the verbs
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

NODE := examples/extensions

setup: ## make .venv as uv.lock says, and what the TypeScript example needs where there is npm
	@$(UV) sync --quiet --inexact --all-packages
	@if command -v npm >/dev/null && [ ! $(NODE)/node_modules/.package-lock.json -nt $(NODE)/package-lock.json ]; then \
	  npm ci --silent --prefix $(NODE) && touch $(NODE)/node_modules/.package-lock.json; fi

run: setup ## do the main job once, with whatever model can be had
	@$(UV) run --quiet zot demo --probe >/dev/null || { \
	  $(UV) sync --quiet --inexact --all-packages --extra local && $(UV) run --quiet zot local setup; }
	@$(UV) run --quiet zot demo

check: setup ## format, lint, types, arrows, each package alone, docs
	$(UV) lock --check --quiet
	$(UV) run ruff format --check --quiet .
	$(UV) run ruff check --quiet .
	$(UV) run mypy
	$(UV) run mypy examples
	$(UV) run --isolated --no-default-groups --group arch --quiet lint-imports --no-cache
	@set -e; for package in $(PACKAGES); do \
	  echo "$$package alone"; \
	  $(UV) run --quiet --isolated --no-default-groups --group test --package $$package $(PYTEST) packages/$$package; \
	done
	$(UV) run scripts/generate_docs.py --check
	$(UV) run $(PYTEST) tests/arch tests/docs tests/dist

# `make check test` does not run twice what is the same alone and beside the others. These are about what may be installed
# beside them: ripgrep, a web server.
TESTED := $(if $(filter check,$(MAKECMDGOALS)),packages/zot-core/tests/tools packages/zot-agent/tests/serve,packages)

test: setup ## every test but those of `make check`
	$(UV) run $(PYTEST) $(TESTED) tests/e2e tests/examples tests/faults

# What fails is kept in .hypothesis/ and tried first the next time.
fuzz: setup ## search with new examples for what breaks the property tests; write what it finds above the test, as @example
	$(UV) run $(PYTEST) -m hypothesis --hypothesis-profile=fuzz packages tests

bench: setup ## measure the budgets in an environment of its own
	$(UV) run benchmarks/run.py

docs: setup ## write the generated pages anew
	$(UV) run scripts/generate_docs.py

screenshots: setup ## take the screenshots in docs/images again, from real runs of the screen
	$(UV) run scripts/screenshots

build: ## wheels and source archives of all five packages, in dist/
	$(UV) build --quiet --all-packages --out-dir dist
