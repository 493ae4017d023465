// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tls.bpf.c - observes TLS libraries: the plaintext of each call when it returns, and the connection it is of.
//
// Entry remembers the arguments, return reads what was moved (a buffer that nobody touched yet cannot be read
// earlier, and a retry would be seen twice), socket tracepoints give the addresses (tls_tuple.h). The entry
// points at the end come in variants; the agent loads those that the kernel takes.
#include "tls_filter.h"
#include "tls_tuple.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define SAME_STACK 65536u /* a frame this far below a new one on the stack has ended without returning */
#if defined(__TARGET_ARCH_x86)
#define RETURN_SP(ctx) (PT_REGS_SP(ctx) - 8) /* the return address is gone */
#else
#define RETURN_SP(ctx) PT_REGS_SP(ctx)
#endif

/* ---- The stack of open calls of a thread ---- */

CT_INLINE struct frames *frames_of(u64 id) {
  struct frames *fr = bpf_map_lookup_elem(&frames, &id);
  if (fr) return fr;
  if (bpf_map_update_elem(&frames, &id, &no_frames, BPF_NOEXIST) == 0) fr = bpf_map_lookup_elem(&frames, &id);
  if (!fr) count(CT_TLS_N_NO_ROOM, 1);
  return fr;
}

CT_INLINE void drop_ended(struct frames *fr) {
#pragma unroll
  for (int i = FRAMES - 1; i >= 0; i--) {
    if (fr->depth == (u32)i + 1 && fr->f[i].sp == 0) fr->depth = i;
  }
}

/* Frames that lie below `sp` on the same stack were left by a jump, or their return was not seen. */
CT_INLINE void drop_below(struct frames *fr, u64 sp) {
#pragma unroll
  for (u32 i = 0; i < FRAMES; i++) {
    u64 at = fr->f[i].sp;
    if (i >= fr->depth || at == 0 || at >= sp || sp - at > SAME_STACK) continue;
    fr->f[i].sp = 0;
    count(CT_TLS_N_STALE_FRAMES, 1);
  }
  drop_ended(fr);
}

/* A frame by a number the verifier does not know: one state for all four. */
CT_INLINE struct frame *frame_at(struct frames *fr, u64 at) {
  asm volatile("%0 &= 3" : "+r"(at)); /* the bound, where clang would find it needless */
  return &fr->f[at];
}

CT_INLINE struct frame *push(struct frames *fr, u64 sp) {
  drop_below(fr, sp);
  if (fr->depth >= FRAMES) {
    count(CT_TLS_N_FRAMES_FULL, 1);
    fr->depth = 0;
  }
  if (fr->depth == 0) fr->in_call = 0;
  fr->depth++;
  return frame_at(fr, fr->depth - 1);
}

/* The frame that returns at `sp`: by its place on the stack, since fibres and tail calls break the order.
 * A tail call shares its caller's place; the inner one returns first. */
CT_INLINE struct frame *find_returning(struct frames *fr, u64 sp) {
  u64 found = FRAMES;
#pragma unroll
  for (u32 i = 0; i < FRAMES; i++) {
    if (i < fr->depth && fr->f[i].sp == sp) found = i;
  }
  asm volatile("" : "+r"(found));
  return found < FRAMES ? frame_at(fr, found) : NULL;
}

/* ---- Objects come and go ---- */

CT_CALL int forget(u64 object, u32 tgid, u32 epoch) {
  struct key k = {.object = object, .tgid = tgid, .epoch = epoch}, alias = k;
  canonical(&k);
  const struct conn *c = bpf_map_lookup_elem(&conns, &k);
  if (c && c->id) {
    if (is_told(c)) notify(c, CT_TLS_EV_CLOSE, k.tgid == 0);
    count(CT_TLS_N_CLOSED, 1);
    bpf_map_delete_elem(&conns, &k);
  }
  /* The address may lie in other memory the next time. */
  bpf_map_delete_elem(&aliases, &alias);
  return 0;
}

/* ---- Entry ---- */

