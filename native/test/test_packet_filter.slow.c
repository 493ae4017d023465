/* SPDX-License-Identifier: Apache-2.0
 * test_packet_filter.slow.c - the kernel filters against the rule they live by: what user space would give a
 * name must reach it, in a length at which it gives the same name; the rest is dropped and counted.
 *
 *   test_packet_filter [SCENARIO...]       needs root
 *   test_packet_filter without_cap_bpf     in a namespace of its own and without that capability
 *   test_packet_filter replay FILE...      frames of captures through an unfiltered and two filtered sources
 */
#include "file/pcap_read.h"
#include "live_lab.h"
#ifdef CT_HAVE_LIBBPF
#include "system/bpf_load.h"
#endif

struct probe { /* a datagram or segment and the class each filter must see in it */
  const char *name;
  uint32_t proto, sport, dport;
  const char *data;
  uint32_t n;
  enum ct_filter_class cls;
  bool passes_classic;
};
#define TEXT(s) s, sizeof(s) - 1
#define RTP12 "\x80\x00\x00\x01\x00\x00\x00\xa0\x00\x00\x00\x07"
#define PAD40 "........................................"

static const struct probe probes[] = {
    {"SIP in the gate", 17, 5060, 9, TEXT("OPTIONS sip:a SIP/2.0\r\n\r\n"), CT_F_SIP, true},
    {"keep-alive", 17, 9, 5061, TEXT("\r\n\r\n"), CT_F_SIP, true},
    {"empty datagram in the gate", 17, 9, 5061, TEXT(""), CT_F_SIP, true},
    {"SIP elsewhere", 17, 5080, 6000, TEXT("INVITE sip:a@b SIP/2.0\r\nVia: " PAD40), CT_F_SIP_OUTSIDE, true},
    {"response elsewhere", 17, 5080, 6000, TEXT("SIP/2.0 200 OK\r\n\r\n"), CT_F_SIP_OUTSIDE, true},
    {"extension method", 17, 5080, 6000, TEXT("x-!%*_+`'~.long-method-of-32-cha sip:a SIP/2.0\r\n"),
     CT_F_SIP_OUTSIDE, true},
    {"line ends in front", 17, 5080, 6000, TEXT("\r\n\nBYE sip:a SIP/2.0\r\n\r\n"), CT_F_SIP_OUTSIDE, true},
    {"shortest request", 17, 5080, 6000, TEXT("A b SIP/2.0\n"), CT_F_SIP_OUTSIDE, true},
    {"RTP", 17, 1024, 20000, TEXT(RTP12 PAD40 PAD40 PAD40 PAD40), CT_F_RTP, true},
    {"RTP from port 1023", 17, 1023, 20000, TEXT(RTP12 PAD40), CT_F_DROP_UDP, true},
    {"RTCP", 17, 10001, 20001, TEXT("\x80\xc8\x00\x06\x00\x00\x00\x07" PAD40), CT_F_RTCP, true},
    {"empty BYE", 17, 10001, 20001, TEXT("\x80\xcb\x00\x00....."), CT_F_RTCP, true},
    {"STUN", 17, 10000, 20000, TEXT("\x00\x01\x00\x00\x21\x12\xa4\x42............"), CT_F_STUN, true},
    {"STUN of RFC 3489", 17, 10000, 20000, TEXT("\x00\x01\x00\x04................1234"), CT_F_STUN, true},
    {"ChannelData", 17, 10000, 20000, TEXT("\x40\x01\x00\x0a.........."), CT_F_STUN, true},
    {"short ChannelData", 17, 10000, 20000, TEXT("\x40\x01\x00\x02.."), CT_F_STUN, true},
    {"DTLS", 17, 10000, 20000, TEXT("\x16\xfe\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04...."), CT_F_ENCRYPTED, true},
    {"ZRTP", 17, 10000, 20000, TEXT("\x10\x00\x00\x01ZRTP\x00\x00\x00\x07" PAD40), CT_F_ENCRYPTED, true},
    {"HEP without -E", 17, 10000, 9060, TEXT("HEP3\x00\x34" PAD40 "......"), CT_F_DROP_UDP, true},
    {"QUIC", 17, 50000, 443, TEXT("\xc3\x00\x00\x00\x01" PAD40), CT_F_DROP_UDP, true},
    {"DNS", 17, 50000, 53, TEXT("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03www"), CT_F_DROP_UDP,
     true},
    {"text of something else", 17, 50000, 8125, TEXT("some.metric.name:1|c and more text behind it"),
     CT_F_DROP_UDP, true},
    {"VXLAN", 17, 50000, 4789, TEXT("\x08\0\0\0\0\0\x01\0" PAD40), CT_F_TUNNEL, true},
    {"GTP-U", 17, 2152, 2152, TEXT("\x30\xff\0\x28\0\0\0\1" PAD40), CT_F_TUNNEL, true},
    {"TCP in the gate", 6, 40000, 5060, TEXT("REGISTER sip:a SIP/2.0\r\n\r\n"), CT_F_TCP, true},
    {"TCP of a WebSocket port", 6, 443, 40000, TEXT("\x17\x03\x03" PAD40), CT_F_TCP, true},
    {"TCP elsewhere, SIP", 6, 5080, 40000, TEXT("SIP/2.0 180 Ringing\r\n\r\n"), CT_F_TCP_OUTSIDE, true},
    {"TCP elsewhere, WebSocket", 6, 8088, 40000, TEXT("\x81\x17OPTIONS sip:a SIP/2.0\r\n"), CT_F_TCP_OUTSIDE,
     true},
    {"masked WebSocket", 6, 40000, 8088,
     TEXT("\x82\x97\x91\xa2\xb3\xc4\xde\xf2\xe7\x8d\xde\xec\xe0\xe4\xe2\xcb\xc3\xfe\xf0\x82\xe0\x8d\xc1\x8d"
          "\x81\xea\xa1\xaf\xb9"),
     CT_F_TCP_OUTSIDE, true},
    {"TLS elsewhere", 6, 8443, 40000, TEXT("\x17\x03\x03\x00\x20" PAD40), CT_F_DROP_TCP, false},
    {"acknowledgement elsewhere", 6, 8443, 40000, TEXT(""), CT_F_DROP_TCP, false},
    {"GRE", 47, 0, 0, TEXT("\0\0\x08\0" PAD40), CT_F_TUNNEL, true},
    {"IP in IP", 4, 0, 0, TEXT(PAD40), CT_F_TUNNEL, true},
    {"6in4", 41, 0, 0, TEXT(PAD40), CT_F_TUNNEL, true},
    {"SCTP", 132, 0, 0, TEXT(PAD40), CT_F_SCTP, true},
    {"OSPF", 89, 0, 0, TEXT(PAD40), CT_F_DROP_PROTO, true},
    {"echo request", 1, 0, 0, TEXT("\x08\0" PAD40), CT_F_DROP_ICMP, true},
    {"port unreachable", 1, 0, 0, TEXT("\x03\x03" PAD40), CT_F_ICMP, true},
};
#define PROBES COUNT(probes)

