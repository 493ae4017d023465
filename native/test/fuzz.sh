#!/usr/bin/env bash
# Fuzzes for long, one target after the other, and keeps what it learns in native/test/out/corpus.
#
#   bash native/test/fuzz.sh [SECONDS_EACH] [NAME...]     default 300 seconds; NAME as in fuzz_decode
#
# A crash leaves its input in native/test/out/; put it in native/test/corpus/<name>/ with the fix, so that it stays fixed.
set -euo pipefail
cd "$(dirname "$0")"
source ./toolchain.sh
shopt -s nullglob

each=${1:-300}
[[ $each =~ ^[0-9]+$ ]] || { echo "fuzz.sh: seconds, not '$each'" >&2; exit 2; }
shift $(($# > 0 ? 1 : 0))
names=("$@")
if ((${#names[@]} == 0)); then
  for file in fuzz_*.c; do names+=("${file%.c}"); done
fi
((${#names[@]} > 0)) || { echo "fuzz.sh: no fuzz_*.c in native/test" >&2; exit 1; }
has_fuzzer || { echo "fuzz.sh: no libFuzzer (apt-get install clang libclang-rt-14-dev)" >&2; exit 1; }

mkdir -p out
failed=0
for name in "${names[@]}"; do
  build "$name" || { cat out/build.log >&2; exit 1; }
  mkdir -p "out/corpus/$name"
  corpus=("out/corpus/$name")
  [[ -d corpus/$name ]] && corpus+=("corpus/$name")
  echo "== $name, $each s"
  "out/$name" -max_total_time="$each" -rss_limit_mb=1024 -timeout=5 -artifact_prefix=out/ -print_final_stats=1 \
    "${corpus[@]}" 2>&1 | tail -n 12 || failed=$((failed + 1))
done
((failed == 0))
