# Two commands on a fresh machine (Debian 12 or newer with a Swift 6.2+ toolchain):
#
#   make demo    a made-up patient's week through the whole path, no hardware needed
#   make test    every test
#
# Both install the Debian packages that are missing and build what has changed.

SWIFT ?= swift
PACKAGES := pkg-config libbluetooth-dev libudev-dev libsystemd-dev libssl-dev libsqlite3-dev tzdata

export SWIFT_BACKTRACE ?= enable=no

.PHONY: help setup build demo test bench docs lint format clean

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile
	@echo "  make bench   speed and accuracy, printed next to their references (7 minutes)"
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

demo: build
	@"$$($(SWIFT) build --show-bin-path)/measured" demo

test: setup
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --disable-xctest

bench: setup
	cd Benchmarks && $(SWIFT) run -c release measured-bench
	cd Benchmarks && $(SWIFT) run -c release measured-bench steps-validation

docs: setup
	$(SWIFT) package generate-documentation --target Measurement --warnings-as-errors

lint:
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Benchmarks

format:
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Benchmarks

clean:
	rm -rf .build Benchmarks/.build