static uint32_t probe_frame(const struct probe *p) {
  if (p->proto == 17) return udp_frame(frame, p->sport, p->dport, p->data, p->n);
  if (p->proto == 6) return tcp_frame(frame, p->sport, p->dport, 0x18, p->data, p->n);
  uint32_t at = put_ether(frame, 0x0800);
  at += put_ipv4(frame + at, p->proto, p->n);
  memcpy(frame + at, p->data, p->n);
  return at + p->n;
}

static uint64_t sum_classes(const struct ct_filter_count *c, bool drops_only) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < CT_F_COUNT; i++)
    if (!drops_only || ct_filter_class_is_drop(i)) n += c[i].packets;
  return n;
}

/* One frame of every kind: the class that counts it, and whether it arrives. */
static void classes(void) {
  make_veth();
  struct lab *l = lab_start("vb", CT_FILTER_EBPF);
  CHECK_EQ(l->filter.mode, CT_FILTER_EBPF);
  CHECK(l->filter.why[0] == 0);
  if (l->filter.mode != CT_FILTER_EBPF) fprintf(stderr, "  %s\n", l->filter.why);
  int out = raw_socket("va");
  struct ct_filter_count before[CT_F_COUNT], after[CT_F_COUNT];
  uint64_t dropped = 0, bytes = 0;
  for (uint32_t i = 0; i < PROBES; i++) {
    subject = probes[i].name;
    uint32_t n = probe_frame(&probes[i]);
    CHECK(ct_filter_counts(&l->filter, before));
    send_frame(out, frame, n);
    CHECK(ct_filter_counts(&l->filter, after));
    CHECK_EQ(after[probes[i].cls].packets - before[probes[i].cls].packets, 1);
    CHECK_EQ(sum_classes(after, false) - sum_classes(before, false), 1);
    dropped += ct_filter_class_is_drop(probes[i].cls);
    bytes += n;
  }
  subject = "classes";
  wait_count(l, 0, CT_L_FRAMES, PROBES - dropped);
  lab_stop(l);
  CHECK(ct_filter_counts(&l->filter, after));
  CHECK_EQ(live_count(l, 0, CT_L_FRAMES) + sum_classes(after, true), PROBES);
  uint64_t counted = 0;
  for (uint32_t i = 0; i < CT_F_COUNT; i++) counted += after[i].bytes;
  CHECK_EQ(counted, bytes);
  /* Cut media is no loss of the capture. */
  CHECK_EQ(l->counters[CT_N_SNAPPED], 0);
  CHECK(l->counters[CT_N_BYTES] < bytes);
  CHECK_EQ(l->sip_ports[5080], 6);
  CHECK_EQ(l->ws_ports[8088], 2);
  lab_free(l);
}

