/* SPDX-License-Identifier: Apache-2.0
 * pcap_status.h - what reading on in a capture file came to.
 */
#ifndef CALLTAP_PCAP_STATUS_H
#define CALLTAP_PCAP_STATUS_H

enum ct_pcap_status {
  CT_PCAP_RECORD = 0,  /* a record was read */
  CT_PCAP_EOF,         /* clean end */
  CT_PCAP_TRUNCATED,   /* the last record or block is cut: what was whole has been handed out */
  CT_PCAP_CORRUPT,     /* an impossible length: reading on would be guessing */
  CT_PCAP_IO,          /* read or inflate failed; errno in ct_pcap_errno() */
  CT_PCAP_NOT_CAPTURE, /* open only: neither pcap nor pcapng (or an unsupported version) */
  CT_PCAP_EMPTY,       /* open only: zero bytes */
};

#endif
