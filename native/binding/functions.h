// SPDX-License-Identifier: Apache-2.0
// functions.h - the functions of JavaScript that belong to no class, by file. Each file says what its functions do.
#ifndef CALLTAP_BINDING_FUNCTIONS_H
#define CALLTAP_BINDING_FUNCTIONS_H
#include "binding/values.h"

namespace calltap {

NAN_MODULE_INIT(InitBuildInfo); // build_info.cc: what this addon was built with
NAN_MODULE_INIT(InitBytes);     // bytes.cc: digests, inflate, and a second read of a file
NAN_MODULE_INIT(InitFrameAt);   // frame_at.cc: one frame of a file
NAN_MODULE_INIT(InitMemory);    // memory.cc: pages behind large buffers, and what the engine counts
NAN_MODULE_INIT(InitProcess);   // process.cc: privileges, signals, threads, a restart
NAN_MODULE_INIT(InitSockets);   // sockets.cc: what Node cannot send

} // namespace calltap
#endif