/* 1 when the return is of no interest. */
CT_CALL int enter(struct pt_regs *ctx, u64 cookie) {
  u64 id = bpf_get_current_pid_tgid();
  u32 tgid = id >> 32;
  u8 op = cookie & 0xff;
  if (!is_allowed(tgid)) return 1;
  u32 epoch = observed_epoch(tgid);
  if (epoch == 0) return 1;
  if (op == CT_TLS_OP_NEW) return 0;
  u64 object = PT_REGS_PARM1(ctx);
  if (object == 0) return 1;
  if (op == CT_TLS_OP_FREE || op == CT_TLS_OP_RESET) {
    forget(object, tgid, epoch);
    return 1;
  }
  struct frames *fr = frames_of(id);
  if (!fr) return 1;
  u64 sp = PT_REGS_SP(ctx);
  struct frame *f = push(fr, sp);
  f->key = (struct key){.object = object, .tgid = tgid, .epoch = epoch};
  f->buf = PT_REGS_PARM2(ctx);
  f->len = PT_REGS_PARM3(ctx);
  f->out = 0;
  f->sp = sp;
  f->ts = bpf_ktime_get_ns();
  f->op = op;
  f->library = cookie >> 8 & 0xff;
  switch (op) {
  case CT_TLS_OP_READ:
  case CT_TLS_OP_WRITE: {
    s32 len = (s32)f->len;
    f->len = len > 0 ? len : 0;
    break;
  }
  case CT_TLS_OP_READ_EX:
  case CT_TLS_OP_WRITE_EX: f->out = PT_REGS_PARM4(ctx); break;
  case CT_TLS_OP_WRITE_EX2: f->out = PT_REGS_PARM5(ctx); break;
  case CT_TLS_OP_NEW_OUT: f->out = object; return 0; /* no object yet */
  case CT_TLS_OP_HANDSHAKE: f->buf = f->len = 0; break;
  default: break;
  }
  canonical(&f->key);
  return 0;
}

/* ---- Return ---- */

/* Bytes the call moved by its own account; 0 or less when none. */
CT_INLINE s64 moved(const struct frame *f, u64 ret) {
  u64 n = 0;
  switch (f->op) {
  case CT_TLS_OP_READ:
  case CT_TLS_OP_WRITE: return (s32)ret;
  case CT_TLS_OP_READ_LONG:
  case CT_TLS_OP_WRITE_LONG: return (s64)ret;
  case CT_TLS_OP_READ_EX:
  case CT_TLS_OP_WRITE_EX:
  case CT_TLS_OP_WRITE_EX2:
    if ((s32)ret <= 0 || bpf_probe_read_user(&n, 8, (const void *)f->out)) return 0;
    return (s64)n;
  default: return 0;
  }
}

/* Wrappers of one library call each other with the same buffer; only the outermost counts. Another buffer is
 * another message: node writes from callbacks inside a read. */
CT_INLINE int is_repeated_outside(const struct frames *fr, const struct frame *f) {
  u32 found = 0;
#pragma unroll
  for (u32 i = 0; i < FRAMES; i++) {
    const struct frame *g = &fr->f[i];
    if (i < fr->depth && g != f && g->sp >= f->sp && g->buf == f->buf && g->key.object == f->key.object &&
        g->key.tgid == f->key.tgid && is_write(g->op) == is_write(f->op) && g->op != CT_TLS_OP_HANDSHAKE)
      found = 1;
  }
  return found;
}

CT_CALL int plaintext(struct frame *f, struct conn *c) {
  if (!f || !c) return 0;
  u64 n = (u64)f->moved;
  u32 written = is_write(f->op);
  /* A library that says more than was asked for must not make us read on. Writing on from nothing is GnuTLS
   * repeating an interrupted call. */
  u64 buf = f->buf;
  if (n > f->len) {
    if (written && buf == 0)
      n = n & 0x7fffffff;
    else
      n = f->len;
  }
  if (n == 0) return 0;
  if (n > 0x7fffffff) n = 0x7fffffff;
  f->call = (struct call){
      .buf = buf,
      .ts = written ? f->ts : bpf_ktime_get_ns(),
      .stream_off = written ? c->tx_off : c->rx_off,
      .total = (u32)n,
      .limit = (u32)n,
      .flags = (written ? CT_TLS_F_WRITTEN : 0) | (f->key.tgid == 0 ? CT_TLS_F_SHARED : 0),
  };
  if (written)
    c->tx_off += n;
  else
    c->rx_off += n;
  deliver(c, &f->call);
  return 0;
}

CT_CALL int leave(struct pt_regs *ctx, u64 cookie) {
  u64 id = bpf_get_current_pid_tgid(), ret = PT_REGS_RC(ctx);
  u32 tgid = id >> 32;
  if ((cookie & 0xff) == CT_TLS_OP_NEW) {
    const struct process *p = bpf_map_lookup_elem(&processes, &tgid);
    if (ret && p) forget(ret, tgid, p->epoch);
    return 0;
  }
  struct frames *fr = bpf_map_lookup_elem(&frames, &id);
  struct frame *f = fr ? find_returning(fr, RETURN_SP(ctx)) : NULL;
  if (!f) {
    if (is_allowed(tgid)) count(CT_TLS_N_NO_ENTRY, 1);
    return 0;
  }
  if (f->op == CT_TLS_OP_NEW_OUT) {
    u64 object = 0;
    if (bpf_probe_read_user(&object, 8, (const void *)f->out) == 0 && object)
      forget(object, tgid, f->key.epoch);
  } else if (f->op == CT_TLS_OP_HANDSHAKE || !is_repeated_outside(fr, f)) {
    f->moved = moved(f, ret);
    struct conn *c = conn_of(&f->key);
    struct thread *th = thread_of(id);
    if (c && th) {
      c->library = f->library;
      if (fr->in_call) {
        th->tx_conn = 0;
        th->rx_valid = 0;
      } else {
        weigh_around(th, f, c);
      }
      if (f->moved > 0)
        plaintext(f, c);
      else if (f->op != CT_TLS_OP_HANDSHAKE)
        count(CT_TLS_N_NO_PLAINTEXT, 1);
    }
  } else {
    count(CT_TLS_N_NESTED, 1);
  }
  u64 sp = f->sp;
  f->sp = 0;
  drop_below(fr, sp);
  return 0;
}

