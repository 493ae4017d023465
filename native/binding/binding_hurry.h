// SPDX-License-Identifier: Apache-2.0
// binding_hurry.h - what a run asks for that reads files, prints and ends: the part of module.cc that ranks threads and
// spares collections. Included there once, inside its namespace.

// yieldToThis(steps): how many other threads of the process are that much nicer now than the calling one.
NAN_METHOD(YieldToThis) {
  int steps = Nan::To<int32_t>(info[0]).FromMaybe(-1);
  if (steps < 0 || steps > 19) return Nan::ThrowRangeError("0 to 19 steps");
  info.GetReturnValue().Set(Nan::New(ct_threads_yield(steps)));
}

// hasten(nice): how many threads of the process have this nice value now and had another before.
NAN_METHOD(Hasten) {
  int nice = Nan::To<int32_t>(info[0]).FromMaybe(0);
  if (nice < -20 || nice > -1) return Nan::ThrowRangeError("-20 to -1");
  info.GetReturnValue().Set(Nan::New(ct_threads_hasten(nice)));
}

// keepsForGood(bytes): takes memory of that size, which an ArrayBuffer has been made of, out of the engine's account of
// what a collection could free. The bytes that the account holds then; 0 where it cannot be told: since V8 13 an
// ArrayBuffer is on another account, and to take from this one what it never had ends the process.
NAN_METHOD(KeepsForGood) {
  double bytes = Nan::To<double>(info[0]).FromMaybe(-1);
  if (!(bytes >= 0 && bytes <= 1e12)) return Nan::ThrowRangeError("0 to 1e12 bytes");
#if V8_MAJOR_VERSION < 13
  int64_t left = info.GetIsolate()->AdjustAmountOfExternalAllocatedMemory(-static_cast<int64_t>(bytes));
#else
  int64_t left = 0;
#endif
  info.GetReturnValue().Set(Nan::New(static_cast<double>(left)));
}

// growFirst(): the engine lets its heap grow for some seconds where it would collect, as for a page that is loading.
NAN_METHOD(GrowFirst) {
#if V8_MAJOR_VERSION < 13
  info.GetIsolate()->SetRAILMode(v8::PERFORMANCE_LOAD);
#else
  info.GetIsolate()->SetIsLoading(true);
#endif
}
