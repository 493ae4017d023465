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
#include <fcntl.h>
#include <unistd.h>
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
    po.pipe = static_cast<int>(U32(opt, "pipe"));
    po.gate = &output.gate;
    po.counters = output.counters;
    is_pipe_ = po.pipe > 0;
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

  // The file closes when no capture writes to it any more; a pipe at once.
  void Close(Call) {
    if (is_pipe_ && output_->writer != nullptr) {
      output_->gate.store(0);
      ct_pcap_write_hang_up(output_->writer);
    }
    if (output_.use_count() == 1)
      output_->Close();
    else
      output_->Flush();
  }

  std::shared_ptr<Output> output_ = MakeOutput();
  std::vector<uint8_t> frame_;
  bool is_pipe_ = false;
};

} // namespace

// The two ends of a pipe that holds `room` bytes where the kernel allows it: [to read, to write], or an errno. Neither outlives
// an exec; the one to write blocks or does not.
static NAN_METHOD(MakePipe) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return info.GetReturnValue().Set(errno);
  (void)fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(U32(info[0])));
  if (!Flag(info[1])) (void)fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK);
  auto both = Nan::New<v8::Array>(2);
  Nan::Set(both, 0, Nan::New(ends[0]));
  Nan::Set(both, 1, Nan::New(ends[1]));
  info.GetReturnValue().Set(both);
}

// writeBlocks(output, blocks, start, end, linkTypes): packet blocks of a pcapng, from any thread. False when the output is closed.
static NAN_METHOD(WriteBlocks) {
  auto output = FindOutput(U32(info[0]));
  View blocks = ViewOf(info[1]), links = ViewOf(info[4]);
  uint32_t start = U32(info[2]), end = U32(info[3]);
  if (start > end || end > blocks.len)
    return Nan::ThrowRangeError("writeBlocks(output, blocks, start, end, linkTypes)");
  if (output != nullptr)
    ct_pcap_write_blocks(output->writer, blocks.data + start, end - start,
                         reinterpret_cast<const uint32_t *>(links.data),
                         static_cast<uint32_t>(links.len / 4));
  info.GetReturnValue().Set(output != nullptr);
}

NAN_MODULE_INIT(InitOutputFile) {
  OutputFile::Init(target);
  Nan::SetMethod(target, "makePipe", MakePipe);
  Nan::SetMethod(target, "writeBlocks", WriteBlocks);
}

} // namespace calltap
