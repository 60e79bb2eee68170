.PHONY: demo test lint bench interop large sanitize setup

SWIFT ?= swift

demo: setup
	$(SWIFT) run AnyProviderExample --local

test: setup
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build
	Tests/run-checks.sh

lint:
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Examples Benchmarks

bench: setup
	$(SWIFT) build -c release --product signing-benchmark
	"$$($(SWIFT) build -c release --show-bin-path)/signing-benchmark" $(ARGUMENTS)

interop: setup
	Tests/Interop/run.sh

large: setup
	Tests/LargeFile/run.sh

sanitize: setup
	$(SWIFT) test --sanitize=thread --scratch-path .build/thread
	$(SWIFT) test --sanitize=address --scratch-path .build/address

setup:
	@.ci/setup
