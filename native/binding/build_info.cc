// SPDX-License-Identifier: Apache-2.0
// build_info.cc - tells JavaScript layouts, names of counters and whether there is eBPF.
#include "binding/functions.h"
#include "hep/source_hep.h"
#include "live/source_packet.h"
#include "output/pcap_write.h"
#include "pipeline/pipeline.h"
#include "system/bpf_late.h"
#include "tls/source_tls.h"

namespace calltap {

namespace {

// The names of 0 to n - 1; '' for one without a name.
template <class Name> Local<v8::Array> Names(uint32_t n, Name name) {
  auto out = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < n; i++) {
    const char *text = name(i);
    Nan::Set(out, i, Text(text == nullptr ? "" : text));
  }
  return out;
}

template <class Is> Local<v8::Array> Flags(uint32_t n, Is is) {
  auto out = Nan::New<v8::Array>();
  for (uint32_t i = 0; i < n; i++) Nan::Set(out, i, Nan::New(is(i)));
  return out;
}

// info(): the layouts and names that JavaScript checks its mirror against (NativeInfo of src/sources/native.ts).
NAN_METHOD(Info) {
  auto out = Nan::New<Object>();
  auto number = [&](const char *name, uint32_t v) { Put(out, name, v); };
  number("abi", CT_ABI);
  number("slabBytes", CT_SLAB_BYTES);
  number("slabRecords", CT_SLAB_RECORDS);
  number("recordBytes", sizeof(ct_record));
  number("streamBytes", ct_rtp_stream_size());
  number("streamChunk", CT_RTP_CHUNK);
  number("counterCount", CT_COUNTERS);
  number("firstReason", CT_N_COUNT);
  number("hepVerdicts", CT_HEP_VERDICTS);
  Put(out, "counterNames", Names(CT_COUNTERS, ct_counter_name));
  Put(out, "reasonIsLoss",
      Flags(CT_REASON_COUNT, [](uint32_t i) { return ct_reason_is_loss(static_cast<ct_reason>(i)); }));
  Put(out, "hepCounterNames", Names(CT_HEP_COUNTERS, ct_hep_counter_name));
  Put(out, "outputCounterNames", Names(CT_PW_COUNTERS, ct_pw_counter_name));
  Put(out, "tlsCounterNames", Names(CT_TLS_COUNTERS, ct_tls_counter_name));
  Put(out, "liveCounterNames", Names(CT_L_COUNT, ct_live_counter_name));
  Put(out, "filterClassNames", Names(CT_F_COUNT, ct_filter_class_name));
  Put(out, "filterClassIsDrop", Flags(CT_F_COUNT, ct_filter_class_is_drop));
  Put(out, "hasEbpf", ct_filter_has_ebpf());
  info.GetReturnValue().Set(out);
}

// libbpfRefusal(): '' when libbpf can be loaded, else why not and what to do.
NAN_METHOD(LibbpfRefusal) { info.GetReturnValue().Set(Text(ct_bpf_refusal())); }

} // namespace

NAN_MODULE_INIT(InitBuildInfo) {
  Nan::Export(target, "info", Info);
  Nan::Export(target, "libbpfRefusal", LibbpfRefusal);
}

} // namespace calltap
