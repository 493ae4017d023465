/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_state.h - what the TLS programs remember: maps, counters, and who a TLS object is.
 *
 * An object is named by its address and process, or, when it lies in memory that processes share (Kamailio's
 * workers hand connections to each other), by its place in that memory. A process is named by its number and
 * an epoch, because numbers come back and exec() begins again. A connection gets an id that is never used
 * again: when the object is freed or made again, the next call finds none and gets another.
 */
#ifndef CALLTAP_TLS_STATE_H
#define CALLTAP_TLS_STATE_H
#include "tls_event.h"
#include "tls_kern.h"

/* Set before loading. Kernel names of types: the skeleton repeats them. */
const volatile __u8 sip_only;
const volatile __u8 has_find_vma; /* since 5.17; without it every object counts as private */
const volatile __u8 has_cookies =
    1; /* of attachments, since 5.15; without them each kind of site has its own program */
const volatile __u32 page_shift = 12;
const volatile __u32 max_call = CT_TLS_CALL_MAX;
const volatile __u32 wake_at = 65536; /* bytes waiting in the ring at which a napping reader is woken */
const volatile __u8 never;
const volatile __u64 start_ns; /* monotonic time at loading: what connection ids count from */

/* Written by the agent at any time. */
volatile __u32 reader_waits; /* enum reader; put back to awake by the event that wakes it */
volatile __u32 allow_listed; /* observe only processes in `allowed` */
volatile __u32 has_proofs;   /* functions under proof are attached: ClientHellos are noted */
volatile __u32 start_rule;   /* enum ct_tls_start: who comes into `allowed` by starting a program */
/* Read by the agent. */
volatile __u64 execs;
volatile __u32 started[CT_TLS_STARTED]; /* the processes of the last of them */

enum reader {
  READER_AWAKE = 0,
  READER_NAPS = 1,  /* looks again in a few ms: woken when wake_at is reached */
  READER_SLEEPS = 2 /* does not look on its own: woken by the next event */
};

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 16 << 20);
} ring SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, CT_TLS_N_COUNT);
  __type(key, u32);
  __type(value, u64);
} counts SEC(".maps");

/* Atomic although per processor: a uprobe program may be preempted in the middle of an addition. */
CT_GLOBAL int ct_count(u32 what, u64 n) {
  u64 *v = bpf_map_lookup_elem(&counts, &what);
  if (v) __sync_fetch_and_add(v, n);
  return 0;
}

struct key {
  u64 object; /* address, or offset in the shared memory */
  u64 inode;  /* of the shared memory; 0 when private */
  u32 tgid;   /* 0 when shared */
  u32 epoch;  /* of the process, or the device of the shared memory */
};

struct tuple {
  u8 laddr[16], raddr[16];
  u16 lport, rport;
  u32 netns;
  u8 family; /* 4 or 6 */
  u8 pad[3];
};

/* In FILTER_HEAD an HTTP request is read that may ask for WebSocket. */
enum filter { FILTER_NEW = 0, FILTER_PASS = 1, FILTER_UNDECIDED = 2, FILTER_DROP = 3, FILTER_HEAD = 4 };

/* First bytes of a message: 14 of a WebSocket frame or 8 of line ends, a method, a space, most of a scheme. */
#define HELD 64u

/* Where the search through an HTTP request has got to. */
struct head {
  u64 before, last; /* the 16 characters in front of the next, in lower case */
  u32 raw;          /* the last four as they are */
  u16 bytes;
  u8 written; /* the direction */
  u8 named;   /* it names a subprotocol */
  u8 ended;
  u8 pad[7];
};

