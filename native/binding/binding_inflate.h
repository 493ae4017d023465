// SPDX-License-Identifier: Apache-2.0
// binding_inflate.h - ct_inflate() for JavaScript. Part of module.cc, within its namespace.

// inflate(form, input, start, end, window, windowBytes, output, room): what ct_inflate() returns.
NAN_METHOD(Inflate) {
  View in = ViewOf(info[1]), window = ViewOf(info[4]), out = ViewOf(info[6]);
  auto number = [&](int i) { return Nan::To<uint32_t>(info[i]).FromMaybe(0); };
  uint32_t form = number(0), start = number(2), end = number(3), windowBytes = number(5), room = number(7);
  if (form >= CT_INFLATE_FORMS || start > end || end > in.len || windowBytes > window.len || room > out.len)
    return Nan::ThrowRangeError("inflate range");
  info.GetReturnValue().Set(ct_inflate(static_cast<ct_inflate_form>(form), in.data + start, end - start,
                                       window.data, windowBytes, out.data, room));
}
