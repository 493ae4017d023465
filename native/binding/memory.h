// SPDX-License-Identifier: Apache-2.0
// memory.h - functions of JavaScript over its memory: pages behind large buffers, and what the engine counts.
#ifndef CALLTAP_BINDING_MEMORY_H
#define CALLTAP_BINDING_MEMORY_H
#include "binding/values.h"

namespace calltap {

// adviseHuge(view): asks for huge pages behind a large buffer, a hint; the offset at which the first of them can begin.
//
// touchPages(view): another thread makes the pages behind a buffer present, before this thread writes to them.
//
// keepsForGood(bytes): takes the memory of an ArrayBuffer of that size out of the engine's account of what a collection
// could free; the bytes that the account holds then, 0 when the engine does not say. Since V8 13 an ArrayBuffer is on
// another account, and to take from this one what it never had ends the process: then the call does nothing.
NAN_MODULE_INIT(InitMemory);

} // namespace calltap
#endif
