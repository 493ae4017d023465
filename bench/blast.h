/* SPDX-License-Identifier: Apache-2.0
 * blast.h - where blast.c sends to: frames out of an interface, or datagrams to one address, many at a time.
 */
#ifndef CALLTAP_BENCH_BLAST_H
#define CALLTAP_BENCH_BLAST_H
#include "gen_call.h"

struct out;
/* NULL with errno set. */
struct out *out_open_iface(const char *name);
struct out *out_open_udp(const char *address_and_port);
/* Room for one datagram of up to OUT_ROOM bytes, which out_commit() then sends; `count` rises once it is taken. */
#define OUT_ROOM 9000u
uint8_t *out_room(struct out *o);
void out_commit(struct out *o, size_t len, uint64_t *count);
/* An Ethernet frame with IPv4 around the payload. */
void out_udp(struct out *o, const struct endpoint *from, const struct endpoint *to, const void *payload,
             size_t len, uint64_t *count);
void out_tcp(struct out *o, const struct endpoint *from, const struct endpoint *to, const void *payload,
             size_t len, uint64_t *count);
/* Waits until the kernel took all. */
void out_flush(struct out *o);
/* All that the kernel took; 0 for NULL. */
uint64_t out_taken(const struct out *o);
/* In how many sends: an interface sees each as one frame, however many datagrams it holds. */
uint64_t out_sends(const struct out *o);
#endif
