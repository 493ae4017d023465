/* SPDX-License-Identifier: Apache-2.0
 * pcap_write.c - see pcap_write.h. Formats: draft-ietf-opsawg-pcap (magic 0xa1b23c4d, ns) and
 * draft-ietf-opsawg-pcapng, both in host order.
 */
#define _GNU_SOURCE
#include "pcap_write.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ll
#define MAX_NUMBER 99999u
#define SNAPLEN 262144u
#define PCAP_HEADER 24u
#define PCAP_RECORD 16u
#define NG_SECTION 44u /* header, no section length, shb_userappl "calltap" */
#define NG_INTERFACE 32u
#define NG_PACKET 32u /* an enhanced packet block but for the data */

struct ct_pcap_writer {
  pthread_mutex_t lock;
  const ct_atomic_u32 *gate;
  ct_atomic_u32 wants_reopen;
  uint64_t *n;
  char *path, *name; /* as given, and of the file that is open */
  size_t name_size;
  uint64_t split_bytes;
  int64_t split_ns;
  int64_t opened_ns, flushed_ns, now_ns; /* monotonic, of the caller's ticks */
  int64_t refused_ns;                    /* when a next file could not be opened; 0 never */
  int fd;
  uint32_t number; /* of the open file when splitting */
  uint32_t linktype[CT_PW_LINKTYPES], n_linktypes, first_linktype;
  uint64_t file_bytes;  /* in the open file */
  uint64_t file_frames; /* in it and waiting for it */
  bool is_ng, is_split, is_regular, is_failing;
  bool is_aligned; /* the buffer begins with a record: not after a write cut short that could not be undone */
  uint32_t used, waiting; /* bytes and frames in the buffer */
  uint8_t buffer[CT_PW_BUFFER];
};

static const char *const NAMES[CT_PW_COUNTERS] = {"frames",       "bytes",       "skipped_by_gate", "lost",
                                                  "link_refused", "cut",         "write_errors",    "open_errors",
                                                  "files",        "last_errno"};

const char *ct_pw_counter_name(uint32_t i) { return i < CT_PW_COUNTERS ? NAMES[i] : NULL; }

static int64_t monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

static bool is_gate_open(const struct ct_pcap_writer *w) {
  return w->gate == NULL || atomic_load_explicit(w->gate, memory_order_acquire) != 0;
}

/* ---- records in the buffer ---- */

static void put16(struct ct_pcap_writer *w, uint16_t v) {
  memcpy(w->buffer + w->used, &v, 2);
  w->used += 2;
}
static void put32(struct ct_pcap_writer *w, uint32_t v) {
  memcpy(w->buffer + w->used, &v, 4);
  w->used += 4;
}
static uint32_t padded(uint32_t n) { return (n + 3u) & ~3u; }
static bool has_room(const struct ct_pcap_writer *w, uint32_t n) { return n <= CT_PW_BUFFER - w->used; }

/* | magic | 2 | 4 | 0 | 0 | snaplen | link type | */
static void put_pcap_header(struct ct_pcap_writer *w, uint32_t linktype) {
  put32(w, 0xa1b23c4d);
  put16(w, 2);
  put16(w, 4);
  put32(w, 0);
  put32(w, 0);
  put32(w, SNAPLEN);
  put32(w, linktype);
}

/* | type | length | byte order | 1 | 0 | section length unknown | options | length | */
static void put_section(struct ct_pcap_writer *w) {
  put32(w, 0x0a0d0d0a);
  put32(w, NG_SECTION);
  put32(w, 0x1a2b3c4d);
  put16(w, 1);
  put16(w, 0);
  put32(w, UINT32_MAX);
  put32(w, UINT32_MAX);
  put16(w, 4); /* shb_userappl */
  put16(w, 7);
  memcpy(w->buffer + w->used, "calltap\0", 8);
  w->used += 8;
  put32(w, 0); /* opt_endofopt */
  put32(w, NG_SECTION);
  w->n_linktypes = 0;
}

/* | type | length | link type | 0 | snaplen | if_tsresol 9 | end | length | */
static void put_interface(struct ct_pcap_writer *w, uint32_t linktype) {
  put32(w, 1);
  put32(w, NG_INTERFACE);
  put16(w, (uint16_t)linktype);
  put16(w, 0);
  put32(w, SNAPLEN);
  put16(w, 9);
  put16(w, 1);
  put32(w, 9); /* one byte and its padding: 10^-9 s */
  put32(w, 0);
  put32(w, NG_INTERFACE);
  w->linktype[w->n_linktypes++] = linktype;
}

