/* SPDX-License-Identifier: Apache-2.0
 * pcap_read.c - opens a capture, tells its format, and reads classic pcap
 * (libpcap "Development/LibpcapFileFormat", draft-ietf-opsawg-pcap).
 *
 *   file header                              record header
 *   0  magic (says order, unit, variant)     0  seconds
 *   4  major u16   6  minor u16              4  micro- or nanoseconds
 *   8  thiszone   12  sigfigs                8  captured length
 *  16  snaplen                              12  original length
 *  20  FCS and reserved bits | link type    16  (modified only) ifindex, protocol, type, pad
 */
#define _GNU_SOURCE
#include "file/pcap_read.h"
#include "file/pcap_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_HEADER 24u
#define MAGIC_US 0xa1b2c3d4u
#define MAGIC_NS 0xa1b23c4du
#define MAGIC_MODIFIED 0xa1b2cd34u /* Kuznetsov's patched libpcap of Red Hat 6: 24-byte record headers */
#define MAGIC_NG 0x0a0d0d0au       /* the same bytes in either order */

#define LINK_SLL2 276u /* LINKTYPE_LINUX_SLL2 */

#define AHEAD 6u /* records fetched before their turn */

#define LINK_MASK 0x0000ffffu
#define LINK_RESERVED 0x03ff0000u /* must be zero; above them the FCS length and its P bit */

static bool set_magic(struct ct_pcap *f, uint32_t magic) {
  f->header_len = magic == MAGIC_MODIFIED ? 24 : 16;
  f->nanosecond = magic == MAGIC_NS;
  return magic == MAGIC_US || magic == MAGIC_NS || magic == MAGIC_MODIFIED;
}

/* Version 2.4 has been written since 1998. Before 2.3 the two lengths stood in the other order, in
 * 2.3 some writers did one and some the other, and DG/UX wrote 543.0 with the old order. */
static bool set_version(struct ct_pcap *f, uint16_t major, uint16_t minor) {
  if (major == 543 && minor == 0) {
    f->lengths_swapped = true;
    return true;
  }
  f->lengths_swapped = minor < 3;
  f->lengths_sorted = minor == 3;
  return major == 2;
}

static bool open_classic(struct ct_pcap *f) {
  if (!ct_input_need(&f->in, FILE_HEADER)) {
    /* Cut inside the file header: a capture, with no record left in it. */
    f->done = (uint8_t)(f->in.err != 0 ? CT_PCAP_IO : CT_PCAP_TRUNCATED);
    return true;
  }
  const uint8_t *p = f->in.pos;
  if (!set_version(f, ct_pcap_u16(f, p + 4), ct_pcap_u16(f, p + 6))) return false;
  uint32_t link = ct_pcap_u32(f, p + 20);
  if ((link & LINK_RESERVED) != 0) return false;
  f->linktype = link & LINK_MASK;
  f->in.pos += FILE_HEADER;
  return true;
}

/* Reads the magic and the headers behind it; the reader is ready when it returns true. */
static bool open_format(struct ct_pcap *f, enum ct_pcap_status *status) {
  *status = CT_PCAP_NOT_CAPTURE;
  if (!ct_input_need(&f->in, 4)) {
    if (f->in.err != 0)
      *status = CT_PCAP_IO;
    else if (ct_input_left(&f->in) == 0 && !f->in.cut)
      *status = CT_PCAP_EMPTY;
    return false;
  }
  uint32_t magic;
  memcpy(&magic, f->in.pos, sizeof(magic));
  if (magic == MAGIC_NG) {
    f->format = CT_FMT_NG;
    return ct_pcapng_open(f, status);
  }
  f->format = CT_FMT_CLASSIC;
  f->swap = !set_magic(f, magic);
  if (f->swap && !set_magic(f, __builtin_bswap32(magic))) return false;
  return open_classic(f);
}

static bool read_headers(struct ct_pcap *f, enum ct_pcap_status *status) {
  if (!ct_input_detect_gzip(&f->in)) {
    *status = CT_PCAP_IO;
    f->in.err = ENOMEM;
    return false;
  }
  if (!open_format(f, status)) return false;
  *status = CT_PCAP_RECORD;
  return true;
}

static struct ct_pcap *finish_open(struct ct_pcap *f, enum ct_pcap_status *status, int *err) {
  if (read_headers(f, status)) return f;
  if (err != NULL) *err = *status == CT_PCAP_IO ? f->in.err : 0;
  ct_pcap_close(f);
  return NULL;
}

