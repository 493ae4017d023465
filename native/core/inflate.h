/* SPDX-License-Identifier: Apache-2.0
 * inflate.h - inflates one compressed message into memory of the caller, who says how much may come out.
 *
 * Nothing is kept between calls: what a message refers back to is handed in. One call costs a few microseconds
 * and what comes out of it; the callers have budgets for both (src/decode/inflate-budget.ts).
 */
#ifndef CALLTAP_INFLATE_H
#define CALLTAP_INFLATE_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_INFLATE_WINDOW 32768u /* RFC 1951 s2: no distance is longer */

enum ct_inflate_form {
  CT_INFLATE_MESSAGE, /* of a WebSocket: raw deflate, 00 00 ff ff cut off its end (RFC 7692 s7.2.2) */
  CT_INFLATE_RAW,     /* raw deflate (RFC 1951) to the end of its last block */
  CT_INFLATE_WRAPPED, /* gzip (RFC 1952) or zlib (RFC 1950), whichever it is */
  CT_INFLATE_FORMS
};

/* What it returns, unless it is the number of bytes that came out. */
#define CT_INFLATE_LONG (-1) /* more than `room` bytes would come out; `room` did */
#define CT_INFLATE_BAD (-2)  /* not of this form, or cut short; -2 less the bytes that came out before */

/* `window` is what came out before, for raw forms; at most its last CT_INFLATE_WINDOW bytes are used. */
int32_t ct_inflate(enum ct_inflate_form form, const uint8_t *in, uint32_t len, const uint8_t *window,
                   uint32_t window_len, uint8_t *out, uint32_t room);

#ifdef __cplusplus
}
#endif
#endif
