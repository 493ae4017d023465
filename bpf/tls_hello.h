/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_hello.h - which socket a ClientHello passed: its random is also in the library's object, and so proves an address.
 *
 *   | record header | 1 | length of 3 bytes | version of 2 | random of 32 |   RFC 8446 s4.1.2, RFC 5246 s7.4.1.2
 */
#ifndef CALLTAP_TLS_HELLO_H
#define CALLTAP_TLS_HELLO_H
#include "tls_record.h"

#define CLIENT_HELLO 1

/* Half of the random, and who saw it: client and server may be two processes of this host. */
struct hello {
  u64 random[2];
  u32 tgid, pad;
};

/* The addresses of the socket. Of two sockets (a relay, or somebody who repeats another's): family 0. */
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 8192);
  __type(key, struct hello);
  __type(value, struct tuple);
} hellos SEC(".maps");

CT_INLINE int same_tuple(const struct tuple *a, const struct tuple *b) {
  const u64 *x = (const u64 *)a, *y = (const u64 *)b;
  u64 differ = 0;
#pragma unroll
  for (u32 i = 0; i < sizeof(struct tuple) / 8; i++) differ |= x[i] ^ y[i];
  return differ == 0;
}

/* Notes the ClientHello that the thread's socket call moved, if it is one. */
CT_GLOBAL int ct_note_hello(u64 id) {
  const struct thread *th = bpf_map_lookup_elem(&threads, &id);
  u8 type = 0;
  if (!th || !th->now.records.hello) return 0;
  u64 at = th->now.records.hello;
  if (bpf_probe_read_user(&type, 1, (const void *)(at + RECORD_HEADER)) || type != CLIENT_HELLO) return 0;
  struct hello k = {.tgid = bpf_get_current_pid_tgid() >> 32};
  if (bpf_probe_read_user(k.random, sizeof k.random, (const void *)(at + HELLO_RANDOM_AT))) return 0;
  struct tuple *known = bpf_map_lookup_elem(&hellos, &k);
  if (known && !same_tuple(known, &th->now.t))
    known->family = 0;
  else if (!known)
    bpf_map_update_elem(&hellos, &k, &th->now.t, BPF_NOEXIST);
  return 0;
}

#endif
