/* SPDX-License-Identifier: Apache-2.0
 * fuzz_decode.c - any bytes as a frame of any link type, or as a reassembled IP payload.
 *
 * Seeds: native/test/out/test_decode --corpus DIR. Input: link type, 2 bytes little-endian, then
 * options (1 ESP-NULL, 2 the frame was cut, 4 IP payload: the link type bytes are protocol and
 * version), then the frame.
 */

#include "check.h"
#include "core/exported_pdu.h"
#include "core/record.h"
#include "decode/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct ct_gate gate;
  if (size < 3) return 0;
  const struct ct_decode_opts o = {.esp_null = data[2] & 1, .hep = data[2] & 8};
  const uint8_t *d = data + 3;
  uint32_t n = (uint32_t)(size - 3);
  struct ct_packet p;
  memset(&p, 0, sizeof p);
  enum ct_reason r;
  if (data[2] & 4) {
    p.proto = data[0];
    p.ip_version = data[1] & 1 ? 6 : 4;
    r = ct_decode_ip_payload(&p, d, n, &o);
  } else {
    p.frame = d;
    p.caplen = n;
    p.wirelen = data[2] & 2 ? n + 1000 : n;
    r = ct_decode_frame(&p, (uint32_t)data[0] | (uint32_t)data[1] << 8, &o);
  }
  ASSERT((unsigned)r < CT_REASON_COUNT && p.tunnel_depth <= CT_MAX_TUNNELS && p.vlan < 4096);
  if (r != CT_OK && r != CT_FRAGMENT) return 0;
  ASSERT(p.payload >= d && p.payload <= d + n && p.len <= (size_t)(d + n - p.payload) && p.len <= p.wire_len);
  ASSERT(p.ip_version == 4 || p.ip_version == 6 || (p.ip_version == 0 && p.is_message));
  ASSERT(!p.is_message || (p.transport < CT_TRANSPORTS && p.origin <= CT_ORIGIN_UPROBE && p.proto == 0));
  if (r == CT_FRAGMENT) {
    ASSERT(p.frag_more || p.frag_off != 0);
    ASSERT(p.frag_off % 8 == 0 && p.frag_off < 65536);
    return 0;
  }
  if (gate.sip[0] == 0) memset(gate.sip, 0x55, sizeof gate.sip);
  ASSERT(ct_classify(&p, &gate, &o) < CT_CLS_COUNT);
  return 0;
}
