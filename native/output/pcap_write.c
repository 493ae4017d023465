/* SPDX-License-Identifier: Apache-2.0
 * pcap_write.c - see pcap_write.h: files, turns and failures; the bytes of a record are pcap_encode.c.
 */
#define _GNU_SOURCE
#include "output/pcap_write.h"
#include "core/exported_pdu.h"
#include "output/pcap_chunks.h"
#include "output/pcap_encode.h"
#include "output/pcap_keep.h"
#include "output/pcap_open.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ll
_Static_assert(CT_PW_MAX_FRAME + CT_PE_OVERHEAD <= CT_PE_BUFFER, "the longest frame fits an empty buffer");

struct ct_pcap_writer {
  pthread_mutex_t lock, name_lock; /* the second over `shown` alone: it is asked for while a disk is slow */
  const ct_atomic_u32 *gate;
  ct_atomic_u32 wants_reopen;
  uint64_t *n;
  char *path, *name, *shown; /* as given, of the file that is opened, and of the one that is open */
  size_t name_size;
  uint64_t split_bytes;
  int64_t split_ns;
  int64_t opened_ns, flushed_ns, now_ns; /* monotonic, of the caller's ticks */
  int64_t refused_ns;                    /* when a next file could not be opened; 0 never */
  int fd;
  uint32_t number; /* of the open file when splitting */
  uint32_t first_linktype;
  uint64_t file_bytes;  /* in the open file */
  uint64_t file_frames; /* in it and waiting for it */
  bool is_ng, is_split, is_pipe, is_regular, is_failing;
  bool is_aligned; /* the buffer begins with a record: not after a write cut short that could not be undone */
  uint32_t waiting;          /* frames in the buffer */
  struct ct_pcap_keep files; /* of a split, those that --keep counts */
  struct ct_pcap_chunks chunks;
  struct ct_pcap_encoder out;
};

static const char *const NAMES[CT_PW_COUNTERS] = {
    "frames",           "bytes",        "skipped_by_gate", "lost",  "link_refused", "cut",
    "messages_refused", "write_errors", "open_errors",     "files", "removed",      "remove_errors",
    "last_errno"};

const char *ct_pw_counter_name(uint32_t i) { return i < CT_PW_COUNTERS ? NAMES[i] : NULL; }

static int64_t monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

static bool is_gate_open(const struct ct_pcap_writer *w) {
  return w->gate == NULL || atomic_load_explicit(w->gate, memory_order_acquire) != 0;
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
  if (done < w->out.used && w->is_aligned) {
    uint32_t whole = ct_pe_whole(&w->out, done, &frames);
    if (whole < done && w->is_regular && ftruncate(w->fd, (off_t)(w->file_bytes + whole)) == 0) done = whole;
    w->is_aligned = whole == done;
  } else if (done < w->out.used) {
    frames = 0; /* in the middle of a record: which frames are whole shows when all of it is written */
  } else {
    w->is_aligned = true;
  }
  w->waiting -= frames;
  w->n[CT_PW_FRAMES] += frames;
  w->n[CT_PW_BYTES] += done;
  ct_pc_written(&w->chunks, w->number, w->file_bytes, done, done == w->out.used);
  w->file_bytes += done;
  ct_pe_drop(&w->out, done);
}

/* Writes the buffer out. On failure the file ends at a whole record and the buffer begins with the next. */
static bool flush(struct ct_pcap_writer *w) {
  if (w->fd < 0) return false; /* hung up */
  uint32_t done = 0;
  int err = 0;
  w->flushed_ns = w->now_ns;
  while (done < w->out.used && err == 0) {
    ssize_t got = write(w->fd, w->out.buffer + done, w->out.used - done);
    if (got > 0)
      done += (uint32_t)got;
    else if (got == 0)
      err = EIO;
    else if (errno != EINTR)
      err = errno;
  }
  account(w, done);
  /* A pipe that is full is tried again with the next frame. */
  if (err == EAGAIN) return false;
  if (err == 0 && w->is_failing) w->n[CT_PW_LAST_ERRNO] = 0;
  w->is_failing = err != 0;
  return err == 0 || fail(w, CT_PW_WRITE_ERRORS, err);
}

