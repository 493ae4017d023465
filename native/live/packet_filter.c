/* SPDX-License-Identifier: Apache-2.0
 * packet_filter.c - decides which kernel filter a live capture gets; see packet_filter.h.
 *
 * libbpf and the skeleton of bpf/packet.bpf.c are there when CT_HAVE_LIBBPF is defined (binding.gyp).
 */
#define _GNU_SOURCE
#include "live/packet_filter.h"
#include "decode/learned.h"
#include "live/packet_classic.h"
#include "system/bpf_late.h"
#include "system/caps.h"
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#ifdef CT_HAVE_LIBBPF
#include "packet.skel.h"
#include "system/bpf_load.h"
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

static const char *const classes[CT_F_COUNT] = {
    [CT_F_SIP] = "sip",
    [CT_F_SIP_OUTSIDE] = "sip_outside",
    [CT_F_RTP] = "rtp",
    [CT_F_RTCP] = "rtcp",
    [CT_F_MEDIA] = "media_endpoint",
    [CT_F_STUN] = "stun",
    [CT_F_ENCRYPTED] = "encrypted",
    [CT_F_HEP] = "hep",
    [CT_F_ICMP] = "icmp_error",
    [CT_F_FRAGMENT] = "fragment",
    [CT_F_TUNNEL] = "tunnel",
    [CT_F_TCP] = "tcp",
    [CT_F_TCP_OUTSIDE] = "tcp_outside",
    [CT_F_SCTP] = "sctp",
    [CT_F_UNPARSED] = "unparsed",
    [CT_F_DROP_COPY] = "dropped_loopback_copy",
    [CT_F_DROP_NOT_IP] = "dropped_not_ip",
    [CT_F_DROP_UDP] = "dropped_udp",
    [CT_F_DROP_TCP] = "dropped_tcp",
    [CT_F_DROP_ICMP] = "dropped_icmp",
    [CT_F_DROP_PROTO] = "dropped_protocol",
};

const char *ct_filter_class_name(uint32_t cls) { return cls < CT_F_COUNT ? classes[cls] : NULL; }
bool ct_filter_class_is_drop(uint32_t cls) { return cls >= CT_F_FIRST_DROP && cls < CT_F_COUNT; }

static void step_down(struct ct_packet_filter *f, enum ct_filter_mode to, const char *what, int err) {
  size_t at = strlen(f->why);
  f->mode = to;
  if (at + 4 >= sizeof f->why) return;
  snprintf(f->why + at, sizeof f->why - at, "%s%s%s%s", at > 0 ? "; " : "", what, err > 0 ? ": " : "",
           err > 0 ? strerror(err) : "");
}

#ifdef CT_HAVE_LIBBPF
bool ct_filter_has_ebpf(void) { return true; }

/* What is missing, by what this process may: rights, or a kernel that understands the program. */
static void refused(struct ct_packet_filter *f, int err) {
  uint64_t rights = ct_caps_effective();
  bool is_admin = rights >> CAP_SYS_ADMIN & 1, is_allowed = is_admin;
  const char *lacks = "CAP_BPF and CAP_PERFMON";
  if (!is_admin && (rights >> CAP_BPF & 1)) {
    is_allowed = rights >> CAP_PERFMON & 1;
    lacks = "CAP_PERFMON beside CAP_BPF";
  }
  char what[256];
  if ((err == EPERM || err == EACCES) && !is_allowed)
    snprintf(what, sizeof what, "eBPF needs root or %s", lacks);
  else if (ct_bpf_reason[0] != 0)
    snprintf(what, sizeof what, "the verifier of this kernel refuses the eBPF program (%s): report this line",
             ct_bpf_reason);
  else
    snprintf(what, sizeof what, "this kernel refuses the eBPF program");
  step_down(f, CT_FILTER_CLASSIC, what, err);
}

