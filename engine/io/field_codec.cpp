// SPDX-License-Identifier: BSD-3-Clause
// Fields of FieldInfo, one after the other.
#include "engine/io/field_codec.hpp"

#include <cstdint>

namespace conoid {

void put_field(Encoder& out, const FieldInfo& info) {
  out.text(info.name);
  out.text(info.unit);
  out.number(info.kind);
  out.number(info.association);
  out.number(static_cast<std::int32_t>(info.components));
  out.number(static_cast<std::uint8_t>(info.is_complex));
  out.text(info.label);
}

FieldInfo get_field(Decoder& in) {
  FieldInfo info;
  info.name = in.text();
  info.unit = in.text();
  info.kind = in.choice(FieldKind::phase);
  info.association = in.choice(Association::cell);
  info.components = in.number<std::int32_t>();
  info.is_complex = in.flag();
  info.label = in.text();
  return info;
}

}  // namespace conoid
