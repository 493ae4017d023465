/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_event.h - what bpf/tls*.bpf.c and the agent share: events of the ring, probe sites, counters, a scan's row.
 *
 * Fixed-width fields and nothing else. An event in the ring is this header and, for data, chunk_len bytes of
 * plaintext; the ring's record may be longer than that, and what is behind the plaintext is old memory.
 */
#ifndef CALLTAP_TLS_EVENT_H
#define CALLTAP_TLS_EVENT_H
#include <linux/types.h>

#define CT_TLS_CHUNK 16384u /* plaintext of one event: one TLS record (RFC 8446 s5.1) */
#define CT_TLS_CHUNKS 64u   /* of one call, at most */
#define CT_TLS_CALL_MAX (CT_TLS_CHUNK * CT_TLS_CHUNKS)
#define CT_TLS_PROBATION 16384u /* bytes of an undecided WebSocket upgrade, both directions together */
#define CT_TLS_HEAD 16384u      /* of an HTTP request that may ask for one; none of it leaves the kernel */

enum ct_tls_library {
  CT_TLS_OPENSSL = 1,
  CT_TLS_GNUTLS = 2,
  CT_TLS_WOLFSSL = 3,
  CT_TLS_MBEDTLS = 4,
  CT_TLS_GO = 5, /* crypto/tls */
  CT_TLS_LIBRARIES = 6
};

/* What a probed function is; a site's cookie is the operation | library << 8 | proof << 16, and of Go | distance << 16: how
 * far from the site the method lies that a connection on TCP reads by. */
enum ct_tls_op {
  CT_TLS_OP_READ = 1, /* (object, buffer, int length) -> int bytes */
  CT_TLS_OP_WRITE = 2,
  CT_TLS_OP_READ_LONG = 3, /* (object, buffer, size_t length) -> ssize_t bytes */
  CT_TLS_OP_WRITE_LONG = 4,
  CT_TLS_OP_READ_EX = 5, /* (object, buffer, size_t length, size_t *bytes) -> int > 0 */
  CT_TLS_OP_WRITE_EX = 6,
  CT_TLS_OP_WRITE_EX2 = 7, /* (object, buffer, size_t length, flags, size_t *bytes) -> int > 0 */
  CT_TLS_OP_HANDSHAKE = 8, /* (object) */
  CT_TLS_OP_NEW = 9,       /* () -> object */
  CT_TLS_OP_NEW_OUT = 10,  /* (object *) */
  CT_TLS_OP_RESET = 11,    /* (object): the same object for another connection */
  CT_TLS_OP_FREE = 12,     /* (object) */
  CT_TLS_OPS = 13
};

enum ct_tls_event_kind {
  CT_TLS_EV_DATA = 1,
  CT_TLS_EV_BIND = 2,
  CT_TLS_EV_CLOSE = 3, /* conn 0: the whole process */
  CT_TLS_EV_KINDS = 4
};

/* enum ct_tls_flag of native/core/record.h, which is their home. */
#define CT_TLS_F_WRITTEN 1
#define CT_TLS_F_TRUNCATED 2
#define CT_TLS_F_LAST 4
#define CT_TLS_F_FAULT 8
#define CT_TLS_F_WEAK 16
#define CT_TLS_F_SHARED 32
#define CT_TLS_F_UNDECIDED 64
#define CT_TLS_F_UPGRADE 128

/* A process on the list by its birth (forked by one that was) or by what it started (enum ct_tls_start); the agent's
 * own entries are a number from 1. */
#define CT_TLS_BORN 0

/* Which process that starts a program is on the list from its first instruction on. Of the first three one must hold,
 * of the last two those that are set. */
enum ct_tls_start {
  CT_TLS_START_ANY = 1,  /* any process */
  CT_TLS_START_BORN = 2, /* one that was on the list before */
  CT_TLS_START_FILE = 4, /* one whose program's file is in the table */
  CT_TLS_START_NAME = 8, /* and its own name is in the table */
};

/* A row of that table: a file by inode and last name, or with ino 0 the name of a process; cut as names of processes
 * are, zeroes behind. */
struct ct_tls_program {
  __u64 ino;
  char name[16];
};

