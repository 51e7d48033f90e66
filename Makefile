# People and CI run the same commands. `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Most tests wait for the clocks of bots, so there may be more of them than processors.
WORKERS := $(shell $(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))')

# Every process that is started would compile all modules again: three times as long as it takes to import them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install proto check format test test-fast test-lowest test-compiled test-ppo golden seccomp bench bench-peers compile interpret strength \
	tournament site-demo pictures lighthouse hostile soak crash contest-crash docs release

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-13s %s\n", $$1, $$2 }'

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Arena needs Python 3.11 or newer: run make PYTHON=/path/to/python3.11"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing Arena into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

install: $(STAMP) ## create .venv with Arena and everything its developers need

proto: $(STAMP) ## regenerate arena/wire/v1 from proto/
	@$(BIN)/python -m arena.wire.generate

# The browser's modules have no build step; only what looks them through comes from npm.
BIOME_FOLDER := build/javascript
BIOME := $(BIOME_FOLDER)/node_modules/.bin/biome
JAVASCRIPT := --error-on-warnings --config-path tools/javascript arena engines sample_bots tests

$(BIOME): tools/javascript/package.json tools/javascript/package-lock.json
	@command -v npm >/dev/null || { echo "the browser's modules are checked with npm's biome: install Node first"; exit 2; }
	@mkdir -p $(BIOME_FOLDER) && cp $^ $(BIOME_FOLDER)
	@cd $(BIOME_FOLDER) && npm ci --silent --no-fund --no-audit
	@touch $@

check: $(STAMP) $(BIOME) ## lint, types, protos; changes nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/buf lint
	$(BIN)/buf breaking --against proto/baseline.binpb
	$(BIN)/python -m arena.wire.generate --check
	$(BIOME) check $(JAVASCRIPT)

format: $(STAMP) $(BIOME) ## format Python and JavaScript
	$(BIN)/ruff format .
	$(BIOME) check --write $(JAVASCRIPT)

test: $(STAMP) ## every test; on Debian with root what they need is installed first
	tests/prepare-machine.sh $(BIN)/pytest -n $(WORKERS) --dist worksteal -r fER --durations 15

test-lowest: $(STAMP) ## the tests that touch our dependencies, with the lowest versions that are allowed
	tests/lowest.sh $(BIN)/python

test-compiled: $(STAMP) ## a wheel with compiled rules, installed and played, and the tests of the games on them
	tests/compiled.sh $(BIN)/python

# The tests need no graphics card: where pip has a build of torch without one, name it, as in TORCH=torch==2.13.0+cpu.
TORCH ?= torch

test-ppo: $(STAMP) ## the tests of train_ppo.py, with torch and sb3-contrib in .venv/learning
	@test -x $(VENV)/learning/bin/python || $(BIN)/python -m venv $(VENV)/learning
	@$(VENV)/learning/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH)' sb3-contrib --editable '.[rl]'
	$(BIN)/pytest -p no:xdist tests/rl/test_train_ppo.py

test-fast: $(STAMP) ## the tests that start little of their own, in about a minute
	@# They wait for little, and every worker imports them all: a worker for each processor.
	$(BIN)/pytest -n auto --dist worksteal -m 'not slow' --hypothesis-profile fast

golden: $(STAMP) ## rewrite the golden records under tests/data (read the diff before you commit it)
	$(BIN)/python -m tools.golden

seccomp: $(STAMP) ## rewrite docker's profile of system calls from the lists in arena/sandboxes/kernel
	$(BIN)/python -m tools.seccomp_profile

bench: $(STAMP) ## measure everything that has a peer, a floor or an aim; WHAT="--only engines" for a part
	$(BIN)/python -m bench $(WHAT)

