// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// movers.bpf.c - which processes move TLS records on their sockets, whatever library makes them.
//
// Runs for a few seconds at a time, beside the probes or without them: who moves records that no probe saw speaks TLS
// that calltap cannot read.
#include "socket_call.h"
#include "tls_event.h"
#include "tls_header.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Headers that are looked at: so many in a row are no chance. */
#define HEADERS 4

/* By process. */
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, CT_TLS_MOVERS);
  __type(key, u32);
  __type(value, struct ct_tls_mover);
} movers SEC(".maps");

#if defined(__TARGET_ARCH_x86)
/* System calls of 32-bit code (i386), by number; socketcall has its arguments in memory. */
enum { NR32_READ = 3, NR32_WRITE = 4, NR32_SOCKETCALL = 102, NR32_READV = 145, NR32_WRITEV = 146 };
enum { NR32_SENDTO = 369, NR32_SENDMSG = 370, NR32_RECVFROM = 371, NR32_RECVMSG = 372 };
/* Its first argument says which call: send, recv, sendto and recvfrom have the bytes' place, the others a message. */
enum {
  CALL_SEND = 9,
  CALL_RECV = 10,
  CALL_SENDTO = 11,
  CALL_RECVFROM = 12,
  CALL_SENDMSG = 16,
  CALL_RECVMSG = 17
};
#define USER_CS_32 0x23

/* find_bytes() for 32-bit code. */
CT_INLINE u32 find_bytes_32(const struct pt_regs *regs, u32 bytes, u64 *at) {
  struct pt_regs r;
  u32 place, v[2] = {};
  if (bpf_probe_read_kernel(&r, sizeof r, regs) || r.cs != USER_CS_32) return 0;
  place = (u32)r.cx;
  u32 is_message = 0, is_vector = 0;
  switch ((u32)r.orig_ax) {
  case NR32_READ:
  case NR32_WRITE:
  case NR32_SENDTO:
  case NR32_RECVFROM: break;
  case NR32_READV:
  case NR32_WRITEV: is_vector = 1; break;
  case NR32_SENDMSG:
  case NR32_RECVMSG: is_message = 1; break;
  case NR32_SOCKETCALL:
    is_message = r.bx == CALL_SENDMSG || r.bx == CALL_RECVMSG;
    if (!is_message && (r.bx < CALL_SEND || r.bx > CALL_RECVFROM)) return 0;
    if (bpf_probe_read_user(&place, 4, (const void *)(u64)(place + 4))) return 0;
    break;
  default: return 0;
  }
  /* struct msghdr: a pointer, its length, then the vector. */
  if (is_message && bpf_probe_read_user(&place, 4, (const void *)(u64)(place + 8))) return 0;
  *at = place;
  if (!is_message && !is_vector) return bytes;
  if (bpf_probe_read_user(v, sizeof v, (const void *)(u64)place)) return 0;
  *at = v[0];
  return v[1] < bytes ? v[1] : bytes;
}
#else
CT_INLINE u32 find_bytes_32(const struct pt_regs *regs, u32 bytes, u64 *at) {
  (void)regs;
  (void)bytes;
  (void)at;
  return 0;
}
#endif

/* Whether whole TLS records lie there, one behind the other up to the end, or a header read on its own. */
CT_CALL int are_records(u64 at, u32 left) {
  if (left == RECORD_HEADER) {
    u8 h[8] = {};
    return bpf_probe_read_user(h, RECORD_HEADER, (const void *)at) == 0 && h[0] == RECORD_DATA &&
           record_length(h) > 0;
  }
#pragma unroll
  for (u32 i = 0; i < HEADERS; i++) {
    u8 h[8] = {};
    if (left <= RECORD_HEADER || bpf_probe_read_user(h, RECORD_HEADER, (const void *)at)) return 0;
    u32 whole = record_length(h) + RECORD_HEADER;
    if (whole == RECORD_HEADER || whole > left) return 0;
    if (whole == left) return 1;
    at += whole;
    left -= whole;
  }
  return 1;
}

CT_CALL int look(struct sock *sk, u32 bytes, u32 is_send, const struct pt_regs *regs) {
  if (BPF_CORE_READ(sk, sk_type) != SOCK_STREAM) return 0;
  u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);
  if (family != AF_INET && family != AF_INET6) return 0;
  u64 at = 0;
  u32 together = find_bytes(regs, bytes, &at);
  if (together == 0) together = find_bytes_32(regs, bytes, &at);
  if (together == 0 || !are_records(at, together)) return 0;
  u32 tgid = bpf_get_current_pid_tgid() >> 32;
  struct ct_tls_mover *m = bpf_map_lookup_elem(&movers, &tgid);
  if (!m) {
    struct ct_tls_mover fresh = {.pid = tgid};
    struct task_struct *task = (struct task_struct *)bpf_get_current_task();
    BPF_CORE_READ_INTO(&fresh.comm, task, group_leader, comm);
    bpf_map_update_elem(&movers, &tgid, &fresh, BPF_NOEXIST); /* another thread may be first */
    m = bpf_map_lookup_elem(&movers, &tgid);
    if (!m) return 0;
  }
  __sync_fetch_and_add(is_send ? &m->sent : &m->received, 1);
  return 0;
}

/* (struct sock *sk, int ret, int flags) */
SEC("?tp_btf/sock_send_length") int calltap_movers_send(u64 *ctx) {
  s32 ret = (s32)ctx[1];
  if (ret > 0) look((struct sock *)ctx[0], (u32)ret, 1, saved_registers());
  return 0;
}

SEC("?tp_btf/sock_recv_length") int calltap_movers_recv(u64 *ctx) {
  s32 ret = (s32)ctx[1];
  if (ret > 0 && !(ctx[2] & MSG_PEEK)) look((struct sock *)ctx[0], (u32)ret, 0, saved_registers());
  return 0;
}

/* (struct pt_regs *regs, long ret): before 6.3. System calls of 32-bit code have other numbers, and are not looked at. */
SEC("?tp_btf/sys_exit") int calltap_movers_exit(u64 *ctx) {
  s64 ret = (s64)ctx[1];
  if (ret <= 0) return 0;
  struct pt_regs r;
  if (bpf_probe_read_kernel(&r, sizeof r, (const void *)ctx[0])) return 0;
#if defined(__TARGET_ARCH_x86)
  if (r.cs != USER_CS) return 0;
#endif
  u32 is_send = 0;
  struct sock *sk = socket_of_call(&r, &is_send);
  if (sk) look(sk, (u32)ret, is_send, (const struct pt_regs *)ctx[0]);
  return 0;
}