struct conn {
  u64 id;
  u64 rx_off, tx_off;
  struct tuple t;
  u32 contrary;  /* evidence in a row against `t` */
  u32 rx_plain;  /* bytes read since the record began whose length is kept */
  u16 rx_record; /* length of a record from `t` that no read has matched yet; 0 none */
  u16 probation; /* bytes an undecided upgrade has passed */
  u8 told;       /* the agent heard of it: plaintext was handed over */
  u8 owed;       /* and some of it without a proven address */
  u8 evidence;   /* enum ct_tls_evidence */
  u8 strong;     /* a TLS record of the right length went that way */
  u8 agreed;     /* socket calls in a row that spoke for `t` */
  u8 rx_in_call; /* of rx_record: it came inside the SSL call */
  u8 filter;
  u8 library;
  u8 held[2]; /* bytes at the end of what was read and written: what they begin is not known yet */
  u16 proof;  /* of the function that carried its plaintext last; 0 none */
  u8 sought;  /* the random was looked for: 1 by a read, 2 by a write */
  u8 pad[3];
  u64 random[2]; /* of its ClientHello, once its place is known */
  union {
    u8 first[2][HELD];
    struct head head; /* in FILTER_HEAD */
  };
};

/* What the bytes of a socket call are. */
enum shape { SHAPE_UNKNOWN = 0, SHAPE_OTHER = 1, SHAPE_TLS = 2 };

#define RECORDS 4
struct records {
  u64 hello;           /* where a handshake record begins that may be a ClientHello; 0 nowhere */
  u16 length[RECORDS]; /* of protected records, without their header; 0: another kind, or none */
  u16 last;            /* the last of them */
  u8 shape;            /* enum shape */
  u8 pad[5];
};

/* One SSL call that has returned, or a handshake that begins. What is worked out of it lies here and not on the stack:
 * the verifier then knows nothing of the values and need not walk every combination of them. */
struct call {
  struct key key;
  u64 buf, len, ts, stream_off;
  s64 moved; /* by its own account; 0 or less: nothing */
  u32 total; /* bytes of the call */
  u32 limit; /* of which so many are carried */
  u32 done;  /* bytes handed over, in so many chunks */
  u32 events;
  u16 flags; /* CT_TLS_F_WRITTEN, _SHARED, _UNDECIDED */
  u8 op, library;
  u8 in_call; /* a socket call was seen inside it */
  u8 wake;    /* the reader must answer soon */
  u16 proof;  /* of its function; 0 none */
};

/* A call into a TLS library that has not returned. */
struct frame {
  struct key key;
  u64 buf, len, out; /* out: where the call leaves its count, or the new object */
  u64 sp;            /* at entry: what pairs a return with it; 0 free */
  u64 ip;            /* at entry: which function */
  u64 back;          /* the address it returns to */
  u64 ts;
  u64 mark; /* of Go: what was seen of a written buffer at entry; 0 nothing */
  u8 op, library;
  u16 proof;
  u8 pad[4];
};

#define STACK_PAGE_SHIFT 12
/* Pages with open calls that one process may have, and goroutines in a call: it cannot take the room of the others. Most
 * goroutines of a server wait in a read. */
#define STACK_PAGES_MAX 4096u
#define GOROUTINES_MAX 16384u

#define FRAMES 4
struct frames {
  u32 depth;
  u32 in_call; /* a socket call was seen since the outermost began */
  struct frame f[FRAMES];
};

/* What one socket call says. */
enum grade {
  GRADE_WEAK = 0,
  GRADE_FITS = 1, /* around the SSL call, and its record has the right length */
  GRADE_PROOF = 2 /* the same inside the call */
};

/* A socket call that is weighed. Here and not on the stack, for the verifier's sake as well. */
struct seen {
  struct tuple t;
  u8 grade;    /* enum grade */
  u8 evidence; /* enum ct_tls_evidence */
  u8 pad[6];
  struct records records;
};

/* The first bytes of a call, those held of earlier ones in front. The size is a power of two: an index is masked. */
#define LOOK 128u
struct look {
  u8 text[LOOK];
  u32 bytes;
  u32 at, mask; /* where a look begins, and the key of a WebSocket frame */
  u32 failed;   /* memory could not be read */
  struct head head;
};

/* The call that a thread is in, of a connection that is told apart (tls_apart.h). */
struct apart {
  u64 sp, back; /* as of a frame; sp 0: it is in none */
  u64 out;
  u8 op;
  u8 in_call; /* a socket call was seen inside it */
  u8 is_over; /* a call that has a frame began since */
  u8 pad[5];
};