/* What a file begins with. In pcap nothing, while no link type is known. */
static void begin_file(struct ct_pcap_writer *w) {
  w->n_linktypes = 0;
  w->file_frames = 0;
  if (w->is_ng) put_section(w);
  if (w->first_linktype == CT_PW_LINK_UNKNOWN) return;
  if (w->is_ng) put_interface(w, w->first_linktype);
  else put_pcap_header(w, w->linktype[w->n_linktypes++] = w->first_linktype);
}

/* The interface number of a link type, which is described at first sight; -1 when there is no place. */
static int interface_of(struct ct_pcap_writer *w, uint32_t linktype) {
  for (uint32_t i = 0; i < w->n_linktypes; i++)
    if (w->linktype[i] == linktype) return (int)i;
  if (linktype > UINT16_MAX || w->n_linktypes == (w->is_ng ? CT_PW_LINKTYPES : 1)) return -1;
  if (w->is_ng) put_interface(w, linktype);
  else put_pcap_header(w, w->linktype[w->n_linktypes++] = linktype);
  if (w->first_linktype == CT_PW_LINK_UNKNOWN) w->first_linktype = linktype;
  return (int)w->n_linktypes - 1;
}

/* pcap: | seconds | ns | captured | on the wire | bytes |
 * pcapng: | 6 | length | interface | ts high | ts low | captured | on the wire | bytes, padded | length | */
static void put_frame(struct ct_pcap_writer *w, uint32_t interface, const uint8_t *frame, int64_t ts_ns,
                      uint32_t caplen, uint32_t wirelen) {
  uint64_t ts = ts_ns < 0 ? 0 : (uint64_t)ts_ns;
  uint32_t length = NG_PACKET + padded(caplen);
  if (w->is_ng) {
    put32(w, 6);
    put32(w, length);
    put32(w, interface);
    put32(w, (uint32_t)(ts >> 32));
    put32(w, (uint32_t)ts);
  } else {
    uint64_t seconds = ts / (uint64_t)SECOND_NS;
    put32(w, seconds > UINT32_MAX ? UINT32_MAX : (uint32_t)seconds);
    put32(w, (uint32_t)(ts % (uint64_t)SECOND_NS));
  }
  put32(w, caplen);
  put32(w, wirelen);
  if (caplen > 0) memcpy(w->buffer + w->used, frame, caplen);
  w->used += caplen;
  if (!w->is_ng) return;
  memset(w->buffer + w->used, 0, padded(caplen) - caplen);
  w->used += padded(caplen) - caplen;
  put32(w, length);
}

/* Bytes of the whole records and blocks within the first `n` of the buffer, which begins with one; the
 * frames among them. The file header, when the buffer begins with it, is told by an empty file. */
static uint32_t whole_records(const struct ct_pcap_writer *w, uint32_t n, uint32_t *frames) {
  uint32_t at = !w->is_ng && w->file_bytes == 0 ? PCAP_HEADER : 0;
  *frames = 0;
  if (at > n) return 0;
  for (;;) {
    uint32_t length, type = 6;
    /* As much as holds the length; what was put here is never shorter than that. */
    if (n - at < (w->is_ng ? 12 : PCAP_RECORD)) return at;
    memcpy(&length, w->buffer + at + (w->is_ng ? 4 : 8), 4);
    if (w->is_ng) memcpy(&type, w->buffer + at, 4);
    else length += PCAP_RECORD;
    if (length > n - at) return at;
    at += length;
    if (type == 6) ++*frames;
  }
}

/* ---- files ---- */

/* Counts a failure; always false. */
static bool fail(struct ct_pcap_writer *w, enum ct_pw_counter counter, int err) {
  w->n[counter]++;
  w->n[CT_PW_LAST_ERRNO] = (uint64_t)err;
  return false;
}

/* What is in the file now, `done` bytes of the buffer; the rest moves to its front. */
static void account(struct ct_pcap_writer *w, uint32_t done) {
  uint32_t frames = w->waiting;
  if (done < w->used && w->is_aligned) {
    uint32_t whole = whole_records(w, done, &frames);
    if (whole < done && w->is_regular && ftruncate(w->fd, (off_t)(w->file_bytes + whole)) == 0) done = whole;
    w->is_aligned = whole == done;
  } else if (done < w->used) {
    frames = 0; /* in the middle of a record: which frames are whole shows when all of it is written */
  } else {
    w->is_aligned = true;
  }
  w->waiting -= frames;
  w->n[CT_PW_FRAMES] += frames;
  w->n[CT_PW_BYTES] += done;
  w->file_bytes += done;
  memmove(w->buffer, w->buffer + done, w->used - done);
  w->used -= done;
}

