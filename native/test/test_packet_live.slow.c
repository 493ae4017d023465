/* SPDX-License-Identifier: Apache-2.0
 * test_packet_live.slow.c - the live source on real interfaces of the kernel: every frame that was sent is a
 * record or in a counter, whatever happens to the interface meanwhile.
 *
 *   test_packet_live [SCENARIO...]    needs root; without, every scenario is skipped with the reason
 */
#include "live_lab.h"
#include "system/expression.h"
#include <fcntl.h>
#include <linux/if_tun.h>
#include <netinet/udp.h>
#include <sys/ioctl.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

/* A ring of 64 blocks is full after 64 timer ticks of 10 ms: a reader that the machine held up that long would lose
 * frames, as it must. Tests that want none lost send so many at once and then wait for the reader. */
static void pace(const struct lab *l, uint64_t sent) {
  if (sent % 250 == 0) wait_count(l, 0, CT_L_FRAMES, sent);
}

static void accounting(void) {
  make_veth();
  struct lab *l = lab_start("vb", CT_FILTER_NONE);
  int out = raw_socket("va");
  uint8_t rtp[172];
  for (uint32_t i = 0; i < 5000; i++) {
    uint32_t n =
        i % 100 == 0 ? sip_frame() : udp_frame(frame, 10000, 20000, rtp, rtp_payload(rtp, i, 7, sizeof rtp));
    send_frame(out, frame, n);
    pace(l, i + 1);
  }
  wait_count(l, 0, CT_L_FRAMES, 5000);
  lab_stop(l);
  check_sum(l, 5000);
  CHECK_EQ(live_count(l, 0, CT_L_KERNEL_DROPS), 0);
  CHECK_EQ(class_count(l, CT_CLS_SIP), 50);
  CHECK_EQ(class_count(l, CT_CLS_RTP), 4950);
  CHECK_EQ(records_of(l, CT_KIND_UDP), 50);
  CHECK_EQ(records_of(l, CT_KIND_STREAM_OPENED), 1);
  CHECK(l->n > 0 && l->records[l->n - 1].kind == CT_KIND_SOURCE_END &&
        l->records[l->n - 1].aux0 == CT_END_STOPPED);
  CHECK(l->stop_ms < STOP_LIMIT_MS);
  /* The ring's time is nanoseconds since the epoch. */
  CHECK(l->records[0].ts_us / 1e6 > (double)time(NULL) - 60 &&
        l->records[0].ts_us / 1e6 < (double)time(NULL) + 1);
  lab_free(l);
}

/* Frames of the last moment are read before the thread ends. */
static void stop_reads_what_is_there(void) {
  make_veth();
  struct lab *l = lab_start("vb", CT_FILTER_NONE);
  int out = raw_socket("va");
  uint32_t n = sip_frame();
  nap_ms(30);
  for (uint32_t i = 0; i < 20; i++) send_frame(out, frame, n);
  lab_stop(l);
  check_sum(l, 20);
  CHECK_EQ(records_of(l, CT_KIND_UDP), 20);
  CHECK(l->stop_ms < STOP_LIMIT_MS);
  lab_free(l);
}

/* A consumer that never comes: what has no room is counted, RTP continues being counted. */
static void overflow(void) {
  make_veth();
  struct lab *l = lab_open(CT_FILTER_NONE, 2);
  lab_add(l, "vb", LAB_BLOCKS);
  CHECK_EQ(ct_live_start(&l->live), 0);
  int out = raw_socket("va");
  uint8_t sip[1200], rtp[172];
  memset(sip, ' ', sizeof sip);
  memcpy(sip, OPTIONS_TEXT, OPTIONS_BYTES);
  for (uint32_t i = 0; i < 1000; i++) {
    send_frame(out, frame, udp_frame(frame, 5060, 5060, sip, sizeof sip));
    send_frame(out, frame, udp_frame(frame, 10000, 20000, rtp, rtp_payload(rtp, i, 7, sizeof rtp)));
    pace(l, 2 * i + 2);
  }
  wait_count(l, 0, CT_L_FRAMES, 2000);
  lab_stop(l);
  check_sum(l, 2000);
  CHECK(records_of(l, CT_KIND_UDP) < 500);
  /* 1000 messages, the stream's events and the end record: each is kept or counted. */
  uint32_t rest = l->n - records_of(l, CT_KIND_UDP);
  CHECK_EQ(l->ring.dropped + records_of(l, CT_KIND_UDP) + rest, 1000 + 2 + 1);
  CHECK_EQ(class_count(l, CT_CLS_RTP), 1000);
  lab_free(l);
}

