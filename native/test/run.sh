#!/usr/bin/env bash
# Builds and runs the C tests under ASan and UBSan, then every fuzz target for a few seconds.
#
#   bash native/test/run.sh [FILE...]     only these (test_ip.c, fuzz_link.c); all when none is named
#   SANITIZER=thread bash native/test/run.sh     the tests under ThreadSanitizer, without the fuzz targets
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

mkdir -p out
rm -f out/*.failed

# Runs one program; says how it went in one piece, for several of these run at a time.
run_one() { # name
  local name=$1 code=0 scratch
  if [[ $name == test_* ]]; then
    timeout 300 "out/$name" >"out/$name.log" 2>&1 || code=$?
  else
    # A fixed seed: a red run is red again. New inputs go to a scratch folder, the corpus in git stays as it is.
    scratch=$(mktemp -d)
    local corpus=("$scratch")
    [[ -d corpus/$name ]] && corpus+=("corpus/$name")
    timeout 180 "out/$name" -seed=1 -runs="$FUZZ_RUNS" -max_total_time="$FUZZ_SECONDS" -rss_limit_mb=1024 -timeout=60 \
      -artifact_prefix=out/ -print_final_stats=0 "${corpus[@]}" >"out/$name.log" 2>&1 || code=$?
    rm -rf "$scratch"
  fi
  if ((code == 0)); then
    echo "$name: ok"
  else
    echo "$name: FAILED (exit $code)"$'\n'"$(sed 's/^/     /' "out/$name.log" | tail -n 60)"
    : >"out/$name.failed"
  fi
}

if ((${#fuzzers[@]} > 0)) && ! has_fuzzer; then
  echo "skipped ${#fuzzers[@]} fuzz targets: no libFuzzer (apt-get install clang libclang-rt-14-dev), or ThreadSanitizer"
  # Where CI is set all is wanted.
  [[ -n ${CI:-} && ${SANITIZER:-} != thread ]] && exit 1
  fuzzers=()
fi
build "${tests[@]}" "${fuzzers[@]}" || { echo "run.sh: the C tests do not build" >&2; cat out/build.log >&2; exit 1; }
for name in "${tests[@]}" "${fuzzers[@]}"; do
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
  run_one "$name" &
done
wait
# Last of all, for who sees only the end: which, and why.
shopt -s nullglob
red=(out/*.failed)
for file in "${red[@]}"; do
  name=$(basename "$file" .failed)
  echo "FAILED: $name"
  sed 's/^/     /' "out/$name.log" | grep -v '^     ok ' | tail -n 20
done
((${#red[@]} == 0))