/* ---- Entry points: probes ---- */

extern _Bool bpf_session_is_return(void) __ksym __weak;

/* One link for entry and return (since 6.13); its return value decides about the return probe. */
SEC("?uprobe") int calltap_session(struct pt_regs *ctx) {
  u64 cookie = bpf_get_attach_cookie(ctx);
  if (!bpf_session_is_return()) return enter(ctx, cookie);
  leave(ctx, cookie);
  return 0;
}

/* The others must return 0: 1 would take the probe away. */
SEC("?uprobe") int calltap_enter(struct pt_regs *ctx) {
  enter(ctx, bpf_get_attach_cookie(ctx));
  return 0;
}

SEC("?uretprobe") int calltap_return(struct pt_regs *ctx) {
  leave(ctx, bpf_get_attach_cookie(ctx));
  return 0;
}

/* ---- Entry points: sockets ---- */

#define MSG_PEEK 2

/* (struct sock *sk, int ret, int flags) */
SEC("?tp_btf/sock_send_length") int calltap_send(u64 *ctx) {
  s32 ret = (s32)ctx[1];
  if (ret > 0) socket_call((struct sock *)ctx[0], (u32)ret, 1);
  return 0;
}

SEC("?tp_btf/sock_recv_length") int calltap_recv(u64 *ctx) {
  s32 ret = (s32)ctx[1];
  if (ret > 0 && !(ctx[2] & MSG_PEEK)) socket_call((struct sock *)ctx[0], (u32)ret, 0);
  return 0;
}

/* Without those tracepoints (before 6.3): every system call is looked at, and the socket found by its number. */
#if defined(__TARGET_ARCH_x86)
enum { NR_READ = 0, NR_READV = 19, NR_RECVFROM = 45, NR_RECVMSG = 47 };
enum { NR_WRITE = 1, NR_WRITEV = 20, NR_SENDTO = 44, NR_SENDMSG = 46 };
#define SYS_NR(r) (r)->orig_ax
#define SYS_FD(r) (r)->di
#define RECVFROM_FLAGS(r) (r)->r10
#define RECVMSG_FLAGS(r) (r)->dx
#else
enum { NR_READ = 63, NR_READV = 65, NR_RECVFROM = 207, NR_RECVMSG = 212 };
enum { NR_WRITE = 64, NR_WRITEV = 66, NR_SENDTO = 206, NR_SENDMSG = 211 };
#define SYS_NR(r) (r)->syscallno
#define SYS_FD(r) (r)->orig_x0
#define RECVFROM_FLAGS(r) (r)->user_regs.regs[3]
#define RECVMSG_FLAGS(r) (r)->user_regs.regs[2]
#endif
#define S_IFMT 0170000
#define S_IFSOCK 0140000

