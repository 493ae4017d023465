// SPDX-License-Identifier: Apache-2.0
// bytes.cc - gives JavaScript digests, inflate and a second read of a file.
#include "binding/functions.h"
#include "core/digest.h"
#include "core/inflate.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace calltap {

namespace {

// digest(view, start, length, out): FNV-1a 64 of view[start..start+length) into `out` (Int32Array: low, high).
NAN_METHOD(Digest) {
  View v = ViewOf(info[0]), out = ViewOf(info[3]);
  uint32_t start = U32(info[1]), len = U32(info[2]);
  if (start > v.len || len > v.len - start || out.len < sizeof(uint64_t))
    return Nan::ThrowRangeError("digest range");
  uint64_t h = ct_fnv1a64(v.data + start, len);
  memcpy(out.data, &h, sizeof(h));
}

// inflate(form, input, start, end, window, windowBytes, output, room): ct_inflate() of core/inflate.h.
NAN_METHOD(Inflate) {
  View in = ViewOf(info[1]), window = ViewOf(info[4]), out = ViewOf(info[6]);
  uint32_t form = U32(info[0]), start = U32(info[2]), end = U32(info[3]);
  uint32_t windowBytes = U32(info[5]), room = U32(info[7]);
  if (form >= CT_INFLATE_FORMS || start > end || end > in.len || windowBytes > window.len || room > out.len)
    return Nan::ThrowRangeError("inflate range");
  info.GetReturnValue().Set(ct_inflate(static_cast<ct_inflate_form>(form), in.data + start, end - start,
                                       window.data, windowBytes, out.data, room));
}

// readAgain(fd, position, into): fills `into` from that position; the ct_payload_check() of the bytes, -1 when the file
// has too few.
NAN_METHOD(ReadAgain) {
  View into = ViewOf(info[2]);
  int fd = Nan::To<int32_t>(info[0]).FromMaybe(-1);
  double position = Nan::To<double>(info[1]).FromMaybe(-1);
  if (fd < 0 || !(position >= 0 && position < 9e15) || into.len > UINT32_MAX)
    return Nan::ThrowRangeError("readAgain range");
  size_t have = 0;
  while (have < into.len) {
    ssize_t n =
        pread(fd, into.data + have, into.len - have, static_cast<off_t>(position) + static_cast<off_t>(have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += static_cast<size_t>(n);
  }
  double check = have < into.len ? -1.0 : ct_payload_check(into.data, static_cast<uint32_t>(into.len));
  info.GetReturnValue().Set(check);
}

} // namespace

NAN_MODULE_INIT(InitBytes) {
  Nan::Export(target, "digest", Digest);
  Nan::Export(target, "inflate", Inflate);
  Nan::Export(target, "readAgain", ReadAgain);
}

} // namespace calltap
