// SPDX-License-Identifier: Apache-2.0
// binding_caps.h - the part of module.cc that gives up privileges: included there once, inside its namespace.

// dropPrivileges(user or null, keep): {errno, step, kept, threadsLeft, uid}; `keep` and `kept` are numbers of
// capabilities. Call it from the main thread: what is kept stays with the thread that calls.
NAN_METHOD(DropPrivileges) {
  if (!info[0]->IsNull() && !info[0]->IsString()) return Nan::ThrowTypeError("user: a name or null");
  if (!info[1]->IsArray()) return Nan::ThrowTypeError("keep: an array of numbers");
  auto numbers = info[1].As<v8::Array>();
  uint64_t keep = 0;
  for (uint32_t i = 0; i < numbers->Length(); i++) {
    uint32_t n = Nan::To<uint32_t>(Nan::Get(numbers, i).ToLocalChecked()).FromMaybe(64);
    if (n > 63) return Nan::ThrowRangeError("keep: no such capability");
    keep |= 1ull << n;
  }
  Nan::Utf8String user(info[0]);
  ct_caps_result r{};
  ct_caps_drop(info[0]->IsNull() ? nullptr : *user, keep, &r);
  auto out = Nan::New<Object>();
  auto set = [&](const char *name, Local<Value> v) { Nan::Set(out, Nan::New(name).ToLocalChecked(), v); };
  auto kept = Nan::New<v8::Array>();
  for (uint32_t n = 0, at = 0; n < 64; n++)
    if (r.kept >> n & 1) Nan::Set(kept, at++, Nan::New(n));
  set("errno", Nan::New(r.err));
  set("step", Nan::New(r.step).ToLocalChecked());
  set("kept", kept);
  set("threadsLeft", Nan::New(r.threads_left));
  set("uid", Nan::New(r.uid));
  info.GetReturnValue().Set(out);
}
