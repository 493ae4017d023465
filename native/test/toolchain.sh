# Sourced by run.sh and fuzz.sh in native/test: which compiler there is, and how one target is built.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0:allocator_may_return_null=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}

has_fuzzer() {
  local runtime
  runtime=$(clang -print-file-name=libclang_rt.fuzzer-"$(uname -m)".a 2>/dev/null) || return 1
  [[ -e $runtime || -e $(clang -print-resource-dir)/lib/linux/libclang_rt.fuzzer-$(uname -m).a ]]
}

build() { # name of a test_ or fuzz_ program; the log is out/<name>.log
  local fuzzer=0
  has_fuzzer && fuzzer=1
  make -s FUZZER=$fuzzer "$PWD/out/$1" >"out/$1.log" 2>&1
}