static void classic(void) {
  make_veth();
  struct lab *l = lab_start("vb", CT_FILTER_CLASSIC);
  CHECK_EQ(l->filter.mode, CT_FILTER_CLASSIC);
  CHECK(strstr(l->filter.why, "asked for") != NULL);
  int out = raw_socket("va");
  uint64_t passing = 0;
  for (uint32_t i = 0; i < PROBES; i++) {
    send_frame(out, frame, probe_frame(&probes[i]));
    passing += probes[i].passes_classic;
  }
  uint32_t n = put_ether(frame, ETH_P_ARP);
  send_frame(out, frame, n + 46);
  wait_count(l, 0, CT_L_FRAMES, passing);
  lab_stop(l);
  CHECK_EQ(live_count(l, 0, CT_L_FRAMES), passing);
  CHECK_EQ(l->sip_ports[5080], 6);
  CHECK_EQ(l->ws_ports[8088], 2);
  struct ct_filter_count none[CT_F_COUNT];
  CHECK(!ct_filter_counts(&l->filter, none));
  lab_free(l);
}

/* A gate in many pieces, and one of all ports: the programs must still load and let SIP pass. */
static void odd_gates(void) {
  make_veth();
  for (int wide = 0; wide < 2; wide++) {
    for (int mode = CT_FILTER_CLASSIC; mode <= CT_FILTER_EBPF; mode++) {
      struct lab *l = lab_open(CT_FILTER_NONE, LAB_SLABS);
      ct_filter_close(&l->filter);
      for (uint32_t port = 1; port < 65536; port += wide ? 1 : 100) gate_ports(l->pl.gate.sip, port, port);
      struct ct_filter_opts o = {.gate = &l->pl.gate, .best = (enum ct_filter_mode)mode};
      ct_filter_open(&l->filter, &o);
      if (mode == CT_FILTER_CLASSIC || ct_filter_has_ebpf()) CHECK_EQ(l->filter.mode, mode);
      lab_add(l, "vb", LAB_BLOCKS);
      if (mode == CT_FILTER_CLASSIC || ct_filter_has_ebpf()) CHECK_EQ(l->filter.mode, mode);
      CHECK_EQ(ct_live_start(&l->live), 0);
      int out = raw_socket("va");
      send_frame(out, frame, tcp_frame(frame, 40000, 5001, 0x18, TEXT("\x17\x03\x03" PAD40)));
      send_frame(out, frame, udp_frame(frame, 1024, 5001, TEXT("OPTIONS sip:a SIP/2.0\r\n\r\n")));
      wait_count(l, 0, CT_L_FRAMES, 2);
      lab_stop(l);
      CHECK_EQ(live_count(l, 0, CT_L_FRAMES), 2);
      CHECK_EQ(class_count(l, CT_CLS_SIP), 1);
      CHECK_EQ(class_count(l, CT_CLS_TCP), 1);
      close(out);
      lab_free(l);
    }
  }
}

