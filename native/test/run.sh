#!/usr/bin/env bash
# Builds and runs the C tests under ASan and UBSan, then every fuzz target for a few seconds.
#
#   bash native/test/run.sh [FILE...]     only these (test_ip.c, fuzz_link.c); all when none is named
#
# A test is a program: exit 0 is green. A fuzz target starts from native/test/corpus/<name>/ when that exists.
set -uo pipefail
cd "$(dirname "$0")"
source ./toolchain.sh
FUZZ_RUNS=${FUZZ_RUNS:-20000}
FUZZ_SECONDS=${FUZZ_SECONDS:-4}

shopt -s nullglob
if (($# > 0)); then chosen=("$@"); else chosen=(test_*.c fuzz_*.c); fi
tests=() fuzzers=()
for file in "${chosen[@]}"; do
  case $file in
    test_*.c) tests+=("${file%.c}") ;;
    fuzz_*.c) fuzzers+=("${file%.c}") ;;
    *) echo "run.sh: $file is neither test_*.c nor fuzz_*.c" >&2; exit 2 ;;
  esac
done

failed=()
report() { # name, exit code, log
  if (($2 == 0)); then
    echo "$1: ok"
  else
    echo "$1: FAILED (exit $2)"
    sed 's/^/     /' "$3" | tail -n 60
    failed+=("$1")
  fi
}

mkdir -p out
for name in "${tests[@]}"; do
  build "$name" || { report "$name: build" 1 "out/$name.log"; continue; }
  timeout 300 "out/$name" >"out/$name.log" 2>&1
  report "$name" $? "out/$name.log"
done

if ((${#fuzzers[@]} > 0)) && ! has_fuzzer; then
  echo "skipped ${#fuzzers[@]} fuzz targets: no libFuzzer (apt-get install clang libclang-rt-14-dev)"
  fuzzers=()
fi
for name in "${fuzzers[@]}"; do
  build "$name" || { report "$name: build" 1 "out/$name.log"; continue; }
  # A fixed seed: a red run is red again. New inputs go to a scratch folder, the corpus in git stays as it is.
  scratch=$(mktemp -d)
  corpus=("$scratch")
  [[ -d corpus/$name ]] && corpus+=("corpus/$name")
  timeout 180 "out/$name" -seed=1 -runs="$FUZZ_RUNS" -max_total_time="$FUZZ_SECONDS" -rss_limit_mb=1024 -timeout=60 \
    -artifact_prefix=out/ -print_final_stats=0 "${corpus[@]}" >"out/$name.log" 2>&1
  report "$name" $? "out/$name.log"
  rm -rf "$scratch"
done
# Last of all, for who sees only the end: which, and why.
for name in "${failed[@]}"; do
  echo "FAILED: $name"
  sed 's/^/     /' "out/${name%%:*}.log" | grep -v '^     ok ' | tail -n 20
done
((${#failed[@]} == 0))
