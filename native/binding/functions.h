// SPDX-License-Identifier: Apache-2.0
// functions.h - the functions and classes of JavaScript, by file. src/sources/ types them and says what each does.
#ifndef CALLTAP_BINDING_FUNCTIONS_H
#define CALLTAP_BINDING_FUNCTIONS_H
#include "binding/values.h"

namespace calltap {

NAN_MODULE_INIT(InitBuildInfo);      // build_info.cc: what this addon was built with
NAN_MODULE_INIT(InitBytes);          // bytes.cc: digests, inflate, and a second read of a file
NAN_MODULE_INIT(InitExpression);     // expression.cc: expressions of tcpdump
NAN_MODULE_INIT(InitFrameAt);        // frame_at.cc: one frame of a file
NAN_MODULE_INIT(InitCaptureChunks);  // capture_chunks.cc: which time lies where in a file
NAN_MODULE_INIT(InitProcess);        // process.cc: privileges, signals, threads, a restart, the clock
NAN_MODULE_INIT(InitLoopTurns);      // loop_turns.cc: long turns of the event loop
NAN_MODULE_INIT(InitSockets);        // sockets.cc: what Node cannot send
NAN_MODULE_INIT(InitMirrorSocket);   // mirror_socket.cc: HEP to a collector over UDP
NAN_MODULE_INIT(InitCapture);        // capture.cc: files or interfaces
NAN_MODULE_INIT(InitSecondPass);     // second_pass.cc: selected frames of files
NAN_MODULE_INIT(InitHepCapture);     // hep_capture.cc: the HEP listener
NAN_MODULE_INIT(InitTlsCapture);     // tls_capture.cc: the TLS probes
NAN_MODULE_INIT(InitTlsMovers);      // tls_movers.cc: who moves TLS records
NAN_MODULE_INIT(InitOutputFile);     // output_file.cc: the writer of captured frames
NAN_MODULE_INIT(InitMessageCapture); // message.cc: messages without a frame as the bytes of a file

} // namespace calltap
#endif
