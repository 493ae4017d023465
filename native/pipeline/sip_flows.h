/* SPDX-License-Identifier: Apache-2.0
 * sip_flows.h - which TCP connections on ports that nobody named carry SIP: without --portrange those of files, and those of
 * learned sockets.
 *
 * A connection is taken from the first segment on that begins with SIP. One that began with something else stays out, where
 * that was seen: text of SIP in the body of an HTTP message is no SIP. Connections are known by a keyed hash of their ends,
 * and old ones are forgotten for new ones: those that carry no SIP first.
 */
#ifndef CALLTAP_SIP_FLOWS_H
#define CALLTAP_SIP_FLOWS_H
#include "decode/packet.h"
#ifdef __cplusplus
extern "C" {
#endif

/* TCP connections outside the gate that are remembered. A forgotten one is taken again from its next message on.
 * @cap memory 1 MiB: which TCP connections carry SIP on ports that nobody named */
#define CT_SIP_FLOWS 32768u

struct ct_sip_flows;
/* NULL without memory. No page of it is touched before it is used. */
struct ct_sip_flows *ct_sip_flows_create(const uint64_t key[2]);
void ct_sip_flows_free(struct ct_sip_flows *f);
/* True when the segment is of a connection that carries SIP, and has data or delimits the connection. */
bool ct_sip_flows_take(struct ct_sip_flows *f, const struct ct_packet *p);

#ifdef __cplusplus
}
#endif
#endif
