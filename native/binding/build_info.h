// SPDX-License-Identifier: Apache-2.0
// build_info.h - functions of JavaScript that say what this addon was built with.
#ifndef CALLTAP_BINDING_BUILD_INFO_H
#define CALLTAP_BINDING_BUILD_INFO_H
#include "binding/values.h"

namespace calltap {

// info(): the layouts and names that JavaScript checks its mirror against (NativeInfo of src/sources/native.ts).
//
// libbpfRefusal(): '' when libbpf can be loaded, else why not and what to do.
NAN_MODULE_INIT(InitBuildInfo);

} // namespace calltap
#endif