/* How the address was found. */
enum ct_tls_evidence {
  CT_TLS_NO_EVIDENCE = 0,
  CT_TLS_IN_CALL = 1,   /* a socket call inside the SSL call */
  CT_TLS_RX_BEFORE = 2, /* received, then decrypted */
  CT_TLS_TX_AFTER = 3,  /* encrypted, then sent */
  CT_TLS_BY_FD = 4,     /* the connection of a Go program names its file descriptor */
  CT_TLS_BY_HELLO = 5   /* the object has the random of the ClientHello that passed the socket */
};

struct ct_tls_event {
  __u64 ts_ns;      /*  0 CLOCK_MONOTONIC: entry of a write, return of a read */
  __u64 conn;       /*  8 never used twice */
  __u64 stream_off; /* 16 bytes of this direction in front of the chunk */
  __u32 pid, tid;   /* 24 */
  __u32 call_len;   /* 32 bytes of the SSL call */
  __u32 chunk_len;  /* 36 bytes that follow the header */
  __u16 flags;      /* 40 CT_TLS_F_ */
  __u8 kind;        /* 42 enum ct_tls_event_kind */
  __u8 library;     /* 43 */
  __u16 lport;      /* 44 host order */
  __u16 rport;      /* 46 */
  __u8 family;      /* 48 4, 6, or 0: the address is not known */
  __u8 evidence;    /* 49 */
  __u16 proof;      /* 50 of the function that was called: its row among the proofs; 0: it needs none */
  __u32 netns;      /* 52 */
  __u8 laddr[16];   /* 56 network order, IPv4 in the first 4 */
  __u8 raddr[16];   /* 72 */
};                  /* 88 bytes */

/* Counters, a value each processor. */
enum ct_tls_count {
  CT_TLS_N_CALLS,  /* SSL calls that moved plaintext and passed the filter */
  CT_TLS_N_EVENTS, /* chunks handed over */
  CT_TLS_N_BYTES,
  CT_TLS_N_LOST_CALLS, /* calls of which something did not fit the ring */
  CT_TLS_N_LOST_EVENTS,
  CT_TLS_N_LOST_BYTES,
  CT_TLS_N_LOST_NOTICES, /* bind and close events that did not fit; data carries the address as well */
  CT_TLS_N_OVER_SHARE,   /* of these, refused because their process had a quarter of the ring (tls_share.h) */
  CT_TLS_N_TRUNCATED,    /* calls longer than what is carried of one */
  CT_TLS_N_FAULTS,       /* chunks whose memory could not be read */
  CT_TLS_N_FILTERED,     /* calls dropped because they are not SIP */
  CT_TLS_N_FILTERED_BYTES,
  CT_TLS_N_UPGRADES,       /* WebSocket upgrades that wait for a verdict */
  CT_TLS_N_HEADS_OVER,     /* HTTP requests given up before the end of their head: too long, or unreadable */
  CT_TLS_N_HELD,           /* calls too short to tell what they begin: kept until the next */
  CT_TLS_N_PROBATION_OVER, /* calls beyond the bytes an undecided upgrade may pass */
  CT_TLS_N_NO_PLAINTEXT,   /* calls that returned nothing or an error */
  CT_TLS_N_NESTED,         /* the same buffer seen by an inner function: dropped there, kept outside */
  CT_TLS_N_NO_ENTRY,       /* returns without an entry, once a thread: in flight when attached */
  CT_TLS_N_STALE_FRAMES,   /* calls that never returned */
  CT_TLS_N_FRAMES_FULL,    /* deeper than four SSL calls, or too many stacks of a process: not read */
  CT_TLS_N_NO_ROOM,        /* a map refused an entry */
  CT_TLS_N_SKIPPED, /* runs that the kernel skipped, by its own account: the program had been preempted */
  CT_TLS_N_BOUND_IN_CALL,
  CT_TLS_N_BOUND_RX,
  CT_TLS_N_BOUND_TX,
  CT_TLS_N_BOUND_FD,
  CT_TLS_N_BOUND_HELLO,
  CT_TLS_N_CONTRARY,     /* evidence against the address that stands */
  CT_TLS_N_CORRECTED,    /* a likely address gave way to another */
  CT_TLS_N_REBOUND,      /* strong against strong: taken as a new connection */
  CT_TLS_N_DOUBTED,      /* a strong address lost its proof: as good a one spoke for another */
  CT_TLS_N_SIZE_MISFIT,  /* a send whose record does not fit what was encrypted */
  CT_TLS_N_NOT_TLS,      /* socket calls around TLS calls that moved no TLS record: no evidence */
  CT_TLS_N_UNBOUND,      /* chunks without an address */
  CT_TLS_N_SHARED,       /* objects found in memory shared by processes */
  CT_TLS_N_VMA_BUSY,     /* could not be looked up: taken as private this once */
  CT_TLS_N_SOCKET_CALLS, /* of observed processes */
  CT_TLS_N_CLOSED,
  CT_TLS_N_PROCESSES_ENDED,
  CT_TLS_N_COUNT
};

