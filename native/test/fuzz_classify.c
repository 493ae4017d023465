/* SPDX-License-Identifier: Apache-2.0
 * fuzz_classify.c - any bytes as a UDP or TCP payload, in and out of the gates, and with SIP taken from every port.
 *
 * Seeds: native/test/out/test_classify --corpus DIR. Input: protocol, TCP flags, options (1 HEP, 2 in
 * both gates, 4 low ports), how many bytes were cut off, then the payload.
 */

#include "check.h"
#include "decode/packet.h"
#include "core/record.h"
#include "pipeline/sip_flows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct ct_gate open, closed, any = {.any_sip = true};
  static struct ct_sip_flows *flows;
  if (size < 4) return 0;
  if (flows == NULL) {
    memset(open.sip, 0xff, sizeof open.sip);
    memset(open.ws, 0xff, sizeof open.ws);
    flows = ct_sip_flows_create((const uint64_t[2]){1, 2});
  }
  const struct ct_decode_opts o = {.hep = data[2] & 1};
  struct ct_packet p;
  memset(&p, 0, sizeof p);
  p.payload = data + 4;
  p.len = (uint32_t)(size - 4);
  p.wire_len = p.len + data[3];
  p.proto = data[0];
  p.tcp_flags = data[1];
  p.sport = data[2] & 4 ? 53 : 40000;
  p.dport = 40002;
  bool gate = data[2] & 2, sip = ct_looks_sip(p.payload, p.len);
  enum ct_class c = ct_classify(&p, gate ? &open : &closed, &o);
  ASSERT((unsigned)c < CT_CLS_COUNT && p.cls == c);
  ASSERT(gate || !(p.cls_flags & (CT_FLAG_SIP_GATE | CT_FLAG_WS_GATE)));
  if (p.proto == 17 || p.proto == 6) ASSERT(sip == !!(p.cls_flags & CT_FLAG_LOOKS_SIP));
  if (c == CT_CLS_SIP || c == CT_CLS_KEEPALIVE) ASSERT(gate && p.proto == 17);
  if (c == CT_CLS_SIP_OUT) ASSERT(!gate && sip);
  if (c == CT_CLS_RTP) ASSERT(p.len >= 12 && p.payload[0] >> 6 == 2 && p.sport >= 1024);
  if (c == CT_CLS_RTCP) ASSERT(p.len >= 8 && p.payload[0] >> 6 == 2);
  if (c == CT_CLS_HEP) ASSERT(o.hep);
  if (c == CT_CLS_TCP) ASSERT(gate && p.proto == 6);
  bool begins = ct_begins_sip(data + 4, (uint32_t)(size - 4));
  ASSERT(sip || !begins);
  p.payload = data + 4;
  p.len = (uint32_t)(size - 4);
  p.wire_len = p.len + data[3];
  c = ct_classify(&p, &any, &o);
  ASSERT(c != CT_CLS_SIP_OUT && (c != CT_CLS_SIP || (begins && p.proto == 17)));
  if (p.proto == 6) (void)ct_sip_flows_take(flows, &p);
  return 0;
}
