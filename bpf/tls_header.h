/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_header.h - the five bytes in front of a TLS record: its type, its version and its length.
 *
 *   | type | 3 | minor version | length, big-endian |   RFC 8446 s5.1, RFC 5246 s6.2.1
 */
#ifndef CALLTAP_TLS_HEADER_H
#define CALLTAP_TLS_HEADER_H
#include "kern.h"

#define RECORD_HEADER 5u
#define RECORD_DATA 0x17      /* application data; in TLS 1.3 everything that is protected */
#define RECORD_LONGEST 18432u /* 2^14 + 2048, RFC 5246 s6.2.3 */

/* Bytes of the record behind this header; 0 when it is none. */
CT_INLINE u32 record_length(const u8 h[RECORD_HEADER]) {
  u32 length = (u32)h[3] << 8 | h[4];
  if (h[0] < 0x14 || h[0] > 0x18 || h[1] != 3 || h[2] > 4 || length > RECORD_LONGEST) return 0;
  return length;
}

#endif