/* What SDP names is heard, whatever it speaks: T.38 here. Both directions, both families, and no longer. */
static void media_endpoints(void) {
  make_veth();
  struct lab *l = lab_start("vb", CT_FILTER_EBPF);
  int out = raw_socket("va");
  struct ct_filter_count c[CT_F_COUNT];
  struct ct_media_key four = {.addr = {10, 0, 0, 2}, .port = htons(4000)},
                      six = {.addr = {0x20, 1, 0xd, 0xb8, [15] = 1}, .port = htons(4000)};
  static const char t38[] = "\x00\x01\x06................";
  for (int step = 0; step < 3; step++) {
    if (step > 0) {
      for (int again = 0; again < 2; again++) {
        CHECK_EQ(ct_filter_media(&l->filter, &four, 1, step == 1), 0);
        CHECK_EQ(ct_filter_media(&l->filter, &six, 1, step == 1), 0);
      }
    }
    send_frame(out, frame, udp_frame(frame, 9, 4000, TEXT(t38)));
    send_frame(out, frame, udp_frame(frame, 4000, 9, TEXT(t38))); /* the port of the other side */
    uint32_t at = put_ether(frame, 0x86dd), n = sizeof t38 - 1;
    at += put_ipv6(frame + at, 17, n + 8);
    memcpy(frame + at - 32, six.addr, 16);
    at += put_udp(frame + at, 4000, 9, n);
    memcpy(frame + at, t38, n);
    send_frame(out, frame, at + n);
  }
  CHECK(ct_filter_counts(&l->filter, c));
  CHECK_EQ(c[CT_F_MEDIA].packets, 2);
  CHECK_EQ(c[CT_F_DROP_UDP].packets, 7);
  lab_stop(l);
  CHECK_EQ(live_count(l, 0, CT_L_FRAMES), 2);
  lab_free(l);
}

/* Before, during and after it is learned: a message is shown, then analysed; what has no begin passes only then. */
static void learned_socket(void) {
  make_veth();
  for (int mode = CT_FILTER_CLASSIC; mode <= (ct_filter_has_ebpf() ? CT_FILTER_EBPF : CT_FILTER_CLASSIC); mode++) {
    struct lab *l = lab_open((enum ct_filter_mode)mode, LAB_SLABS);
    ct_pipeline_learn_sip(&l->pl);
    lab_add(l, "vb", LAB_BLOCKS);
    if (ct_live_start(&l->live) != 0) abort();
    int out = raw_socket("va");
    const struct ct_learned_key key = {.addr = {10, 0, 0, 2}, .port = htons(5080), .ip_version = 4};
    for (uint32_t step = 0; step < 3; step++) {
      ct_live_learned(&l->live, &key, step == 1);
      send_frame(out, frame, udp_frame(frame, 9, 5080, TEXT("OPTIONS sip:a SIP/2.0\r\n\r\n")));
      send_frame(out, frame, tcp_frame(frame, 9, 5080, 16, TEXT("[the middle of a message]")));
      send_frame(out, frame, tcp_frame(frame, 9, 5080, 16, TEXT("BYE sip:a SIP/2.0\r\n\r\n")));
      send_frame(out, frame, tcp_frame(frame, 9, 5080, 16, TEXT("[the middle of another]")));
      wait_count(l, 0, CT_L_FRAMES, (const uint32_t[]){2, 6, 8}[step]);
    }
    lab_stop(l);
    CHECK_EQ(l->filter.mode, (enum ct_filter_mode)mode);
    CHECK_EQ(live_count(l, 0, CT_L_FRAMES), 8);
    CHECK_EQ(records_of(l, CT_KIND_SIP_OUTSIDE), 4);
    CHECK_EQ(records_of(l, CT_KIND_UDP) + 10 * records_of(l, CT_KIND_TCP), 21); /* from what begins with SIP */
    CHECK_EQ(l->sip_ports[9], 4);
    lab_free(l);
  }
}

