// SPDX-License-Identifier: Apache-2.0
// output_file.cc - OutputFile of JavaScript: one file, or the files of a split, that captured frames go to (-O).
// src/sources/native.ts types it and says what each method does.
#include "binding/functions.h"
#include "binding/message.h"
#include "binding/output.h"
#include "core/datagram.h"
#include <cerrno>
#include <climits>
#include <cstring>
#include <uv.h>

namespace calltap {

namespace {

class OutputFile : public Nan::ObjectWrap {
public:
  static NAN_MODULE_INIT(Init) {
    auto tpl = Nan::New<v8::FunctionTemplate>(New);
    tpl->SetClassName(Text("OutputFile"));
    tpl->InstanceTemplate()->SetInternalFieldCount(1);
    Method<&OutputFile::Id>(tpl, "id");
    Method<&OutputFile::Open>(tpl, "open");
    Method<&OutputFile::SetEnabled>(tpl, "setEnabled");
    Method<&OutputFile::Reopen>(tpl, "reopen");
    Method<&OutputFile::Tick>(tpl, "tick");
    Method<&OutputFile::Flush>(tpl, "flush");
    Method<&OutputFile::Name>(tpl, "name");
    Method<&OutputFile::Counters>(tpl, "counters");
    Method<&OutputFile::Chunks>(tpl, "chunks");
    Method<&OutputFile::WriteDatagram>(tpl, "writeDatagram");
    Method<&OutputFile::WriteMessage>(tpl, "writeMessage");
    Method<&OutputFile::Close>(tpl, "close");
    Put(target, "OutputFile", Nan::GetFunction(tpl).ToLocalChecked());
  }

private:
  static NAN_METHOD(New) {
    if (!info.IsConstructCall()) return Nan::ThrowTypeError("OutputFile is a class");
    auto *o = new OutputFile();
    o->Wrap(info.This());
    info.GetReturnValue().Set(info.This());
  }

  uint32_t Id(Call) { return output_->id; }

  void Open(Call info) {
    Output &output = *output_;
    if (output.writer != nullptr || !info[0]->IsObject()) return Nan::ThrowError("output is open");
    auto opt = info[0].As<Object>();
    Nan::Utf8String path(Prop(opt, "path"));
    if (*path == nullptr) return Nan::ThrowTypeError("path: a text");
    ct_pw_opts po{};
    po.path = *path;
    po.linktype = CT_PW_LINK_UNKNOWN;
    po.split_bytes = static_cast<uint64_t>(Num(opt, "splitBytes"));
    po.split_seconds = static_cast<uint64_t>(Num(opt, "splitSeconds"));
    po.keep_files = U32(opt, "keepFiles");
    po.gate = &output.gate;
    po.counters = output.counters;
    int err = 0;
    output.writer = ct_pcap_write_open(&po, &err);
    info.GetReturnValue().Set(output.writer == nullptr ? (err == 0 ? EIO : err) : 0);
  }

  // The persistence gate: after setEnabled(false) returns, nothing more is written.
  void SetEnabled(Call info) {
    bool on = Flag(info[0]);
    output_->gate.store(on ? 1 : 0);
    if (!on && output_->writer != nullptr) ct_pcap_write_settle(output_->writer);
  }

  void Reopen(Call) {
    if (output_->writer != nullptr) ct_pcap_write_reopen(output_->writer);
  }

  void Tick(Call) {
    if (output_->writer != nullptr) ct_pcap_write_tick(output_->writer, static_cast<int64_t>(uv_hrtime()));
  }

  void Flush(Call) { output_->Flush(); }

  Local<v8::String> Name(Call) {
    char name[PATH_MAX + 16] = "";
    if (output_->writer != nullptr) ct_pcap_write_name(output_->writer, name, sizeof(name));
    return Text(name);
  }

  void Counters(Call info) {
    View out = ViewOf(info[0]);
    if (out.len != sizeof(output_->counters)) return Nan::ThrowTypeError("one number a counter");
    memcpy(out.data, output_->counters, out.len);
  }

  // Five numbers a chunk: times in microseconds, the last one rounded up.
  void Chunks(Call info) {
    View out = ViewOf(info[0]);
    if (out.len % (5 * sizeof(double)) != 0) return Nan::ThrowTypeError("five numbers a chunk");
    auto *number = reinterpret_cast<double *>(out.data);
    uint32_t taken = 0;
    for (size_t room = out.len / (5 * sizeof(double)); room > 0; room--) {
      ct_pcap_chunk chunk;
      if (output_->writer == nullptr || ct_pcap_write_chunks(output_->writer, &chunk, 1) == 0) break;
      *number++ = chunk.number;
      *number++ = static_cast<double>(chunk.offset);
      *number++ = static_cast<double>(chunk.bytes);
      *number++ = static_cast<double>(chunk.first_ns / 1000);
      *number++ = static_cast<double>((chunk.last_ns + 999) / 1000);
      taken++;
    }
    info.GetReturnValue().Set(taken);
  }

  void WriteDatagram(Call info) {
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
    frame_.resize(CT_DATAGRAM_FRAME_ROOM);
    uint32_t len = ct_datagram_frame(frame_.data(), &d, payload.data + start, end - start);
    int64_t ts_ns = Nanoseconds(Num(a, "tsUs"));
    // Only now: a getter of the arrival may have closed the output.
    if (len == 0 || output_->writer == nullptr) return;
    ct_pcap_write(output_->writer, frame_.data(), ts_ns, len, len, CT_DATAGRAM_FRAME_LINK);
  }

  void WriteMessage(Call info) {
    Message m;
    if (!ReadMessage(info, m)) return Nan::ThrowTypeError("writeMessage(bytes, start, end, packet, comment)");
    // Only now: a getter of the packet may have closed the output.
    if (output_->writer == nullptr) return;
    const auto len = static_cast<uint32_t>(m.pdu.size());
    ct_pcap_write_message(output_->writer, m.pdu.data(), m.ts_ns, len, m.comment.c_str());
  }

  // The file closes when no capture writes to it any more.
  void Close(Call) {
    if (output_.use_count() == 1)
      output_->Close();
    else
      output_->Flush();
  }

  std::shared_ptr<Output> output_ = MakeOutput();
  std::vector<uint8_t> frame_;
};

} // namespace

NAN_MODULE_INIT(InitOutputFile) { OutputFile::Init(target); }

} // namespace calltap
