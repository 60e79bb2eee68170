.PHONY: help demo live test test-backends apple-check build-apple test-simulator build-musl lint api-check docs matrix \
  bench plot bench-instructions bench-signing-peers bench-transfer bench-servers bench-sync bench-list bench-scale \
  fleet interop browser large resume sync longrun load sanitize sync-simulation fuzz complexity setup test-transports \
  install package fleet-redis container-check durability bench-check

SWIFT ?= swift
# No trait is on by default, so that consumers fetch what they name; tests, tools and examples need this one.
TRAITS = --traits CommandLine
# SwiftPM passes the traits to the compiler in the order of a set: at random, which compiles everything again each time.
export SWIFT_DETERMINISTIC_HASHING = 1
RELEASE = "$$($(SWIFT) build $(TRAITS) -c release --show-bin-path)"

## Lists the targets.
help:
	@awk '/^## /{text=substr($$0,4)} /^[a-z-]+:/{if(text){sub(":.*","");printf "%-20s %s\n",$$0,text};text=""}' Makefile

## Moves files through OSS, COS, S3 and Aspera, against a local server; ARGUMENTS="--transport urlsession" uses URLSession.
demo: setup
	$(SWIFT) run $(TRAITS) AnyProviderExample --local $(ARGUMENTS)

## Checks the real buckets and the node that the environment names; ARGUMENTS=--local checks a local server instead.
live: setup
	@$(SWIFT) build $(TRAITS) --product live-matrix >&2
	@$$($(SWIFT) build $(TRAITS) --show-bin-path)/live-matrix $(ARGUMENTS)

## Runs all tests, and the checks of the documentation, the linkage and the budgets.
test: setup
	@.ci/setup redis-server nginx || echo "=== The tests that need redis-server or nginx are skipped ===" >&2
	$(SWIFT) build $(TRAITS) --build-tests
	SWIFT="$(SWIFT)" Tests/run-tests.py
	Tests/run-checks.sh

## Tests the cryptography of Apple's systems on Linux, and the client with it, with a stand-in for CommonCrypto.
test-backends: setup
	SWIFT="$(SWIFT)" Tests/Backends/check.sh

## Runs the client's suites, the round trips of the demo and a short long run over URLSession and AsyncHTTPClient.
test-transports: setup
	SWIFT="$(SWIFT)" Tests/Transports/check.sh

## Checks the format, the license headers and the language; needs no build.
lint:
	$(SWIFT) format lint --strict --recursive Package.swift Documentation Sources Tests Examples Benchmarks
	Tests/Language/check-headers.py
	python3 Tests/Language/test_check_language.py
	Tests/Language/check-language.py
	python3 Tests/Language/test_check_bytes.py
	python3 Tests/Language/check-bytes.py

## Compiles the libraries for apps for macOS and iOS on Linux, as far as that is possible without Apple's SDKs.
apple-check: setup
	SWIFT="$(SWIFT)" Tests/Apple/check.py

# The products that an app for iPhones can use.
APPLE_PRODUCTS = StorageAuth OSSAuth COSAuth S3Auth CredentialSources StorageClient FoundationTransport StorageBackground \
  AsperaAuth AsperaTransfer AsperaClient
SIMULATOR ?= iPhone 17

## Builds the libraries for PLATFORM (iOS, tvOS, watchOS, visionOS) with Xcode; needs macOS.
build-apple:
	for product in $(APPLE_PRODUCTS); do \
	  STORAGE_AUTH_XCODE=1 xcodebuild build -quiet -scheme $$product -destination "generic/platform=$(or $(PLATFORM),iOS)" \
	    -derivedDataPath .build/xcode || exit 1; \
	done

## Runs the tests of the libraries without a network in the iOS simulator; needs macOS.
test-simulator:
	STORAGE_AUTH_XCODE=1 STORAGE_AUTH_ONLY=core xcodebuild test -quiet -scheme swift-storage-auth-Package \
	  -destination "platform=iOS Simulator,name=$(SIMULATOR)" -derivedDataPath .build/xcode

## Builds the libraries with Swift's SDK for static Linux; MUSL_OPENSSL names a folder with a static libcrypto.
build-musl:
	Tests/Musl/build.sh

