# Two commands on a fresh machine (Debian 12 or newer with a Swift 6.2+ toolchain):
#
#   make demo    replays a synthetic patient's week; needs no hardware
#   make test    runs every test (ONLY=regex: the tests whose names match)
#
# Both install missing Debian packages and build what has changed.

SWIFT ?= swift
# What a toolchain needs that a bare Debian lacks, and the libraries of the program.
TOOLCHAIN := git ca-certificates binutils libc6-dev 'libstdc++-*-dev' libncurses6 \
  'libcurl4t64|libcurl4' libxml2
PACKAGES := pkg-config libbluetooth-dev libudev-dev libsystemd-dev libssl-dev libcurl4-openssl-dev libmosquitto-dev libqrencode-dev libsqlite3-dev zlib1g-dev tzdata

DOCUMENTED := Attribution Measurement GATT Care CareStore DeviceCatalog Traces

DESTDIR ?=
PREFIX ?= /usr
INSTALL ?= install
# Without symbols the program is 40 % smaller; packagers that strip later: INSTALL_PROGRAM=install.
INSTALL_PROGRAM ?= $(INSTALL) -s
# The program's addresses are resolved at the start, and their table is then read-only (full RELRO).
# Nothing loads the program's own symbols: without their table it takes 3 MB less memory.
RELEASE = -c release --static-swift-stdlib -Xlinker -z -Xlinker now -Xlinker --no-export-dynamic

export SWIFT_BACKTRACE ?= enable=no

# What debuggers read is a tenth of a debug build's processor time, and two fifths of its objects:
# `make build FLAGS=` builds with it.
FLAGS ?= -debug-info-format none

# SCRATCH=folder builds the release there, beside a debug build in .build that goes on meanwhile.
RELEASE += $(if $(SCRATCH),--scratch-path $(SCRATCH))

# The folder of the program that is installed or packed.
READY = $(or $(BUILT),$(or $(SCRATCH),.build)/release)
SHARE = $(DESTDIR)$(PREFIX)/share

.PHONY: help setup build build-tests release install uninstall deb demo definitions example test attack \
  image repository release-check browser-test interface-test message-test message-machine-test fhir-test file-test home-assistant-test app-test load-test line-test line-machine-test postgresql-test vm-test vm-test-all vm-soak vm-bench fresh-test fleet-test bench docs lint \
  format gate gate-all night clean

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile
	@echo "  make gate    is what every change passes: build, tests, and the parts whose ground changed (20 minutes)"
	@echo "  make gate-all runs every part of the gate whole (35 minutes)"
	@echo "  make night   runs what needs hours: all rounds, rare peripherals, fresh systems, long fuzz"
	@echo "  make bench   measures speed and accuracy against their references (12 minutes; ONLY=household, ONLY=engines)"
	@echo "  make attack  kills the program and fails its files (2 minutes; SEED=1 RUNS=10000 FUZZ=100000 ENGINE=postgresql)"
	@echo "  make browser-test opens every page in chromium (5 minutes; ONLY=page-size FLOW=name DRESS=one)"
	@echo "  make interface-test sends requests made from the interface's description (2 minutes; SEED=1 EXAMPLES=40)"
	@echo "  make message-test sends messages to real servers of mail, ntfy and webhooks (2 minutes)"
	@echo "  make message-machine-test sends an alarm out of the packaged unit in a virtual machine (8 minutes; BUILT=folder)"
	@echo "  make fhir-test    judges what leaves as FHIR, and sends it to servers that stumble (2 minutes)"
	@echo "  make file-test    reads exported files by Garmin's and Open mHealth's readers (1 minute)"
	@echo "  make home-assistant-test runs a headless Home Assistant with the demo's week (8 minutes; PYTHON=python3.13, HOMEASSISTANT=folder)"
	@echo "  make app-test     checks the files of Home Assistant's app (1 minute)"
	@echo "  make load-test reads and watches the page's data while sensors send, then floods it (6 minutes)"
	@echo "  make line-test exchanges a day with a centre over a slow line that breaks, beside rsync (2 minutes)"
	@echo "  make line-machine-test does so on the kernel's netem, in a virtual machine (BUILT=folder)"
	@echo "  make postgresql-test runs the tests of the store on a PostgreSQL of its own (4 minutes; ONLY=name QUICK=1 WRITES=10000)"
	@echo "  make vm-test tests the radio in virtual machines (15 minutes; ONLY=scenario MODE=kernel STRICT=1 DEBIAN=trixie)"
	@echo "  make vm-test-all repeats stops amid transfers and brings rare peripherals as well (2 hours; TIMES=20)"
	@echo "  make vm-soak uses emulated sensors for an hour while links and the daemon fail (MINUTES=60 MODE=kernel SEED=1)"
	@echo "  make vm-bench measures latency beside bleak, memory and processor time (45 minutes)"
	@echo "  make fresh-test follows the README in bare Debian systems (an hour; ONLY=package DEBIAN=trixie)"
	@echo "  make fleet-test lets boxes return to their centre after an outage (BOXES=1000 DAYS=30 STRAPS=40 ENGINE=postgresql)"
	@echo "  make release builds the program that make install installs, with manual pages and completions"
	@echo "  make install installs the program, its device definitions and its systemd service"
	@echo "  make deb     makes a Debian package of it: .build/deb/measured_…_….deb (ARCH=arm64: on x86-64, for a Raspberry Pi)"
	@echo "  make image   makes a container's image of it: docs/container.md"
	@echo "  make repository puts packages into a signed apt repository; make release-check tells what is left: docs/RELEASE.md"
	@echo "  make docs    builds the articles and checks their links"
	@echo "  make lint    checks the format"
	@echo "  make format  corrects the format"
	@echo "  make clean   removes what was built"

