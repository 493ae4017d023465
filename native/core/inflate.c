/* SPDX-License-Identifier: Apache-2.0
 * inflate.c - see inflate.h.
 */
#include "core/inflate.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#define RAW_WINDOW (-15)         /* zlib: no header, 32 KiB, which reads what a smaller window wrote */
#define WRAPPED_WINDOW (15 + 32) /* zlib: gzip and zlib told apart by their headers */

static const uint8_t TAIL[4] = {0, 0, 0xff, 0xff};

/* Returns 0 when the input came to its end as its form says, else CT_INFLATE_LONG or CT_INFLATE_BAD. */
static int32_t run(z_stream *z, enum ct_inflate_form form) {
  uint8_t spare;
  bool is_full = false, has_tail = form != CT_INFLATE_MESSAGE;
  for (;;) {
    int rc = inflate(z, Z_SYNC_FLUSH);
    if (rc == Z_STREAM_END) return is_full && z->avail_out == 0 ? CT_INFLATE_LONG : 0;
    if (rc != Z_OK && rc != Z_BUF_ERROR) return CT_INFLATE_BAD;
    if (z->avail_out == 0) {
      /* No room is left. Whether that was all is seen by whether one more byte would come. */
      if (is_full) return CT_INFLATE_LONG;
      is_full = true;
      z->next_out = &spare;
      z->avail_out = 1;
    } else if (!has_tail) {
      has_tail = true;
      z->next_in = TAIL;
      z->avail_in = sizeof(TAIL);
    } else {
      return form == CT_INFLATE_MESSAGE && z->avail_in == 0 ? 0 : CT_INFLATE_BAD;
    }
  }
}

int32_t ct_inflate(enum ct_inflate_form form, const uint8_t *in, uint32_t len, const uint8_t *window,
                   uint32_t window_len, uint8_t *out, uint32_t room) {
  z_stream z;
  memset(&z, 0, sizeof(z));
  if (room > INT32_MAX - 2) room = INT32_MAX - 2;
  if (inflateInit2(&z, form == CT_INFLATE_WRAPPED ? WRAPPED_WINDOW : RAW_WINDOW) != Z_OK)
    return CT_INFLATE_BAD;
  if (window_len > CT_INFLATE_WINDOW) {
    window += window_len - CT_INFLATE_WINDOW;
    window_len = CT_INFLATE_WINDOW;
  }
  int32_t failed = CT_INFLATE_BAD;
  if (form == CT_INFLATE_WRAPPED || window_len == 0 || inflateSetDictionary(&z, window, window_len) == Z_OK) {
    z.next_in = in;
    z.avail_in = len;
    z.next_out = out;
    z.avail_out = room;
    failed = run(&z, form);
  }
  uint32_t made = z.total_out < room ? (uint32_t)z.total_out : room;
  inflateEnd(&z);
  return failed == 0 ? (int32_t)made : failed == CT_INFLATE_BAD ? CT_INFLATE_BAD - (int32_t)made : failed;
}