PEERS := open-spiel pettingzoo pygame openskill trueskill trueskillthroughtime flask jsonschema requests
bench-peers: $(STAMP) ## put the peers into .venv/peers and compiled rules into build/compiled; then measure
	@test -x $(VENV)/peers/bin/python || $(BIN)/uv venv --quiet --python $(BIN)/python $(VENV)/peers
	@$(BIN)/uv pip install --quiet --python $(VENV)/peers/bin/python $(PEERS)
	@# kaggle-environments asks for jax and transformers, which ConnectX does not use.
	@$(BIN)/uv pip install --quiet --python $(VENV)/peers/bin/python --no-deps kaggle-environments
	@rm -rf build/compiled && mkdir -p build/compiled && cp -r arena engines build/compiled
	@$(BIN)/python engines/compiling.py --into build/compiled
	@! command -v go >/dev/null || $(MAKE) --silent -C bench/rules_go
	$(BIN)/python -m bench $(WHAT)

compile: $(STAMP) ## compile the rules of the games; `make interpret` goes back
	$(BIN)/python engines/compiling.py

interpret: $(STAMP) ## remove the compiled rules
	$(BIN)/python engines/compiling.py --remove

strength: $(STAMP) ## play the sample bots against each other and print the table of their strength
	$(BIN)/python -m bench.strength

tournament: $(STAMP) ## play a sandboxed tournament among the sample bots and show the rating table
	@command -v bwrap >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
		echo "installing bubblewrap, the sandbox …" && apt-get -qq update && apt-get -qq install -y bubblewrap >/dev/null; } || true
	$(BIN)/arena tournament --game assassins

# A short clock, and little in the bank, which `search` would use up: it is about the pages, not about who is best.
DEMO := build/site-demo
DEMO_PLAY := $(BIN)/arena tournament --db $(DEMO)/arena.db --clock cpu:0.03s/move+3s --seed 7

$(DEMO)/played: $(STAMP)
	@mkdir -p $(DEMO)
	$(DEMO_PLAY) --game claim --rounds 2 --bots random,greedy,search,policy
	$(DEMO_PLAY) --game rrr --rounds 2 --bots random,greedy,search
	$(DEMO_PLAY) --game assassins --rounds 2 --bots random,greedy,search
	$(DEMO_PLAY) --game kingdoms --rounds 1 --bots random,greedy,search
	$(DEMO_PLAY) --game kingdoms --rounds 1 --seats 3 --bots random,greedy,search
	$(DEMO_PLAY) --game kingdoms --rounds 1 --seats 4 --bots random,greedy,search,first
	@touch $@

site-demo: $(DEMO)/played ## play a short real tournament of every game among the sample bots, once, and build its site
	$(BIN)/arena site build $(DEMO)/site --db $(DEMO)/arena.db --title "Sample bots"

pictures: site-demo ## take the screenshots of that site for README and docs
	$(BIN)/python -m tools.pictures $(DEMO)/site docs/pictures

LIGHTHOUSE := build/lighthouse

$(LIGHTHOUSE)/node_modules/.bin/lighthouse:
	@mkdir -p $(LIGHTHOUSE)
	@cd $(LIGHTHOUSE) && npm install --silent --no-fund --no-audit lighthouse@12.8.2

lighthouse: $(DEMO)/played $(LIGHTHOUSE)/node_modules/.bin/lighthouse ## measure ladder, bot and match page of that site with npm's lighthouse; 95 or more
	$(BIN)/python -m tools.lighthouse $(DEMO)/arena.db --program $(LIGHTHOUSE)/node_modules/.bin/lighthouse

hostile: $(STAMP) ## play the hostile bots against the sandboxes and show the table of verdicts
	$(BIN)/python -m tools.hostile

soak: $(STAMP) ## let hostile and honest bots play tournaments for an hour; honest ones must not suffer
	$(BIN)/python -m tools.soak

crash: $(STAMP) ## kill tournaments 300 times at random moments and count what is lost
	$(BIN)/python -m tools.crash

contest-crash: $(STAMP) ## kill the runner of a contest 100 times at random moments and count what is lost or left
	$(BIN)/python -m tools.contest_crash

docs: $(STAMP) ## build the documentation as a site in build/docs; a broken link is an error
	$(BIN)/python -m mkdocs build --strict

release: $(STAMP) ## build source distribution and wheels into dist/, and play with each in an empty environment
	tools/release.sh $(BIN)/python
