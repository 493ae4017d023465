// SPDX-License-Identifier: Apache-2.0
// expression.cc - tells JavaScript what is wrong with an expression of --bpf. src/sources/native.ts types it.
#include "system/expression.h"
#include "binding/functions.h"
#include "system/frame_filter.h"

namespace calltap {

namespace {

// expressionRefusal(text): { isMissing, text }: libpcap is missing, or cannot compile it; '' when nothing is wrong.
NAN_METHOD(ExpressionRefusal) {
  Nan::Utf8String text(info[0]);
  if (!info[0]->IsString() || *text == nullptr) return Nan::ThrowTypeError("expressionRefusal(text)");
  const char *missing = ct_expression_refusal();
  char error[CT_EXPRESSION_ERROR] = "";
  const bool isMissing = missing[0] != '\0';
  if (!isMissing) ct_frame_filter_check(*text, error, sizeof error);
  auto out = Nan::New<Object>();
  Put(out, "isMissing", isMissing);
  Put(out, "text", isMissing ? missing : error);
  info.GetReturnValue().Set(out);
}

} // namespace

NAN_MODULE_INIT(InitExpression) { Nan::Export(target, "expressionRefusal", ExpressionRefusal); }

} // namespace calltap
