{
  # The native half: every C and C++ file of native/ but its tests, in one addon.
  'variables': {
    'ebpf%': '<!(node scripts/steps/ebpf.mjs)',
    # For packages (scripts/package/): where libbpf, libelf and zlib lie that are linked into the addon, and the
    # skeletons of its processor.
    'static_libs%': '',
    'bpf_dir%': 'build/bpf',
  },
  'targets': [
    {
      'target_name': 'calltap',
      'sources': ['<!@(find native -path native/test -prune -o -name "*.c" -print -o -name "*.cc" -print | LC_ALL=C sort)'],
      'include_dirs': ['native'],
      'libraries': ['-lpthread', '-ldl'],
      'cflags': ['-O3', '-Wall', '-Wextra', '-Werror', '-fvisibility=hidden', '-g1'],
      # The way of a packet leads through ten files: linked as one they take a fifth less time.
      'cflags_c': ['-std=c11', '-D_GNU_SOURCE=', '-flto=auto', '-fomit-frame-pointer'],
      'ldflags': ['-flto=auto', '-O3'],
      # nan and the headers of Node are not ours to warn about: system headers are not checked.
      'cflags_cc': [
        '-std=c++20',
        '-isystem', '<!(node -p "path.dirname(require.resolve(\'nan\'))")',
        '-isystem', '<(node_root_dir)/include/node',
        '-Wno-cast-function-type',
      ],
      'cflags_cc!': ['-std=gnu++17', '-std=gnu++20'],
      'conditions': [
        # Filter and probes: scripts/steps/ebpf.mjs makes what they need, ends the build when it cannot, and says no when
        # it was told to. Then the filter is classic BPF, and `--uprobe` says that it was not built.
        ['"<(ebpf)"=="yes"', {
          # libbpf is loaded by what needs it (native/system/bpf_late.c); a function of it that is not there ends the build.
          'defines': ['CT_HAVE_LIBBPF', 'CT_HAVE_TLS_PROBES', 'LIBBPF_API=__attribute__((visibility("hidden")))'],
          'include_dirs': ['<(bpf_dir)'],
        }],
        ['"<(static_libs)"==""', {
          'cflags': ['<!@(pkg-config --cflags libbpf || true)'],
          'libraries': ['<!@(pkg-config --libs zlib || echo -lz)'],
        }, {
          'defines': ['CT_STATIC_LIBBPF'],
          'include_dirs': ['<(static_libs)/include'],
          'libraries': [
            '<(static_libs)/lib/libbpf.a',
            '<(static_libs)/lib/libelf.a',
            '<(static_libs)/lib/libz.a',
            # Their functions are not the addon's to offer, and Node has a zlib of its own.
            '-Wl,--exclude-libs,ALL',
          ],
        }],
        # Any x86-64 server of the last fifteen years; never -march=native in something that is shipped.
        ['target_arch=="x64"', {'cflags': ['-march=x86-64-v2']}],
      ],
    },
  ],
}
