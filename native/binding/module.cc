// SPDX-License-Identifier: Apache-2.0
// module.cc - the only translation unit that knows V8 and nan; each class and each group of functions is a
// binding_*.h that is included here.
//
// All state but the registry of outputs is per environment: the addon can be loaded by any number of workers.
#include "binding/capture.h"
#include "binding/hep_capture.h"
#include "binding/output_file.h"
#include "binding/slab_source.h"
#include "binding/tls_capture.h"
#include "binding/values.h"
#include "core/inflate.h"
#include "system/bpf_late.h"
#include "system/caps.h"
#include "system/input_pipe.h"
#include "system/reply_socket.h"
#include "system/threads.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <nan.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace calltap {

#include "binding/binding_bytes.h"
#include "binding/binding_caps.h"
#include "binding/binding_frame.h"
#include "binding/binding_hurry.h"
#include "binding/binding_inflate.h"
#include "binding/binding_restart.h"
#include "binding/binding_security.h"
#include "binding/binding_signals.h"

#include "binding/binding_info.h"

NAN_MODULE_INIT(InitAll) {
  Nan::Export(target, "info", Info);
  Nan::Export(target, "libbpfRefusal", LibbpfRefusal);
  Nan::Export(target, "frameAt", FrameAt);
  Nan::Export(target, "adviseHuge", AdviseHuge);
  Nan::Export(target, "touchPages", TouchPages);
  Nan::Export(target, "yieldToThis", YieldToThis);
  Nan::Export(target, "hasten", Hasten);
  Nan::Export(target, "keepsForGood", KeepsForGood);
  Nan::Export(target, "growFirst", GrowFirst);
  Nan::Export(target, "restart", Restart);
  Nan::Export(target, "exitOnSignals", ExitOnSignals);
  Nan::Export(target, "openReply", OpenReply);
  Nan::Export(target, "sendReply", SendReply);
  Nan::Export(target, "openSyslog", OpenSyslog);
  Nan::Export(target, "sendSyslog", SendSyslog);
  Nan::Export(target, "closeSocket", CloseSocket);
  Nan::Export(target, "inputPipe", InputPipe);
  Nan::Export(target, "digest", Digest);
  Nan::Export(target, "inflate", Inflate);
  Nan::Export(target, "readAgain", ReadAgain);
  Nan::Export(target, "dropPrivileges", DropPrivileges);
  OutputFile::Init(target);
  Capture::Init(target);
  HepCapture::Init(target);
  TlsCapture::Init(target);
}

} // namespace calltap

NAN_MODULE_WORKER_ENABLED(calltap, calltap::InitAll)
