/* SPDX-License-Identifier: Apache-2.0
 * tls_link.c - see tls_link.h.
 */
#define _GNU_SOURCE
#include "tls/tls_link.h"
#ifdef CT_HAVE_TLS_PROBES
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Links of one file: descriptors for multi, objects for perf. */
#define LINKS 4
struct attachment {
  uint32_t id, count;
  int fd[LINKS];
  struct bpf_link **perf;
};
struct ct_tls_links {
  struct attachment *list;
  uint32_t n, room, next_id;
};

struct ct_tls_links *ct_tls_links_new(void) {
  struct ct_tls_links *links = calloc(1, sizeof *links);
  if (links != NULL) links->next_id = 1;
  return links;
}

static void drop(struct attachment *a) {
  for (int i = 0; i < LINKS; i++) {
    if (a->fd[i] >= 0) close(a->fd[i]);
  }
  for (uint32_t i = 0; i < a->count; i++) bpf_link__destroy(a->perf[i]);
  free(a->perf);
}

void ct_tls_links_free(struct ct_tls_links *links) {
  if (links == NULL) return;
  for (uint32_t i = 0; i < links->n; i++) drop(&links->list[i]);
  free(links->list);
  free(links);
}

static uint64_t cookie_of(const struct ct_tls_site *s) {
  const uint64_t more = s->library == CT_TLS_GO ? (uint64_t)s->distance : s->proof;
  return s->op | (uint64_t)s->library << 8 | more << 16;
}

/* The rows of a file for one pair of programs, as one mechanism takes them. */
struct chosen {
  struct bpf_program *enter, *leave;
  struct ct_tls_site entries[CT_TLS_SITES];
  uint64_t exits[CT_TLS_SITES];
  uint32_t n_entries, n_exits;
};

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Functions share code, and so exits: each is probed once. */
static void drop_repeated(uint64_t *v, uint32_t *n) {
  uint32_t kept = 0;
  qsort(v, *n, sizeof *v, by_value);
  for (uint32_t i = 0; i < *n; i++) {
    if (kept == 0 || v[kept - 1] != v[i]) v[kept++] = v[i];
  }
  *n = kept;
}

/* A call whose return is not seen says as much of its connection as a handshake; a new object is not seen at all. */
static bool take_alone(struct ct_tls_site *s) {
  if (s->op == CT_TLS_OP_FREE || s->op == CT_TLS_OP_RESET) return true;
  if (s->op == CT_TLS_OP_NEW || s->op == CT_TLS_OP_NEW_OUT) return false;
  s->op = CT_TLS_OP_HANDSHAKE;
  return true;
}

static void choose(struct chosen *c, bool is_go, const struct ct_tls_programs *programs,
                   const struct ct_tls_site *sites, uint32_t n) {
  c->enter = is_go ? programs->go_enter : programs->enter;
  c->leave = is_go ? programs->go_leave : programs->leave;
  c->n_entries = c->n_exits = 0;
  for (uint32_t i = 0; i < n && i < CT_TLS_SITES; i++) {
    struct ct_tls_site s = sites[i];
    if ((s.library == CT_TLS_GO) != is_go) continue;
    if (s.role == CT_TLS_EXIT)
      c->exits[c->n_exits++] = s.offset;
    else if (s.role == CT_TLS_ENTRY || take_alone(&s))
      c->entries[c->n_entries++] = s;
  }
  drop_repeated(c->exits, &c->n_exits);
}

/* bpf(BPF_LINK_CREATE) for uprobe_multi. A descriptor (close-on-exec by the kernel) or -errno. */
static int link_multi(int program, const char *path, uint32_t pid, const uint64_t *offsets,
                      const uint64_t *cookies, uint32_t n) {
  struct {
    uint32_t prog_fd, target_fd, attach_type, flags;
    uint64_t path, offsets, ref_ctr_offsets, cookies;
    uint32_t count, multi_flags, pid, padding;
  } attr = {.prog_fd = (uint32_t)program,
            .attach_type = CT_ATTACH_MULTI,
            .path = (uint64_t)(uintptr_t)path,
            .offsets = (uint64_t)(uintptr_t)offsets,
            .cookies = (uint64_t)(uintptr_t)cookies,
            .count = n,
            .pid = pid};
  int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof attr);
  return fd < 0 ? -errno : fd;
}

/* Exits first: a call that enters before its return is watched would be forgotten half way. */
static int attach_multi(int fd[2], const char *path, uint32_t pid, const struct chosen *c) {
  uint64_t offsets[CT_TLS_SITES], cookies[CT_TLS_SITES];
  if (c->n_exits > 0) {
    fd[0] = link_multi(bpf_program__fd(c->leave), path, pid, c->exits, NULL, c->n_exits);
    if (fd[0] < 0) return fd[0];
  }
  for (uint32_t i = 0; i < c->n_entries; i++) {
    offsets[i] = c->entries[i].offset;
    cookies[i] = cookie_of(&c->entries[i]);
  }
  if (c->n_entries == 0) return 0;
  fd[1] = link_multi(bpf_program__fd(c->enter), path, pid, offsets, cookies, c->n_entries);
  return fd[1] < 0 ? fd[1] : 0;
}