static void load_ebpf(struct ct_packet_filter *f, const struct ct_filter_opts *o) {
  ct_bpf_reason[0] = 0;
  libbpf_set_print(ct_bpf_listen);
  struct packet_bpf *skel = NULL;
  int err = -EAGAIN;
  for (int tries = 0; err == -EAGAIN && tries < CT_BPF_TRIES; tries++) {
    packet_bpf__destroy(skel);
    skel = packet_bpf__open();
    if (skel == NULL) {
      step_down(f, CT_FILTER_CLASSIC, "the eBPF object cannot be opened", errno);
      return;
    }
    memcpy((void *)skel->rodata->sip_gate, o->gate->sip, sizeof o->gate->sip);
    memcpy((void *)skel->rodata->ws_gate, o->gate->ws, sizeof o->gate->ws);
    skel->rodata->link_type = (uint8_t)o->link;
    skel->rodata->pass_hep = o->decode.hep;
    skel->rodata->pass_esp = o->decode.esp_null;
    skel->rodata->whole_frames = o->whole_frames;
    err = ct_bpf_load(skel->skeleton);
  }
  if (err != 0) {
    packet_bpf__destroy(skel);
    refused(f, -err);
    return;
  }
  f->program = skel;
  f->mode = CT_FILTER_EBPF;
}

static int program_fd(const struct ct_packet_filter *f) {
  return bpf_program__fd(((const struct packet_bpf *)f->program)->progs.calltap_packet);
}

static void free_ebpf(struct ct_packet_filter *f) {
  if (f->program != NULL) packet_bpf__destroy(f->program);
  f->program = NULL;
}

/* As many of `keys` as are known to be in the map now, or out of it. Linux 5.6 does them in one call. */
static uint32_t media_at_once(int fd, const struct ct_media_key *keys, uint32_t n, bool add) {
  uint8_t *ones = add ? malloc(n) : NULL;
  if (add && ones == NULL) return 0;
  if (add) memset(ones, 1, n);
  union bpf_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.batch.map_fd = (uint32_t)fd;
  attr.batch.keys = (uintptr_t)keys;
  attr.batch.values = (uintptr_t)ones;
  attr.batch.count = n;
  long err = syscall(__NR_bpf, add ? BPF_MAP_UPDATE_BATCH : BPF_MAP_DELETE_BATCH, &attr, sizeof attr);
  /* Where it is not known, the count is as it was; else it says how many were done before the one that was not. */
  uint32_t done = err == 0 ? n : errno == E2BIG || errno == ENOMEM || errno == ENOENT ? attr.batch.count : 0;
  free(ones);
  return done < n ? done : n;
}

uint32_t ct_filter_media(struct ct_packet_filter *f, const struct ct_media_key *keys, uint32_t n, bool add) {
  if (f->mode != CT_FILTER_EBPF) return 0;
  struct packet_bpf *skel = f->program;
  int fd = bpf_map__fd(skel->maps.media);
  uint32_t done = n > 1 ? media_at_once(fd, keys, n, add) : 0, changed = done, refused = 0;
  uint8_t one = 1;
  for (uint32_t i = done; i < n; i++) {
    int err = add ? bpf_map_update_elem(fd, &keys[i], &one, BPF_NOEXIST) : bpf_map_delete_elem(fd, &keys[i]);
    if (err == 0)
      changed++;
    else if (add && errno == E2BIG) {
      refused += n - i; /* it is full: nothing leaves meanwhile */
      break;
    } else if (add && errno != EEXIST)
      refused++;
  }
  __atomic_fetch_add(&skel->bss->media_count, add ? changed : -changed, __ATOMIC_RELAXED);
  return refused;
}

/* Its memory is the program's own, so that nothing is asked of the kernel. */
static void tell_learned(const struct ct_packet_filter *f, const struct ct_learned *learned) {
  struct packet_bpf *skel = f->program;
  for (uint32_t i = 0; i < sizeof learned->ports / sizeof *learned->ports; i++)
    __atomic_store_n(&skel->bss->learned_gate[i], learned->ports[i], __ATOMIC_RELAXED);
}

bool ct_filter_needs_cap(const struct ct_packet_filter *f) {
  uint64_t before;
  if (f->mode != CT_FILTER_EBPF) return false;
  if (!ct_caps_set_aside(&before)) return true;
  const struct packet_bpf *skel = f->program;
  struct ct_media_key none = {.port = 0};
  uint8_t value;
  int err = bpf_map_lookup_elem(bpf_map__fd(skel->maps.media), &none, &value) == 0 ? 0 : errno;
  ct_caps_take_up(before);
  return err == EPERM;
}