/* A function that the file itself does not name (an offset of the user's, a separate debug file) must show that it is what it
 * is said to be: the bytes that its calls move are those of the TLS records beside them. */
#define CT_TLS_PROOFS 1024u      /* rows; row 0 is not used */
#define CT_TLS_PROOF_CALLS 3u    /* calls in a row that fit a record prove it */
#define CT_TLS_PROOF_MISFITS 20u /* calls that fit none refute it */
#define CT_TLS_PROOF_PARTS                                                                                   \
  4u /* a call that may be a part of a record counts as this part of one that fits none */
#define CT_TLS_PROOF_ENDLESS                                                                                 \
  0x8000u /* beside the row: no function is known by which an object begins or ends, so that it may be another connection's */
#define CT_TLS_PROOF_BYTES                                                                                   \
  16u /* shorter ones fit by chance: a function that returns 1 beside a short record */

enum ct_tls_proof_state { CT_TLS_UNPROVEN = 0, CT_TLS_PROVEN = 1, CT_TLS_REFUTED = 2 };

struct ct_tls_proof {
  __u32 state;   /* enum ct_tls_proof_state */
  __u32 fits;    /* calls in a row that fit a record */
  __u32 misfits; /* CT_TLS_PROOF_PARTS for a call that fits none, 1 for one that may be a part */
  __u32 calls;   /* that moved plaintext, by their own account */
  /* Where objects have the random of their ClientHello (tls_object.h): by which word, from 1, of the object, 0 for the object
   * itself; at which word, from 1, of what lies there; how many connections in a row had it there. */
  __u16 hop, word;
  __u32 places;
};

/* Where the open calls of one page of a stack are found. No two stacks share a page, so that one processor at a time
 * works on an entry; threads would not do, since green threads move between them. Of Go: those of one goroutine. */
struct ct_tls_stack {
  __u64 page; /* or the goroutine, with CT_TLS_GOROUTINE */
  __u32 tgid;
  __u32 epoch; /* of the process: what an earlier program of it left open is none of this one's */
};

#define CT_TLS_GOROUTINE (1ull << 63)

/* Of what is kept of a process (tls_state.h): its epoch, then what only the programs know. */
#define CT_TLS_PROCESS_WORDS 6

/* Starts of programs that are remembered for the agent: a power of two. */
#define CT_TLS_STARTED 1024

#define CT_TLS_PATH 256

/* One row of the scan over all executable file mappings. */
struct ct_tls_mapping {
  __u64 start, end;       /*  0 */
  __u64 ino;              /* 16 of the real inode, below an overlay */
  __u32 dev;              /* 24 major << 20 | minor */
  __u32 pid;              /* 28 */
  __u32 mntns;            /* 32 */
  __u32 nlink;            /* 36 0: deleted */
  char comm[16];          /* 40 */
  __s32 path_len;         /* 56 with the NUL; negative: too long */
  __u32 reserved;         /* 60 */
  char path[CT_TLS_PATH]; /* 64 */
};                        /* 320 bytes */

#define CT_TLS_MOVERS 8192

/* A process that moved TLS records on its sockets, whoever made them: socket calls of them. */
struct ct_tls_mover {
  __u64 sent, received; /*  0 */
  __u32 pid;            /* 16 */
  __u32 reserved;       /* 20 */
  char comm[16];        /* 24 */
};                      /* 40 bytes */

#endif
