/* shadow.c - built for control-flow enforcement (-fcf-protection), and with a shadow stack where processor and kernel
 * have one: a return to another place than the call came from kills the process.
 */
#include "openssl.h"
#include <sys/syscall.h>

#define MESSAGES 16

#define ARCH_SHSTK_ENABLE 0x5001
#define ARCH_SHSTK_SHSTK 1

/* No function that was called before may return after it: the new stack does not know it. */
static inline __attribute__((always_inline)) long enable_shadow_stack(void) {
  long how = __NR_arch_prctl;
  __asm__ volatile("syscall"
                   : "+a"(how)
                   : "D"(ARCH_SHSTK_ENABLE), "S"(ARCH_SHSTK_SHSTK)
                   : "rcx", "r11", "memory");
  return how;
}

int main(int argc, char **argv) {
  canary_begin(argc, argv, "shadow", 1, MESSAGES, 0);
  fprintf(stderr, "shadow stack: %s\n", enable_shadow_stack() == 0 ? "yes" : "not here");
  canary_openssl(NULL, NULL);
  canary_danger();
  canary_serve(canary_open(0));
  exit(canary_end());
}
