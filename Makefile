.PHONY: demo test lint bench bench-instructions bench-transfer bench-servers fleet interop browser large longrun load sanitize fuzz complexity matrix setup

SWIFT ?= swift

demo: setup
	$(SWIFT) build --product ascp-simulator
	$(SWIFT) run AnyProviderExample --local

test: setup
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build
	Tests/run-checks.sh

lint:
	$(SWIFT) format lint --strict --recursive Package.swift Documentation Sources Tests Examples Benchmarks
	Tests/Language/check-headers.py
	Tests/Language/check-language.py

# Compares the public API with the last version tag; is skipped where there is none. BASELINE names another tag.
.PHONY: api-check
api-check: setup
	Tests/API/check-api.py $(BASELINE)

# Builds the documentation of all public modules, with the tutorials, as one web site in .build/docs; warnings are errors.
.PHONY: docs
docs: setup
	SWIFT="$(SWIFT)" Documentation/build-site.py

bench: setup
	$(SWIFT) build -c release --product signing-benchmark
	"$$($(SWIFT) build -c release --show-bin-path)/signing-benchmark" $(ARGUMENTS)

# Counts with valgrind what a signature costs outside of libcrypto, which does not depend on what else the machine does.
bench-instructions: setup
	.ci/setup valgrind
	$(SWIFT) build -c release --product signing-benchmark
	Benchmarks/count-instructions.py "$$($(SWIFT) build -c release --show-bin-path)/signing-benchmark"

# Moves a large file and many small ones against LocalCloud, next to curl; ARGUMENTS="--before FOLDER" adds an older build.
bench-transfer: setup
	$(SWIFT) build -c release --product storage-auth
	$(SWIFT) build -c release --product transfer-benchmark
	Benchmarks/measure-transfers.py "$$($(SWIFT) build -c release --show-bin-path)" $(ARGUMENTS)

# Measures LocalCloud and the token server with wrk, next to nginx and Hummingbird alone; ARGUMENTS="--before FOLDER" adds an
# older build.
bench-servers: setup
	.ci/setup nginx wrk
	$(SWIFT) build -c release --product storage-auth
	$(SWIFT) build -c release --product transfer-benchmark
	Benchmarks/measure-servers.py "$$($(SWIFT) build -c release --show-bin-path)" $(ARGUMENTS)

# Steps the credential cache of a million devices and shows what their token service sees.
fleet: setup
	$(SWIFT) build -c release --product fleet
	"$$($(SWIFT) build -c release --show-bin-path)/fleet" $(ARGUMENTS)

interop: setup
	Tests/Interop/run.sh

browser: setup
	Tests/Browser/run.sh

large: setup
	Tests/LargeFile/run.sh

longrun: setup
	$(SWIFT) run long-run $(ARGUMENTS)

load: setup
	Tests/TokenLoad/run.sh

sanitize: setup
	STORAGE_AUTH_CORE=1 $(SWIFT) test --sanitize=thread --scratch-path .build/thread
	@# XCTest keeps its test cases to the end, which the leak check would call a leak.
	STORAGE_AUTH_CORE=1 ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --sanitize=address --scratch-path .build/address

fuzz: setup
	SWIFT="$(SWIFT)" ARGUMENTS="$(ARGUMENTS)" READERS="$(READERS)" Tests/Fuzz/run.sh

# Counts the instructions of every reader of foreign bytes; READER=XML takes those with that in their names.
complexity: setup
	Tests/ComplexityTests/run.sh

# Writes the tests by behaviour and by suite to .build/TestMatrix.md and prints a summary.
matrix:
	@Tests/Matrix/generate.py

setup:
	@.ci/setup $(PROGRAMS)

# PROGRAMS of setup names programs that are installed too, such as wrk or chromium.
