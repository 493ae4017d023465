// SPDX-License-Identifier: Apache-2.0
// binding_threads.h - the part of binding.cc that ranks threads: included there once, inside its namespace.

// yieldToThis(steps): how many other threads of the process are that much nicer now than the calling one.
NAN_METHOD(YieldToThis) {
  int steps = Nan::To<int32_t>(info[0]).FromMaybe(-1);
  if (steps < 0 || steps > 19) return Nan::ThrowRangeError("0 to 19 steps");
  info.GetReturnValue().Set(Nan::New(ct_threads_yield(steps)));
}