/* What a thread received last, what it encrypted and has not sent, and the call that is told now. */
struct thread {
  struct apart apart;
  struct seen now;
  struct seen rx;
  u64 rx_conn; /* who took it; 0 nobody yet */
  u8 rx_valid;
  u8 rx_in_call;  /* inside an SSL call */
  u8 rx_mixed;    /* something of another socket came before it, and nobody took that */
  u8 tx_mixed;    /* the same of what is to be sent */
  u8 is_met;      /* a call of it was seen to begin or to end */
  u8 sent_part;   /* of a call under proof: a record went out that may hold a part of it */
  u16 tx_proof;   /* of the first write under proof that waits for a send; 0 none */
  u64 tx_asked;   /* bytes of that write */
  u32 tx_waits;   /* writes under proof since then */
  u32 rx_read;    /* bytes read under proof since something was received last */
  u32 rx_parts;   /* calls that read them */
  u16 place_hop;  /* the best place of a ClientHello's random that was found in an object */
  u16 place_word; /* 0: none */
  u64 sent;       /* bytes of the call under proof whose record went out inside it */
  struct key tx_key;
  u64 tx_conn;  /* 0: nothing is waiting */
  u64 tx_plain; /* bytes of the first write that waits */
  struct call call;
  struct look look;
};

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 65536);
  __type(key, struct key);
  __type(value, struct conn);
} conns SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 32768);
  __type(key, struct ct_tls_stack);
  __type(value, struct frames);
} frames SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 16384);
  __type(key, u64);
  __type(value, struct thread);
} threads SEC(".maps");
/* Private names that were looked up once: what they really are. */
struct alias {
  struct key real;
  u32 passes; /* calls that are passed over: the connection is told apart (tls_apart.h) */
  u32 pad;
};
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 65536);
  __type(key, struct key);
  __type(value, struct alias);
} aliases SEC(".maps");

/* Observed processes. */
struct process {
  u32 epoch;  /* never 0 */
  u16 told;   /* the agent heard of one of its connections */
  u16 agreed; /* socket calls in a row that spoke for the address that stood */
  u8 signs;   /* that its threads receive and send for each other */
  u8 runs;    /* enum runs */
  u8 many;    /* several of its connections agreed */
  u8 pad;
  u32 pages; /* of stacks with open calls, and goroutines with such */
  u64 spoke; /* the connection that agreed last; 0 none, or it has ended */
};
_Static_assert(sizeof(struct process) == CT_TLS_PROCESS_WORDS * sizeof(u32), "the agent reads it");
/* Whose calls were seen in a process: where a socket call's own call is looked for. */
enum runs { RUNS_C = 1, RUNS_GO = 2 };
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 8192);
  __type(key, u32);
  __type(value, struct process);
} processes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 8192);
  __type(key, u32);
  __type(value, u8);
} allowed SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 8192);
  __type(key, struct ct_tls_program);
  __type(value, u8);
} programs SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, CT_TLS_PROOFS);
  __type(key, u32);
  __type(value, struct ct_tls_proof);
} proofs SEC(".maps");

/* User space's word on undecided connections: enum filter by connection id. */
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 16384);
  __type(key, u64);
  __type(value, u8);
} verdicts SEC(".maps");

/* A program that could call another one has the kernel's stack; since 6.13 others have one for each processor. A probe may
 * be preempted, and the same probe of another task on that processor would write over what the first one put there: its
 * calls would be lost, and nothing would count them. The verifier proves that the call is never made. */
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, u32);
} no_programs SEC(".maps");

CT_INLINE void use_kernel_stack(void *ctx) {
  if (never) bpf_tail_call(ctx, &no_programs, 0);
}