/* What the disk refused of a file that is left: nobody writes it any more. */
static void give_up(struct ct_pcap_writer *w) {
  w->n[CT_PW_LOST] += w->waiting;
  w->waiting = 0;
  w->is_aligned = true;
}

/* A file without a name takes room of its disk that the next one may need, and nobody can read it. */
static void free_removed(const struct ct_pcap_writer *w) {
  struct stat old;
  if (w->fd < 0 || fstat(w->fd, &old) != 0 || !S_ISREG(old.st_mode) || old.st_nlink > 0) return;
  if (ftruncate(w->fd, 0) != 0) return; /* it stays as it is until the next one can be opened */
}

/* Of the next file: of a split by time it may be twice as large as this one. */
static uint64_t expected_bytes(const struct ct_pcap_writer *w) {
  return w->split_bytes > 0 ? w->split_bytes : 2 * w->file_bytes;
}

/* Opens the file to write next; leaves the open one as it is when that fails. */
static bool open_next(struct ct_pcap_writer *w) {
  int fd = -1;
  uint32_t number = w->number;
  if (w->is_split) {
    ct_pk_make_room(&w->files, w->path, expected_bytes(w), &w->n[CT_PW_REMOVED], &w->n[CT_PW_REMOVE_ERRORS]);
    errno = EEXIST;
    while (fd < 0 && errno == EEXIST && number < CT_PK_MAX_NUMBER) {
      ct_pk_name(w->name, w->name_size, w->path, ++number);
      fd = ct_po_open(w->name, true);
    }
  } else {
    fd = ct_po_open(w->name, false);
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
    if (err == ENOSPC || err == EDQUOT) free_removed(w);
    if (w->is_split) ct_pk_name(w->name, w->name_size, w->path, w->number);
    return fail(w, CT_PW_OPEN_ERRORS, err);
  }
  struct stat old;
  bool is_same = w->fd >= 0 && fstat(w->fd, &old) == 0 && old.st_dev == st.st_dev && old.st_ino == st.st_ino;
  if (is_same) { /* nobody moved it: it continues, a second header would break it */
    close(fd);
    return true;
  }
  w->is_regular = S_ISREG(st.st_mode);
  if (w->is_regular && (st.st_mode & 077) != 0) (void)fchmod(fd, 0600);
  /* Whatever is under the name is replaced, as at the start. */
  if (w->is_regular && st.st_size > 0 && ftruncate(fd, 0) != 0) {
    int err = errno;
    close(fd);
    return fail(w, CT_PW_OPEN_ERRORS, err);
  }
  give_up(w);
  ct_pc_forget(&w->chunks);
  if (w->fd >= 0) close(w->fd);
  w->fd = fd;
  w->number = number;
  if (w->is_split) ct_pk_add(&w->files, number, &st);
  w->file_bytes = 0;
  w->opened_ns = w->now_ns;
  w->n[CT_PW_FILES]++;
  w->file_frames = 0;
  pthread_mutex_lock(&w->name_lock);
  memcpy(w->shown, w->name, w->name_size);
  pthread_mutex_unlock(&w->name_lock);
  ct_pe_begin(&w->out, w->is_ng);
  if (w->first_linktype != CT_PW_LINK_UNKNOWN) ct_pe_interface(&w->out, w->first_linktype);
  return true;
}

/* The next file, once all of this one is written; where it cannot be opened, again after a second. Who asks for another
 * file (`gives_up`) has taken this one away: what its disk refuses is lost. */
