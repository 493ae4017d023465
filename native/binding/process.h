// SPDX-License-Identifier: Apache-2.0
// process.h - functions of JavaScript over its own process: privileges, signals, threads, a restart.
#ifndef CALLTAP_BINDING_PROCESS_H
#define CALLTAP_BINDING_PROCESS_H
#include "binding/values.h"

namespace calltap {

// dropPrivileges(user or null, keep): {errno, step, kept, threadsLeft, uid}; `keep` and `kept` are numbers of
// capabilities. Call it from the main thread: the calling thread keeps the capabilities.
//
// exitOnSignals(): from now on SIGINT and SIGTERM end the process at once with 130 and 143, whatever JavaScript does.
//
// restart(arguments): runs the program of this process again in its place, with these arguments, the first of which is
// its name. Returns only when that fails, with errno.
//
// hasten(nice): ct_threads_hasten() of system/threads.h; how many threads changed.
NAN_MODULE_INIT(InitProcess);

} // namespace calltap
#endif