/* Writes the buffer out. On failure the file ends at a whole record and the buffer begins with the next. */
static bool flush(struct ct_pcap_writer *w) {
  uint32_t done = 0;
  int err = 0;
  w->flushed_ns = w->now_ns;
  while (done < w->used && err == 0) {
    ssize_t got = write(w->fd, w->buffer + done, w->used - done);
    if (got > 0) done += (uint32_t)got;
    else if (got == 0) err = EIO;
    else if (errno != EINTR) err = errno;
  }
  account(w, done);
  if (err == 0 && w->is_failing) w->n[CT_PW_LAST_ERRNO] = 0;
  w->is_failing = err != 0;
  return err == 0 || fail(w, CT_PW_WRITE_ERRORS, err);
}

/* Content of calls is nobody else's: the file is readable by its owner alone. */
static int open_path(const char *path, int flags) {
  return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | flags, 0600);
}

/* Opens the file to write next; leaves the open one as it is when that fails. */
static bool open_next(struct ct_pcap_writer *w, bool is_first) {
  int fd = -1;
  uint32_t number = w->number;
  if (w->is_split) {
    do {
      number++;
      snprintf(w->name, w->name_size, "%s.%05u", w->path, number);
      fd = open_path(w->name, O_EXCL);
    } while (fd < 0 && errno == EEXIST && number < MAX_NUMBER);
  } else {
    fd = open_path(w->name, is_first ? O_TRUNC : 0);
  }
  struct stat st;
  if (fd >= 0 && fstat(fd, &st) != 0) {
    int err = errno;
    close(fd);
    fd = -1;
    errno = err;
  }
  if (fd < 0) {
    int err = errno;
    if (w->is_split) snprintf(w->name, w->name_size, "%s.%05u", w->path, w->number);
    return fail(w, CT_PW_OPEN_ERRORS, err);
  }
  struct stat old;
  bool is_same = w->fd >= 0 && fstat(w->fd, &old) == 0 && old.st_dev == st.st_dev && old.st_ino == st.st_ino;
  if (is_same) { /* nobody moved it: it goes on, a second header would break it */
    close(fd);
    return true;
  }
  w->is_regular = S_ISREG(st.st_mode);
  /* Whatever is under the name is replaced, as at the start. */
  if (w->is_regular && st.st_size > 0 && ftruncate(fd, 0) != 0) {
    int err = errno;
    close(fd);
    return fail(w, CT_PW_OPEN_ERRORS, err);
  }
  if (w->fd >= 0) close(w->fd);
  w->fd = fd;
  w->number = number;
  w->file_bytes = 0;
  w->opened_ns = w->now_ns;
  w->n[CT_PW_FILES]++;
  w->used = 0;
  begin_file(w);
  return true;
}

/* The next file, once all of this one is written; where it cannot be opened, again after a second. */
static bool turn(struct ct_pcap_writer *w) {
  if (w->refused_ns != 0 && w->now_ns - w->refused_ns < SECOND_NS) return false;
  if (!flush(w)) return false;
  bool is_open = open_next(w, false);
  w->refused_ns = is_open ? 0 : w->now_ns;
  return is_open;
}

/* ---- for the callers ---- */

static bool has_suffix(const char *s, const char *suffix) {
  size_t n = strlen(s), m = strlen(suffix);
  return n >= m && strcmp(s + n - m, suffix) == 0;
}

static void ignore_file_size_signal(void) {
  struct sigaction now;
  if (sigaction(SIGXFSZ, NULL, &now) != 0 || now.sa_handler != SIG_DFL) return;
  now.sa_handler = SIG_IGN; /* a limit on file size is then an error of write(2), which is counted */
  sigaction(SIGXFSZ, &now, NULL);
}

struct ct_pcap_writer *ct_pcap_write_open(const struct ct_pw_opts *o, int *err) {
  struct ct_pcap_writer *w = calloc(1, sizeof(*w));
  *err = ENOMEM;
  if (w == NULL) return NULL;
  w->name_size = strlen(o->path) + 16;
  w->path = strdup(o->path);
  w->name = malloc(w->name_size);
  w->n = o->counters;
  w->gate = o->gate;
  w->fd = -1;
  w->split_bytes = o->split_bytes;
  w->split_ns = o->split_seconds > 100ull * 366 * 86400 ? 0 : (int64_t)o->split_seconds * SECOND_NS;
  w->is_split = w->split_bytes > 0 || w->split_ns > 0;
  w->is_aligned = true;
  w->is_ng = has_suffix(o->path, ".pcapng");
  w->first_linktype = o->linktype;
  w->now_ns = w->flushed_ns = monotonic_ns();
  if (w->path != NULL && w->name != NULL) {
    snprintf(w->name, w->name_size, "%s", o->path);
    ignore_file_size_signal();
    pthread_mutex_init(&w->lock, NULL);
    if (open_next(w, true)) return w;
    *err = (int)w->n[CT_PW_LAST_ERRNO];
    pthread_mutex_destroy(&w->lock);
  }
  free(w->path);
  free(w->name);
  free(w);
  return NULL;
}

