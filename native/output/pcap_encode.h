/* SPDX-License-Identifier: Apache-2.0
 * pcap_encode.h - pcap (ns) and pcapng records in a buffer, for pcap_write.c.
 *
 * Formats: draft-ietf-opsawg-pcap (magic 0xa1b23c4d) and draft-ietf-opsawg-pcapng, both in host order.
 * The caller makes room first: each put function tells beside it what it needs.
 */
#ifndef CALLTAP_PCAP_ENCODE_H
#define CALLTAP_PCAP_ENCODE_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_PE_BUFFER (256u * 1024u)
#define CT_PE_LINKTYPES 16u
#define CT_PE_EXTRA 32u    /* what may stand before a frame: an interface block or the file header */
#define CT_PE_OVERHEAD 64u /* that, and a frame's own header and padding, at most */
#define CT_PE_COMMENT                                                                                        \
  128u /* bytes of a packet comment and of what is around it, at most; a longer one is cut */

struct ct_pcap_encoder {
  bool is_ng;
  bool has_header; /* the buffer begins with the header of a pcap file */
  uint32_t linktype[CT_PE_LINKTYPES], n_linktypes;
  uint32_t used;
  uint8_t buffer[CT_PE_BUFFER];
};

/* The buffer begins a file; in pcap nothing is put before the first link type. */
void ct_pe_begin(struct ct_pcap_encoder *e, bool is_ng);
/* The interface number of a link type, described at first sight (CT_PE_EXTRA bytes); -1 when there is
 * no place for it: pcap has one link type a file. */
int ct_pe_interface(struct ct_pcap_encoder *e, uint32_t linktype);
/* Bytes a frame takes. `comment`, which pcapng alone has room for, is NULL for most. */
uint32_t ct_pe_need(const struct ct_pcap_encoder *e, uint32_t caplen, const char *comment);
void ct_pe_frame(struct ct_pcap_encoder *e, uint32_t interface, const uint8_t *frame, int64_t ts_ns,
                 uint32_t caplen, uint32_t wirelen, const char *comment);
/* Bytes of the whole records among the first `n` of the buffer, which begins with one; the frames
 * among them. */
uint32_t ct_pe_whole(const struct ct_pcap_encoder *e, uint32_t n, uint32_t *frames);
/* The first `n` bytes are written. */
void ct_pe_drop(struct ct_pcap_encoder *e, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif
