// SPDX-License-Identifier: Apache-2.0
// output_file.cc - gives JavaScript the capture writer (-O).
#include "binding/output_file.h"
#include "core/datagram.h"
#include <cerrno>
#include <climits>
#include <cstring>
#include <uv.h>

namespace calltap {

NAN_MODULE_INIT(OutputFile::Init) {
  auto tpl = Nan::New<v8::FunctionTemplate>(New);
  tpl->SetClassName(Text("OutputFile"));
  tpl->InstanceTemplate()->SetInternalFieldCount(1);
  Nan::SetPrototypeMethod(tpl, "id", Id);
  Nan::SetPrototypeMethod(tpl, "open", Open);
  Nan::SetPrototypeMethod(tpl, "setEnabled", SetEnabled);
  Nan::SetPrototypeMethod(tpl, "reopen", Reopen);
  Nan::SetPrototypeMethod(tpl, "tick", Tick);
  Nan::SetPrototypeMethod(tpl, "name", Name);
  Nan::SetPrototypeMethod(tpl, "counters", Counters);
  Nan::SetPrototypeMethod(tpl, "writeDatagram", WriteDatagram);
  Nan::SetPrototypeMethod(tpl, "close", Close);
  Put(target, "OutputFile", Nan::GetFunction(tpl).ToLocalChecked());
}

OutputFile *OutputFile::Self(const Nan::FunctionCallbackInfo<Value> &info) {
  return Nan::ObjectWrap::Unwrap<OutputFile>(info.Holder());
}

NAN_METHOD(OutputFile::New) {
  if (!info.IsConstructCall()) return Nan::ThrowTypeError("OutputFile is a class");
  auto *o = new OutputFile();
  o->Wrap(info.This());
  info.GetReturnValue().Set(info.This());
}

NAN_METHOD(OutputFile::Id) { info.GetReturnValue().Set(Nan::New(Self(info)->output_->id)); }

NAN_METHOD(OutputFile::Open) {
  Output &output = *Self(info)->output_;
  if (output.writer != nullptr || !info[0]->IsObject()) return Nan::ThrowError("output is open");
  auto opt = info[0].As<Object>();
  Nan::Utf8String path(Prop(opt, "path"));
  if (*path == nullptr) return Nan::ThrowTypeError("path: a text");
  ct_pw_opts po{};
  po.path = *path;
  po.linktype = CT_PW_LINK_UNKNOWN;
  po.split_bytes = static_cast<uint64_t>(Num(opt, "splitBytes"));
  po.split_seconds = static_cast<uint64_t>(Num(opt, "splitSeconds"));
  po.gate = &output.gate;
  po.counters = output.counters;
  int err = 0;
  output.writer = ct_pcap_write_open(&po, &err);
  info.GetReturnValue().Set(Nan::New(output.writer == nullptr ? (err == 0 ? EIO : err) : 0));
}

NAN_METHOD(OutputFile::SetEnabled) {
  Output &output = *Self(info)->output_;
  bool on = Flag(info[0]);
  output.gate.store(on ? 1 : 0);
  if (!on && output.writer != nullptr) ct_pcap_write_settle(output.writer);
}

NAN_METHOD(OutputFile::Reopen) {
  Output &output = *Self(info)->output_;
  if (output.writer != nullptr) ct_pcap_write_reopen(output.writer);
}

NAN_METHOD(OutputFile::Tick) {
  Output &output = *Self(info)->output_;
  if (output.writer != nullptr) ct_pcap_write_tick(output.writer, static_cast<int64_t>(uv_hrtime()));
}

NAN_METHOD(OutputFile::Name) {
  Output &output = *Self(info)->output_;
  char name[PATH_MAX + 16] = "";
  if (output.writer != nullptr) ct_pcap_write_name(output.writer, name, sizeof(name));
  info.GetReturnValue().Set(Text(name));
}

NAN_METHOD(OutputFile::Counters) {
  const Output &output = *Self(info)->output_;
  View out = ViewOf(info[0]);
  if (out.len != sizeof(output.counters)) return Nan::ThrowTypeError("one number a counter");
  memcpy(out.data, output.counters, out.len);
}

NAN_METHOD(OutputFile::WriteDatagram) {
  auto *o = Self(info);
  View payload = ViewOf(info[0]);
  uint32_t start = U32(info[1]), end = U32(info[2]);
  if (start > end || end > payload.len || !info[3]->IsObject())
    return Nan::ThrowRangeError("writeDatagram(payload, start, end, arrival)");
  auto a = info[3].As<Object>();
  View ends = ViewOf(Prop(a, "addresses"));
  if (ends.len < 32) return Nan::ThrowTypeError("addresses: 32 bytes, the source first");
  ct_datagram d{};
  d.src = ends.data;
  d.dst = ends.data + 16;
  d.src_port = static_cast<uint16_t>(U32(a, "srcPort"));
  d.dst_port = static_cast<uint16_t>(U32(a, "dstPort"));
  d.version = static_cast<uint8_t>(U32(a, "ipVersion"));
  o->frame_.resize(CT_DATAGRAM_FRAME_ROOM);
  uint32_t len = ct_datagram_frame(o->frame_.data(), &d, payload.data + start, end - start);
  int64_t ts_ns = Whole(Num(a, "tsUs") * 1000.0);
  // Only now: a getter of the arrival may have closed the output.
  if (len == 0 || o->output_->writer == nullptr) return;
  ct_pcap_write(o->output_->writer, o->frame_.data(), ts_ns, len, len, CT_DATAGRAM_FRAME_LINK);
}

NAN_METHOD(OutputFile::Close) {
  auto &output = Self(info)->output_;
  if (output.use_count() == 1)
    output->Close();
  else
    output->Flush();
}

} // namespace calltap
