# Sourced by run.sh and fuzz.sh in native/test: which compiler there is, and how targets are built.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0:allocator_may_return_null=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}

# ThreadSanitizer takes the fuzzer's own counters for races: with SANITIZER=thread there are no fuzz targets.
has_fuzzer() {
  [[ ${SANITIZER:-} == thread ]] && return 1
  local runtime
  runtime=$(clang -print-file-name=libclang_rt.fuzzer-"$(uname -m)".a 2>/dev/null) || return 1
  [[ -e $runtime || -e $(clang -print-resource-dir)/lib/linux/libclang_rt.fuzzer-$(uname -m).a ]]
}

build() { # names of test_ and fuzz_ programs; the log is out/build.log
  local fuzzer=0
  has_fuzzer && fuzzer=1
  make -s -k -j"$(nproc)" FUZZER=$fuzzer "${@/#/$PWD/out/}" >out/build.log 2>&1
}