static bool turn(struct ct_pcap_writer *w, bool gives_up) {
  if (w->refused_ns != 0 && w->now_ns - w->refused_ns < SECOND_NS) return false;
  bool is_written = flush(w);
  if (!is_written && !gives_up) return false;
  bool is_open = open_next(w);
  w->refused_ns = is_open ? 0 : w->now_ns;
  if (is_open && !is_written) flush(w); /* shows whether the disk of the new file takes more */
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

static void free_writer(struct ct_pcap_writer *w) {
  pthread_mutex_destroy(&w->lock);
  pthread_mutex_destroy(&w->name_lock);
  pthread_mutex_destroy(&w->chunks.lock);
  ct_pk_close(&w->files);
  free(w->path);
  free(w->name);
  free(w->shown);
  free(w);
}

struct ct_pcap_writer *ct_pcap_write_open(const struct ct_pw_opts *o, int *err) {
  struct ct_pcap_writer *w = calloc(1, sizeof(*w));
  *err = ENOMEM;
  if (w == NULL) return NULL;
  pthread_mutex_init(&w->lock, NULL);
  pthread_mutex_init(&w->name_lock, NULL);
  ct_pc_init(&w->chunks);
  w->name_size = strlen(o->path) + CT_PK_NAME_ROOM;
  w->path = strdup(o->path);
  w->name = calloc(1, w->name_size);
  w->shown = calloc(1, w->name_size);
  w->n = o->counters;
  w->gate = o->gate;
  w->fd = -1;
  w->split_bytes = o->split_bytes;
  w->split_ns = o->split_seconds > 100ull * 366 * 86400 ? 0 : (int64_t)o->split_seconds * SECOND_NS;
  w->is_split = w->split_bytes > 0 || w->split_ns > 0;
  w->is_aligned = true;
  w->is_pipe = o->pipe > 0;
  w->is_ng = w->is_pipe || has_suffix(o->path, ".pcapng");
  w->first_linktype = o->linktype;
  w->now_ns = w->flushed_ns = monotonic_ns();
  if (w->path != NULL && w->name != NULL && w->shown != NULL) {
    snprintf(w->name, w->name_size, "%s", o->path);
    ignore_file_size_signal();
    /* A later run goes on behind the earlier ones, so that the numbers are in the order of time. */
    bool is_known = !w->is_split || ct_pk_open(&w->files, w->path, o->keep_files, &w->number);
    if (!is_known) fail(w, CT_PW_OPEN_ERRORS, errno);
    if (w->is_pipe) {
      w->fd = o->pipe;
      ct_pe_begin(&w->out, true);
      return w;
    }
    if (is_known && open_next(w)) return w;
    *err = (int)w->n[CT_PW_LAST_ERRNO];
  }
  free_writer(w);
  return NULL;
}

static bool write_locked(struct ct_pcap_writer *w, const uint8_t *frame, int64_t ts_ns, uint32_t caplen,
                         uint32_t wirelen, uint32_t linktype, const char *comment) {
  if (!is_gate_open(w)) {
    w->n[CT_PW_GATED]++;
    return false;
  }
  uint32_t room = comment == NULL ? CT_PW_MAX_FRAME : CT_PW_MAX_FRAME - CT_PE_COMMENT;
  uint32_t take = caplen > room ? room : caplen;
  uint32_t need = ct_pe_need(&w->out, take, comment);
  bool is_full =
      w->split_bytes > 0 && w->file_frames > 0 && w->file_bytes + w->out.used + need > w->split_bytes;
  if (is_full && !w->is_failing) turn(w, false);
  need += CT_PE_EXTRA;
  if (need > CT_PE_BUFFER - w->out.used && !w->is_failing) flush(w);
  if (need > CT_PE_BUFFER - w->out.used) {
    w->n[CT_PW_LOST]++;
    return false;
  }
  int interface = ct_pe_interface(&w->out, linktype);
  if (interface < 0) {
    w->n[CT_PW_LINK_REFUSED]++;
    return false;
  }
  if (w->first_linktype == CT_PW_LINK_UNKNOWN) w->first_linktype = linktype;
  if (take < caplen) w->n[CT_PW_CUT]++;
  ct_pe_frame(&w->out, (uint32_t)interface, frame, ts_ns, take, wirelen < caplen ? caplen : wirelen, comment);
  ct_pc_frame(&w->chunks, ts_ns);
  w->waiting++;
  w->file_frames++;
  return true;
}

bool ct_pcap_write(struct ct_pcap_writer *w, const uint8_t *frame, int64_t ts_ns, uint32_t caplen,
                   uint32_t wirelen, uint32_t linktype) {
  pthread_mutex_lock(&w->lock);
  bool taken = write_locked(w, frame, ts_ns, caplen, wirelen, linktype, NULL);
  pthread_mutex_unlock(&w->lock);
  return taken;
}

static uint32_t le32(const uint8_t *d) {
  uint32_t v;
  memcpy(&v, d, 4);
  return v;
}

/* | 6 | length | interface | time high | time low | captured | on the wire | frame, padded | length | */
void ct_pcap_write_blocks(struct ct_pcap_writer *w, const uint8_t *blocks, uint32_t len,
                          const uint32_t *linktypes, uint32_t n_linktypes) {
  enum { BLOCK_PACKET = 6, BEFORE = 28, AROUND = 32 };
  pthread_mutex_lock(&w->lock);
  for (uint32_t at = 0; len - at >= AROUND;) {
    const uint8_t *d = blocks + at;
    uint32_t size = le32(d + 4), interface = le32(d + 8), caplen = le32(d + 20);
    if (le32(d) != BLOCK_PACKET || size > len - at || size < AROUND || caplen > size - AROUND) break;
    if (interface >= n_linktypes) break;
    uint64_t ts = (uint64_t)le32(d + 12) << 32 | le32(d + 16);
    write_locked(w, d + BEFORE, (int64_t)ts, caplen, le32(d + 24), linktypes[interface], NULL);
    at += size;
  }
  pthread_mutex_unlock(&w->lock);
}

bool ct_pcap_write_message(struct ct_pcap_writer *w, const uint8_t *pdu, int64_t ts_ns, uint32_t len,
                           const char *comment) {
  bool taken = false;
  pthread_mutex_lock(&w->lock);
  if (!w->is_ng && is_gate_open(w))
    w->n[CT_PW_MESSAGES_REFUSED]++;
  else
    taken = write_locked(w, pdu, ts_ns, len, len, CT_PDU_LINK, comment);
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
      if (turn(w, true)) atomic_store_explicit(&w->wants_reopen, 0, memory_order_relaxed);
    } else if (is_old && (!w->is_failing || is_due)) {
      turn(w, false);
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

void ct_pcap_write_hang_up(struct ct_pcap_writer *w) {
  pthread_mutex_lock(&w->lock);
  if (w->fd >= 0) {
    (void)fcntl(w->fd, F_SETFL, fcntl(w->fd, F_GETFL) & ~O_NONBLOCK);
    flush(w);
    close(w->fd);
    w->fd = -1;
  }
  w->n[CT_PW_LOST] += w->waiting;
  w->waiting = 0;
  w->out.used = 0;
  pthread_mutex_unlock(&w->lock);
}

void ct_pcap_write_reopen(struct ct_pcap_writer *w) { atomic_store(&w->wants_reopen, 1); }

void ct_pcap_write_flush(struct ct_pcap_writer *w) {
  pthread_mutex_lock(&w->lock);
  if (is_gate_open(w)) flush(w);
  pthread_mutex_unlock(&w->lock);
}

void ct_pcap_write_name(struct ct_pcap_writer *w, char *out, uint32_t size) {
  pthread_mutex_lock(&w->name_lock);
  snprintf(out, size, "%s", w->shown);
  pthread_mutex_unlock(&w->name_lock);
}

uint32_t ct_pcap_write_chunks(struct ct_pcap_writer *w, struct ct_pcap_chunk *out, uint32_t most) {
  return ct_pc_take(&w->chunks, out, most);
}

void ct_pcap_write_close(struct ct_pcap_writer *w) {
  if (w == NULL) return;
  pthread_mutex_lock(&w->lock);
  /* A pcap file without a header is none: the link type of Ethernet where no frame told another. */
  if (!w->is_ng && w->out.n_linktypes == 0) ct_pe_interface(&w->out, 1);
  /* What the disk refused before the gate was closed must not reach it after. */
  if (is_gate_open(w) || w->waiting == 0) flush(w);
  w->n[CT_PW_LOST] += w->waiting;
  if (w->fd >= 0) close(w->fd);
  pthread_mutex_unlock(&w->lock);
  free_writer(w);
}
