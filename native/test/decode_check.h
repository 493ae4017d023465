/* SPDX-License-Identifier: Apache-2.0
 * decode_check.h - bytes and checks shared by test_decode.c and test_classify.c.
 */
#ifndef CALLTAP_DECODE_CHECK_H
#define CALLTAP_DECODE_CHECK_H
#include "check.h"
#include "decode/packet.h"

/* One file of a fuzz corpus: `head` then `d`. */
static inline void write_seed(const char *dir, const char *name, const uint8_t *head, size_t head_n,
                              const uint8_t *d, size_t n) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "wb");
  if (f == NULL || fwrite(head, 1, head_n, f) != head_n || fwrite(d, 1, n, f) != n || fclose(f) != 0) {
    perror(path);
    exit(1);
  }
}

/* What every decode promises, whatever the bytes were. */
static inline void check_promises(const struct ct_packet *p, enum ct_reason r, const uint8_t *from,
                                  size_t n) {
  CHECK((unsigned)r < CT_REASON_COUNT);
  CHECK(p->tunnel_depth <= CT_MAX_TUNNELS);
  if (r != CT_OK && r != CT_FRAGMENT) return;
  CHECK(p->payload >= from && p->payload <= from + n);
  CHECK(p->len <= (size_t)(from + n - p->payload));
  CHECK(p->len <= p->wire_len);
  CHECK(p->ip_version == 4 || p->ip_version == 6 || (p->ip_version == 0 && p->is_message));
}

#endif
