/* SPDX-License-Identifier: Apache-2.0
 * pcap_read.h - reads pcap and pcapng files in blocks, either byte order, us and ns, gzip.
 *
 * read(2) into one buffer, records handed out in place; never mmap (a file that shrinks would
 * kill the process). Formats: libpcap "Development/LibpcapFileFormat"; draft-ietf-opsawg-pcapng.
 */
#ifndef CALLTAP_PCAP_READ_H
#define CALLTAP_PCAP_READ_H
#include "core/frame.h"
#include "file/pcap_status.h"
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

struct ct_pcap;
/* Opens by path; on failure returns NULL and sets *status (and *err to errno for CT_PCAP_IO). */
struct ct_pcap *ct_pcap_open(const char *path, enum ct_pcap_status *status, int *err);
/* Opens by path without reading a byte, so that it does not wait for a pipe; ct_pcap_start() then reads
 * the headers, on the thread that may wait. NULL: *err is errno. */
struct ct_pcap *ct_pcap_open_unread(const char *path, int *err);
/* The same of a descriptor of a regular file, from its first byte; it stays the caller's. */
struct ct_pcap *ct_pcap_open_descriptor(int fd, int *err);
/* False when the input is no capture: *status as for ct_pcap_open(). `wait` (or NULL) is called before each
 * read of a pipe, terminal or socket; when it returns false, the input ends as CT_PCAP_IO, ECANCELED. */
bool ct_pcap_start(struct ct_pcap *f, bool (*wait)(int fd, void *arg), void *arg,
                   enum ct_pcap_status *status);
/* Opens over memory, for the fuzz targets and tests. The bytes must outlive the reader. */
struct ct_pcap *ct_pcap_open_memory(const uint8_t *data, uint64_t len, enum ct_pcap_status *status);
/* The next record; its bytes are valid until the next call, and as long as ct_pcap_take() says. */
enum ct_pcap_status ct_pcap_next(struct ct_pcap *f, struct ct_frame *r);
/* Hands out up to `max` more records that lie whole in what was read already, so that nothing moves and the bytes
 * of the records before them stay valid. Fewer: ct_pcap_next() has to read, or ends the file. */
uint32_t ct_pcap_take(struct ct_pcap *f, struct ct_frame *r, uint32_t max);
/* Bytes of the file on disk consumed so far, and its size (0 when not a regular file). */
uint64_t ct_pcap_position(const struct ct_pcap *f);
uint64_t ct_pcap_size(const struct ct_pcap *f);
/* True when what was read can be read again at its offset: a regular file that is not compressed. *delta added to
 * the address of a record's byte is then its offset, until the next refill. */
bool ct_pcap_place(const struct ct_pcap *f, uint64_t *delta);
/* True when its frames may be from several interfaces: more than one was described, or frames name theirs (Linux cooked
 * capture v2). */
bool ct_pcap_has_interfaces(const struct ct_pcap *f);
int ct_pcap_errno(const struct ct_pcap *f);
void ct_pcap_close(struct ct_pcap *f);

#ifdef __cplusplus
}
#endif
#endif
