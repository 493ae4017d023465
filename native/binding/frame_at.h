// SPDX-License-Identifier: Apache-2.0
// frame_at.h - a function of JavaScript that shows one frame of a file, for --show-frame.
#ifndef CALLTAP_BINDING_FRAME_AT_H
#define CALLTAP_BINDING_FRAME_AT_H
#include "binding/values.h"

namespace calltap {

// frameAt(path, ordinal, espNull): the frame with what the packet walk makes of it (NativeFrame of
// src/sources/native.ts). {status, errno} alone when it cannot be read; status EOF when the file has fewer frames.
NAN_MODULE_INIT(InitFrameAt);

} // namespace calltap
#endif
