/* canary.h - what all canaries share: a listener, the peer, conversations over any TLS library, and the verdict.
 *
 * A canary is a TLS server that does something dangerous in the middle of its TLS calls, and tells whether all of its
 * own behaviour was right:
 *
 *     CANARY PREFIX       runs; PREFIX begins each Call-ID. Exits 0 when every message was right, and prints
 *                         "canary NAME: R requests, A answers, D dangers"
 *     CANARY wait         only maps its libraries, prints "up", and waits until standard input ends: a program that
 *                         was there before, so that probes are in the libraries when the canary starts
 *
 * c.pem, k.pem and the program `peer` lie beside it.
 */
#ifndef CANARY_H
#define CANARY_H
#include "sip.h"
#include <stdint.h>
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CANARY_ANY 0xffffffffu

/* Shared with child processes. */
struct tally {
  unsigned requests; /* read whole and right */
  unsigned answers;  /* written */
  unsigned wrong;    /* anything that was not as it has to be */
  unsigned dangers;  /* how often the dangerous thing was done in the middle of a TLS call */
};
extern struct tally *tally; /* made by canary_begin when there is none */

/* One connection, on whatever library: `read` and `write` are as those of OpenSSL. */
struct talk {
  unsigned i, port; /* number (CANARY_ANY until its first request says it), and the peer's port */
  int fd;
  void *session;
  int (*read)(struct talk *t, char *p, int n);
  int (*write)(struct talk *t, const char *p, int n);
  unsigned next;     /* message */
  unsigned answered; /* on this connection */
  bool is_up;        /* the handshake is over */
  bool is_lost;      /* a write that fails is no fault */
  unsigned steps;    /* calls of the transport, for those that do their thing now and then */
  size_t have;
  char in[SIP_MAX], out[SIP_MAX];
};

/* Reads the arguments, listens and starts the peer. Does not come back from "wait". */
void canary_begin(int argc, char **argv, const char *name, unsigned connections, unsigned messages,
                  unsigned reconnects);
/* The next life of a process whose program was started anew: listener and peer are those of the one before. */
void canary_go_on(char **argv, const char *name, int listener, pid_t peer);
/* Takes the next connection. */
void canary_accept(struct talk *t, unsigned i);
/* Reads one request and answers it; false at the end of the connection. */
bool canary_answer(struct talk *t);
/* The two halves of that. canary_read: false at the end; a read that a jump has left is begun again by the next call. */
bool canary_read(struct talk *t);
bool canary_write(struct talk *t);
/* Something was not as it has to be. */
void canary_wrong(const char *what);
/* The same, and nothing can go on. */
void canary_die(const char *what) __attribute__((noreturn));
static inline void canary_danger(void) { __sync_fetch_and_add(&tally->dangers, 1); }

/* Waits for the peer and prints the verdict; the exit code. */
int canary_end(void);

extern int canary_listener;
extern pid_t canary_peer;
extern const char *canary_prefix;
extern unsigned canary_connections, canary_messages;

#ifdef __cplusplus
}
#endif
#endif