static void vlan(void) {
  make_veth();
  struct lab *l = lab_start("vb", CT_FILTER_EBPF);
  int out = raw_socket("va");
  for (uint32_t tags = 1; tags <= 2; tags++) {
    uint32_t at = put_ether(frame, tags == 2 ? 0x88a8 : 0x8100);
    for (uint32_t t = 0; t < tags; t++, at += 4) {
      put16(frame + at, 0x6000 + 100 * tags + t); /* a priority, and VLAN 100 or 200 and 201 */
      put16(frame + at + 2, t + 1 == tags ? 0x0800 : 0x8100);
    }
    at += udp_datagram(frame + at, 5060, 5060, OPTIONS_TEXT, OPTIONS_BYTES);
    send_frame(out, frame, at);
  }
  wait_count(l, 0, CT_L_FRAMES, 2);
  lab_stop(l);
  CHECK_EQ(records_of(l, CT_KIND_UDP), 2);
  CHECK_EQ(l->records[0].vlan, 100);
  CHECK_EQ(l->records[1].vlan, 200);
  CHECK_EQ(live_count(l, 0, CT_L_VLAN_TAGS), 2);
  CHECK_EQ(l->counters[CT_N_BYTES], (54 - 12 + 4 + OPTIONS_BYTES) + (54 - 12 + 8 + OPTIONS_BYTES));
  lab_free(l);
}

/* The expression sees the tag that the kernel took out; what it does not match is no frame. */
static void expression(void) {
  if (ct_expression_refusal()[0] != '\0') return;
  make_veth();
  struct lab *l = lab_open(CT_FILTER_EBPF, LAB_SLABS);
  l->pl.filter = ct_frame_filter_create("vlan 100");
  lab_add(l, "vb", LAB_BLOCKS);
  if (ct_live_start(&l->live) != 0) abort();
  int out = raw_socket("va");
  for (uint32_t vlan = 100; vlan <= 101; vlan++) {
    uint32_t at = put_ether(frame, 0x8100);
    put16(frame + at, vlan);
    put16(frame + at + 2, 0x0800);
    at += 4;
    at += udp_datagram(frame + at, 5060, 5060, OPTIONS_TEXT, OPTIONS_BYTES);
    send_frame(out, frame, at);
  }
  send_frame(out, frame, sip_frame());
  wait_count(l, 0, CT_L_FRAMES, 3);
  lab_stop(l);
  CHECK_EQ(records_of(l, CT_KIND_UDP), 1);
  CHECK_EQ(l->records[0].vlan, 100);
  CHECK_EQ(l->counters[CT_N_FRAMES], 1);
  CHECK_EQ(l->counters[CT_N_BPF_SKIPPED], 2);
  lab_free(l);
}

static struct sockaddr_in address(const char *ip, uint16_t port) {
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = inet_addr(ip)};
}

