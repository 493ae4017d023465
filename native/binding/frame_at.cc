// SPDX-License-Identifier: Apache-2.0
// frame_at.cc - reads a file up to one frame and gives JavaScript that frame.
#include "binding/functions.h"
#include "decode/packet.h"
#include "file/pcap_read.h"

namespace calltap {

namespace {

Local<Object> Copy(const uint8_t *bytes, uint32_t len) {
  return Nan::CopyBuffer(reinterpret_cast<const char *>(bytes), len).ToLocalChecked();
}

// What the packet lies inside, as a reader knows it.
Local<v8::Array> TunnelNames(uint32_t tunnels) {
  auto out = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < CT_TUNNEL_COUNT; i++)
    if ((tunnels >> i & 1) != 0) Nan::Set(out, out->Length(), Text(ct_tunnel_name(i)));
  return out;
}

void PutFrame(Local<Object> out, const ct_frame &r, bool espNull) {
  ct_packet p{};
  p.frame = r.data;
  p.caplen = r.caplen;
  p.wirelen = r.wirelen;
  ct_decode_opts o{};
  o.esp_null = espNull;
  ct_reason reason = ct_decode_frame(&p, r.linktype, &o);
  Put(out, "frame", Copy(r.data, r.caplen));
  Put(out, "wireLength", Nan::New(r.wirelen));
  Put(out, "linkType", Nan::New(r.linktype));
  Put(out, "tsUs",
      Nan::New(static_cast<double>(r.ts_ns / 1000) + static_cast<double>(r.ts_ns % 1000) / 1000.0));
  Put(out, "reason", Text(ct_reason_name(reason)));
  Put(out, "tunnels", TunnelNames(p.tunnels));
  bool decoded = reason == CT_OK || reason == CT_FRAGMENT;
  Put(out, "isDecoded", Nan::New(decoded));
  if (!decoded) return;
  Put(out, "ipVersion", Nan::New(p.ip_version));
  Put(out, "protocol", Nan::New(p.proto));
  Put(out, "srcPort", Nan::New(p.sport));
  Put(out, "dstPort", Nan::New(p.dport));
  Put(out, "src", Copy(p.src, 16));
  Put(out, "dst", Copy(p.dst, 16));
  Put(out, "payload", Copy(p.payload, p.len));
}

// frameAt(path, ordinal, espNull): the frame with what the packet walk makes of it (NativeFrame of
// src/sources/native.ts). {status, errno} alone when it cannot be read; status EOF when the file has fewer frames.
NAN_METHOD(FrameAt) {
  Nan::Utf8String path(info[0]);
  double ordinal = Nan::To<double>(info[1]).FromMaybe(-1);
  auto out = Nan::New<Object>();
  info.GetReturnValue().Set(out);
  ct_pcap_status status = CT_PCAP_RECORD;
  int err = 0;
  ct_pcap *f = *path == nullptr ? nullptr : ct_pcap_open(*path, &status, &err);
  if (f == nullptr) {
    Put(out, "status", Nan::New(static_cast<uint32_t>(status)));
    Put(out, "errno", Nan::New(err));
    return;
  }
  ct_frame r{};
  do status = ct_pcap_next(f, &r);
  while (status == CT_PCAP_RECORD && static_cast<double>(r.ordinal) < ordinal);
  Put(out, "status", Nan::New(static_cast<uint32_t>(status)));
  Put(out, "errno", Nan::New(ct_pcap_errno(f)));
  if (status == CT_PCAP_RECORD) PutFrame(out, r, Flag(info[2]));
  ct_pcap_close(f);
}

} // namespace

NAN_MODULE_INIT(InitFrameAt) { Nan::Export(target, "frameAt", FrameAt); }

} // namespace calltap