bool ct_filter_counts(const struct ct_packet_filter *f, struct ct_filter_count out[CT_F_COUNT]) {
  if (f->mode != CT_FILTER_EBPF) return false;
  const struct packet_bpf *skel = f->program;
  int cpus = libbpf_num_possible_cpus(), fd = bpf_map__fd(skel->maps.classes);
  struct ct_filter_count *each = cpus > 0 ? calloc((size_t)cpus, sizeof *each) : NULL;
  if (each == NULL) return false;
  memset(out, 0, CT_F_COUNT * sizeof *out);
  bool ok = true;
  for (uint32_t cls = 0; cls < CT_F_COUNT && ok; cls++) {
    ok = bpf_map_lookup_elem(fd, &cls, each) == 0;
    for (int cpu = 0; ok && cpu < cpus; cpu++) {
      out[cls].packets += each[cpu].packets;
      out[cls].bytes += each[cpu].bytes;
    }
  }
  free(each);
  return ok;
}
#else
bool ct_filter_has_ebpf(void) { return false; }

static void load_ebpf(struct ct_packet_filter *f, const struct ct_filter_opts *o) {
  (void)f;
  (void)o; /* never called: ct_bpf_refusal() says why */
}
static int program_fd(const struct ct_packet_filter *f) {
  (void)f;
  return -1;
}
static void free_ebpf(struct ct_packet_filter *f) { (void)f; }

uint32_t ct_filter_media(struct ct_packet_filter *f, const struct ct_media_key *keys, uint32_t n, bool add) {
  (void)f;
  (void)keys;
  (void)n;
  (void)add;
  return 0;
}

static void tell_learned(const struct ct_packet_filter *f, const struct ct_learned *learned) {
  (void)f;
  (void)learned;
}

bool ct_filter_needs_cap(const struct ct_packet_filter *f) {
  (void)f;
  return false;
}

bool ct_filter_counts(const struct ct_packet_filter *f, struct ct_filter_count out[CT_F_COUNT]) {
  (void)f;
  (void)out;
  return false;
}
#endif

static void build_classic(struct ct_packet_filter *f, const struct ct_gate *gate) {
  uint16_t len = ct_classic_build(gate, NULL, 0);
  struct sock_filter *program = calloc(len, sizeof *program);
  if (program == NULL) return; /* the one before stays */
  ct_classic_build(gate, program, len);
  free(f->classic);
  f->classic = program;
  f->classic_len = len;
}

bool ct_filter_learned(struct ct_packet_filter *f, const struct ct_gate *gate) {
  if (f->mode == CT_FILTER_EBPF) tell_learned(f, gate->learned);
  if (f->mode != CT_FILTER_CLASSIC) return false;
  build_classic(f, gate);
  return true;
}

void ct_filter_open(struct ct_packet_filter *f, const struct ct_filter_opts *o) {
  memset(f, 0, sizeof *f);
  if (o->best == CT_FILTER_NONE) {
    step_down(f, CT_FILTER_NONE, "switched off", 0);
    return;
  }
  build_classic(f, o->gate);
  if (o->best == CT_FILTER_CLASSIC)
    step_down(f, CT_FILTER_CLASSIC, "classic BPF was asked for", 0);
  else if (*ct_bpf_refusal() != 0)
    step_down(f, CT_FILTER_CLASSIC, ct_bpf_refusal(), 0);
  else
    load_ebpf(f, o);
  if (f->classic == NULL && f->mode == CT_FILTER_CLASSIC) step_down(f, CT_FILTER_NONE, "no memory", 0);
}

void ct_filter_close(struct ct_packet_filter *f) {
  free_ebpf(f);
  free(f->classic);
  memset(f, 0, sizeof *f);
}

void ct_filter_attach(struct ct_packet_filter *f, int socket) {
  if (f->mode == CT_FILTER_EBPF) {
    int fd = program_fd(f);
    if (setsockopt(socket, SOL_SOCKET, SO_ATTACH_BPF, &fd, sizeof fd) == 0) return;
    step_down(f, CT_FILTER_CLASSIC, "SO_ATTACH_BPF", errno);
  }
  if (f->mode == CT_FILTER_CLASSIC) {
    struct sock_fprog program = {.len = f->classic_len, .filter = f->classic};
    if (setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0) return;
    step_down(f, CT_FILTER_NONE, "SO_ATTACH_FILTER", errno);
  }
}
