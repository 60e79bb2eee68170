#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Fuzzes every reader of foreign bytes with libFuzzer and the address sanitizer, from the committed corpus on.
#
#   make fuzz                                      a minute for each reader
#   make fuzz ARGUMENTS="-runs=1000000"            a million inputs for each reader
#   make fuzz ARGUMENTS="-max_total_time=5" READERS="json xml"
#   make fuzz ARGUMENTS="path/to/an/input" READERS="json"      one input again
#
# ARGUMENTS are those of libFuzzer. What is found on the way is kept in .build/fuzz/found; an input that ends a reader
# lies in .build/fuzz/crashes, and belongs into the corpus once the reader is mended.
#
# SCRATCH names another build folder than .build/fuzz. If it is empty, the usual folder is built anew with the sanitizer,
# which takes less time if it contains the other packages, and has to be undone by another build.
set -euo pipefail
cd "$(dirname "$0")/../../.."

swift=${SWIFT:-swift}
runtime=$(dirname "$(dirname "$(readlink -f "$(command -v "$swift")")")")/lib
if ! find "$runtime" -name 'libclang_rt.fuzzer*' | grep -q .; then
  echo "=== libFuzzer is NOT in this toolchain ($runtime has no libclang_rt.fuzzer): NOTHING IS FUZZED ===" >&2
  echo "Install a toolchain of swift.org, which has it; the corpus is still replayed by make test." >&2
  exit 1
fi

export STORAGE_AUTH_FUZZ=1 STORAGE_AUTH_ONLY=storage-auth-fuzz
folder=.build/fuzz
SCRATCH=${SCRATCH-$folder}

# Builds in the build folder.
build() {
  "$swift" build --traits CommandLine ${SCRATCH:+--scratch-path "$SCRATCH"} "$@"
}

build --product storage-auth-fuzz
program=$(build --show-bin-path)/storage-auth-fuzz

# What XCTest and the tasks of Swift keep to the end is no leak; the growth of memory is bounded by rss_limit_mb.
export ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no
mkdir -p "$folder/crashes"

# Fuzzes one reader, and prints its figures, or the end of its log if it ended on an input.
fuzz() {
  local program=$1 folder=$2 reader=$3 log=$2/found/$3.log
  mkdir -p "$folder/found/$reader"
  # shellcheck disable=SC2086
  if "$program" "$reader" -max_len=8192 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$folder/crashes/$reader-" ${ARGUMENTS:--max_total_time=60} "$folder/found/$reader" \
    "Tests/ReaderTests/Corpus/$reader" >"$log" 2>&1; then
    awk -v reader="$reader" '/number_of_executed_units/ { n = $2 } /average_exec_per_sec/ { s = $2 }
      /peak_rss_mb/ { m = $2 } END { print reader ": " n " inputs, " s " a second, " m " MB" }' "$log"
  else
    echo "=== $reader ended on an input, which is in $folder/crashes ===" >&2
    tail -n 40 "$log" >&2
    return 1
  fi
}
export -f fuzz
export ARGUMENTS=${ARGUMENTS:-}

# One reader for each processor at a time; xargs fails if one of them does.
printf '%s\n' ${READERS:-$("$program")} | xargs -P "$(nproc)" -I '{}' bash -c 'fuzz "$@"' fuzz "$program" "$folder" '{}'
