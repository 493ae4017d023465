// SPDX-License-Identifier: Apache-2.0
// binding_frame.h - the part of module.cc that shows one frame of a file: included there once, inside its namespace.

// frameAt(path, ordinal, espNull): one frame of a file with what the walk makes of it, for --show-frame.
// {status, errno} where it cannot be had; status EOF when the file has fewer frames.
NAN_METHOD(FrameAt) {
  Nan::Utf8String path(info[0]);
  double ordinal = Nan::To<double>(info[1]).FromMaybe(-1);
  auto out = Nan::New<Object>();
  auto set = [&](const char *name, Local<Value> v) { Nan::Set(out, Nan::New(name).ToLocalChecked(), v); };
  info.GetReturnValue().Set(out);
  ct_pcap_status status = CT_PCAP_RECORD;
  int err = 0;
  ct_pcap *f = *path == nullptr ? nullptr : ct_pcap_open(*path, &status, &err);
  if (f == nullptr) {
    set("status", Nan::New(static_cast<uint32_t>(status)));
    set("errno", Nan::New(err));
    return;
  }
  ct_frame r{};
  do status = ct_pcap_next(f, &r);
  while (status == CT_PCAP_RECORD && static_cast<double>(r.ordinal) < ordinal);
  set("status", Nan::New(static_cast<uint32_t>(status)));
  set("errno", Nan::New(ct_pcap_errno(f)));
  if (status == CT_PCAP_RECORD) {
    ct_packet p{};
    p.frame = r.data;
    p.caplen = r.caplen;
    p.wirelen = r.wirelen;
    ct_decode_opts o{};
    o.esp_null = Nan::To<bool>(info[2]).FromMaybe(false);
    ct_reason reason = ct_decode_frame(&p, r.linktype, &o);
    set("frame", Nan::CopyBuffer(reinterpret_cast<const char *>(r.data), r.caplen).ToLocalChecked());
    set("wireLength", Nan::New(r.wirelen));
    set("linkType", Nan::New(r.linktype));
    set("tsUs", Nan::New(static_cast<double>(r.ts_ns / 1000) + static_cast<double>(r.ts_ns % 1000) / 1000.0));
    set("reason", Nan::New(ct_reason_name(reason)).ToLocalChecked());
    set("tunnels", Nan::New(p.tunnels));
    bool decoded = reason == CT_OK || reason == CT_FRAGMENT;
    set("isDecoded", Nan::New(decoded));
    if (decoded) {
      set("ipVersion", Nan::New(p.ip_version));
      set("protocol", Nan::New(p.proto));
      set("srcPort", Nan::New(p.sport));
      set("dstPort", Nan::New(p.dport));
      set("src", Nan::CopyBuffer(reinterpret_cast<const char *>(p.src), 16).ToLocalChecked());
      set("dst", Nan::CopyBuffer(reinterpret_cast<const char *>(p.dst), 16).ToLocalChecked());
      set("payload", Nan::CopyBuffer(reinterpret_cast<const char *>(p.payload), p.len).ToLocalChecked());
    }
  }
  ct_pcap_close(f);
}
