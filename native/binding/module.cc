// SPDX-License-Identifier: Apache-2.0
// module.cc - registers the addon: the classes and functions that src/sources/native.ts types.
//
// Only native/binding/ knows V8 and nan. All state but the list of outputs (output.h) belongs to one environment, so
// any number of workers can load the addon.
#include "binding/functions.h"

namespace calltap {

NAN_MODULE_INIT(InitAll) {
  InitBuildInfo(target);
  InitBytes(target);
  InitExpression(target);
  InitFrameAt(target);
  InitCaptureChunks(target);
  InitProcess(target);
  InitLoopTurns(target);
  InitSockets(target);
  InitMirrorSocket(target);
  InitCapture(target);
  InitSecondPass(target);
  InitHepCapture(target);
  InitOutputFile(target);
  InitMessageCapture(target);
  InitTlsCapture(target);
  InitTlsMovers(target);
}

} // namespace calltap

NAN_MODULE_WORKER_ENABLED(calltap, calltap::InitAll)
