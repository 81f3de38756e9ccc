# SPDX-License-Identifier: Apache-2.0
# The one door to the build: `make help` prints the lines below that carry two hashes.

SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
SOURCES = Package.swift Sources Tests Examples/Package.swift Examples/Sources Examples/Tests Benchmarks Fuzzing
FUZZ_SECONDS ?= 600
SOAK ?= 2000/25
SEED ?= 1
FUZZ = -c release --scratch-path .build-fuzz -Xswiftc -sanitize=fuzzer,address -Xswiftc -assert-config -Xswiftc Debug \
  -Xswiftc -use-ld=lld
STAGE = .build/install
# Optimized for speed, which is a tenth faster than optimized for size, and 2 % larger. What delays the start of a command
# is kept small: only what is used, each function once, relocations packed, no table for exceptions of C++ (none is thrown).
# Types are made by their accessors, not by reading their mangled names, which looks through all conformances: a fifth of
# the instructions of a start.
# Libraries come from the system alone, never from beside the binary, and what the loader has bound stays as it is.
# The folder is its own, so that it can be built beside the tests.
RELEASE = -c release --scratch-path .build-release --static-swift-stdlib -Xswiftc -Xfrontend -Xswiftc -function-sections \
  -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
  -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker --icf=all -Xlinker -O2 -Xlinker --no-eh-frame-hdr \
  -Xlinker -z -Xlinker pack-relative-relocs --disable-local-rpath -Xlinker -z -Xlinker now

# Where kith and kith-sandbox are, once Scripts/programs has built them or found that they need not be built.
PROGRAMS = $(or $(KITH_PROGRAMS),.build/debug)

# Reference data beside the checkout. Tests that need it are skipped where it is absent.
ifneq ($(wildcard ../shared/interop),)
export KITH_INTEROP ?= $(abspath ../shared/interop)
endif
ifneq ($(wildcard ../shared/lexicons),)
export KITH_LEXICONS ?= $(abspath ../shared/lexicons)
endif

.PHONY: demo test test-network test-browser test-dashboard browser-report examples test-long soak lint style generated wording format lexicons namespace bench documentation fuzz type-check programs release deb test-deb install clean help packages

demo: ## Builds Kith and shows its main job on a small network of its own (KITH_PROGRAMS=folder of built programs)
	@Scripts/programs
	@mkdir -p .build
	"$(PROGRAMS)/kith" demo --report .build/report.html

test: packages ## Runs the tests that need no servers (ONLY=REGEX, SANITIZE=thread or address)
	@Scripts/run-tests '^(?!NetworkTests\.)(?!.*(LongTests|ObservedScheduleTests))'

# Accounts that only the AppView of the tests has.
NETWORK = SYNTH="alice.test:700 erin.test:5000" MUTUAL=alice.test:300 Tests/Network/harness/with-network
test-network: packages ## Runs the tests against real servers, which are started and stopped
	Scripts/require network
	$(NETWORK) Scripts/run-tests --together '^NetworkTests\.|ObservedScheduleTests/'

# The rules are first tried on a page, and on a dashboard, that break each of them. The report is that of the demo, or the one at REPORT=path.
BROWSER = .build/browser
test-browser: packages ## Opens a report and the dashboard in Chromium: flows, pages, accessibility, safety, large networks (REPORT=path)
	Scripts/require browser
	Tests/Browser/check --self-test
	$(if $(REPORT),,@$(MAKE) -s browser-report)
	Tests/Browser/check "$(or $(REPORT),$(BROWSER)/report.html)" $(BROWSER)
	@Scripts/programs
	Tests/Browser/dashboard --self-test "$(PROGRAMS)"
	Tests/Browser/dashboard "$(PROGRAMS)" $(BROWSER)

test-dashboard: packages ## What CI runs of it: flows on the dashboard at 50 accounts, and axe on its pages
	Scripts/require browser
	@Scripts/programs
	Tests/Browser/dashboard --only flows,pages "$(PROGRAMS)"

browser-report:
	mkdir -p $(BROWSER)
	@Scripts/programs
	"$(PROGRAMS)/kith" demo --report $(BROWSER)/report.html >/dev/null

# The package of the examples stands for one outside of this one.
examples: packages ## Resolves the package of the examples, as an app would (TEST=1: builds and tests it)
	swift $(if $(TEST),test,package) --package-path Examples --scratch-path .build-examples $(if $(TEST),,resolve)

test-long: packages ## Runs what takes hours, before a release: long tests, soak, sanitizers, fuzzers
	Scripts/require network shells browser
	@Scripts/run-tests 'LongTests'
	@Scripts/programs
	Tests/Browser/dashboard --only many --accounts 100000 "$(PROGRAMS)"
	$(MAKE) examples TEST=1
	KITH_CASES=all $(MAKE) test
	$(MAKE) soak
	$(MAKE) test SANITIZE=address
	$(MAKE) test SANITIZE=thread
	$(MAKE) fuzz

