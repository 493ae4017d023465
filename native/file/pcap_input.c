/* SPDX-License-Identifier: Apache-2.0
 * pcap_input.c - see pcap_input.h.
 */
#define _GNU_SOURCE
#include "file/pcap_input.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GZIP_ONLY (15 + 16) /* zlib windowBits: 32 KiB window, gzip header required */

/* Copying into memory that begins a few bytes behind a page takes a processor up to three times as long as into whole
 * pages: a block of a file is read to where one begins, after what is left of the block before. */
static uint8_t *new_buffer(size_t cap) {
  size_t page = 4096;
  return aligned_alloc(page, (cap + page - 1) / page * page);
}

static void take_buffer(struct ct_input *in, uint8_t *buf) {
  in->buf = buf;
  in->cap = CT_INPUT_HEAD + CT_INPUT_BLOCK;
  in->pos = in->end = buf + CT_INPUT_HEAD;
}

bool ct_input_init(struct ct_input *in, int fd, bool own_fd, const uint8_t *mem, uint64_t len) {
  memset(in, 0, sizeof(*in));
  in->fd = fd;
  in->own_fd = own_fd;
  if (fd < 0) {
    in->size = len;
    in->pos = mem;
    in->end = mem + len;
    in->mem = in->end;
    in->raw_read = len;
    return true;
  }
  (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* a hint: pipes refuse it */
  uint8_t *buf = new_buffer(CT_INPUT_HEAD + CT_INPUT_BLOCK);
  if (buf == NULL) return false;
  take_buffer(in, buf);
  return true;
}

void ct_input_close(struct ct_input *in) {
  if (in->gzip) inflateEnd(&in->z);
  free(in->raw);
  free(in->buf);
  if (in->own_fd && in->fd >= 0) close(in->fd);
  in->fd = -1;
}

uint64_t ct_input_position(const struct ct_input *in) {
  return in->raw_read - (in->gzip ? in->z.avail_in : ct_input_left(in));
}

/* True when a failed read is worth another: a signal, or a non-blocking pipe. Who waits himself is asked again. */
static bool read_again(const struct ct_input *in) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  if (in->wait != NULL) return true;
  struct pollfd p = {.fd = in->fd, .events = POLLIN};
  return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

/* One read(2); 0 at the end and on error. */
static size_t read_some(struct ct_input *in, uint8_t *to, size_t room) {
  ssize_t n;
  do {
    if (in->wait != NULL && !in->wait(in->fd, in->wait_arg)) {
      in->err = ECANCELED;
      return 0;
    }
    n = read(in->fd, to, room);
  } while (n < 0 && read_again(in));
  if (n < 0) in->err = errno;
  if (n <= 0) return 0;
  in->raw_read += (uint64_t)n;
  return (size_t)n;
}

/* Next compressed bytes into z.next_in. False at the end of the file. */
static bool refill_raw(struct ct_input *in) {
  if (in->fd < 0) {
    uint64_t take = in->mem_left < CT_INPUT_BLOCK ? in->mem_left : CT_INPUT_BLOCK;
    in->z.next_in = (Bytef *)(uintptr_t)in->mem; /* zlib without ZLIB_CONST: it does not write there */
    in->z.avail_in = (uInt)take;
    in->mem += take;
    in->mem_left -= take;
    in->raw_read += take;
  } else {
    in->z.next_in = in->raw;
    in->z.avail_in = (uInt)read_some(in, in->raw, CT_INPUT_BLOCK);
  }
  return in->z.avail_in > 0;
}

/* Inflated bytes into `to`; 0 at the end, on a cut stream and on damage. Each turn of the loop
 * consumes input or ends, so the work is linear in the file, also for millions of empty members. */
static size_t inflate_some(struct ct_input *in, uint8_t *to, size_t room) {
  in->z.next_out = to;
  in->z.avail_out = (uInt)room;
  while (in->z.avail_out == room) {
    if (in->z.avail_in == 0 && !refill_raw(in)) {
      in->cut = in->in_member && in->err == 0;
      return 0;
    }
    /* After a member comes another member, or padding that gzip(1) ignores as well. */
    if (!in->in_member) {
      if (in->z.next_in[0] != 0x1f) return 0;
      if (inflateReset(&in->z) != Z_OK) return 0;
      in->in_member = true;
    }
    int rc = inflate(&in->z, Z_NO_FLUSH);
    if (rc == Z_STREAM_END) {
      in->in_member = false;
    } else if (rc != Z_OK && rc != Z_BUF_ERROR) {
      in->err = rc == Z_MEM_ERROR ? ENOMEM : EBADMSG;
      break;
    }
  }
  return room - in->z.avail_out;
}

bool ct_input_detect_gzip(struct ct_input *in) {
  /* RFC 1952 s2.3.1: ID1 31, ID2 139, CM 8 (deflate) */
  if (!ct_input_need(in, 3) || in->pos[0] != 0x1f || in->pos[1] != 0x8b || in->pos[2] != 8) return true;
  if (inflateInit2(&in->z, GZIP_ONLY) != Z_OK) return false;
  in->gzip = in->in_member = true;
  size_t have = ct_input_left(in);
  uint8_t *out = new_buffer(CT_INPUT_HEAD + CT_INPUT_BLOCK);
  if (out == NULL) return false;
  if (in->fd < 0) {
    in->mem = in->pos;
    in->mem_left = have;
    in->raw_read = 0;
  } else {
    in->raw = in->buf; /* what was read is the first compressed block */
    in->z.next_in = in->raw + (in->pos - in->buf);
    in->z.avail_in = (uInt)have;
  }
  in->eof = false;
  take_buffer(in, out);
  return true;
}

/* Room for `need` bytes, what is left moved to the front of it: so that the next bytes begin a page where that can be. */
static bool make_room(struct ct_input *in, size_t need) {
  size_t left = ct_input_left(in);
  size_t start = left < CT_INPUT_HEAD ? CT_INPUT_HEAD - left : 0;
  if (need > in->cap - start) {
    size_t cap = in->cap;
    while (cap - start < need) cap *= 2;
    uint8_t *bigger = new_buffer(cap);
    if (bigger == NULL) {
      in->err = ENOMEM;
      return false;
    }
    if (left > 0) memcpy(bigger + start, in->pos, left);
    free(in->buf);
    in->buf = bigger;
    in->cap = cap;
  } else if (left > 0) {
    memmove(in->buf + start, in->pos, left);
  }
  in->pos = in->buf + start;
  in->end = in->pos + left;
  return true;
}

bool ct_input_fill(struct ct_input *in, size_t need) {
  if (ct_input_left(in) >= need) return true;
  if (in->buf == NULL || in->eof || in->err != 0) return false;
  if (!make_room(in, need)) return false;
  uint8_t *to = in->buf + (in->end - in->buf);
  while ((size_t)(to - in->pos) < need) {
    /* A grown buffer serves the one big record; reads stay at the block size, which is the fast one. */
    size_t room = in->cap - (size_t)(to - in->buf);
    if (room > CT_INPUT_BLOCK) room = CT_INPUT_BLOCK;
    size_t n = in->gzip ? inflate_some(in, to, room) : read_some(in, to, room);
    to += n;
    in->end = to;
    if (n == 0) {
      in->eof = true;
      return false;
    }
    if (in->err != 0) break; /* damage after bytes that are good: those first */
  }
  return ct_input_left(in) >= need;
}