# Installs missing packages only: downloads nothing on a complete machine.
setup:
	@command -v $(SWIFT) >/dev/null || { \
	  echo "There is no Swift toolchain. Install Swift 6.2 or newer (swift.org/install)" >&2; \
	  echo "and put its usr/bin on the PATH." >&2; exit 1; }
	@bash .ci/packages $(TOOLCHAIN) $(PACKAGES)
	@bash .ci/toolchain $(SWIFT)

build: setup
	$(SWIFT) build $(FLAGS) --product measured

# The program and every test.
build-tests: setup
	$(SWIFT) build $(FLAGS) --build-tests

release: setup
	$(SWIFT) build $(RELEASE) --product measured
	@command -v python3 >/dev/null || bash .ci/packages python3
	@$(MAKE) --no-print-directory BUILT= $(or $(SCRATCH),.build)/release/manual/measured.1

# Manual pages and completions, made from the help texts.
$(READY)/manual/measured.1: $(READY)/measured systemd/manual.py
	@python3 -B systemd/manual.py $< $(@D)

$(READY)/measured:
	@echo "There is no $@. Build it first, without sudo: make release" >&2; exit 1

# Installs what `make release` built, or with BUILT=folder the program in that folder. For packagers:
# make install DESTDIR=… stages the files and changes nothing else. Without DESTDIR it also creates the
# user and the folders; it does not enable the service.
install: $(READY)/manual/measured.1
	$(INSTALL_PROGRAM) -Dm755 "$(READY)/measured" "$(DESTDIR)$(PREFIX)/bin/measured"
	$(INSTALL) -d "$(SHARE)/measured/devices" "$(SHARE)/man/man1" "$(SHARE)/doc/measured/examples"
	$(INSTALL) -m644 Devices/*.yaml "$(SHARE)/measured/devices"
	$(INSTALL) -m644 systemd/kernel-mode.conf systemd/page-network.conf \
	  Packaging/outlets-network.conf "$(SHARE)/measured"
	$(INSTALL) -m644 "$(READY)"/manual/*.1 "$(SHARE)/man/man1"
	$(INSTALL) -Dm644 "$(READY)/manual/measured.bash" "$(SHARE)/bash-completion/completions/measured"
	$(INSTALL) -Dm644 "$(READY)/manual/_measured" "$(SHARE)/zsh/vendor-completions/_measured"
	$(INSTALL) -Dm644 "$(READY)/manual/measured.fish" "$(SHARE)/fish/vendor_completions.d/measured.fish"
	$(INSTALL) -m644 LICENSE THIRD-PARTY-NOTICES.txt "$(SHARE)/doc/measured"
	$(INSTALL) -m644 Examples/*.yaml Examples/*.csv Examples/*.jsonl Examples/*.md \
	  "$(SHARE)/doc/measured/examples"
	$(INSTALL) -Dm644 systemd/measured.service "$(DESTDIR)$(PREFIX)/lib/systemd/system/measured.service"
	$(INSTALL) -Dm644 systemd/measured.sysusers "$(DESTDIR)$(PREFIX)/lib/sysusers.d/measured.conf"
	$(INSTALL) -Dm644 systemd/measured.tmpfiles "$(DESTDIR)$(PREFIX)/lib/tmpfiles.d/measured.conf"
	test -e "$(DESTDIR)/etc/measured/measured.yaml" || \
	  $(INSTALL) -Dm644 systemd/measured.yaml "$(DESTDIR)/etc/measured/measured.yaml"
	test -n "$(DESTDIR)" || ! command -v systemd-sysusers >/dev/null || { \
	  systemd-sysusers measured.conf && systemd-tmpfiles --create measured.conf && \
	  { ! test -d /run/systemd/system || systemctl daemon-reload; } && \
	  echo "Start it with: systemctl enable --now measured"; }

# Stops the service and removes what `make install` installed. Keeps settings and measurements:
# /etc/measured and /var/lib/measured.
uninstall:
	test -n "$(DESTDIR)" || ! test -d /run/systemd/system || systemctl disable --now measured || true
	rm -f "$(DESTDIR)$(PREFIX)/bin/measured" \
	  "$(SHARE)/man/man1/measured.1" "$(SHARE)"/man/man1/measured-*.1 \
	  "$(SHARE)/bash-completion/completions/measured" \
	  "$(SHARE)/zsh/vendor-completions/_measured" \
	  "$(SHARE)/fish/vendor_completions.d/measured.fish" \
	  "$(DESTDIR)$(PREFIX)/lib/systemd/system/measured.service" \
	  "$(DESTDIR)$(PREFIX)/lib/sysusers.d/measured.conf" \
	  "$(DESTDIR)$(PREFIX)/lib/tmpfiles.d/measured.conf"
	rm -rf "$(SHARE)/measured" "$(SHARE)/doc/measured"
	test -n "$(DESTDIR)" || ! test -d /run/systemd/system || systemctl daemon-reload

# For this machine's Debian release and architecture. BUILT=folder packs the program in that folder.
# ARCH=arm64 builds for 64-bit ARM and Debian 13, on x86-64.
ifeq ($(ARCH),arm64)
deb:
	@bash .ci/arm64
else
deb: $(if $(BUILT),,release)
	@bash systemd/debian/build "$(READY)"
endif

# An image of the package and what it loads, read-only and without rights: Packaging/image.
image: deb
	@bash Packaging/image "$$(ls .build/deb/measured_*.deb)"

# A signed apt repository of packages: make repository KEY=name ADDRESS=https://… DEBS="FILE …"
repository:
	@bash Packaging/repository "$(or $(FOLDER),.build/repository)" "$(KEY)" "$(ADDRESS)" $(DEBS)

# What has to hold before a version is published: docs/RELEASE.md.
release-check: deb
	@bash Packaging/release-check "$(or $(SCRATCH),.build)" "$$(ls .build/deb/measured_*.deb)"

demo: build
	@"$$($(SWIFT) build --show-bin-path)/measured" demo

# ONLY=regex runs the tests whose "Target.Suite/test" matches it: make test ONLY=HubMessagesTests
# Of thousands of tests at once, each would wait for all others at every step: time-outs would pass.
# The failures are repeated at the end of the long output.
test: SHELL := bash
test: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8
test: build-tests
	@log="$$(mktemp)"; trap 'rm -f "$$log"' EXIT; set -o pipefail; \
	$(SWIFT) test --skip-build --disable-xctest $(if $(ONLY),--filter "$(ONLY)") 2>&1 | tee "$$log" || \
	{ status=$$?; printf '\n== failed\n'; grep -A 3 '^✘' "$$log" | cut -c 1-1000; exit $$status; }

# The tests of the store on a PostgreSQL that is started for each of them: Tests/PostgreSQL.
# QUICK=1: what may break first. WRITES=10000: so many writes of four programs.
SERVED := CareStoreTests.(Merge|History|SQLStoreModel|PostgreSQL|Erasure|Observation|Transactions|StoreCheck)|ExchangeTests.(Rows|Door|Enrolment|MorningOfMany)
WITH_SERVER := Tests/PostgreSQL/with-server
postgresql-test: build-tests build
	@bash .ci/packages postgresql python3 openssl
	@set -e; programs="$$($(SWIFT) build --show-bin-path)"; measured="$$programs/measured"; \
	MEASURED_ENGINE=postgresql SWIFT_BACKTRACE=enable=no SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 \
	  $(WITH_SERVER) "$$programs/measuredPackageTests.xctest" --testing-library swift-testing \
	  --filter "$(or $(ONLY),^($(if $(QUICK),$(SERVED),CareStoreTests|ExchangeTests)))"; \
	$(if $(ONLY),exit 0;) \
	$(WITH_SERVER) Tests/PostgreSQL/same-answers "$$measured" $(if $(QUICK),short); \
	$(if $(QUICK),exit 0;) \
	$(WITH_SERVER) Tests/PostgreSQL/several-programs "$$measured" $(WRITES); \
	for what in lost replay; do $(WITH_SERVER) --standby Tests/PostgreSQL/failover "$$measured" $$what; done

# A program of somebody who builds on the libraries: steps of a walk become an outcome.
example: setup
	$(SWIFT) run $(FLAGS) --package-path Examples/StepsToOutcome StepsToOutcome Examples/walk.csv

# The shipped definitions and their vectors.
definitions: build
	@measured="$$($(SWIFT) build --show-bin-path)/measured" && \
	  "$$measured" devices lint && "$$measured" devices test

# Kills the program, fails its system calls, damages its files: Tests/Attack/README.md.
# ENGINE=postgresql: kills the program and its server, cuts the line between them, fills the server's disk.
attack: $(if $(FUZZ),build-tests,build)
	@command -v python3 >/dev/null || bash .ci/packages python3
	@$(if $(filter postgresql,$(ENGINE)),bash .ci/packages postgresql)
	@mkdir -p .build/attack
	@"$$(command -v cc || command -v clang)" -O2 -Wall -Wextra -shared -fPIC \
	  -o .build/attack/faults.so Tests/Attack/faults.c -ldl -lpthread
	@$(if $(filter postgresql,$(ENGINE)),Tests/PostgreSQL/with-server --small) \
	  nice python3 -B Tests/Attack/attack.py "$$($(SWIFT) build --show-bin-path)/measured" \
	  .build/attack/faults.so $(if $(SEED),--seed $(SEED)) $(if $(RUNS),--runs $(RUNS)) \
	  $(if $(FUZZ),--fuzz $(FUZZ)) $(if $(JOBS),--jobs $(JOBS)) $(if $(ENGINE),--engine $(ENGINE))
	@$(if $(FUZZ),MEASURED_HOSTILE="$(FUZZ)" MEASURED_HOSTILE_SEED="$(or $(SEED),1)" nice $(SWIFT) test \
	  --skip-build --disable-xctest --filter HostileEntriesTests)

# Opens every page in a real browser and walks the flows of a day.
browser-test: build
	@rm -rf .build/browser/screenshots
	@bash Tests/Browser/browser-test "$$($(SWIFT) build --show-bin-path)/measured" \
	  --screenshots .build/browser/screenshots $(if $(ONLY),--only "$(ONLY)") \
	  $(if $(FLOW),--flow "$(FLOW)") $(if $(filter one,$(DRESS)),--one-dress)

# Sends requests made from the interface's own description.
interface-test: build
	@SEED="$(or $(SEED),1)" EXAMPLES="$(or $(EXAMPLES),40)" bash Tests/Interface/interface-test \
	  "$$($(SWIFT) build --show-bin-path)/measured"

# A real Home Assistant beside the daemon: Tests/HomeAssistant/README.md.
home-assistant-test: build
	@bash Tests/HomeAssistant/home-assistant-test "$$($(SWIFT) build --show-bin-path)/measured"

# The files of the app: app/DOCS.md.
app-test: build
	@bash Tests/App/app-test "$$($(SWIFT) build --show-bin-path)/measured"

# Sends messages to real servers on this machine, good and bad ones: Tests/Messages/README.md.
message-test: build
	@bash Tests/Messages/message-test "$$($(SWIFT) build --show-bin-path)/measured"

# The same out of measured.service, in a virtual machine.
message-machine-test:
	@BUILT="$(abspath $(BUILT))" bash Tests/Messages/message-machine-test

# What leaves as FHIR, and servers that stumble: Tests/FHIR/README.md.
fhir-test: build
	@bash Tests/FHIR/fhir-test "$$($(SWIFT) build --show-bin-path)/measured"

# Exported files, read by the readers of those for whom they are: Tests/Files/file-test.
file-test: build
	@bash Tests/Files/file-test "$$($(SWIFT) build --show-bin-path)/measured"

# A box and its centre on a slow line that breaks, beside rsync: Tests/Line/line.py.
line-test: build
	@bash Tests/Line/line-test "$$($(SWIFT) build --show-bin-path)/measured"

# The same on netem, in a virtual machine.
line-machine-test:
	@BUILT="$(abspath $(BUILT))" bash Tests/Line/line-machine-test

# Reads a day 2 000 times a second, and watches it from 500 streams, while sensors send; then opens
# ten thousand connections, and tries to fill the memory; then a million values leave.
load-test: release
	@command -v python3 >/dev/null || bash .ci/packages python3
	@program="$$($(SWIFT) build $(RELEASE) --show-bin-path)/measured" && \
	  python3 -B Tests/Interface/load.py "$$program" && \
	  python3 -B Tests/Interface/flood.py "$$program" && \
	  python3 -B Tests/Interface/memory.py "$$program" && \
	  python3 -B Tests/Interface/outlets.py "$$program"

# Tests the program with a real kernel, BlueZ and systemd, and emulated sensors.
vm-test:
	@ONLY="$(ONLY)" MODE="$(MODE)" STRICT="$(STRICT)" TIMES="$(TIMES)" GUESTS="$(GUESTS)" DEBIAN="$(DEBIAN)" \
	  BUILT="$(abspath $(BUILT))" bash Tests/VirtualMachine/vm-test

vm-test-all: export ALL = 1
vm-test-all: vm-test

vm-soak:
	@MINUTES="$(MINUTES)" MODE="$(MODE)" SEED="$(SEED)" RATE="$(RATE)" BUILT="$(abspath $(BUILT))" bash Tests/VirtualMachine/vm-soak

# Follows the README in bare Debian systems, and installs and purges the package there:
# Tests/Fresh/README.md.
fresh-test:
	@ONLY="$(ONLY)" DEBIAN="$(DEBIAN)" bash Tests/Fresh/fresh-test

# Boxes that return to their centre after an outage, all at once: docs/centre.md has the figures.
# ENGINE=postgresql: two processes of a centre on one store, a standby that is promoted amid it.
fleet-test: setup
	$(SWIFT) build -c release --product fleet --scratch-path .build/fleet
	@$(if $(filter postgresql,$(ENGINE)),bash .ci/packages postgresql && $(WITH_SERVER) --standby) \
	  "$$($(SWIFT) build -c release --scratch-path .build/fleet --show-bin-path)/fleet" \
	  "$(or $(BOXES),1000)" "$(or $(DAYS),30)" "$(or $(STRAPS),40)"

vm-bench:
	@BUILT="$(abspath $(BUILT))" bash Tests/VirtualMachine/vm-bench

bench: release
ifeq ($(ONLY),household)
	cd Benchmarks && $(SWIFT) run -c release measured-bench households
	cd Benchmarks && $(SWIFT) run -c release measured-bench households --impedance
	cd Benchmarks && $(SWIFT) run -c release measured-bench households --drift 0.15
	cd Benchmarks && $(SWIFT) run -c release measured-bench households --presence
	cd Benchmarks && $(SWIFT) run -c release measured-bench household-program "$(abspath $(READY))/measured"
else ifeq ($(ONLY),engines)
	bash .ci/packages postgresql
	cd Benchmarks && $(SWIFT) build -c release --product measured-bench && \
	  MEASURED_POSTGRESQL_FSYNC=on ../$(WITH_SERVER) \
	  sh -c '"$$($(SWIFT) build -c release --show-bin-path)/measured-bench" engines "$$MEASURED_POSTGRESQL"'
else
	cd Benchmarks && $(SWIFT) run -c release measured-bench
	cd Benchmarks && $(SWIFT) run -c release measured-bench steps-validation
endif

docs: setup
	for module in $(DOCUMENTED); do \
	  $(SWIFT) package $(FLAGS) generate-documentation --target $$module --warnings-as-errors || exit 1; \
	done

lint:
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests Benchmarks Examples
	@! git grep -nE "^ *//+ (MARK: (- )?)?What " -- "*.swift" || { echo "No comment begins with What: say the thing itself."; exit 1; }

format:
	$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests Benchmarks Examples

# What every change passes: .ci/gate says which parts run whole.
gate:
	@bash .ci/run

gate-all:
	@bash .ci/run all

# What needs hours. Nothing waits for it; the parts of a night that fails go on.
night: export MEASURED_ROUNDS ?= 10
night: release
	@failed=; for part in "test" "attack RUNS=5000" "attack FUZZ=500000" "interface-test EXAMPLES=400" "message-test" "message-machine-test" \
	  "fhir-test" "file-test" "postgresql-test WRITES=10000" "attack ENGINE=postgresql RUNS=200" "load-test" "line-test" "line-machine-test" "home-assistant-test" "app-test" "vm-test-all STRICT=1" "vm-soak" "fresh-test" "fleet-test"; do \
	  echo "== $$part"; $(MAKE) --no-print-directory $$part || failed="$$failed; $$part"; done; \
	if [ -n "$$failed" ]; then echo "== failed$$failed"; exit 1; fi

clean:
	rm -rf .build Benchmarks/.build
