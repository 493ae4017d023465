// SPDX-License-Identifier: Apache-2.0
// message.cc - see message.h; and MessageCapture of JavaScript: such messages as the bytes of a pcapng file.
#include "binding/message.h"
#include "binding/functions.h"
#include "core/exported_pdu.h"
#include "output/pcap_encode.h"
#include <memory>

namespace calltap {

bool ReadMessage(Call info, Message &out) {
  if (!info[3]->IsObject() || !info[4]->IsString()) return false;
  auto packet = info[3].As<Object>();
  uint32_t start = U32(info[1]), end = U32(info[2]);
  uint32_t src = U32(packet, "srcOff"), dst = U32(packet, "dstOff");
  ct_pdu pdu{};
  pdu.src_port = static_cast<uint16_t>(U32(packet, "srcPort"));
  pdu.dst_port = static_cast<uint16_t>(U32(packet, "dstPort"));
  pdu.version = static_cast<uint8_t>(U32(packet, "ipVersion"));
  pdu.transport = static_cast<uint8_t>(U32(packet, "transport"));
  pdu.origin = static_cast<uint8_t>(U32(packet, "origin"));
  pdu.is_weak = Flag(packet, "isWeak");
  pdu.is_cut = Flag(packet, "isSnapped");
  out.ts_ns = Nanoseconds(Num(packet, "tsUs"));
  auto addresses = Prop(packet, "addresses");
  // Only now: a getter of the packet may have taken memory away.
  View bytes = ViewOf(info[0]), ends = ViewOf(addresses);
  if (start > end || end > bytes.len || ends.len < 16 || src > ends.len - 16 || dst > ends.len - 16)
    return false;
  pdu.src = ends.data + src;
  pdu.dst = ends.data + dst;
  out.pdu.resize(CT_PDU_TAGS);
  out.pdu.resize(ct_pdu_put(out.pdu.data(), &pdu));
  out.pdu.insert(out.pdu.end(), bytes.data + start, bytes.data + end);
  Nan::Utf8String comment(info[4]);
  out.comment = *comment == nullptr ? "" : *comment;
  return true;
}

namespace {

class MessageCapture : public Nan::ObjectWrap {
public:
  static NAN_MODULE_INIT(Init) {
    auto tpl = Nan::New<v8::FunctionTemplate>(New);
    tpl->SetClassName(Text("MessageCapture"));
    tpl->InstanceTemplate()->SetInternalFieldCount(1);
    Method<&MessageCapture::Add>(tpl, "add");
    Method<&MessageCapture::Take>(tpl, "take");
    Put(target, "MessageCapture", Nan::GetFunction(tpl).ToLocalChecked());
  }

private:
  static NAN_METHOD(New) {
    if (!info.IsConstructCall()) return Nan::ThrowTypeError("MessageCapture is a class");
    auto *o = new MessageCapture();
    ct_pe_begin(o->encoder_.get(), true);
    ct_pe_interface(o->encoder_.get(), CT_PDU_LINK);
    o->Wrap(info.This());
    info.GetReturnValue().Set(info.This());
  }

  void Add(Call info) {
    Message m;
    if (!ReadMessage(info, m)) return Nan::ThrowTypeError("add(bytes, start, end, packet, comment)");
    ct_pcap_encoder &e = *encoder_;
    const auto len = static_cast<uint32_t>(m.pdu.size());
    if (len > CT_PE_BUFFER || ct_pe_need(&e, len, m.comment.c_str()) > CT_PE_BUFFER - e.used)
      return Nan::ThrowRangeError("no room: take() what is there");
    ct_pe_frame(&e, 0, m.pdu.data(), m.ts_ns, len, len, m.comment.c_str());
    info.GetReturnValue().Set(e.used);
  }

  void Take(Call info) {
    auto bytes = Nan::CopyBuffer(reinterpret_cast<const char *>(encoder_->buffer), encoder_->used);
    ct_pe_drop(encoder_.get(), encoder_->used);
    if (!bytes.IsEmpty()) info.GetReturnValue().Set(bytes.ToLocalChecked());
  }

  std::unique_ptr<ct_pcap_encoder> encoder_ = std::make_unique<ct_pcap_encoder>();
};

} // namespace

NAN_MODULE_INIT(InitMessageCapture) { MessageCapture::Init(target); }

} // namespace calltap
