// SPDX-License-Identifier: Apache-2.0
// tls_capture.h - TlsCapture of JavaScript: the TLS probes' programs, attachments, reader thread and ring.
//
// src/sources/tls/native-tls.ts types it.
#ifndef CALLTAP_BINDING_TLS_CAPTURE_H
#define CALLTAP_BINDING_TLS_CAPTURE_H
#include "binding/slab_source.h"
#include "tls/source_tls.h"

namespace calltap {

class TlsCapture : public SlabSource {
public:
  static NAN_MODULE_INIT(Init);
  // The kernel's counters, then the reader's.
  static Local<Value> CounterNames();

private:
  static constexpr uint32_t kCounters = CT_TLS_N_COUNT + 3;
  static constexpr const char *kName = "TlsCapture";
  explicit TlsCapture(v8::Isolate *isolate) : SlabSource(isolate) {}
  static TlsCapture *Self(const Nan::FunctionCallbackInfo<Value> &info);

  const char *Configure(Local<Object> opt) override;
  void StopSource() override;

  static NAN_METHOD(New);
  // open(): '', or why the probes cannot be opened, with the remedy.
  static NAN_METHOD(Open);
  // start(): errno; 0 when the thread runs. It keeps the loop alive until close().
  static NAN_METHOD(Start);
  // attach({path, pid?, sites: [{kind, offset, exits}]}): {id, errno, error}
  static NAN_METHOD(Attach);
  // detach(id): false when no attachment has this id.
  static NAN_METHOD(Detach);
  // scan(): {error, rows}; one row a mapping of a library by a process.
  static NAN_METHOD(Scan);
  // allow(pids | null): errno. Observes only these processes and those they fork; null: all.
  static NAN_METHOD(Allow);
  // starts(rule, [{ino, name}]): errno. Adds programs to observe from their start, and sets the rule (enum ct_tls_start).
  static NAN_METHOD(Starts);
  // verdict(idLow, idHigh, isSip): says what an undecided connection is.
  static NAN_METHOD(Verdict);
  // counters(out): CounterNames() into a BigUint64Array.
  static NAN_METHOD(Counters);
  // execs(): programs started on this host since open().
  static NAN_METHOD(Execs);
  // status(): {probes, probesWhy, sockets, socketsWhy, caveats, attachments, ringBytes}
  static NAN_METHOD(Status);

  ct_tls_opts opts_{};
  ct_tls_probe probe_{};
  ct_tls_source source_{};
  ct_tls_scanner scanner_{};
};

} // namespace calltap
#endif
