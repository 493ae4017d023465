/* killed.c - a server process is killed (SIGKILL) in the middle of its TLS calls, again and again; the next one takes
 * the peer's new connection and goes on with the conversation. Nothing but the signal may end it.
 */
#include "openssl.h"
#include <signal.h>
#include <sys/wait.h>

#define MESSAGES 12
#define KILLED 5

static unsigned life;

static void hook(struct talk *t) {
  if (!t->is_up || life >= KILLED || t->steps++ < 3 + life) return;
  canary_danger();
  kill(getpid(), SIGKILL);
}

int main(int argc, char **argv) {
  canary_begin(argc, argv, "killed", 1, MESSAGES, KILLED);
  canary_openssl(hook, hook);
  for (life = 0; life <= KILLED; life++) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
      canary_serve(canary_open(CANARY_ANY));
      _exit(0);
    }
    waitpid(child, &status, 0);
    if (life < KILLED ? !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL : status != 0)
      canary_wrong("something else has ended the server");
  }
  return canary_end();
}
