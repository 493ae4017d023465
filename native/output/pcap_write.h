/* SPDX-License-Identifier: Apache-2.0
 * pcap_write.h - writes captured frames to a pcap (ns) or pcapng file, from the thread that has them.
 *
 * Frames are gathered in a buffer and written in blocks of whole records, so that the file ends at
 * a record whenever the process dies; where a write is cut short (disk full) the file is cut back
 * to its last whole record, and what did not fit is tried again once a second. Nothing here waits
 * but write(2) itself. Any thread may call any function: one lock, which nobody holds for long.
 *
 * The persistence gate is one atomic that others own: while it is 0 no frame is taken. To close it,
 * store 0, then call ct_pcap_write_settle(): what was taken before is on its way to disk when it
 * returns, and nothing comes after.
 */
#ifndef CALLTAP_PCAP_WRITE_H
#define CALLTAP_PCAP_WRITE_H
#include "core/slab.h"
#include "output/pcap_chunks.h"
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_PW_BUFFER (256u * 1024u)          /* bytes written at a time */
#define CT_PW_MAX_FRAME (CT_PW_BUFFER - 64u) /* longer frames are cut, and counted */
#define CT_PW_LINKTYPES 16u                  /* interface blocks of a pcapng file */
#define CT_PW_LINK_UNKNOWN UINT32_MAX

/* Counters seen by JavaScript as one array. */
enum ct_pw_counter {
  CT_PW_FRAMES,       /* in files */
  CT_PW_BYTES,        /* written to files, headers included */
  CT_PW_GATED,        /* frames skipped because the persistence gate was closed */
  CT_PW_LOST,         /* frames that could not be written: the buffer was full while writing failed, or the
                       * file was taken away meanwhile */
  CT_PW_LINK_REFUSED, /* frames of a second link type in pcap, or beyond CT_PW_LINKTYPES */
  CT_PW_CUT,          /* frames longer than CT_PW_MAX_FRAME */
  CT_PW_MESSAGES_REFUSED, /* messages without a frame, for which pcap has no place */
  CT_PW_WRITE_ERRORS,     /* failed or short writes */
  CT_PW_OPEN_ERRORS,      /* a next or re-opened file could not be opened; the old one continues */
  CT_PW_FILES,            /* files opened */
  CT_PW_REMOVED,          /* old files of a split removed */
  CT_PW_REMOVE_ERRORS,    /* that should have been */
  CT_PW_LAST_ERRNO,       /* of the newest failure, 0 once writing works again */
  CT_PW_COUNTERS
};
const char *ct_pw_counter_name(uint32_t i); /* snake_case; NULL past the end */

struct ct_pw_opts {
  const char *path;          /* .pcapng makes a pcapng file, anything else pcap */
  uint32_t linktype;         /* LINKTYPE_* of the first frames, or CT_PW_LINK_UNKNOWN: then with the first */
  uint64_t split_bytes;      /* next file before this many bytes; 0 never */
  uint64_t split_seconds;    /* next file after this long; 0 never */
  const ct_atomic_u32 *gate; /* 1 while frames may be written; NULL always */
  uint64_t *counters;        /* CT_PW_COUNTERS, memory of the caller */
  uint32_t keep_files;       /* when splitting: remove older files than so many, this one included; 0 none */
  int pipe; /* 0, or the end of a pipe that pcapng goes to in place of a file: it is the writer's now. One
                              * that does not block takes what it has room for; what finds none is lost. */
};

struct ct_pcap_writer;
/* Opens the file; when splitting, path.00001 or the number after the highest that is there. An existing
 * file is overwritten unless splitting. NULL with *err the errno. SIGXFSZ is ignored from here on. */
struct ct_pcap_writer *ct_pcap_write_open(const struct ct_pw_opts *o, int *err);
/* One frame: ts_ns since the epoch, linktype a LINKTYPE_*. False when it was not taken; counted. */
bool ct_pcap_write(struct ct_pcap_writer *w, const uint8_t *frame, int64_t ts_ns, uint32_t caplen,
                   uint32_t wirelen, uint32_t linktype);
/* The same of a message that has no frame: `pdu` is what ct_pdu_put() made and the message. It has a comment and an
 * interface of its own, and so no place in a pcap file. */
bool ct_pcap_write_message(struct ct_pcap_writer *w, const uint8_t *pdu, int64_t ts_ns, uint32_t len,
                           const char *comment);
/* The packet blocks among the `len` bytes, as this writer makes them in pcapng, whole ones: a frame each. Their interfaces have
 * these link types. */
void ct_pcap_write_blocks(struct ct_pcap_writer *w, const uint8_t *blocks, uint32_t len,
                          const uint32_t *linktypes, uint32_t n_linktypes);
/* At least once a second, now_ns of CLOCK_MONOTONIC: flushes, retries, splits by time, re-opens. */
void ct_pcap_write_tick(struct ct_pcap_writer *w, int64_t now_ns);
/* The gate was closed: writes what was taken before it. */
void ct_pcap_write_settle(struct ct_pcap_writer *w);
/* The gate was closed for good: writes what was taken before it, waiting for room, and closes the pipe for its reader. */
void ct_pcap_write_hang_up(struct ct_pcap_writer *w);
/* At the next tick the file is reopened under its name (after logrotate moved it). A file that is
 * still there continues; when splitting the next number is begun. What the disk refused of one that was taken away is
 * lost, and counted. Safe in a signal handler. */
void ct_pcap_write_reopen(struct ct_pcap_writer *w);
/* While the gate is open: what is waiting goes to disk now, for one who ends without closing. */
void ct_pcap_write_flush(struct ct_pcap_writer *w);
/* Name of the file written now, for the stats; copied with its terminator. Never waits for the disk. */
void ct_pcap_write_name(struct ct_pcap_writer *w, char *out, uint32_t size);
/* Takes out what was written since the last time, at most so many chunks; how many. Never waits for the disk. */
uint32_t ct_pcap_write_chunks(struct ct_pcap_writer *w, struct ct_pcap_chunk *out, uint32_t most);
/* Writes what is waiting and closes; a record that cannot be written whole is not begun. */
void ct_pcap_write_close(struct ct_pcap_writer *w);

#ifdef __cplusplus
}
#endif
#endif