/* Many at once: all are in the map, then out of it; what does not fit is counted. */
static void many_endpoints(void) {
  make_veth();
  struct lab *l = lab_start("vb", CT_FILTER_EBPF);
  int out = raw_socket("va");
  enum { MANY = CT_MEDIA_MAX + 5 };
  struct ct_media_key *keys = calloc(MANY, sizeof *keys);
  struct ct_filter_count c[CT_F_COUNT];
  for (uint32_t i = 0; i < MANY; i++) {
    keys[i].addr[0] = 10;
    keys[i].addr[3] = 2;
    memcpy(keys[i].addr + 4, &(uint32_t){i / 50000 + (i >= 50000)}, 4);
    keys[i].port = htons((uint16_t)(4000 + i % 50000));
  }
  static const char t38[] = "\x00\x01\x06................";
  for (int step = 0; step < 3; step++) {
    if (step == 1) CHECK_EQ(ct_filter_media(&l->filter, keys, MANY, true), 5);
    if (step == 2) CHECK_EQ(ct_filter_media(&l->filter, keys, MANY, false), 0);
    send_frame(out, frame, udp_frame(frame, 9, 4000, TEXT(t38)));
    send_frame(out, frame, udp_frame(frame, 9, 53000, TEXT(t38)));
    send_frame(out, frame, udp_frame(frame, 9, 3999, TEXT(t38)));
  }
  CHECK(ct_filter_counts(&l->filter, c));
  CHECK_EQ(c[CT_F_MEDIA].packets, 2);
  CHECK_EQ(c[CT_F_DROP_UDP].packets, 7);
  CHECK_EQ(ct_filter_media(&l->filter, keys, 3, true), 0);
  close(out);
  lab_free(l);
  free(keys);
}

/* Media is cut after its headers; nothing that is counted of it changes. With retention it is whole. */
static void media_is_cut(void) {
  make_veth();
  for (int whole = 0; whole < 2; whole++) {
    struct lab *l = lab_open(CT_FILTER_NONE, LAB_SLABS);
    ct_filter_close(&l->filter);
    struct ct_filter_opts o = {
        .gate = &l->pl.gate, .best = CT_FILTER_EBPF, .whole_frames = whole, .link = CT_LINK_ETHER};
    ct_filter_open(&l->filter, &o);
    lab_add(l, "vb", LAB_BLOCKS);
    CHECK_EQ(ct_live_start(&l->live), 0);
    int out = raw_socket("va");
    uint8_t rtp[1000];
    for (uint32_t i = 0; i < 100; i++) {
      uint32_t n = rtp_payload(rtp, i, 7, i % 3 == 0 ? 172 : sizeof rtp);
      if (i % 3 == 1) memcpy(rtp + 12, "\xbe\xde\x00\x05", 4);
      if (i % 3 == 1) rtp[0] = 0x90;
      if (i % 3 == 2) rtp[0] = 0x8f; /* 15 contributing sources */
      send_frame(out, frame, udp_frame(frame, 10000, 20000, rtp, n));
    }
    wait_count(l, 0, CT_L_FRAMES, 100);
    lab_stop(l);
    CHECK_EQ(class_count(l, CT_CLS_RTP), 100);
    CHECK_EQ(l->counters[CT_N_COUNT + CT_REASON_COUNT + CT_CLS_COUNT + CT_RC_PACKETS], 100);
    CHECK_EQ(l->counters[CT_N_COUNT + CT_REASON_COUNT + CT_CLS_COUNT + CT_RC_MALFORMED], 0);
    uint32_t each = l->counters[CT_N_BYTES] / 100;
    CHECK(whole ? each > 700 : each < 42 + 96);
    lab_free(l);
  }
}