/* Descriptor of the path, "-" being stdin; -1 with errno. Without O_NONBLOCK a FIFO waits for its writer. */
static int open_path(const char *path, int flags, struct stat *st) {
  int fd = STDIN_FILENO;
  if (strcmp(path, "-") != 0) {
    do fd = open(path, O_RDONLY | O_CLOEXEC | flags);
    while (fd < 0 && errno == EINTR);
  }
  if (fd < 0) return -1;
  int failed = fstat(fd, st) != 0 ? errno : S_ISDIR(st->st_mode) ? EISDIR : 0;
  if (failed == 0) return fd;
  if (fd != STDIN_FILENO) close(fd);
  errno = failed;
  return -1;
}

static struct ct_pcap *take_descriptor(int fd, bool own, const struct stat *st, int *err) {
  struct ct_pcap *f = calloc(1, sizeof(*f));
  if (f == NULL || !ct_input_init(&f->in, fd, own, NULL, 0)) {
    *err = ENOMEM;
    if (f == NULL && own) close(fd);
    ct_pcap_close(f);
    return NULL;
  }
  if (S_ISREG(st->st_mode)) f->in.size = (uint64_t)st->st_size;
  return f;
}

static struct ct_pcap *open_unread(const char *path, int flags, int *err) {
  struct stat st;
  int fd = open_path(path, flags, &st);
  if (fd >= 0) return take_descriptor(fd, fd != STDIN_FILENO, &st, err);
  *err = errno;
  return NULL;
}

struct ct_pcap *ct_pcap_open_descriptor(int fd, int *err) {
  struct stat st;
  if (fstat(fd, &st) == 0 && lseek(fd, 0, SEEK_SET) == 0) return take_descriptor(fd, false, &st, err);
  *err = errno;
  return NULL;
}

struct ct_pcap *ct_pcap_open_unread(const char *path, int *err) {
  return open_unread(path, O_NONBLOCK, err);
}

bool ct_pcap_start(struct ct_pcap *f, bool (*wait)(int fd, void *arg), void *arg,
                   enum ct_pcap_status *status) {
  /* A file of a known size never lets its reader wait. */
  f->in.wait = f->in.size > 0 ? NULL : wait;
  f->in.wait_arg = arg;
  return read_headers(f, status);
}

struct ct_pcap *ct_pcap_open(const char *path, enum ct_pcap_status *status, int *err) {
  *status = CT_PCAP_IO;
  struct ct_pcap *f = open_unread(path, 0, err);
  return f == NULL ? NULL : finish_open(f, status, err);
}

struct ct_pcap *ct_pcap_open_memory(const uint8_t *data, uint64_t len, enum ct_pcap_status *status) {
  struct ct_pcap *f = calloc(1, sizeof(*f));
  *status = CT_PCAP_IO;
  if (f == NULL) return NULL;
  static const uint8_t nothing[1];
  ct_input_init(&f->in, -1, false, len > 0 ? data : nothing, len);
  return finish_open(f, status, NULL);
}

void ct_pcap_close(struct ct_pcap *f) {
  if (f == NULL) return;
  ct_input_close(&f->in);
  free(f->ifs);
  free(f);
}

/* Captured and original length in today's order. */
static inline void read_lengths(const struct ct_pcap *f, const uint8_t *p, uint32_t *cap, uint32_t *wire) {
  *cap = ct_pcap_u32(f, p + 8);
  *wire = ct_pcap_u32(f, p + 12);
  if (f->lengths_swapped || (f->lengths_sorted && *cap > *wire)) {
    uint32_t t = *cap;
    *cap = *wire;
    *wire = t;
  }
}

/* A sub-second part of a second or more is impossible: the packet keeps its second, at its end. */
static inline void set_time(const struct ct_pcap *f, struct ct_frame *r, uint32_t sec, uint32_t frac) {
  const uint32_t limit = f->nanosecond ? 1000000000u : 1000000u;
  r->ts_invalid = frac >= limit;
  if (frac >= limit) frac = limit - 1;
  r->ts_ns = (int64_t)sec * 1000000000 + (int64_t)frac * (f->nanosecond ? 1 : 1000);
}

/* The record at `p`, of which header and captured bytes are there. */
static inline void set_record(const struct ct_pcap *f, struct ct_frame *r, const uint8_t *p, uint32_t cap,
                              uint32_t wire) {
  set_time(f, r, ct_pcap_u32(f, p), ct_pcap_u32(f, p + 4));
  r->data = p + f->header_len;
  r->caplen = cap;
  r->wirelen = wire > cap ? wire : cap;
  r->linktype = f->linktype;
  r->if_index = 0;
}

