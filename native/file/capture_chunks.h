/* SPDX-License-Identifier: Apache-2.0
 * capture_chunks.h - which time lies where in a capture file that is there already: what pcap_chunks.h has of one that is written.
 */
#ifndef CALLTAP_CAPTURE_CHUNKS_H
#define CALLTAP_CAPTURE_CHUNKS_H
#include "file/pcap_status.h"
#include "output/pcap_chunks.h"
#ifdef __cplusplus
extern "C" {
#endif

#define CT_CC_BYTES (256u * 1024u) /* of a chunk, at least */

/* Reads the file: at most `most` chunks of whole records, which grow where the file is larger; how many. Each begins where a
 * record does, the first one at the head of the file. None of one that is compressed: it cannot be read at a place. *status is
 * CT_PCAP_EOF where the file was read to its end. */
uint32_t ct_capture_chunks(const char *path, struct ct_pcap_chunk *out, uint32_t most,
                           enum ct_pcap_status *status);

#ifdef __cplusplus
}
#endif
#endif
