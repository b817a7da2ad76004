# Two commands on a fresh machine (Debian 12 or newer with a Swift 6.2+ toolchain):
#
#   make demo    a made-up patient's week through the whole path, no hardware needed
#   make test    every test
#
# Both install the Debian packages that are missing and build what has changed.

SWIFT ?= swift
PACKAGES := pkg-config libbluetooth-dev libudev-dev libsystemd-dev libssl-dev libsqlite3-dev tzdata

DOCUMENTED := Measurement GATT Care CareStore DeviceCatalog Traces

DESTDIR ?=
PREFIX ?= /usr
INSTALL ?= install

export SWIFT_BACKTRACE ?= enable=no

.PHONY: help setup build release install uninstall demo test vm-test vm-bench bench docs lint format clean

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile
	@echo "  make bench   speed and accuracy, printed next to their references (7 minutes)"
	@echo "  make vm-test the radio, in virtual machines (10 minutes; ONLY=scenario MODE=kernel)"
	@echo "  make vm-bench times of a weighing beside bleak, memory and processor (45 minutes)"
	@echo "  make install the program, its device definitions and its systemd service"
	@echo "  make docs    the articles on each measurement, checked for broken links"
	@echo "  make lint    the format check"
	@echo "  make format  puts the format right"
	@echo "  make clean   takes away what was built"

# Installs what is missing, and only that: nothing is downloaded on a machine that has it all.
setup:
	@command -v $(SWIFT) >/dev/null || { \
	  echo "There is no Swift toolchain here. Install Swift 6.2 or newer (swift.org/install)" >&2; \
	  echo "and put its usr/bin on the PATH." >&2; exit 1; }
	@bash .ci/packages $(PACKAGES)

build: setup
	$(SWIFT) build --product measured

release: setup
	$(SWIFT) build -c release --static-swift-stdlib --product measured

# For packagers: make install DESTDIR=… stages the files and touches nothing else. Without DESTDIR the
# user and the folders are made, too; the service is left to be enabled. BUILT=folder installs what
# was built there.
install: $(if $(BUILT),,release)
	$(INSTALL) -Dm755 \
	  "$(or $(BUILT),$$($(SWIFT) build -c release --static-swift-stdlib --show-bin-path))/measured" \
	  "$(DESTDIR)$(PREFIX)/bin/measured"
	$(INSTALL) -d "$(DESTDIR)$(PREFIX)/share/measured/devices"
	$(INSTALL) -m644 Devices/*.yaml "$(DESTDIR)$(PREFIX)/share/measured/devices"
	$(INSTALL) -Dm644 systemd/kernel-mode.conf "$(DESTDIR)$(PREFIX)/share/measured/kernel-mode.conf"
	$(INSTALL) -Dm644 systemd/measured.service "$(DESTDIR)$(PREFIX)/lib/systemd/system/measured.service"
	$(INSTALL) -Dm644 systemd/measured.sysusers "$(DESTDIR)$(PREFIX)/lib/sysusers.d/measured.conf"
	$(INSTALL) -Dm644 systemd/measured.tmpfiles "$(DESTDIR)$(PREFIX)/lib/tmpfiles.d/measured.conf"
	test -e "$(DESTDIR)/etc/measured/measured.yaml" || \
	  $(INSTALL) -Dm644 systemd/measured.yaml "$(DESTDIR)/etc/measured/measured.yaml"
	test -n "$(DESTDIR)" || ! command -v systemd-sysusers >/dev/null || { \
	  systemd-sysusers && systemd-tmpfiles --create measured.conf && \
	  { ! test -d /run/systemd/system || systemctl daemon-reload; } && \
	  echo "Start it with: systemctl enable --now measured"; }

# Settings and measurements stay: /etc/measured and /var/lib/measured are yours.
uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/measured" \
	  "$(DESTDIR)$(PREFIX)/lib/systemd/system/measured.service" \
	  "$(DESTDIR)$(PREFIX)/lib/sysusers.d/measured.conf" \
	  "$(DESTDIR)$(PREFIX)/lib/tmpfiles.d/measured.conf"
	rm -rf "$(DESTDIR)$(PREFIX)/share/measured"

demo: build
	@"$$($(SWIFT) build --show-bin-path)/measured" demo

test: setup
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --disable-xctest

# The program with the real kernel, BlueZ and systemd, and emulated sensors around it.
vm-test:
	@ONLY="$(ONLY)" MODE="$(MODE)" BUILT="$(abspath $(BUILT))" bash Tests/VirtualMachine/vm-test

vm-bench:
	@BUILT="$(abspath $(BUILT))" bash Tests/VirtualMachine/vm-bench

bench: setup
	cd Benchmarks && $(SWIFT) run -c release measured-bench
	cd Benchmarks && $(SWIFT) run -c release measured-bench steps-validation

docs: setup
	for module in $(DOCUMENTED); do \
	  $(SWIFT) package generate-documentation --target $$module --warnings-as-errors || exit 1; \
	done

lint:
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Benchmarks

format:
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Benchmarks

clean:
	rm -rf .build Benchmarks/.build