/* ---- Captures ---- */

/* Decode reasons and classes that a filter must not change. */
static const enum ct_class kept_classes[] = {CT_CLS_SIP,       CT_CLS_SIP_OUT,  CT_CLS_WS_OUT, CT_CLS_TCP,
                                             CT_CLS_RTP,       CT_CLS_RTCP,     CT_CLS_STUN,   CT_CLS_HEP,
                                             CT_CLS_KEEPALIVE, CT_CLS_ENCRYPTED};

static uint32_t transport_fragments(const struct lab *l) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->n; i++) {
    const struct ct_record *r = &l->records[i];
    n += r->kind == CT_KIND_FRAGMENT && (r->transport == 6 || r->transport == 17);
  }
  return n;
}

static void same(uint64_t got, uint64_t want, enum ct_filter_mode mode, const char *what) {
  checks++;
  if (got == want) return;
  failures++;
  fprintf(stderr, "%s: filter %d: %s is %llu, not %llu\n", subject, mode, what, (unsigned long long)got,
          (unsigned long long)want);
}

/* What was found through a filter, and what without. Classic BPF drops damaged TCP unseen. */
static void compare(const struct lab *got, const struct lab *want) {
  enum ct_filter_mode mode = got->filter.mode;
  for (uint32_t k = 0; k < COUNT(kept_classes); k++) {
    uint32_t at = CT_N_COUNT + CT_REASON_COUNT + kept_classes[k];
    same(got->counters[at], want->counters[at], mode, ct_counter_name(at));
  }
  for (uint32_t k = 0; k < CT_REASON_COUNT && mode == CT_FILTER_EBPF; k++) {
    uint32_t at = CT_N_COUNT + k;
    if (ct_reason_is_loss((enum ct_reason)k))
      same(got->counters[at], want->counters[at], mode, ct_counter_name(at));
  }
  for (uint32_t k = 0; k < CT_RC_COUNT; k++) {
    uint32_t at = CT_N_COUNT + CT_REASON_COUNT + CT_CLS_COUNT + k;
    same(got->counters[at], want->counters[at], mode, ct_counter_name(at));
  }
  same(transport_fragments(got), transport_fragments(want), mode, "fragment records");
  CHECK(memcmp(got->sip_ports, want->sip_ports, sizeof want->sip_ports) == 0);
  CHECK(memcmp(got->ws_ports, want->ws_ports, sizeof want->ws_ports) == 0);
}

static int replay(int argc, char **argv) {
  if (unshare(CLONE_NEWNET) != 0) {
    printf("skip replay: needs root\n");
    return 0;
  }
  make_veth();
  sh("ip link set va mtu 65535 && ip link set vb mtu 65535");
  int out = raw_socket("va"), bad = 0;
  for (int i = 2; i < argc; i++) {
    enum ct_pcap_status status;
    int err;
    struct ct_pcap *file = ct_pcap_open(argv[i], &status, &err);
    if (file == NULL) continue;
    struct lab *l[3];
    for (int m = 0; m < 3; m++) l[m] = lab_start("vb", (enum ct_filter_mode)m);
    struct ct_frame r;
    uint64_t sent = 0;
    while (sent < 20000 && ct_pcap_next(file, &r) == CT_PCAP_RECORD) {
      if (r.linktype != 1 || r.caplen < 14 || r.caplen > 65000) continue;
      sent += send(out, r.data, r.caplen, 0) == (ssize_t)r.caplen;
    }
    ct_pcap_close(file);
    wait_count(l[0], 0, CT_L_FRAMES, sent);
    /* What the filter passed is read a little later, too. */
    struct ct_filter_count c[CT_F_COUNT];
    bool counts = ct_filter_counts(&l[2]->filter, c);
    for (int m = 1; counts && m < 3; m++)
      wait_count(l[m], 0, CT_L_FRAMES, live_count(l[0], 0, CT_L_FRAMES) - sum_classes(c, true));
    unsigned before = failures;
    subject = argv[i];
    for (int m = 0; m < 3; m++) lab_stop(l[m]);
    /* The stack refuses a frame that is cut within its VLAN tag before anybody sees it. */
    uint64_t seen = live_count(l[0], 0, CT_L_FRAMES);
    CHECK(seen <= sent && sent - seen <= sent / 100 + 1);
    for (int m = 1; m < 3; m++) compare(l[m], l[0]);
    if (counts && ct_filter_counts(&l[2]->filter, c)) {
      CHECK_EQ(sum_classes(c, false), seen);
      CHECK_EQ(sum_classes(c, true) + live_count(l[2], 0, CT_L_FRAMES), seen);
    }
    for (int m = 0; m < 3; m++) lab_free(l[m]);
    if (failures != before) bad = 1;
    if (sent == 0 && failures == before) continue;
    printf("%s %s (%llu frames)\n", failures == before ? "ok" : "FAIL",
           strrchr(argv[i], '/') != NULL ? strrchr(argv[i], '/') + 1 : argv[i], (unsigned long long)sent);
  }
  return bad;
}