/* A sender with UDP_SEGMENT: 40 datagrams in 4 frames are 40 packets, the last of each frame shorter. */
static void gso(void) {
  make_veth();
  sh("ip addr add 10.9.0.1/24 dev va && ip neigh add 10.9.0.2 lladdr 02:00:00:00:00:0b dev va nud permanent");
  for (int filter = 0; filter < 2; filter++) {
    struct lab *l = lab_start("vb", filter == 0 ? CT_FILTER_NONE : CT_FILTER_EBPF);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in from = address("10.9.0.1", 10000), to = address("10.9.0.2", 20000);
    int size = 172;
    CHECK(bind(fd, (struct sockaddr *)&from, sizeof from) == 0);
    CHECK(setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof size) == 0);
    static uint8_t data[1720];
    for (uint32_t burst = 0; burst < 4; burst++) {
      for (uint32_t i = 0; i < 10; i++) rtp_payload(data + i * 172, burst * 10 + i, 7, 172);
      CHECK(sendto(fd, data, sizeof data - 50, 0, (struct sockaddr *)&to, sizeof to) == sizeof data - 50);
    }
    close(fd);
    wait_count(l, 0, CT_L_FRAMES, 4);
    lab_stop(l);
    CHECK_EQ(live_count(l, 0, CT_L_FRAMES), 4); /* else the kernel has segmented: nothing was tested */
    CHECK_EQ(live_count(l, 0, CT_L_GSO_FRAMES), 4);
    CHECK_EQ(live_count(l, 0, CT_L_GSO_SEGMENTS), 40);
    CHECK_EQ(live_count(l, 0, CT_L_GSO_UNSPLIT), 0);
    CHECK(live_count(l, 0, CT_L_CSUM_NOT_READY) == 4);
    CHECK_EQ(class_count(l, CT_CLS_RTP), 40);
    CHECK_EQ(l->counters[CT_N_COUNT + CT_OK], 40);
    CHECK_EQ(l->counters[CT_N_SNAPPED], 0);
    lab_free(l);
  }
}

static void send_loopback(uint32_t n) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in to = address("127.0.0.1", 5060);
  for (uint32_t i = 0; i < n; i++) {
    CHECK(sendto(fd, OPTIONS_TEXT, OPTIONS_BYTES, MSG_DONTWAIT, (struct sockaddr *)&to, sizeof to) > 0 ||
          errno == ECONNREFUSED);
  }
  close(fd);
}

/* Takes the datagrams of send_loopback(): else ICMP errors quote each one. */
static int loopback_receiver(void) {
  int in = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in at = address("127.0.0.1", 5060);
  CHECK(bind(in, (struct sockaddr *)&at, sizeof at) == 0);
  return in;
}

/* Every datagram on lo passes the tap twice; with each filter, and on `any`, it is one record. */
static void loopback(void) {
  for (int i = 0; i < 6; i++) {
    struct lab *l = lab_start(i & 1 ? "any" : "lo", (enum ct_filter_mode)(i / 2));
    int in = loopback_receiver();
    send_loopback(100);
    wait_count(l, 0, CT_L_FRAMES, 100);
    lab_stop(l);
    close(in);
    CHECK_EQ(records_of(l, CT_KIND_UDP), 100);
    CHECK_EQ(live_count(l, 0, CT_L_LOOPBACK_COPIES), l->filter.mode == CT_FILTER_NONE ? 100 : 0);
    struct ct_filter_count classes[CT_F_COUNT];
    if (ct_filter_counts(&l->filter, classes)) CHECK_EQ(classes[CT_F_DROP_COPY].packets, 100);
    lab_free(l);
  }
}