## Compares the public API with the last version tag, or with BASELINE; is skipped if there is none.
api-check: setup
	Tests/API/check-api.py $(BASELINE)

## Builds the documentation of all public modules, with the tutorials, in .build/docs; warnings are errors.
docs: setup
	$(SWIFT) build $(TRAITS)
	Documentation/build-site.py

## Writes Documentation/TestMatrix.md, and every test by behavior and by suite to .build/TestMatrix.md; prints a summary.
matrix:
	@Tests/Matrix/generate.py

PREFIX ?= /usr/local

## Installs storage-auth in PREFIX (/usr/local) with a manual page and completions; STATIC=1 as build-musl, without libraries.
install: setup
	$(if $(STATIC),CONFIGURATION=release Tests/Musl/build.sh storage-auth,\
	  $(SWIFT) build $(TRAITS) -c release --product storage-auth)
	Documentation/install.sh $(if $(STATIC),.build/musl/release,$(RELEASE))/storage-auth "$(DESTDIR)$(PREFIX)"

## Makes a package for Debian and Ubuntu in .build/packages, which needs no library of Swift.
package: setup
	$(SWIFT) build $(TRAITS) -c release --static-swift-stdlib --scratch-path .build/static --product storage-auth
	Documentation/make-package.sh .build/static/release/storage-auth .build/packages

# Where the drawings of `bench`, `fleet` and `load` are written; PLOTS=Documentation replaces those of the pages.
PLOTS ?= .build/plots

## Measures seven signing workloads next to their hash blocks in C, and a warm credential cache; ARGUMENTS=--plot draws them.
bench: setup
	$(SWIFT) build $(TRAITS) -c release --product signing-benchmark
	@mkdir -p $(PLOTS)
	$(if $(filter --plot,$(ARGUMENTS)),Benchmarks/plot-signing.py $(RELEASE)/signing-benchmark $(PLOTS)/signing.svg,\
	  $(RELEASE)/signing-benchmark $(ARGUMENTS))

## Checks the benchmarks with release builds: their signatures and allocations, and the load of a fleet of 50,000 devices.
bench-check: setup
	Benchmarks/check.sh

## Draws the signing workloads, the fleet and the load of the token server for the performance page.
plot:
	-$(MAKE) bench ARGUMENTS=--plot PLOTS=Documentation
	$(MAKE) fleet load PLOTS=Documentation

## Counts the instructions of a signature outside libcrypto with valgrind, independently of the machine's load.
bench-instructions: setup
	.ci/setup valgrind
	$(SWIFT) build $(TRAITS) -c release --product signing-benchmark
	Benchmarks/count-instructions.py $(RELEASE)/signing-benchmark

## Measures the S3 signers of the AWS SDK for Go, the AWS CRT, botocore and obstore with W6 and W7, in turn with bench.
bench-signing-peers: setup
	.ci/setup python3-venv golang-github-aws-aws-sdk-go-v2-dev
	$(SWIFT) build $(TRAITS) -c release --product signing-benchmark
	Benchmarks/measure-signing-peers.py $(RELEASE) $(ARGUMENTS)

## Moves large and small objects, next to curl; ARGUMENTS="--before FOLDER" adds an older build.
bench-transfer: setup
	$(SWIFT) build $(TRAITS) -c release --product storage-auth
	$(SWIFT) build $(TRAITS) -c release --product transfer-benchmark
	Benchmarks/measure-transfers.py $(RELEASE) $(ARGUMENTS)

## Loads LocalCloud and the token server with wrk, next to nginx; ARGUMENTS="--before FOLDER" adds an older build.
bench-servers: setup
	.ci/setup nginx wrk
	$(SWIFT) build $(TRAITS) -c release --product storage-auth
	$(SWIFT) build $(TRAITS) -c release --product transfer-benchmark
	Benchmarks/measure-servers.py $(RELEASE) $(ARGUMENTS)

## Moves 10,000 small objects with sync and the vendors' SDKs; ARGUMENTS=--unchanged compares them, next to rclone and aws.
bench-sync: setup
	$(SWIFT) build $(TRAITS) -c release --product storage-auth
	Benchmarks/measure-sync.py $(RELEASE) $(ARGUMENTS)

