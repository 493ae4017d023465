// SPDX-License-Identifier: Apache-2.0
// hep_capture.cc - gives JavaScript the HEP listener of C.
#include "binding/hep_capture.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace calltap {

NAN_MODULE_INIT(HepCapture::Init) {
  auto tpl = Template(kName, New);
  Nan::SetPrototypeMethod(tpl, "open", Open);
  Nan::SetPrototypeMethod(tpl, "setOutput", SetOutput);
  Nan::SetPrototypeMethod(tpl, "start", Start);
  Nan::SetPrototypeMethod(tpl, "admit", Admit);
  Nan::SetPrototypeMethod(tpl, "topSenders", TopSenders);
  Nan::SetPrototypeMethod(tpl, "halt", Halt);
  Nan::SetPrototypeMethod(tpl, "unread", Unread);
  Put(target, kName, Nan::GetFunction(tpl).ToLocalChecked());
}

HepCapture::~HepCapture() {
  if (gateReady_) ct_hep_gate_close(&gate_);
}

NAN_METHOD(HepCapture::New) {
  Construct(info, {kName, "calltap:hep",
                   [](v8::Isolate *isolate) -> SlabSource * { return new HepCapture(isolate); }});
}

HepCapture *HepCapture::Self(const Nan::FunctionCallbackInfo<Value> &info) {
  return Nan::ObjectWrap::Unwrap<HepCapture>(info.Holder());
}

const char *HepCapture::Configure(Local<Object> opt) {
  View counters = Pin(Prop(opt, "counters")), allow = ViewOf(Prop(opt, "allow"));
  if (counters.len != CT_HEP_COUNTERS * sizeof(uint64_t)) return "counters: wrong size";
  if (allow.len % sizeof(ct_cidr) != 0) return "allow: wrong size";
  source_.ring = &ring_;
  source_.gate = &gate_;
  source_.counters = reinterpret_cast<uint64_t *>(counters.data);
  source_.source_id = U32(opt, "sourceId");
  source_.rcvbuf = U32(opt, "receiveBuffer");
  if (ct_hep_gate_init(&gate_, source_.counters, reinterpret_cast<const ct_cidr *>(allow.data),
                       static_cast<uint32_t>(allow.len / sizeof(ct_cidr)), U32(opt, "rate"),
                       U32(opt, "maxBytes")) != 0)
    return "allow: not a list of networks";
  gateReady_ = true;
  View key = ViewOf(Prop(opt, "key"));
  if (!ct_hep_gate_key(&gate_, key.data, static_cast<uint32_t>(key.len))) return "key: too long";
  return nullptr;
}

NAN_METHOD(HepCapture::Open) {
  auto *c = Self(info);
  Nan::Utf8String address(info[0]);
  if (c->IsClosing() || c->source_.is_open || *address == nullptr)
    return Nan::ThrowError("listener is open or closed");
  int rc = ct_hep_open(&c->source_, *address, static_cast<uint16_t>(U32(info[1])));
  auto out = Nan::New<Object>();
  Put(out, "errno", Nan::New(-rc));
  Put(out, "port", Nan::New(static_cast<uint32_t>(c->source_.port)));
  Put(out, "receiveBuffer", Nan::New(c->source_.rcvbuf_got));
  info.GetReturnValue().Set(out);
}

NAN_METHOD(HepCapture::SetOutput) {
  auto *c = Self(info);
  if (c->IsClosing() || c->source_.running) return Nan::ThrowError("listener is running");
  auto output = FindOutput(U32(info[0]));
  if (output == nullptr) return Nan::ThrowTypeError("setOutput(the id of an OutputFile that is open)");
  c->output_ = output;
  c->source_.output = c->output_->writer;
}

NAN_METHOD(HepCapture::Start) {
  auto *c = Self(info);
  int rc = c->IsClosing() ? -ECANCELED : ct_hep_start(&c->source_);
  if (rc == 0) c->KeepLoopAlive(true);
  info.GetReturnValue().Set(Nan::New(-rc));
}

NAN_METHOD(HepCapture::Admit) {
  auto *c = Self(info);
  View address = ViewOf(info[0]), packet = ViewOf(info[2]);
  uint32_t start = U32(info[3]), end = U32(info[4]);
  if (address.len < 16 || start > end || end > packet.len)
    return Nan::ThrowTypeError("admit(address of 16 bytes, version, packet, start, end)");
  info.GetReturnValue().Set(Nan::New(static_cast<uint32_t>(
      ct_hep_admit(&c->gate_, address.data, static_cast<uint8_t>(U32(info[1])), packet.data + start,
                   end - start, static_cast<int64_t>(uv_hrtime())))));
}

NAN_METHOD(HepCapture::TopSenders) {
  constexpr size_t kRow = 24 + CT_HEP_VERDICTS * sizeof(uint64_t);
  auto *c = Self(info);
  View rows = ViewOf(info[0]);
  std::vector<ct_hep_sender> top(std::min<size_t>(rows.len / kRow, CT_HEP_SENDERS));
  uint32_t n = ct_hep_top_senders(&c->gate_, top.data(), static_cast<uint32_t>(top.size()));
  for (uint32_t i = 0; i < n; i++) {
    uint8_t *row = rows.data + i * kRow;
    memset(row, 0, 24);
    memcpy(row, top[i].addr, 16);
    row[16] = top[i].version;
    memcpy(row + 24, top[i].n, sizeof(top[i].n));
  }
  info.GetReturnValue().Set(Nan::New(n));
}

NAN_METHOD(HepCapture::Halt) {
  auto *c = Self(info);
  if (!c->IsClosing()) ct_hep_halt(&c->source_);
}

NAN_METHOD(HepCapture::Unread) {
  auto *c = Self(info);
  info.GetReturnValue().Set(Nan::New(static_cast<double>(ct_ring_unread(&c->ring_))));
}

void HepCapture::StopSource() {
  ct_hep_stop(&source_);
  if (output_ != nullptr) output_->Flush();
  source_.output = nullptr;
  output_.reset();
}

} // namespace calltap
