// SPDX-License-Identifier: BSD-3-Clause
// What a field of a frame is, as bytes: between processes and in checkpoints.
#pragma once

#include "engine/core/codec.hpp"
#include "engine/io/frame.hpp"

namespace conoid {

void put_field(Encoder& out, const FieldInfo& info);
/// Throws as the decoder does where the bytes are something else; numbers of components are not judged.
[[nodiscard]] FieldInfo get_field(Decoder& in);

}  // namespace conoid
