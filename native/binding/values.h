// SPDX-License-Identifier: Apache-2.0
// values.h - reads values of JavaScript and makes them, for every class and function of the binding.
#ifndef CALLTAP_BINDING_VALUES_H
#define CALLTAP_BINDING_VALUES_H
#include <cstddef>
#include <cstdint>
#include <nan.h>
#include <string>
#include <type_traits>
#include <vector>

namespace calltap {

using v8::Function;
using v8::Local;
using v8::Object;
using v8::Value;

// What a function of JavaScript is called with.
using Call = const Nan::FunctionCallbackInfo<Value> &;

// The bytes behind a typed array or a DataView. They stay valid while JavaScript holds the view.
struct View {
  uint8_t *data = nullptr;
  size_t len = 0;
};
// An empty view when the value is no view.
View ViewOf(Local<Value> v);

Local<v8::String> Text(const char *s);

// A value of C++ as JavaScript gets it.
template <class T> Local<Value> ToValue(T v) {
  if constexpr (std::is_convertible_v<T, Local<Value>>)
    return v;
  else if constexpr (std::is_convertible_v<T, const char *>)
    return Text(v);
  else
    return Nan::New(v);
}

template <class T> void Put(Local<Object> o, const char *name, T v) { Nan::Set(o, Text(name), ToValue(v)); }

// Makes a method of C++ one of JavaScript: Method<&Class::Name>(template of the class, "name"). What it returns is the
// value of the call; one that can throw returns void and sets the value itself.
template <auto method> struct MethodOf;
template <class T, class R, R (T::*method)(Call)> struct MethodOf<method> {
  static void Run(Call info) {
    T *self = Nan::ObjectWrap::Unwrap<T>(info.Holder());
    if constexpr (std::is_void_v<R>)
      (self->*method)(info);
    else
      info.GetReturnValue().Set(ToValue((self->*method)(info)));
  }
};
template <auto method> void Method(Local<v8::FunctionTemplate> tpl, const char *name) {
  Nan::SetPrototypeMethod(tpl, name, MethodOf<method>::Run);
}

// Properties of an object: undefined, 0 or false when the property is absent or its getter throws.
Local<Value> Prop(Local<Object> o, const char *name);
uint32_t U32(Local<Object> o, const char *name);
bool Flag(Local<Object> o, const char *name);
double Num(Local<Object> o, const char *name);

// The text of a property; empty when it is none.
std::string TextOf(Local<Object> o, const char *name);

// Arguments of a call: 0 or false when the argument is absent or is no number.
uint32_t U32(Local<Value> v);
bool Flag(Local<Value> v);

// The first `n` items of an array as UTF-8; '' for an item that has no text.
std::vector<std::string> Strings(Local<v8::Array> items, uint32_t n);

// The whole part of a number; 0 when 63 bits cannot hold it.
int64_t Whole(double v);

// Microseconds since the epoch as nanoseconds: as such they would not fit a double.
int64_t Nanoseconds(double us);

} // namespace calltap
#endif
