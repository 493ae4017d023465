/* throw.cc - an exception is thrown in the transport, passes through SSL_read or SSL_write, and is caught outside; the
 * call is made again. As C++ programs do that give up on a connection.
 */
#include "openssl.h"

static bool is_armed;

static void hook(struct talk *t) {
  if (!t->is_up || !is_armed) return;
  is_armed = false;
  canary_danger();
  throw 7;
}

/* Makes the call until nothing is thrown. */
template <typename Call> static bool at_last(Call call) {
  unsigned destroyed = 0;
  struct guard {
    unsigned *n;
    ~guard() { ++*n; }
  };
  for (unsigned times = 0;; times++) {
    if (times != destroyed) canary_wrong("a destructor was passed over");
    is_armed = times < 2;
    try {
      guard g = {&destroyed};
      return call();
    } catch (int thrown) {
      if (thrown != 7) canary_wrong("something else was thrown");
    }
  }
}

int main(int argc, char **argv) {
  canary_begin(argc, argv, "throw", 1, 16, 0);
  canary_openssl(hook, hook);
  struct talk *t = canary_open(0);
  canary_handshake(t);
  while (at_last([&] { return canary_read(t); }) && at_last([&] { return canary_write(t); })) {}
  return canary_end();
}
