/* SPDX-License-Identifier: Apache-2.0
 * packet_classic.c - decides what a kernel that refuses eBPF keeps away from us: a classic BPF program.
 *
 * Modest on purpose. It drops what is certain by its header (ARP, LLDP, the outgoing twin of a loopback
 * packet) and TCP that is in neither gate and begins with no letter, line end or WebSocket text frame.
 * It cuts nothing, since it cannot see which frames stand for several datagrams, and counts nothing.
 * Loads go by the network header (SKF_NET_OFF), so one program serves links with and without a header.
 */
#include "live/packet_classic.h"
#include "decode/learned.h"
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stddef.h>

#define WHOLE 0x7fffffffu
#define NET ((uint32_t)SKF_NET_OFF)
#define AD(field) ((uint32_t)(SKF_AD_OFF + (field)))
/* Spans of ports that are compared one by one; a gate in more pieces lets all TCP pass. */
#define MAX_SPANS 64u

struct program {
  struct sock_filter *out;
  uint16_t room, n;
};

static void put(struct program *p, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf) {
  if (p->n < p->room) p->out[p->n] = (struct sock_filter){.code = code, .jt = jt, .jf = jf, .k = k};
  p->n++;
}
static void give(struct program *p, uint32_t bytes) { put(p, BPF_RET | BPF_K, bytes, 0, 0); }
/* Return when A is (or has a bit of) k, continue otherwise. */
static void give_when(struct program *p, uint16_t jump, uint32_t k, uint32_t bytes) {
  put(p, (uint16_t)(BPF_JMP | jump | BPF_K), k, 0, 1);
  give(p, bytes);
}
static void give_when_within(struct program *p, uint32_t from, uint32_t to) {
  put(p, BPF_JMP | BPF_JGE | BPF_K, from, 0, 2);
  put(p, BPF_JMP | BPF_JGT | BPF_K, to, 1, 0);
  give(p, WHOLE);
}

struct span {
  uint32_t from, to;
};

static bool is_wanted(const struct ct_gate *g, uint16_t port) {
  return ct_port_in(g->sip, port) || ct_port_in(g->ws, port) ||
         (g->learned != NULL && ct_learned_port(g->learned, port));
}

/* The union of both gates and of the learned ports as spans; MAX_SPANS + 1 when there are more. */
static uint32_t spans_of(const struct ct_gate *g, struct span *out) {
  uint32_t n = 0;
  bool open = false;
  for (uint32_t port = 0; port < 65536; port++) {
    bool in = is_wanted(g, (uint16_t)port);
    if (in && !open) {
      if (n == MAX_SPANS) return MAX_SPANS + 1;
      out[n++].from = port;
    }
    if (in) out[n - 1].to = port;
    open = in;
  }
  return n;
}

/* A TCP segment, X holding the length of the IP header (0 and `fixed` 40 for IPv6). */
static void tcp(struct program *p, uint32_t fixed, const struct span *span, uint32_t spans) {
  for (uint32_t side = 0; side < 2; side++) {
    put(p, BPF_LD | BPF_H | BPF_IND, NET + fixed + side * 2, 0, 0);
    for (uint32_t i = 0; i < spans; i++) give_when_within(p, span[i].from, span[i].to);
  }
  /* X += data offset; A = first byte of the data. A load beyond the packet drops it: no data. */
  put(p, BPF_LD | BPF_B | BPF_IND, NET + fixed + 12, 0, 0);
  put(p, BPF_ALU | BPF_AND | BPF_K, 0xf0, 0, 0);
  put(p, BPF_ALU | BPF_RSH | BPF_K, 2, 0, 0);
  put(p, BPF_ALU | BPF_ADD | BPF_X, 0, 0, 0);
  put(p, BPF_MISC | BPF_TAX, 0, 0, 0);
  put(p, BPF_LD | BPF_B | BPF_IND, NET + fixed, 0, 0);
  give_when(p, BPF_JEQ, '\r', WHOLE);
  give_when(p, BPF_JEQ, '\n', WHOLE);
  give_when_within(p, 'A', 'Z');
  give_when_within(p, 'a', 'z');
  give_when_within(p, 0x01, 0x02);
  give_when_within(p, 0x81, 0x82);
  give(p, 0);
}

uint16_t ct_classic_build(const struct ct_gate *gate, struct sock_filter *out, uint16_t room) {
  struct program p = {.out = out, .room = out == NULL ? 0 : room};
  struct span span[MAX_SPANS];
  uint32_t spans = spans_of(gate, span);
  put(&p, BPF_LD | BPF_W | BPF_ABS, AD(SKF_AD_PKTTYPE), 0, 0);
  put(&p, BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 0, 3);
  put(&p, BPF_LD | BPF_W | BPF_ABS, AD(SKF_AD_IFINDEX), 0, 0);
  give_when(&p, BPF_JEQ, 1, 0);
  put(&p, BPF_LD | BPF_W | BPF_ABS, AD(SKF_AD_PROTOCOL), 0, 0);
  give_when(&p, BPF_JEQ, ETH_P_ARP, 0);
  give_when(&p, BPF_JEQ, 0x88cc, 0); /* LLDP */
  if (spans > MAX_SPANS) {
    give(&p, WHOLE);
    return p.n;
  }
  /* IPv6, a TCP header straight after the fixed one; all other IPv6 passes. */
  put(&p, BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IPV6, 1, 0);
  put(&p, BPF_JMP | BPF_JA, 0, 0, 0); /* to IPv4, below */
  uint16_t jump = (uint16_t)(p.n - 1);
  put(&p, BPF_LD | BPF_B | BPF_ABS, NET + 6, 0, 0);
  put(&p, BPF_JMP | BPF_JEQ | BPF_K, 6, 1, 0);
  give(&p, WHOLE);
  put(&p, BPF_LDX | BPF_IMM, 0, 0, 0); /* X = 0: `fixed` says it all */
  tcp(&p, 40, span, spans);
  if (jump < p.room) p.out[jump].k = (uint32_t)(p.n - jump - 1);
  put(&p, BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 1, 0);
  give(&p, WHOLE);
  put(&p, BPF_LD | BPF_B | BPF_ABS, NET + 9, 0, 0);
  put(&p, BPF_JMP | BPF_JEQ | BPF_K, 6, 1, 0);
  give(&p, WHOLE);
  put(&p, BPF_LD | BPF_H | BPF_ABS, NET + 6, 0, 0);
  give_when(&p, BPF_JSET, 0x3fff, WHOLE); /* fragments */
  put(&p, BPF_LDX | BPF_B | BPF_MSH, NET, 0, 0);
  tcp(&p, 0, span, spans);
  return p.n;
}
