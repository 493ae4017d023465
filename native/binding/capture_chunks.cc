// SPDX-License-Identifier: Apache-2.0
// capture_chunks.cc - tells JavaScript which time lies where in a capture file.
#include "file/capture_chunks.h"
#include "binding/functions.h"
#include <vector>

namespace calltap {

namespace {

constexpr uint32_t kMost = 16384;

// captureChunks(path): {status, numbers}; four numbers a chunk: offset, bytes, first and last time in microseconds.
NAN_METHOD(CaptureChunks) {
  Nan::Utf8String path(info[0]);
  auto out = Nan::New<Object>();
  info.GetReturnValue().Set(out);
  std::vector<ct_pcap_chunk> chunks(kMost);
  ct_pcap_status status = CT_PCAP_IO;
  uint32_t count = *path == nullptr ? 0 : ct_capture_chunks(*path, chunks.data(), kMost, &status);
  auto numbers = Nan::New<v8::Array>(static_cast<int>(4 * count));
  for (uint32_t i = 0; i < count; i++) {
    const ct_pcap_chunk &chunk = chunks[i];
    Nan::Set(numbers, 4 * i, Nan::New(static_cast<double>(chunk.offset)));
    Nan::Set(numbers, 4 * i + 1, Nan::New(static_cast<double>(chunk.bytes)));
    Nan::Set(numbers, 4 * i + 2, Nan::New(static_cast<double>(chunk.first_ns / 1000)));
    Nan::Set(numbers, 4 * i + 3, Nan::New(static_cast<double>((chunk.last_ns + 999) / 1000)));
  }
  Put(out, "status", Nan::New(static_cast<uint32_t>(status)));
  Put(out, "numbers", numbers);
}

} // namespace

NAN_MODULE_INIT(InitCaptureChunks) { Nan::Export(target, "captureChunks", CaptureChunks); }

} // namespace calltap