CT_INLINE struct sock *socket_of_fd(u32 fd) {
  struct task_struct *task = (struct task_struct *)bpf_get_current_task();
  struct fdtable *table = BPF_CORE_READ(task, files, fdt);
  if (!table || fd >= BPF_CORE_READ(table, max_fds)) return NULL;
  struct file **files = BPF_CORE_READ(table, fd), *file = NULL;
  if (bpf_probe_read_kernel(&file, sizeof file, files + fd) || !file) return NULL;
  if ((BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFSOCK) return NULL;
  struct socket *s = BPF_CORE_READ(file, private_data);
  return s ? BPF_CORE_READ(s, sk) : NULL;
}

/* (struct pt_regs *regs, long ret) */
SEC("?tp_btf/sys_exit") int calltap_sys_exit(u64 *ctx) {
  s64 ret = (s64)ctx[1];
  if (ret <= 0) return 0;
  u32 tgid = bpf_get_current_pid_tgid() >> 32;
  if (!bpf_map_lookup_elem(&processes, &tgid)) return 0;
  struct pt_regs r;
  if (bpf_probe_read_kernel(&r, sizeof r, (const void *)ctx[0])) return 0;
  u32 is_send = 0;
  switch ((u32)SYS_NR(&r)) {
  case NR_RECVFROM:
    if (RECVFROM_FLAGS(&r) & MSG_PEEK) return 0;
    break;
  case NR_RECVMSG:
    if (RECVMSG_FLAGS(&r) & MSG_PEEK) return 0;
    break;
  case NR_READ:
  case NR_READV: break;
  case NR_WRITE:
  case NR_WRITEV:
  case NR_SENDTO:
  case NR_SENDMSG: is_send = 1; break;
  default: return 0;
  }
  struct sock *sk = socket_of_fd((u32)SYS_FD(&r));
  if (sk) socket_call(sk, (u32)ret, is_send);
  return 0;
}

/* ---- Entry points: processes ---- */

/* A process, or the program it ran until now, is gone with all private connections. */
CT_INLINE int end_process(u32 tgid) {
  const struct process *p = bpf_map_lookup_elem(&processes, &tgid);
  if (!p) return 0;
  u32 told = p->told;
  bpf_map_delete_elem(&processes, &tgid);
  if (!sip_only || told) notify(&no_conn, CT_TLS_EV_CLOSE, 0);
  return 1;
}

/* Whether the calling process is meant, which has just become the program of `bprm`. */
CT_INLINE int is_start_meant(const struct linux_binprm *bprm, u32 was_listed) {
  u32 rule = start_rule;
  int meant = (rule & CT_TLS_START_ANY) || (was_listed && (rule & CT_TLS_START_BORN));
  struct ct_tls_program program = {};
  if (!meant && (rule & CT_TLS_START_FILE)) {
    const struct file *file = BPF_CORE_READ(bprm, file);
    program.ino = BPF_CORE_READ(file, f_inode, i_ino);
    bpf_probe_read_kernel_str(program.name, sizeof program.name,
                              BPF_CORE_READ(file, f_path.dentry, d_name.name));
    meant = bpf_map_lookup_elem(&programs, &program) != NULL;
  }
  if (!meant || !(rule & CT_TLS_START_NAME)) return meant;
  program.ino = 0;
  bpf_get_current_comm(program.name, sizeof program.name);
  return bpf_map_lookup_elem(&programs, &program) != NULL;
}

/* (struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm), before the program's first instruction. */
SEC("?tp_btf/sched_process_exec") int calltap_exec(u64 *ctx) {
  u64 id = bpf_get_current_pid_tgid();
  u32 tgid = id >> 32;
  __sync_fetch_and_add(&execs, 1);
  /* Another program: its objects are others, wherever they lie. */
  end_process(tgid);
  bpf_map_delete_elem(&frames, &id);
  if (!allow_listed) return 0;
  /* And another name: who was born of a listed process is not observed for that alone any more. */
  const u8 *how = bpf_map_lookup_elem(&allowed, &tgid);
  u8 born = CT_TLS_BORN;
  if (how && *how != CT_TLS_BORN) return 0;
  if (!is_start_meant((const struct linux_binprm *)ctx[2], how != NULL))
    bpf_map_delete_elem(&allowed, &tgid);
  else if (bpf_map_update_elem(&allowed, &tgid, &born, BPF_ANY))
    count(CT_TLS_N_NO_ROOM, 1);
  return 0;
}

/* (struct task_struct *parent, struct task_struct *child), before the child runs. Servers fork workers, and a
 * worker's first message does not wait for the agent's next look. */
SEC("?tp_btf/sched_process_fork") int calltap_fork(u64 *ctx) {
  if (!allow_listed) return 0;
  const struct task_struct *parent = (struct task_struct *)ctx[0], *child = (struct task_struct *)ctx[1];
  u32 tgid = child->tgid, from = parent->tgid;
  if ((u32)child->pid != tgid || !bpf_map_lookup_elem(&allowed, &from)) return 0;
  u8 born = CT_TLS_BORN;
  if (bpf_map_update_elem(&allowed, &tgid, &born, BPF_ANY)) count(CT_TLS_N_NO_ROOM, 1);
  return 0;
}

/* (struct task_struct *task) */
SEC("?tp_btf/sched_process_exit") int calltap_exit(u64 *ctx) {
  struct task_struct *task = (struct task_struct *)ctx[0];
  u64 id = bpf_get_current_pid_tgid();
  u32 tgid = id >> 32;
  int is_last = BPF_CORE_READ(task, signal, live.counter) <= 0;
  if (is_last && allow_listed) bpf_map_delete_elem(&allowed, &tgid);
  if (!bpf_map_lookup_elem(&processes, &tgid)) return 0;
  bpf_map_delete_elem(&frames, &id);
  bpf_map_delete_elem(&threads, &id);
  if (!is_last) return 0;
  if (end_process(tgid)) count(CT_TLS_N_PROCESSES_ENDED, 1);
  return 0;
}