static enum ct_pcap_status next_classic(struct ct_pcap *f, struct ct_frame *r) {
  const size_t header = f->header_len;
  uint32_t cap, wire;
  if (!ct_input_need(&f->in, header)) return ct_pcap_ran_out(f);
  read_lengths(f, f->in.pos, &cap, &wire);
  /* A length above the cap is damage: the bytes behind it are not a record header. */
  if (cap > CT_PCAP_MAX_RECORD - header) return CT_PCAP_CORRUPT;
  if (!ct_input_need(&f->in, header + cap)) return ct_pcap_ran_out(f);
  const uint8_t *p = f->in.pos;
  set_record(f, r, p, cap, wire);
  f->in.pos = p + header + cap;
  return CT_PCAP_RECORD;
}

enum ct_pcap_status ct_pcap_next(struct ct_pcap *f, struct ct_frame *r) {
  if (f->done != CT_PCAP_RECORD) return (enum ct_pcap_status)f->done;
  r->vlan = 0;
  enum ct_pcap_status st = f->format == CT_FMT_CLASSIC ? next_classic(f, r) : ct_pcapng_next(f, r);
  if (st == CT_PCAP_RECORD)
    r->ordinal = f->ordinal++;
  else
    f->done = (uint8_t)st;
  return st;
}

/* Stops at a length above the cap as it does at a record that is not whole: next_classic() says which it is. A copy of
 * the compiler's for each value of the flags, so that none is asked for with each record. */
static inline __attribute__((always_inline)) uint32_t
take_some(struct ct_pcap *f, struct ct_frame *restrict r, uint32_t max, struct ct_pcap as) {
  const size_t header = as.header_len;
  const uint8_t *p = f->in.pos, *end = f->in.end;
  uint32_t n = 0, cap, wire;
  for (; n < max && (size_t)(end - p) >= header; n++) {
    read_lengths(&as, p, &cap, &wire);
    if (cap > (size_t)(end - p) - header || cap > CT_PCAP_MAX_RECORD - header) break;
    /* Where a record begins is known when the one before it is here: the wait for each is spared if they are of a size. */
    uintptr_t ahead = (uintptr_t)p + AHEAD * (header + cap); /* may lie outside: it is only a hint */
    __builtin_prefetch((const void *)ahead);
    __builtin_prefetch((const void *)(ahead + 64));
    set_record(&as, &r[n], p, cap, wire);
    r[n].ordinal = as.ordinal + n;
    r[n].vlan = 0;
    p += header + cap;
  }
  f->in.pos = p;
  f->ordinal += n;
  return n;
}

static uint32_t take_classic(struct ct_pcap *f, struct ct_frame *r, uint32_t max) {
  struct ct_pcap as = {.header_len = 16, .linktype = f->linktype, .ordinal = f->ordinal};
  if (f->swap || f->lengths_swapped || f->lengths_sorted || f->header_len != as.header_len)
    return take_some(f, r, max, *f);
  if (!f->nanosecond) return take_some(f, r, max, as);
  as.nanosecond = true;
  return take_some(f, r, max, as);
}

uint32_t ct_pcap_take(struct ct_pcap *f, struct ct_frame *r, uint32_t max) {
  if (f->done != CT_PCAP_RECORD) return 0;
  if (f->format == CT_FMT_CLASSIC) return take_classic(f, r, max);
  uint32_t n = 0;
  while (n < max && !ct_pcapng_will_refill(f) && ct_pcap_next(f, &r[n]) == CT_PCAP_RECORD) n++;
  return n;
}

uint64_t ct_pcap_position(const struct ct_pcap *f) { return ct_input_position(&f->in); }
uint64_t ct_pcap_size(const struct ct_pcap *f) { return f->in.size; }
bool ct_pcap_place(const struct ct_pcap *f, uint64_t *delta) {
  *delta = f->in.raw_read - (uint64_t)(uintptr_t)f->in.end;
  return f->in.fd >= 0 && f->in.size > 0 && !f->in.gzip;
}

bool ct_pcap_has_interfaces(const struct ct_pcap *f) {
  if (f->format == CT_FMT_CLASSIC) return f->linktype == LINK_SLL2;
  return f->n_ifs > 1 || f->section > 0 || (f->n_ifs == 1 && f->ifs[0].linktype == LINK_SLL2);
}

int ct_pcap_errno(const struct ct_pcap *f) { return f->in.err; }
