/* SPDX-License-Identifier: Apache-2.0
 * pcap_input.h - the bytes under a capture reader: a file, a pipe, memory, or gzip of either
 * (RFC 1952, members concatenated). Internal to pcap_*.c.
 */
#ifndef CALLTAP_PCAP_INPUT_H
#define CALLTAP_PCAP_INPUT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#define CT_INPUT_BLOCK (128u * 1024u)      /* bytes a read(2) asks for; leaves room in the L2 cache */
#define CT_INPUT_HEAD (32u * 1024u)        /* in front of them: what is left of the block before */
#define CT_INPUT_MAX (16u * 1024u * 1024u) /* largest record or block, with its header */

struct ct_input {
  const uint8_t *pos, *end; /* what can be read without asking for more */
  uint8_t *buf;             /* owned; NULL while reading straight from the caller's memory */
  size_t cap;               /* of buf */
  uint64_t size;            /* bytes on disk, 0 when unknown */
  uint64_t raw_read;        /* bytes taken from the descriptor or the memory */
  const uint8_t *mem;       /* memory not yet taken, when not reading from a descriptor */
  uint64_t mem_left;
  uint8_t *raw; /* compressed bytes of a descriptor */
  z_stream z;
  int fd;  /* -1: memory */
  int err; /* errno of a failed read or inflate, 0 none */
  bool own_fd, gzip, in_member, eof;
  bool cut; /* the gzip stream ended inside a member */
  /* Called before a read that may block (NULL: reads block); false ends the input with ECANCELED. */
  bool (*wait)(int fd, void *arg);
  void *wait_arg;
};

/* Takes a descriptor, or memory when fd is -1. False when memory ran out. */
bool ct_input_init(struct ct_input *in, int fd, bool own_fd, const uint8_t *mem, uint64_t len);
void ct_input_close(struct ct_input *in);
/* Looks at the first bytes and puts inflate in front when they are a gzip header. False: no memory. */
bool ct_input_detect_gzip(struct ct_input *in);
/* Reads until `need` (<= CT_INPUT_MAX) bytes follow pos. False: there are fewer; eof, cut and err
 * say why. Moves the buffer. */
bool ct_input_fill(struct ct_input *in, size_t need);
/* Bytes on disk after pos. */
uint64_t ct_input_position(const struct ct_input *in);

static inline size_t ct_input_left(const struct ct_input *in) { return (size_t)(in->end - in->pos); }
static inline bool ct_input_need(struct ct_input *in, size_t need) {
  return ct_input_left(in) >= need || ct_input_fill(in, need);
}
#endif