/* In a process that may not load programs: which filter is it then, and does it capture? */
static int without_cap_bpf(void) {
  subject = "without_cap_bpf";
  make_veth();
  struct lab *l = lab_start("vb", CT_FILTER_EBPF);
  int out = raw_socket("va");
  printf("%s: %s\n", l->filter.mode == CT_FILTER_CLASSIC ? "classic" : "another", l->filter.why);
  send_frame(out, frame, sip_frame());
  send_frame(out, frame, tcp_frame(frame, 8443, 40000, 0x18, TEXT("\x17\x03\x03\x00\x20" PAD40)));
  wait_count(l, 0, CT_L_FRAMES, 1);
  lab_stop(l);
  CHECK_EQ(records_of(l, CT_KIND_UDP), 1);
  CHECK_EQ(live_count(l, 0, CT_L_FRAMES), 1);
  lab_free(l);
  return failures != 0;
}

#ifdef CT_HAVE_LIBBPF
/* As libbpf calls it. */
static void say(const char *format, ...) {
  va_list args;
  va_start(args, format);
  ct_bpf_listen(LIBBPF_WARN, format, args);
  va_end(args);
}

/* Of a log that ends in the reason and a count of instructions, the reason is what the operator reads. */
static void verifier_reason(void) {
  static const char begin[] = "libbpf: prog '%s': -- BEGIN PROG LOAD LOG --\n%s-- END PROG LOAD LOG --\n";
  say("libbpf: prog '%s': BPF program load failed: Permission denied\n", "p");
  CHECK(ct_bpf_reason[0] == 0);
  say(begin, "p",
      "1293: (79) r4 = *(u64 *)(r7 +0)\nR7 max value is \x1b[outside\nprocessed 24 insns (limit 100)\n");
  CHECK(strcmp(ct_bpf_reason, "R7 max value is ?[outside") == 0);
  say("libbpf: failed to load object '%s'\n", "p");
  CHECK(strcmp(ct_bpf_reason, "R7 max value is ?[outside") == 0);
  say(begin, "p", "");
  CHECK(strcmp(ct_bpf_reason, "R7 max value is ?[outside") == 0);
}
#else
static void verifier_reason(void) {}
#endif

int main(int argc, char **argv) {
  static const struct scenario list[] = {
      {"classes", classes, true},           {"classic", classic, false},
      {"odd_gates", odd_gates, false},      {"media_endpoints", media_endpoints, true},
      {"many_endpoints", many_endpoints, true}, {"learned_socket", learned_socket, false},
      {"media_is_cut", media_is_cut, true}, {"verifier_reason", verifier_reason, true},
  };
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc > 1 && strcmp(argv[1], "replay") == 0) return replay(argc, argv);
  if (argc > 1 && strcmp(argv[1], "without_cap_bpf") == 0) return without_cap_bpf();
  return run_scenarios(list, COUNT(list), argc, argv);
}
