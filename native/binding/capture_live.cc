// SPDX-License-Identifier: Apache-2.0
// capture_live.cc - gives JavaScript interfaces as the source of a Capture, and the filter in the kernel.
#include "binding/capture.h"
#include <cstring>

namespace calltap {

NAN_METHOD(Capture::OpenLive) {
  auto *c = Self(info);
  if (!info[0]->IsObject()) return Nan::ThrowTypeError("openLive(options)");
  auto opt = info[0].As<Object>();
  Local<Value> list = Prop(opt, "interfaces");
  if (!list->IsArray()) return Nan::ThrowTypeError("interfaces: an array of names");
  auto names = list.As<v8::Array>();
  Local<Value> counterRows = Prop(opt, "liveCounters");
  View counters = ViewOf(counterRows);
  uint32_t n = names->Length(), blocks = U32(opt, "blocks");
  if (n == 0 || n > CT_LIVE_MAX || counters.len != n * CT_L_COUNT * sizeof(uint64_t))
    return Nan::ThrowTypeError("interfaces: 1 to 16, with one row of counters each");
  std::vector<std::string> name = Strings(names, n);
  std::vector<const char *> text;
  for (const auto &s : name) text.push_back(s.c_str());
  ct_filter_opts fo{};
  bool isPromiscuous = Flag(opt, "promiscuous");
  fo.whole_frames = Flag(opt, "wholeRtp");
  fo.best = static_cast<ct_filter_mode>(U32(opt, "bestFilter"));
  // Only now: a getter of the options may have opened or closed this capture.
  if (c->IsClosing() || c->file_.running || c->live_.is_open)
    return Nan::ThrowError("capture is busy or closed");
  c->Pin(counterRows);
  ct_live_error error{};
  uint32_t at = 0;
  c->live_.pl = &c->pl_;
  c->live_.ring = &c->ring_;
  c->live_.filter = &c->filter_;
  c->live_.promiscuous = isPromiscuous;
  error.step = "the reader";
  error.err = -ct_live_init(&c->live_);
  if (error.err == 0) {
    fo.gate = &c->pl_.gate;
    fo.decode = c->pl_.decode;
    fo.link = ct_live_common_link(&c->live_, text.data(), n);
    ct_filter_open(&c->filter_, &fo);
    auto *rows = reinterpret_cast<uint64_t *>(counters.data);
    while (at < n && ct_live_add(&c->live_, text[at], at, blocks, rows + at * CT_L_COUNT, &error)) at++;
  }
  if (error.err != 0) c->CloseLive();
  auto out = Nan::New<Object>();
  Put(out, "errno", Nan::New(error.err));
  Put(out, "step", Text(error.step));
  Put(out, "index", Nan::New(at));
  info.GetReturnValue().Set(out);
}

NAN_METHOD(Capture::StartLive) {
  auto *c = Self(info);
  if (c->IsClosing() || !c->live_.is_open || c->live_.running) return Nan::ThrowError("capture is not open");
  int err = -ct_live_start(&c->live_);
  if (err == 0) c->KeepLoopAlive(true);
  info.GetReturnValue().Set(Nan::New(err));
}

NAN_METHOD(Capture::AskStopLive) {
  auto *c = Self(info);
  if (c->live_.running) ct_live_ask_stop(&c->live_);
}

NAN_METHOD(Capture::LiveStatus) {
  auto *c = Self(info);
  ct_live_status st{};
  if (!ct_live_status_of(&c->live_, Nan::To<uint32_t>(info[0]).FromMaybe(CT_LIVE_MAX), &st))
    return Nan::ThrowRangeError("no such interface");
  auto out = Nan::New<Object>();
  Put(out, "state", Nan::New(static_cast<uint32_t>(st.state)));
  Put(out, "mtu", Nan::New(st.mtu));
  Put(out, "ringBytes", Nan::New(st.ring_bytes));
  Put(out, "text", Text(st.text));
  info.GetReturnValue().Set(out);
}

NAN_METHOD(Capture::FilterStatus) {
  auto *c = Self(info);
  auto out = Nan::New<Object>();
  Put(out, "mode", Nan::New(static_cast<uint32_t>(c->filter_.mode)));
  Put(out, "why", Text(c->filter_.why));
  info.GetReturnValue().Set(out);
}

NAN_METHOD(Capture::FilterCounts) {
  auto *c = Self(info);
  View out = ViewOf(info[0]);
  if (out.len != CT_F_COUNT * sizeof(ct_filter_count)) return Nan::ThrowTypeError("two numbers a class");
  info.GetReturnValue().Set(ct_filter_counts(&c->filter_, reinterpret_cast<ct_filter_count *>(out.data)));
}

NAN_METHOD(Capture::FilterNeedsBpf) {
  auto *c = Self(info);
  info.GetReturnValue().Set(ct_filter_needs_cap(&c->filter_));
}

NAN_METHOD(Capture::FilterMedia) {
  auto *c = Self(info);
  View address = ViewOf(info[0]);
  if (address.len != 16) return Nan::ThrowTypeError("address: 16 bytes");
  auto port = static_cast<uint16_t>(U32(info[1]));
  bool is_named = Flag(info[2]);
  ct_rtp_name(c->pl_.rtp, address.data, port, is_named);
  int err = ct_filter_media(&c->filter_, address.data, port, is_named);
  info.GetReturnValue().Set(Nan::New(-err));
}

void Capture::CloseLive() {
  ct_live_close(&live_);
  ct_filter_close(&filter_);
}

} // namespace calltap
