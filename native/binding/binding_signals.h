// SPDX-License-Identifier: Apache-2.0
// binding_signals.h - the part of module.cc that ends the process at a second signal: included there once, inside its
// namespace.

void EndAtOnce(int signal) { _exit(128 + signal); }

// exitOnSignals(): from now on SIGINT and SIGTERM end the process at once with 130 and 143, whatever JavaScript does.
NAN_METHOD(ExitOnSignals) {
  struct sigaction end {};
  end.sa_handler = EndAtOnce;
  for (int signal : {SIGINT, SIGTERM}) sigaction(signal, &end, nullptr);
}