CT_INLINE u64 is_one_of(u32 ops, u8 op) {
  u64 bits = ops;
  asm volatile("" : "+r"(bits)); /* a comparison with each would be branches */
  return bits >> (op & 31) & 1;
}
#define OP(NAME) (1u << CT_TLS_OP_##NAME)
CT_INLINE u64 is_read(u8 op) { return is_one_of(OP(READ) | OP(READ_LONG) | OP(READ_EX), op); }
CT_INLINE u64 is_write(u8 op) {
  return is_one_of(OP(WRITE) | OP(WRITE_LONG) | OP(WRITE_EX) | OP(WRITE_EX2), op);
}

static const struct thread no_thread;
static const struct conn no_conn;
static const struct frames no_frames;

/* ---- Who is it? ---- */

struct vma_search {
  u64 address;
  struct key *out;
};

static long look_at_vma(struct task_struct *task, struct vm_area_struct *vma, struct vma_search *s) {
  (void)task;
  struct file *file = vma->vm_file;
  if (!(vma->vm_flags & VM_SHARED) || !file) return 0;
  s->out->object = s->address - vma->vm_start + (vma->vm_pgoff << page_shift);
  s->out->inode = BPF_CORE_READ(file, f_inode, i_ino);
  s->out->epoch = BPF_CORE_READ(file, f_inode, i_sb, s_dev);
  s->out->tgid = 0;
  return 0;
}

/* Replaces a private name by the real one. */
CT_CALL int canonical(struct key *k) {
  if (!k || !has_find_vma) return 0;
  const struct alias *known = bpf_map_lookup_elem(&aliases, k);
  if (known) {
    *k = known->real;
    return 0;
  }
  struct alias fresh = {.real = *k};
  struct vma_search s = {.address = k->object, .out = &fresh.real};
  struct task_struct *task = bpf_get_current_task_btf();
  long err = bpf_find_vma(task, s.address, look_at_vma, &s, 0);
  if (err) {
    ct_count(CT_TLS_N_VMA_BUSY, 1);
    return 0;
  }
  bpf_map_update_elem(&aliases, k, &fresh, BPF_ANY);
  if (fresh.real.tgid == 0) ct_count(CT_TLS_N_SHARED, 1);
  *k = fresh.real;
  return 0;
}

/* The calling process; NULL when there is no room for it. */
CT_INLINE struct process *observed(u32 tgid) {
  struct process *p = bpf_map_lookup_elem(&processes, &tgid);
  if (p) return p;
  struct process fresh = {.epoch = bpf_get_prandom_u32() | 1};
  bpf_map_update_elem(&processes, &tgid, &fresh, BPF_NOEXIST); /* another thread may be first */
  return bpf_map_lookup_elem(&processes, &tgid);
}

CT_INLINE int is_allowed(u32 tgid) { return !allow_listed || bpf_map_lookup_elem(&allowed, &tgid) != NULL; }

/* Nanoseconds since loading, and the processor: no two connections begin on one at the same instant. */
CT_INLINE u64 fresh_id(void) {
  return (bpf_ktime_get_ns() - start_ns) << 10 | (bpf_get_smp_processor_id() & 1023);
}

CT_INLINE void begin_conn(struct conn *c) {
  c->id = fresh_id();
  c->rx_off = c->tx_off = 0;
  c->filter = FILTER_NEW;
  c->probation = 0;
  c->told = c->owed = 0;
  c->rx_record = 0;
  c->held[0] = c->held[1] = 0;
}

/* The connection of an object; made without one. */
CT_INLINE struct conn *conn_of(const struct key *k) {
  struct conn *c = bpf_map_lookup_elem(&conns, k);
  if (!c) {
    bpf_map_update_elem(&conns, k, &no_conn, BPF_NOEXIST);
    c = bpf_map_lookup_elem(&conns, k);
    if (!c) {
      ct_count(CT_TLS_N_NO_ROOM, 1);
      return NULL;
    }
  }
  if (c->id == 0) begin_conn(c);
  return c;
}

CT_INLINE struct thread *thread_of(u64 pid_tgid) {
  struct thread *t = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (t) return t;
  bpf_map_update_elem(&threads, &pid_tgid, &no_thread, BPF_NOEXIST);
  t = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!t) ct_count(CT_TLS_N_NO_ROOM, 1);
  return t;
}

#endif
