// SPDX-License-Identifier: Apache-2.0
// values.cc - reads values of JavaScript and makes them.
#include "binding/values.h"

namespace calltap {

View ViewOf(Local<Value> v) {
  View out;
  if (v->IsArrayBufferView()) {
    auto a = v.As<v8::ArrayBufferView>();
    out.data = static_cast<uint8_t *>(a->Buffer()->Data()) + a->ByteOffset();
    out.len = a->ByteLength();
  }
  return out;
}

Local<v8::String> Text(const char *s) { return Nan::New(s).ToLocalChecked(); }

Local<Value> Prop(Local<Object> o, const char *name) {
  Local<Value> v;
  return Nan::Get(o, Text(name)).ToLocal(&v) ? v : Nan::Undefined().As<Value>();
}

uint32_t U32(Local<Object> o, const char *name) { return U32(Prop(o, name)); }
bool Flag(Local<Object> o, const char *name) { return Flag(Prop(o, name)); }
double Num(Local<Object> o, const char *name) { return Nan::To<double>(Prop(o, name)).FromMaybe(0); }

std::string TextOf(Local<Object> o, const char *name) {
  Local<Value> v = Prop(o, name);
  Nan::Utf8String text(v);
  return v->IsString() && *text != nullptr ? *text : "";
}

uint32_t U32(Local<Value> v) { return Nan::To<uint32_t>(v).FromMaybe(0); }
bool Flag(Local<Value> v) { return Nan::To<bool>(v).FromMaybe(false); }

std::vector<std::string> Strings(Local<v8::Array> items, uint32_t n) {
  std::vector<std::string> out;
  for (uint32_t i = 0; i < n; i++) {
    Nan::Utf8String s(Nan::Get(items, i).FromMaybe(Nan::Undefined().As<Value>()));
    out.emplace_back(*s == nullptr ? "" : *s);
  }
  return out;
}

int64_t Whole(double v) { return v > -9.2e18 && v < 9.2e18 ? static_cast<int64_t>(v) : 0; }

int64_t Nanoseconds(double us) {
  int64_t whole = Whole(us);
  if (whole > INT64_MAX / 1000 - 1 || whole < INT64_MIN / 1000 + 1) return 0;
  return whole * 1000 + static_cast<int64_t>((us - static_cast<double>(whole)) * 1000.0);
}

} // namespace calltap