soak: packages ## Kills jobs of 2,000 changes on a real PDS 25 times at random (SOAK=2000/25, SEED=1)
	Scripts/require network
	KITH_SOAK=$(SOAK) KITH_SEED=$(SEED) $(NETWORK) Scripts/run-tests '^NetworkTests\.KillTests'

lint: style generated ## Checks format, headers, folders, words and imports of libraries, and that lexgen generates what is checked in

# What needs no build.
style: packages
	swift format lint --strict --parallel --recursive $(SOURCES)
	Scripts/check-headers
	Scripts/test-checks
	Scripts/check-folders
	Scripts/check-surface
	Scripts/check-library-words
	Scripts/check-operations
	Scripts/check-imports
	Scripts/check-wording
	Scripts/check-prose
	Scripts/check-variables

generated: packages
	$(if $(KITH_BUILD),$(KITH_BUILD)/,swift run )lexgen --check Lexicons Sources/KithLexicons

documentation: packages ## Compiles the Swift examples of all pages and builds DocC archives in .build/documentation
	$(if $(KITH_BUILD),,swift build)
	Scripts/check-examples
	Scripts/documentation

wording: packages ## Writes the catalogues of errors and the snapshots of help as they are now; see git diff
	KITH_WORDING=write swift test --disable-xctest --no-parallel --filter 'Catalogue|namesTheFaultAndItsPath|HelpTests'

format: ## Formats all sources in place
	swift format format --in-place --parallel --recursive $(SOURCES)

lexicons: packages ## Generates Sources/KithLexicons from Lexicons
	swift run lexgen Lexicons Sources/KithLexicons

namespace: packages ## Renames the namespace of Kith's own lexicons: make namespace NAME=org.example.graph
	Scripts/rename-namespace "$(NAME)"
	swift run lexgen Lexicons Sources/KithLexicons

bench: packages ## Prints the table of all benchmarks; BEFORE=KITH measures an older binary beside the one built
	Scripts/require network browser
	@$(MAKE) programs
	Benchmarks/run "$$(swift build $(RELEASE) --show-bin-path)/kith" $(BEFORE)

# The sanitizers have to see into the packages that are tested, so the flags apply to the whole build; gold cannot link
# the result. A crash prints where its input was written. Answers are as large as servers may make them, and must fit into
# memory; libFuzzer's own limit of 4 KB has no room for a flood.
fuzz: packages ## Fuzzes identifiers, JSON, answers of servers, streams and input files, FUZZ_SECONDS=600 each
	for part in Identifiers JSON Answers Input Streams; do \
	  KITH_FUZZERS=1 swift build $(FUZZ) --product Fuzz$$part || exit; \
	done
	cd .build-fuzz && mkdir -p faults && export SWIFT_BACKTRACE=enable=no && \
	for part in Identifiers:4096:2048 JSON:262144:2048 Answers:4194304:1024 Input:65536:2048 Streams:65536:2048; do \
	  IFS=: read -r part length memory <<< "$$part" && \
	  seeds=../Fuzzing/Corpus/$${part,,} && mkdir -p corpus/$$part && \
	  { [ $$part != Answers ] || ../Fuzzing/large-seeds corpus/$$part; } && \
	  release/Fuzz$$part -max_total_time=$(FUZZ_SECONDS) -max_len=$$length -timeout=10 -rss_limit_mb=$$memory \
	    -print_final_stats=1 -artifact_prefix=faults/$$part- corpus/$$part $$seeds || exit; \
	done

type-check: packages ## Compiles the benchmarks and the programs of fuzzers, which the build of the tests leaves out
	$(if $(KITH_BUILD),,swift build)
	Scripts/type-check

programs: packages
	swift build $(RELEASE) --target Programs

release: programs ## Builds the release binaries, their completions, manual and systemd units in .build/install
	Scripts/stage "$$(swift build $(RELEASE) --show-bin-path)" $(STAGE) "$(PREFIX)"

PACKAGES = .build/packages
deb: packages ## Builds a Debian package and a tarball with their checksums in .build/packages
	Scripts/require package
	@$(MAKE) release PREFIX=/usr STAGE=.build/debian
	Scripts/package .build/debian $(PACKAGES)

test-deb: ## Installs the package of make deb in a fresh Debian 12, runs, upgrades and removes it (as root)
	Scripts/require package
	Tests/Package/try $(PACKAGES)

install: release ## Installs kith with all that belongs to it below PREFIX=/usr/local
	@prefix="$(DESTDIR)$(PREFIX)"; \
	mkdir -p "$$prefix" 2>/dev/null && [ -w "$$prefix" ] || as_root=sudo; \
	$$as_root mkdir -p "$$prefix" && $$as_root cp -Rf $(STAGE)/. "$$prefix" && \
	echo "installed kith in $$prefix/bin"

clean: ## Removes everything that was built
	rm -rf .build .build-*

help: ## Prints this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo 'What is missing is installed with apt-get, which needs root; KITH_NO_INSTALL=1 names it instead.'

packages:
	@Scripts/require build
