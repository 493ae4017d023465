/* SPDX-License-Identifier: Apache-2.0
 * test_packet_promiscuous.slow.c - the live source on ports whose frames are for others: bridges, mirrors, and a refusal.
 *
 *   test_packet_promiscuous [SCENARIO...]    needs root; without, every scenario is skipped with the reason
 */
#include "live_lab.h"
#include <sys/syscall.h>

static _Atomic bool is_refused; /* PACKET_ADD_MEMBERSHIP fails, as under a security module */

/* In front of the C library's: the kernel itself refuses promiscuous mode to no packet socket. */
int setsockopt(int fd, int level, int name, const void *value, socklen_t size) {
  if (is_refused && level == SOL_PACKET && name == PACKET_ADD_MEMBERSHIP) {
    errno = EPERM;
    return -1;
  }
  return (int)syscall(SYS_setsockopt, fd, level, name, value, size);
}

static uint32_t promiscuity(const char *name) {
  int netlink = ct_iface_open();
  struct ct_iface_facts facts;
  CHECK_EQ(ct_iface_find(netlink, name, &facts), 0);
  close(netlink);
  return facts.promiscuity;
}
static void wait_promiscuity(const char *name, uint32_t want) {
  for (int n = 0; n < 2000 && promiscuity(name) != want; n++) nap_ms(10);
  CHECK_EQ(promiscuity(name), want);
}

/* Two hosts, va and vc, whose calls cross the bridge of this host: frames for neither of its own addresses. The bridge
 * takes the number that it had when it was made for the first time. */
static void make_bridge(int index) {
  if (index > 0)
    sh("ip link add br0 index %d type bridge mcast_snooping 0", index);
  else
    sh("ip link add br0 type bridge mcast_snooping 0");
  sh("ip link set vb master br0 && ip link set vd master br0");
  sh("echo 1 > /proc/sys/net/ipv6/conf/br0/disable_ipv6 2>/dev/null; ip link set br0 arp off up");
  for (int n = 0; n < 100 && system("ip link show br0 | grep -q LOWER_UP") != 0; n++) nap_ms(10);
}
static void make_hosts(void) {
  make_veth();
  sh("ip link add vc type veth peer name vd && ip link set vc arp off up && ip link set vd arp off up");
}

/* What crosses a bridge is seen on it, and on an interface of that name that comes later, whatever its number. */
static void promiscuous_bridge(void) {
  make_hosts();
  make_bridge(0);
  int index = (int)if_nametoindex("br0"), out = raw_socket("va");
  uint32_t n = sip_frame();
  struct lab *l = lab_open(CT_FILTER_EBPF, LAB_SLABS);
  l->live.promiscuous = false;
  lab_add(l, "br0", LAB_BLOCKS);
  CHECK_EQ(ct_live_start(&l->live), 0);
  for (int i = 0; i < 10; i++) send_frame(out, frame, n);
  lab_stop(l);
  CHECK_EQ(records_of(l, CT_KIND_UDP), 0); /* else nothing is shown below */
  CHECK_EQ(promiscuity("br0"), 0);
  lab_free(l);

  l = lab_start("br0", CT_FILTER_EBPF);
  CHECK_EQ(promiscuity("br0"), 1);
  for (int i = 0; i < 10; i++) send_frame(out, frame, n);
  wait_count(l, 0, CT_L_FRAMES, 10);
  for (uint32_t again = 1; again <= 2; again++) { /* with its old number, and with a new one */
    sh("ip link del br0");
    make_bridge(again == 1 ? index : index + 100);
    wait_count(l, 0, CT_L_REBINDS, again);
    wait_promiscuity("br0", 1);
    for (int i = 0; i < 10; i++) send_frame(out, frame, n);
    wait_count(l, 0, CT_L_FRAMES, 10 * (again + 1));
  }
  lab_stop(l);
  CHECK_EQ(records_of(l, CT_KIND_UDP), 30);
  CHECK_EQ(live_count(l, 0, CT_L_REBINDS), 2);
  lab_free(l);
  CHECK_EQ(promiscuity("br0"), 0);
}

/* `any` is every interface, those that come later too; loopback is left alone. */
static void promiscuous_any(void) {
  make_hosts();
  struct lab *l = lab_start("any", CT_FILTER_CLASSIC);
  CHECK_EQ(promiscuity("va"), 1);
  CHECK_EQ(promiscuity("vc"), 1);
  CHECK_EQ(promiscuity("lo"), 0);
  make_bridge(0);
  wait_promiscuity("br0", 1);
  uint32_t n = sip_frame();
  int out = raw_socket("va");
  send_frame(out, frame, n);
  wait_count(l, 0, CT_L_FRAMES, 5); /* out of va, into vb, up br0, out of vd, into vc */
  lab_stop(l);
  CHECK_EQ(records_of(l, CT_KIND_UDP), 1);
  CHECK_EQ(l->counters[CT_N_COPIES], 4);
  lab_free(l);
}

/* A port that nobody addresses, fed with copies by the traffic control of the kernel. */
static void mirrored(void) {
  make_hosts();
  if (system("tc qdisc add dev vb clsact 2>/dev/null && tc filter add dev vb ingress protocol all prio 1 u32 "
             "match "
             "u32 0 0 action mirred egress mirror dev vc 2>/dev/null") != 0) {
    printf("skip mirrored: no tc with clsact, u32 and mirred\n");
    exit(0);
  }
  for (int mode = 0; mode <= 2; mode++) {
    struct lab *l = lab_start("vd", (enum ct_filter_mode)mode);
    int out = raw_socket("va");
    uint32_t n = sip_frame();
    for (int i = 0; i < 100; i++) send_frame(out, frame, n);
    wait_count(l, 0, CT_L_FRAMES, 100);
    lab_stop(l);
    CHECK_EQ(records_of(l, CT_KIND_UDP), 100);
    close(out);
    lab_free(l);
  }
}

/* Where promiscuous mode is refused, capturing continues and the status says so until it is granted. */
static void promiscuous_refused(void) {
  make_veth();
  is_refused = true;
  for (int any = 0; any < 2; any++) {
    is_refused = true;
    struct lab *l = lab_start(any ? "any" : "vb", CT_FILTER_CLASSIC);
    wait_state(l, CT_LIVE_CAPTURING,
               any ? ", 2 not promiscuous (v" : ", not promiscuous (Operation not permitted)");
    int out = raw_socket("va");
    send_frame(out, frame, sip_frame());
    wait_count(l, 0, CT_L_FRAMES, 1);
    is_refused = false;
    wait_promiscuity("vb", 1);
    struct ct_live_status st;
    for (int n = 0; n < 2000 && ct_live_status_of(&l->live, 0, &st) && strstr(st.text, "promisc") != NULL;
         n++)
      nap_ms(10);
    CHECK(strstr(st.text, "promisc") == NULL);
    lab_stop(l);
    close(out);
    lab_free(l);
  }
}

int main(int argc, char **argv) {
  static const struct scenario list[] = {
      {"promiscuous_bridge", promiscuous_bridge, false},
      {"promiscuous_any", promiscuous_any, false},
      {"promiscuous_refused", promiscuous_refused, false},
      {"mirrored", mirrored, false},
  };
  return run_scenarios(list, COUNT(list), argc, argv);
}
