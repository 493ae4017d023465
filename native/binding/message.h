// SPDX-License-Identifier: Apache-2.0
// message.h - a SIP message without a frame, from JavaScript, as the packet of a capture file.
#ifndef CALLTAP_BINDING_MESSAGE_H
#define CALLTAP_BINDING_MESSAGE_H
#include "binding/values.h"

namespace calltap {

struct Message {
  std::vector<uint8_t> pdu; // tags and message: link type CT_PDU_LINK
  int64_t ts_ns = 0;
  std::string comment;
};

// From the arguments of a call: (bytes, start, end, packet, comment), `packet` a MessagePacket of src/sources/native.ts.
// False when they are something else.
bool ReadMessage(Call info, Message &out);

} // namespace calltap
#endif