static bool write_locked(struct ct_pcap_writer *w, const uint8_t *frame, int64_t ts_ns, uint32_t caplen,
                         uint32_t wirelen, uint32_t linktype) {
  if (!is_gate_open(w)) {
    w->n[CT_PW_GATED]++;
    return false;
  }
  uint32_t take = caplen > CT_PW_MAX_FRAME ? CT_PW_MAX_FRAME : caplen;
  uint32_t need = (w->is_ng ? NG_PACKET + padded(take) : PCAP_RECORD + take);
  uint32_t about = NG_INTERFACE + need; /* with an interface block or the file header before it */
  if (w->split_bytes > 0 && w->file_frames > 0 && w->file_bytes + w->used + need > w->split_bytes && !w->is_failing)
    turn(w);
  if (!has_room(w, about) && !w->is_failing) flush(w);
  if (!has_room(w, about)) {
    w->n[CT_PW_LOST]++;
    return false;
  }
  int interface = interface_of(w, linktype);
  if (interface < 0) {
    w->n[CT_PW_LINK_REFUSED]++;
    return false;
  }
  if (take < caplen) w->n[CT_PW_CUT]++;
  put_frame(w, (uint32_t)interface, frame, ts_ns, take, wirelen < caplen ? caplen : wirelen);
  w->waiting++;
  w->file_frames++;
  return true;
}

bool ct_pcap_write(struct ct_pcap_writer *w, const uint8_t *frame, int64_t ts_ns, uint32_t caplen,
                   uint32_t wirelen, uint32_t linktype) {
  pthread_mutex_lock(&w->lock);
  bool taken = write_locked(w, frame, ts_ns, caplen, wirelen, linktype);
  pthread_mutex_unlock(&w->lock);
  return taken;
}

void ct_pcap_write_tick(struct ct_pcap_writer *w, int64_t now_ns) {
  pthread_mutex_lock(&w->lock);
  if (now_ns > w->now_ns) w->now_ns = now_ns;
  /* With the gate closed all that was taken is written already, but for what the disk refused. */
  if (is_gate_open(w)) {
    bool is_old = w->split_ns > 0 && w->file_frames > 0 && w->now_ns - w->opened_ns >= w->split_ns;
    bool is_due = w->now_ns - w->flushed_ns >= SECOND_NS;
    bool wants_reopen = atomic_load_explicit(&w->wants_reopen, memory_order_relaxed) != 0;
    if (wants_reopen && (!w->is_failing || is_due)) {
      if (turn(w)) atomic_store_explicit(&w->wants_reopen, 0, memory_order_relaxed);
    } else if (is_old && (!w->is_failing || is_due)) {
      turn(w);
    } else if (is_due) {
      flush(w);
    }
  }
  pthread_mutex_unlock(&w->lock);
}

void ct_pcap_write_settle(struct ct_pcap_writer *w) {
  pthread_mutex_lock(&w->lock);
  flush(w);
  pthread_mutex_unlock(&w->lock);
}

void ct_pcap_write_reopen(struct ct_pcap_writer *w) { atomic_store(&w->wants_reopen, 1); }

void ct_pcap_write_name(struct ct_pcap_writer *w, char *out, uint32_t size) {
  pthread_mutex_lock(&w->lock);
  snprintf(out, size, "%s", w->name);
  pthread_mutex_unlock(&w->lock);
}

/* A pcap file without a header is none: the link type of Ethernet where no frame told another. */
static void begin_empty(struct ct_pcap_writer *w) {
  if (!w->is_ng && w->n_linktypes == 0) put_pcap_header(w, w->linktype[w->n_linktypes++] = 1);
}

void ct_pcap_write_close(struct ct_pcap_writer *w) {
  if (w == NULL) return;
  pthread_mutex_lock(&w->lock);
  begin_empty(w);
  /* What the disk refused before the gate was closed must not reach it after. */
  if (is_gate_open(w) || w->waiting == 0) flush(w);
  w->n[CT_PW_LOST] += w->waiting;
  close(w->fd);
  pthread_mutex_unlock(&w->lock);
  pthread_mutex_destroy(&w->lock);
  free(w->path);
  free(w->name);
  free(w);
}