/* Down, up, deleted, made again, another MTU: the source says each and captures on. */
static void recovery(void) {
  make_veth();
  double start = now_ms();
  struct lab *l = lab_start("vb", CT_FILTER_EBPF);
  uint32_t n = sip_frame();
  int out = raw_socket("va");
  send_frame(out, frame, n);
  wait_state(l, CT_LIVE_CAPTURING, "vb: capturing, MTU 1500, ring 8 MiB");
  sh("ip link set vb down");
  wait_state(l, CT_LIVE_DOWN, "is down");
  sh("ip link set vb up");
  wait_state(l, CT_LIVE_CAPTURING, "capturing");
  nap_ms(50);
  send_frame(out, frame, n);
  sh("ip link set vb mtu 9000");
  wait_count(l, 0, CT_L_MTU_CHANGES, 1);
  wait_state(l, CT_LIVE_CAPTURING, "MTU 9000");
  close(out);
  sh("ip link del va");
  wait_state(l, CT_LIVE_GONE, "is gone");
  nap_ms(1200); /* it stays quiet while there is nothing */
  make_veth();
  wait_state(l, CT_LIVE_CAPTURING, "capturing, MTU 1500");
  out = raw_socket("va");
  send_frame(out, frame, n);
  /* Deleted and made again before anybody looked. */
  close(out);
  nap_ms(30);
  sh("ip link del va");
  make_veth();
  wait_count(l, 0, CT_L_REBINDS, 2);
  wait_state(l, CT_LIVE_CAPTURING, "capturing");
  out = raw_socket("va");
  send_frame(out, frame, n);
  wait_count(l, 0, CT_L_FRAMES, 4);
  lab_stop(l);
  CHECK_EQ(records_of(l, CT_KIND_UDP), 4);
  CHECK_EQ(live_count(l, 0, CT_L_REBINDS), 2);
  CHECK_EQ(live_count(l, 0, CT_L_LINK_DOWNS), 3);
  CHECK_EQ(live_count(l, 0, CT_L_ERRORS), 0);
  CHECK(l->stop_ms < STOP_LIMIT_MS);
  /* The thread slept through it all. */
  CHECK((double)l->live.cpu_ns / 1e6 < (now_ms() - start) / 4);
  lab_free(l);
}

static void refuses_at_start(void) {
  struct lab *l = lab_open(CT_FILTER_NONE, LAB_SLABS);
  struct ct_live_error e;
  CHECK(!ct_live_add(&l->live, "nosuch0", 0, 8, l->live_counters[0], &e));
  CHECK_EQ(e.err, ENODEV);
  CHECK(!ct_live_add(&l->live, "a-name-that-is-much-too-long", 0, 8, l->live_counters[0], &e));
  CHECK_EQ(e.err, ENODEV);
  CHECK(!ct_live_add(&l->live, "", 0, 8, l->live_counters[0], &e));
  CHECK_EQ(l->live.n, 0);
  const char *const names[] = {"lo", "lo", "any", "nosuch0"};
  CHECK_EQ(ct_live_common_link(&l->live, names, 2), CT_LINK_ETHER);
  CHECK_EQ(ct_live_common_link(&l->live, names, 3), CT_LINK_MIXED);
  CHECK_EQ(ct_live_common_link(&l->live, names + 3, 1), CT_LINK_MIXED);
  lab_free(l);
}

/* Two interfaces and one thread: records carry the number of their source. */
static void two_interfaces(void) {
  make_veth();
  struct lab *l = lab_open(CT_FILTER_NONE, LAB_SLABS);
  lab_add(l, "vb", LAB_BLOCKS);
  lab_add(l, "lo", LAB_BLOCKS);
  CHECK_EQ(ct_live_start(&l->live), 0);
  int out = raw_socket("va"), in = loopback_receiver();
  uint32_t n = sip_frame(), of[2] = {0};
  for (uint32_t i = 0; i < 30; i++) send_frame(out, frame, n);
  send_loopback(20);
  wait_count(l, 0, CT_L_FRAMES, 30);
  wait_count(l, 1, CT_L_FRAMES, 20);
  lab_stop(l);
  for (uint32_t i = 0; i < l->n; i++)
    if (l->records[i].kind == CT_KIND_UDP) of[l->records[i].source & 1]++;
  CHECK_EQ(of[0], 30);
  CHECK_EQ(of[1], 20);
  close(in);
  lab_free(l);
}

