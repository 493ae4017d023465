/* SPDX-License-Identifier: Apache-2.0
 * tls_link.c - see tls_link.h.
 */
#define _GNU_SOURCE
#include "tls_link.h"
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

#define UPROBE_MULTI_RETURN 1u

/* Links of one file: descriptors for session and multi, objects for perf. */
struct attachment {
  uint32_t id, count;
  int fd[2];
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
  for (int i = 0; i < 2; i++) {
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

static uint64_t cookie_of(const struct ct_tls_site *s) { return s->op | (uint64_t)s->library << 8; }
static bool has_entry(const struct ct_tls_site *s) { return s->op != CT_TLS_OP_NEW; }
static bool has_return(const struct ct_tls_site *s) {
  return s->op != CT_TLS_OP_FREE && s->op != CT_TLS_OP_RESET;
}

/* bpf(BPF_LINK_CREATE) for uprobe_multi. A descriptor (close-on-exec by the kernel) or -errno. */
static int link_multi(int program, uint32_t attach_type, uint32_t flags, const char *path, uint32_t pid,
                      const uint64_t *offsets, const uint64_t *cookies, uint32_t n) {
  struct {
    uint32_t prog_fd, target_fd, attach_type, flags;
    uint64_t path, offsets, ref_ctr_offsets, cookies;
    uint32_t count, multi_flags, pid, padding;
  } attr = {.prog_fd = (uint32_t)program,
            .attach_type = attach_type,
            .path = (uint64_t)(uintptr_t)path,
            .offsets = (uint64_t)(uintptr_t)offsets,
            .cookies = (uint64_t)(uintptr_t)cookies,
            .count = n,
            .multi_flags = flags,
            .pid = pid};
  int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof attr);
  return fd < 0 ? -errno : fd;
}

struct chosen {
  uint64_t offsets[CT_TLS_SITES], cookies[CT_TLS_SITES];
  uint32_t n;
};
static struct chosen choose(const struct ct_tls_site *sites, uint32_t n,
                            bool (*wanted)(const struct ct_tls_site *)) {
  struct chosen c;
  c.n = 0;
  for (uint32_t i = 0; i < n && i < CT_TLS_SITES; i++) {
    if (wanted != NULL && !wanted(&sites[i])) continue;
    c.offsets[c.n] = sites[i].offset;
    c.cookies[c.n++] = cookie_of(&sites[i]);
  }
  return c;
}

static int attach_multi(struct attachment *a, enum ct_tls_mode mode, const struct ct_tls_programs *programs,
                        const char *path, uint32_t pid, const struct ct_tls_site *sites, uint32_t n) {
  bool session = mode == CT_TLS_SESSION;
  uint32_t type = session ? CT_ATTACH_SESSION : CT_ATTACH_MULTI;
  /* Returns first: a call that enters before its return is watched would be forgotten half way. */
  struct chosen c = choose(sites, n, session ? NULL : has_return);
  if (c.n > 0) {
    int program = bpf_program__fd(programs->leave);
    a->fd[0] =
        link_multi(program, type, session ? 0 : UPROBE_MULTI_RETURN, path, pid, c.offsets, c.cookies, c.n);
    if (a->fd[0] < 0) return a->fd[0];
  }
  if (session) return 0;
  c = choose(sites, n, has_entry);
  if (c.n == 0) return 0;
  a->fd[1] = link_multi(bpf_program__fd(programs->enter), type, 0, path, pid, c.offsets, c.cookies, c.n);
  return a->fd[1] < 0 ? a->fd[1] : 0;
}

static int attach_perf(struct attachment *a, const struct ct_tls_programs *programs, const char *path,
                       uint32_t pid, const struct ct_tls_site *sites, uint32_t n) {
  a->perf = calloc(2 * (size_t)n, sizeof(struct bpf_link *));
  if (a->perf == NULL) return -ENOMEM;
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < n; i++) {
      if (!(pass == 0 ? has_return(&sites[i]) : has_entry(&sites[i]))) continue;
      struct bpf_uprobe_opts opts = {
          .sz = sizeof opts, .retprobe = pass == 0, .bpf_cookie = cookie_of(&sites[i])};
      struct bpf_link *link =
          bpf_program__attach_uprobe_opts(pass == 0 ? programs->leave : programs->enter,
                                          pid == 0 ? -1 : (pid_t)pid, path, (size_t)sites[i].offset, &opts);
      if (link == NULL) return -errno;
      a->perf[a->count++] = link;
    }
  }
  return 0;
}

static int attach(struct attachment *a, enum ct_tls_mode mode, const struct ct_tls_programs *programs,
                  const char *path, uint32_t pid, const struct ct_tls_site *sites, uint32_t n) {
  *a = (struct attachment){.fd = {-1, -1}};
  int err = mode == CT_TLS_PERF ? attach_perf(a, programs, path, pid, sites, n)
                                : attach_multi(a, mode, programs, path, pid, sites, n);
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
  struct ct_tls_site site = {
      .offset = start_offset(path), .op = CT_TLS_OP_HANDSHAKE, .library = CT_TLS_OPENSSL};
  if (site.offset == 0) return -ENOENT;
  int err = attach(&a, mode, programs, path, (uint32_t)getpid(), &site, 1);
  if (err == 0) drop(&a);
  return err;
}
#else
/* A translation unit must not be empty. */
typedef int ct_tls_link_unused;
#endif