## Lists 100,000 keys with storage-auth, boto3, obstore, aws, rclone and s5cmd, in turn.
bench-list: setup
	$(SWIFT) build $(TRAITS) -c release --product storage-auth
	Benchmarks/measure-list.py $(RELEASE) $(ARGUMENTS)

## Measures the memory and the time of 10,000 tenants, 100,000 scopes of a token service and a million used signatures.
bench-scale: setup
	$(SWIFT) build $(TRAITS) -c release --product transfer-benchmark
	for subject in tenants scopes marks; do $(RELEASE)/transfer-benchmark scale $$subject || exit 1; done

## Steps the credential caches of a million devices, and shows and draws the load of their token service.
fleet: setup
	$(SWIFT) build $(TRAITS) -c release --product fleet
	@mkdir -p $(PLOTS)
	$(RELEASE)/fleet --svg $(PLOTS)/fleet.svg $(ARGUMENTS)

## Runs the vendors' Python SDKs and tools against the local server.
interop: setup
	Tests/Interop/run.sh

## Uploads by form, and the console of the local server, with headless Chromium; SCREENSHOTS names a folder for pictures.
browser: setup
	Tests/Browser/run.sh

## Moves 1 GiB up and down, and checks the peak memory of both sides.
large: setup
	Tests/LargeFile/run.sh

## Kills a program ten times in the middle of 1 GiB up and down, and checks that it continues from its checkpoint.
resume: setup
	Tests/Resume/run.sh

## Kills a synchronization of 10,000 files and 1 GiB five times in each direction, and counts what is sent again.
sync: setup
	Tests/Resume/run.sh sync

## Kills a local server while clients write, and fills its disk, and checks that no acknowledged operation is lost.
durability: setup
	Tests/Durability/run.sh $(ARGUMENTS)

# The number of schedules, and the seed of the first one.
SCHEDULES ?= 10000
SEED ?= 1

## Synchronizes in simulated worlds with faults, kills, races and hostile names; SEED and SCHEDULES select them.
sync-simulation: setup
	$(SWIFT) build $(TRAITS) -c release --product sync-simulation
	$(RELEASE)/sync-simulation --schedules $(SCHEDULES) --seed $(SEED) $(ARGUMENTS)

## Runs thousands of transfers with tokens of five seconds, lost responses and a wrong clock.
longrun: setup
	$(SWIFT) run $(TRAITS) long-run $(ARGUMENTS)

## Puts the token server under load with wrk, checks its answers, limits and memory, and draws its latencies.
load: setup
	@mkdir -p $(PLOTS)
	Tests/TokenLoad/run.sh --svg $(PLOTS)/load.svg $(ARGUMENTS)

## Runs four servers behind nginx with one Redis server, kills them, and checks replays, rates and requests for keys.
fleet-redis: setup
	Tests/RedisFleet/run.sh

## Checks the Dockerfile, the composition and the unit, and runs them as root without a container engine; BUILD=1 compiles.
container-check: setup
	BUILD="$(BUILD)" Tests/Container/check.sh

## Runs the tests of the libraries without a network under the thread and the address sanitizer.
sanitize: setup
	STORAGE_AUTH_ONLY=core $(SWIFT) test --sanitize=thread --scratch-path .build/thread
	@# XCTest keeps its test cases to the end, which the leak check would report as leaks.
	STORAGE_AUTH_ONLY=core ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --sanitize=address --scratch-path .build/address

## Fuzzes every reader of untrusted bytes with libFuzzer, under the address sanitizer.
fuzz: setup
	SWIFT="$(SWIFT)" ARGUMENTS="$(ARGUMENTS)" READERS="$(READERS)" Tests/ReaderTests/Engine/run.sh

## Counts the instructions of every reader of untrusted bytes as its input grows; READER=xml selects rows by name.
complexity: setup
	Tests/ReaderTests/Engine/count.sh

## Installs missing system packages, or names them; PROGRAMS names further programs, such as wrk or chromium.
setup:
	@.ci/setup $(PROGRAMS)