/* On `any`: Ethernet beside a tun device, whose frames begin with IP. The second address looks like an
 * Ethertype where an Ethernet header would have one. */
static void any_link_types(void) {
  make_veth();
  int tun = open("/dev/net/tun", O_RDWR);
  struct ifreq request = {.ifr_name = "tn0", .ifr_flags = IFF_TUN | IFF_NO_PI};
  if (tun < 0 || ioctl(tun, TUNSETIFF, &request) != 0) {
    printf("skip any_link_types: no /dev/net/tun\n");
    exit(0);
  }
  sh("ip link set tn0 up");
  for (int mode = 0; mode <= 2; mode++) {
    struct lab *l = lab_start("any", (enum ct_filter_mode)mode);
    int out = raw_socket("va");
    /* Once out of va, a copy of that into vb, and the first packet of the tun is the same. */
    send_frame(out, frame, sip_frame());
    for (int odd = 0; odd < 2; odd++) {
      uint8_t ip[512];
      uint32_t n = udp_datagram(ip, 5060, 5060, OPTIONS_TEXT, OPTIONS_BYTES);
      if (odd) memcpy(ip + 12, "\x08\0\x2d\x01", 4);
      CHECK(write(tun, ip, n) == (ssize_t)n);
    }
    wait_count(l, 0, CT_L_FRAMES, 4);
    lab_stop(l);
    CHECK_EQ(records_of(l, CT_KIND_UDP), 2);
    CHECK_EQ(class_count(l, CT_CLS_SIP), 2);
    CHECK_EQ(l->counters[CT_N_COPIES], 2);
    struct ct_live_status st;
    CHECK(ct_live_status_of(&l->live, 0, &st) && strstr(st.text, "every interface") != NULL);
    lab_free(l);
  }
  close(tun);
}

/* Losses of the interface itself: counted from the start of the capture on, none of them invented. */
static void interface_losses(void) {
  make_veth();
  int netlink = ct_iface_open();
  struct ct_iface_facts before, after;
  CHECK_EQ(ct_iface_find(netlink, "vb", &before), 0);
  CHECK_EQ(before.mtu, 1500);
  CHECK_EQ(before.hatype, 1);
  struct lab *l = lab_start("vb", CT_FILTER_NONE);
  int out = raw_socket("va");
  uint32_t n = put_ether(frame, 0x88b5); /* an experimental Ethertype: nobody listens, the stack drops it */
  memset(frame + n, 0, 60);
  for (uint32_t i = 0; i < 50; i++) send_frame(out, frame, n + 60);
  wait_count(l, 0, CT_L_IFACE_DROPPED, 1);
  nap_ms(1100); /* the interface is asked once a second */
  CHECK_EQ(ct_iface_find(netlink, "vb", &after), 0);
  wait_count(l, 0, CT_L_IFACE_DROPPED, after.dropped - before.dropped);
  lab_stop(l);
  CHECK_EQ(live_count(l, 0, CT_L_IFACE_DROPPED), after.dropped - before.dropped);
  CHECK_EQ(live_count(l, 0, CT_L_IFACE_MISSED), 0);
  CHECK_EQ(live_count(l, 0, CT_L_FRAMES), 50); /* captured all the same */
  close(netlink);
  lab_free(l);
}

int main(int argc, char **argv) {
  static const struct scenario list[] = {
      {"accounting", accounting, false},
      {"stop_reads_what_is_there", stop_reads_what_is_there, false},
      {"overflow", overflow, false},
      {"vlan", vlan, false},
      {"expression", expression, false},
      {"gso", gso, false},
      {"loopback", loopback, false},
      {"recovery", recovery, false},
      {"refuses_at_start", refuses_at_start, false},
      {"two_interfaces", two_interfaces, false},
      {"any_link_types", any_link_types, false},
      {"interface_losses", interface_losses, false},
  };
  return run_scenarios(list, COUNT(list), argc, argv);
}