static int add_perf(struct attachment *a, struct bpf_program *program, uint64_t cookie, const char *path,
                    uint32_t pid, uint64_t offset) {
  struct bpf_uprobe_opts opts = {.sz = sizeof opts, .bpf_cookie = cookie};
  if (program == NULL) return -EINVAL;
  struct bpf_link *link =
      bpf_program__attach_uprobe_opts(program, pid == 0 ? -1 : (pid_t)pid, path, (size_t)offset, &opts);
  if (link == NULL) return -errno;
  a->perf[a->count++] = link;
  return 0;
}

static int attach_perf(struct attachment *a, const struct ct_tls_programs *programs, const char *path,
                       uint32_t pid, const struct chosen *c) {
  size_t n = a->count + c->n_entries + c->n_exits;
  struct bpf_link **perf = n == 0 ? NULL : realloc(a->perf, n * sizeof(struct bpf_link *));
  if (n == 0) return 0;
  if (perf == NULL) return -ENOMEM;
  a->perf = perf;
  int err = 0;
  for (uint32_t i = 0; i < c->n_exits && err == 0; i++)
    err = add_perf(a, c->leave, 0, path, pid, c->exits[i]);
  for (uint32_t i = 0; i < c->n_entries && err == 0; i++) {
    const struct ct_tls_site *s = &c->entries[i];
    if (c->enter != NULL)
      err = add_perf(a, c->enter, cookie_of(s), path, pid, s->offset);
    else
      err = add_perf(a, programs->enter_of[s->library][s->op], 0, path, pid, s->offset);
  }
  return err;
}

static int attach(struct attachment *a, enum ct_tls_mode mode, const struct ct_tls_programs *programs,
                  const char *path, uint32_t pid, const struct ct_tls_site *sites, uint32_t n) {
  *a = (struct attachment){.fd = {-1, -1, -1, -1}};
  struct chosen c;
  int err = 0;
  for (int is_go = 0; is_go < 2 && err == 0; is_go++) {
    choose(&c, is_go, programs, sites, n);
    err = mode == CT_TLS_PERF ? attach_perf(a, programs, path, pid, &c)
                              : attach_multi(a->fd + 2 * is_go, path, pid, &c);
  }
  if (err != 0) drop(a);
  return err;
}

int64_t ct_tls_link_make(struct ct_tls_links *links, enum ct_tls_mode mode,
                         const struct ct_tls_programs *programs, const char *path, uint32_t pid,
                         const struct ct_tls_site *sites, uint32_t n) {
  if (links->n == links->room) {
    uint32_t room = links->room == 0 ? 16 : links->room * 2;
    struct attachment *list = realloc(links->list, room * sizeof *list);
    if (list == NULL) return -ENOMEM;
    links->list = list;
    links->room = room;
  }
  struct attachment *a = &links->list[links->n];
  int err = attach(a, mode, programs, path, pid, sites, n);
  if (err != 0) return err;
  a->id = links->next_id++;
  links->n++;
  return a->id;
}

bool ct_tls_link_drop(struct ct_tls_links *links, uint32_t id) {
  for (uint32_t i = 0; i < links->n; i++) {
    if (links->list[i].id != id) continue;
    drop(&links->list[i]);
    links->list[i] = links->list[--links->n];
    return true;
  }
  return false;
}

/* ---- The trial ---- */

/* File offset of the first instruction of this program: it has run and does not run again. 0 if unknown. */
static uint64_t start_offset(const char *path) {
  Elf64_Ehdr eh;
  uint64_t found = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  if (pread(fd, &eh, sizeof eh, 0) == (ssize_t)sizeof eh && memcmp(eh.e_ident, ELFMAG, SELFMAG) == 0) {
    for (uint32_t i = 0; i < eh.e_phnum && i < 128 && found == 0; i++) {
      Elf64_Phdr ph;
      off_t at = (off_t)(eh.e_phoff + (uint64_t)i * sizeof ph);
      if (pread(fd, &ph, sizeof ph, at) != (ssize_t)sizeof ph) break;
      if (ph.p_type == PT_LOAD && eh.e_entry >= ph.p_vaddr && eh.e_entry - ph.p_vaddr < ph.p_filesz)
        found = eh.e_entry - ph.p_vaddr + ph.p_offset;
    }
  }
  close(fd);
  return found;
}

int ct_tls_link_trial(enum ct_tls_mode mode, const struct ct_tls_programs *programs) {
  static const char path[] = "/proc/self/exe";
  struct attachment a;
  uint64_t offset = start_offset(path);
  struct ct_tls_site sites[2] = {
      {.offset = offset, .op = CT_TLS_OP_HANDSHAKE, .library = CT_TLS_OPENSSL, .role = CT_TLS_ENTRY},
      {.offset = offset, .role = CT_TLS_EXIT}};
  if (offset == 0) return -ENOENT;
  int err = attach(&a, mode, programs, path, (uint32_t)getpid(), sites, 2);
  if (err == 0) drop(&a);
  return err;
}
#endif
