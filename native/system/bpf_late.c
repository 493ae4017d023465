/* SPDX-License-Identifier: Apache-2.0
 * bpf_late.c - libbpf, loaded when the first filter or probe is: reading files needs none of it, and a host may have
 * none.
 *
 * Each function of libbpf that is used anywhere is defined here and calls the library's own. One that is missing in the
 * list ends the build of the addon ("hidden symbol isn't defined"): add it to the list and to the functions below.
 */
#define _GNU_SOURCE
#include "system/bpf_late.h"
#ifdef CT_HAVE_LIBBPF
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libbpf.so.1"
#define REMEDY "install it (Debian, Ubuntu: apt-get install libbpf1; Fedora, Rocky: dnf install libbpf)"

#define FUNCTIONS(X)                                                                                         \
  X(bpf_iter_create)                                                                                         \
  X(bpf_link__destroy)                                                                                       \
  X(bpf_link__fd)                                                                                            \
  X(bpf_map__fd)                                                                                             \
  X(bpf_map__max_entries)                                                                                    \
  X(bpf_map__set_max_entries)                                                                                \
  X(bpf_map_delete_elem)                                                                                     \
  X(bpf_map_get_next_key)                                                                                    \
  X(bpf_map_lookup_elem)                                                                                     \
  X(bpf_map_update_elem)                                                                                     \
  X(bpf_obj_get_info_by_fd)                                                                                  \
  X(bpf_object__destroy_skeleton)                                                                            \
  X(bpf_object__find_program_by_name)                                                                        \
  X(bpf_object__load_skeleton)                                                                               \
  X(bpf_object__open_skeleton)                                                                               \
  X(bpf_program__attach)                                                                                     \
  X(bpf_program__attach_iter)                                                                                \
  X(bpf_program__attach_uprobe_opts)                                                                         \
  X(bpf_program__fd)                                                                                         \
  X(bpf_program__insn_cnt)                                                                                   \
  X(bpf_program__insns)                                                                                      \
  X(bpf_program__set_autoload)                                                                               \
  X(bpf_program__set_expected_attach_type)                                                                   \
  X(btf__find_by_name_kind)                                                                                  \
  X(btf__free)                                                                                               \
  X(btf__load_vmlinux_btf)                                                                                   \
  X(libbpf_get_error)                                                                                        \
  X(libbpf_num_possible_cpus)                                                                                \
  X(libbpf_probe_bpf_helper)                                                                                 \
  X(libbpf_register_prog_handler)                                                                            \
  X(libbpf_set_print)

/* The library's own, by the names and types of its headers. */
static struct {
#define MEMBER(name) __typeof__(&(name)) name; /* NOLINT(bugprone-macro-parentheses): a declaration */
  FUNCTIONS(MEMBER)
} late;
static char refusal[256];

static void load_library(void) {
  static const char *const names[] = {
#define NAME(name) #name,
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

int bpf_iter_create(int link) { return late.bpf_iter_create(link); }
int bpf_link__destroy(struct bpf_link *link) { return late.bpf_link__destroy(link); }
int bpf_link__fd(const struct bpf_link *link) { return late.bpf_link__fd(link); }
int bpf_map__fd(const struct bpf_map *map) { return late.bpf_map__fd(map); }
__u32 bpf_map__max_entries(const struct bpf_map *map) { return late.bpf_map__max_entries(map); }
int bpf_map__set_max_entries(struct bpf_map *map, __u32 n) { return late.bpf_map__set_max_entries(map, n); }
int bpf_map_delete_elem(int map, const void *key) { return late.bpf_map_delete_elem(map, key); }
int bpf_map_get_next_key(int map, const void *key, void *next) {
  return late.bpf_map_get_next_key(map, key, next);
}
int bpf_map_lookup_elem(int map, const void *key, void *value) {
  return late.bpf_map_lookup_elem(map, key, value);
}
int bpf_map_update_elem(int map, const void *key, const void *value, __u64 flags) {
  return late.bpf_map_update_elem(map, key, value, flags);
}
int bpf_obj_get_info_by_fd(int fd, void *info, __u32 *length) {
  return late.bpf_obj_get_info_by_fd(fd, info, length);
}
void bpf_object__destroy_skeleton(struct bpf_object_skeleton *s) { late.bpf_object__destroy_skeleton(s); }
struct bpf_program *bpf_object__find_program_by_name(const struct bpf_object *object, const char *name) {
  return late.bpf_object__find_program_by_name(object, name);
}
int bpf_object__load_skeleton(struct bpf_object_skeleton *s) { return late.bpf_object__load_skeleton(s); }
int bpf_object__open_skeleton(struct bpf_object_skeleton *s, const struct bpf_object_open_opts *opts) {
  return late.bpf_object__open_skeleton(s, opts);
}
struct bpf_link *bpf_program__attach(const struct bpf_program *prog) {
  return late.bpf_program__attach(prog);
}
struct bpf_link *bpf_program__attach_iter(const struct bpf_program *prog,
                                          const struct bpf_iter_attach_opts *opts) {
  return late.bpf_program__attach_iter(prog, opts);
}
struct bpf_link *bpf_program__attach_uprobe_opts(const struct bpf_program *prog, pid_t pid, const char *path,
                                                 size_t offset, const struct bpf_uprobe_opts *opts) {
  return late.bpf_program__attach_uprobe_opts(prog, pid, path, offset, opts);
}
int bpf_program__fd(const struct bpf_program *prog) { return late.bpf_program__fd(prog); }
size_t bpf_program__insn_cnt(const struct bpf_program *prog) { return late.bpf_program__insn_cnt(prog); }
const struct bpf_insn *bpf_program__insns(const struct bpf_program *prog) {
  return late.bpf_program__insns(prog);
}
int bpf_program__set_autoload(struct bpf_program *prog, bool autoload) {
  return late.bpf_program__set_autoload(prog, autoload);
}
int bpf_program__set_expected_attach_type(struct bpf_program *prog, enum bpf_attach_type type) {
  return late.bpf_program__set_expected_attach_type(prog, type);
}
__s32 btf__find_by_name_kind(const struct btf *btf, const char *name, __u32 kind) {
  return late.btf__find_by_name_kind(btf, name, kind);
}
void btf__free(struct btf *btf) { late.btf__free(btf); }
struct btf *btf__load_vmlinux_btf(void) {
  return late.btf__load_vmlinux_btf();
}
long libbpf_get_error(const void *pointer) { return late.libbpf_get_error(pointer); }
int libbpf_num_possible_cpus(void) { return late.libbpf_num_possible_cpus(); }
int libbpf_probe_bpf_helper(enum bpf_prog_type type, enum bpf_func_id helper, const void *opts) {
  return late.libbpf_probe_bpf_helper(type, helper, opts);
}
int libbpf_register_prog_handler(const char *section, enum bpf_prog_type type, enum bpf_attach_type attach,
                                 const struct libbpf_prog_handler_opts *opts) {
  return late.libbpf_register_prog_handler(section, type, attach, opts);
}
libbpf_print_fn_t libbpf_set_print(libbpf_print_fn_t print) { return late.libbpf_set_print(print); }
#else
const char *ct_bpf_refusal(void) { return "built without libbpf"; }
#endif
