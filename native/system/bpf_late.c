/* SPDX-License-Identifier: Apache-2.0
 * bpf_late.c - libbpf, loaded when the first filter or probe is: reading files needs none of it, and a host may have
 * none.
 *
 * Each function of libbpf that is used anywhere is defined here and calls the library's own. The build of
 * the addon fails without one of them ("hidden symbol isn't defined"): add a row to the table. An addon of a package
 * (scripts/package.mjs) contains the library instead, so that it depends on nothing.
 */
#define _GNU_SOURCE
#include "system/bpf_late.h"
#if defined(CT_STATIC_LIBBPF)
const char *ct_bpf_refusal(void) { return ""; }
#elif defined(CT_HAVE_LIBBPF)
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libbpf.so.1"
#define REMEDY "install it (Debian, Ubuntu: apt-get install libbpf1; Fedora, Rocky: dnf install libbpf)"

/* Type, name, parameters and arguments. */
#define FUNCTIONS(X)                                                                                         \
  X(int, bpf_iter_create, (int link), (link))                                                                \
  X(int, bpf_link__destroy, (struct bpf_link * link), (link))                                                \
  X(int, bpf_link__fd, (const struct bpf_link *link), (link))                                                \
  X(int, bpf_map__fd, (const struct bpf_map *map), (map))                                                    \
  X(__u32, bpf_map__max_entries, (const struct bpf_map *map), (map))                                         \
  X(int, bpf_map__set_max_entries, (struct bpf_map * map, __u32 n), (map, n))                                \
  X(int, bpf_map_delete_elem, (int map, const void *key), (map, key))                                        \
  X(int, bpf_map_get_next_key, (int map, const void *key, void *next), (map, key, next))                     \
  X(int, bpf_map_lookup_elem, (int map, const void *key, void *value), (map, key, value))                    \
  X(int, bpf_map_update_elem, (int map, const void *key, const void *value, __u64 flags),                    \
    (map, key, value, flags))                                                                                \
  X(int, bpf_obj_get_info_by_fd, (int fd, void *info, __u32 *length), (fd, info, length))                    \
  X(void, bpf_object__destroy_skeleton, (struct bpf_object_skeleton * s), (s))                               \
  X(struct bpf_program *, bpf_object__find_program_by_name,                                                  \
    (const struct bpf_object *object, const char *name), (object, name))                                     \
  X(int, bpf_object__load_skeleton, (struct bpf_object_skeleton * s), (s))                                   \
  X(int, bpf_object__open_skeleton,                                                                          \
    (struct bpf_object_skeleton * s, const struct bpf_object_open_opts *opts), (s, opts))                    \
  X(struct bpf_link *, bpf_program__attach, (const struct bpf_program *prog), (prog))                        \
  X(struct bpf_link *, bpf_program__attach_iter,                                                             \
    (const struct bpf_program *prog, const struct bpf_iter_attach_opts *opts), (prog, opts))                 \
  X(struct bpf_link *, bpf_program__attach_uprobe_opts,                                                      \
    (const struct bpf_program *prog, pid_t pid, const char *path, size_t offset,                             \
     const struct bpf_uprobe_opts *opts),                                                                    \
    (prog, pid, path, offset, opts))                                                                         \
  X(int, bpf_program__fd, (const struct bpf_program *prog), (prog))                                          \
  X(size_t, bpf_program__insn_cnt, (const struct bpf_program *prog), (prog))                                 \
  X(const struct bpf_insn *, bpf_program__insns, (const struct bpf_program *prog), (prog))                   \
  X(int, bpf_program__set_autoload, (struct bpf_program * prog, bool autoload), (prog, autoload))            \
  X(int, bpf_program__set_expected_attach_type, (struct bpf_program * prog, enum bpf_attach_type type),      \
    (prog, type))                                                                                            \
  X(__s32, btf__find_by_name_kind, (const struct btf *btf, const char *name, __u32 kind), (btf, name, kind)) \
  X(void, btf__free, (struct btf * btf), (btf))                                                              \
  X(struct btf *, btf__load_vmlinux_btf, (void), ())                                                         \
  X(long, libbpf_get_error, (const void *pointer), (pointer))                                                \
  X(int, libbpf_num_possible_cpus, (void), ())                                                               \
  X(int, libbpf_probe_bpf_helper, (enum bpf_prog_type type, enum bpf_func_id helper, const void *opts),      \
    (type, helper, opts))                                                                                    \
  X(int, libbpf_register_prog_handler,                                                                       \
    (const char *section, enum bpf_prog_type type, enum bpf_attach_type attach,                              \
     const struct libbpf_prog_handler_opts *opts),                                                           \
    (section, type, attach, opts))                                                                           \
  X(libbpf_print_fn_t, libbpf_set_print, (libbpf_print_fn_t print), (print))

/* The library's own, by the names and types of its headers. */
static struct {
#define MEMBER(type, name, parameters, arguments)                                                            \
  __typeof__(&(name)) name; /* NOLINT(bugprone-macro-parentheses): a declaration */
  FUNCTIONS(MEMBER)
} late;
static char refusal[256];

static void load_library(void) {
  static const char *const names[] = {
#define NAME(type, name, parameters, arguments) #name,
      FUNCTIONS(NAME)};
  /* POSIX has it that dlsym() gives functions as pointers to data. */
  void *found[sizeof names / sizeof *names];
  _Static_assert(sizeof found == sizeof late, "one pointer a function");
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char *error = dlerror();
    snprintf(refusal, sizeof refusal, "%s; " REMEDY, error == NULL ? LIBRARY " cannot be loaded" : error);
    return;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    found[i] = dlsym(library, names[i]);
    if (found[i] != NULL) continue;
    snprintf(refusal, sizeof refusal, LIBRARY " is another version, it has no %s; " REMEDY, names[i]);
    dlclose(library);
    return;
  }
  memcpy(&late, found, sizeof late);
}

const char *ct_bpf_refusal(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_library);
  return refusal;
}

#define DEFINITION(type, name, parameters, arguments)                                                        \
  type name parameters { return late.name arguments; }
FUNCTIONS(DEFINITION)
#else
const char *ct_bpf_refusal(void) { return "built without libbpf"; }
#endif
