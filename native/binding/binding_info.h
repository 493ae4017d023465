// SPDX-License-Identifier: Apache-2.0
// binding_info.h - the part of module.cc that says what was built: included there once, inside its namespace.

// info(): the facts JavaScript checks its mirror against.
NAN_METHOD(Info) {
  auto out = Nan::New<Object>();
  auto set = [&](const char *name, uint32_t v) {
    Nan::Set(out, Nan::New(name).ToLocalChecked(), Nan::New(v));
  };
  set("abi", CT_ABI);
  set("slabBytes", CT_SLAB_BYTES);
  set("slabRecords", CT_SLAB_RECORDS);
  set("recordBytes", sizeof(ct_record));
  set("streamBytes", ct_rtp_stream_size());
  set("streamChunk", CT_RTP_CHUNK);
  set("counterCount", CT_COUNTERS);
  auto names = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < CT_COUNTERS; i++) {
    const char *name = ct_counter_name(i);
    Nan::Set(names, i, Nan::New(name == nullptr ? "" : name).ToLocalChecked());
  }
  Nan::Set(out, Nan::New("counterNames").ToLocalChecked(), names);
  auto losses = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < CT_REASON_COUNT; i++)
    Nan::Set(losses, i, Nan::New(ct_reason_is_loss(static_cast<ct_reason>(i))));
  Nan::Set(out, Nan::New("reasonIsLoss").ToLocalChecked(), losses);
  auto hepNames = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < CT_HEP_COUNTERS; i++) {
    const char *name = ct_hep_counter_name(i);
    Nan::Set(hepNames, i, Nan::New(name == nullptr ? "" : name).ToLocalChecked());
  }
  Nan::Set(out, Nan::New("hepCounterNames").ToLocalChecked(), hepNames);
  auto outputNames = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < CT_PW_COUNTERS; i++)
    Nan::Set(outputNames, i, Nan::New(ct_pw_counter_name(i)).ToLocalChecked());
  Nan::Set(out, Nan::New("outputCounterNames").ToLocalChecked(), outputNames);
  set("hepVerdicts", CT_HEP_VERDICTS);
  Nan::Set(out, Nan::New("tlsCounterNames").ToLocalChecked(), TlsCapture::CounterNames());
  set("firstReason", CT_N_COUNT);
  auto live = Nan::New<v8::Array>(), classes = Nan::New<v8::Array>(), drops = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < CT_L_COUNT; i++)
    Nan::Set(live, i, Nan::New(ct_live_counter_name(i)).ToLocalChecked());
  for (uint32_t i = 0; i < CT_F_COUNT; i++) {
    Nan::Set(classes, i, Nan::New(ct_filter_class_name(i)).ToLocalChecked());
    Nan::Set(drops, i, Nan::New(ct_filter_class_is_drop(i)));
  }
  Nan::Set(out, Nan::New("liveCounterNames").ToLocalChecked(), live);
  Nan::Set(out, Nan::New("filterClassNames").ToLocalChecked(), classes);
  Nan::Set(out, Nan::New("filterClassIsDrop").ToLocalChecked(), drops);
  Nan::Set(out, Nan::New("hasEbpf").ToLocalChecked(), Nan::New(ct_filter_has_ebpf()));
  info.GetReturnValue().Set(out);
}

// libbpfRefusal(): '' when libbpf is there, else why not and what to do.
NAN_METHOD(LibbpfRefusal) { info.GetReturnValue().Set(Text(ct_bpf_refusal())); }
