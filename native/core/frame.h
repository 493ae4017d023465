/* SPDX-License-Identifier: Apache-2.0
 * frame.h - one captured frame as a reader hands it on, before anything has looked into it.
 */
#ifndef CALLTAP_FRAME_H
#define CALLTAP_FRAME_H
#include <stdint.h>

struct ct_frame {
  const uint8_t *data; /* caplen bytes; how long they stay is the reader's promise */
  int64_t ts_ns;       /* capture time, ns since the epoch */
  uint64_t ordinal;    /* frame number in its source, 0-based */
  uint32_t caplen;     /* bytes captured */
  uint32_t wirelen;    /* bytes it had, >= caplen */
  uint32_t linktype;   /* LINKTYPE_* as in pcap files */
  uint32_t if_index;   /* of a pcapng file: interface and section; live: the kernel's number */
  uint16_t vlan;       /* a tag that was handed over outside the frame, 0 none */
  uint8_t ts_invalid;  /* timestamp out of range (sub-second part impossible, or none: SPB) */
};

#endif
