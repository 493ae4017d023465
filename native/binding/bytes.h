// SPDX-License-Identifier: Apache-2.0
// bytes.h - functions of JavaScript over plain bytes: their digest, what they inflate to, reading them again.
#ifndef CALLTAP_BINDING_BYTES_H
#define CALLTAP_BINDING_BYTES_H
#include "binding/values.h"

namespace calltap {

// digest(view, start, length, out): FNV-1a 64 of view[start..start+length) into `out` (Int32Array: low, high).
//
// inflate(form, input, start, end, window, windowBytes, output, room): ct_inflate() of core/inflate.h.
//
// readAgain(fd, position, into): fills `into` from that position; the ct_payload_check() of the bytes, -1 when the file
// has too few.
NAN_MODULE_INIT(InitBytes);

} // namespace calltap
#endif
