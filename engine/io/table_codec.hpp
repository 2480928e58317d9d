// SPDX-License-Identifier: BSD-3-Clause
// What a table is, as bytes: for other programs, and for other ranks of this one.
#pragma once

#include "engine/core/codec.hpp"
#include "engine/io/results.hpp"

namespace conoid {

inline void put(Encoder& out, const TableInfo& t) {
  out.text(t.id);
  out.text(t.title);
  out.number(static_cast<std::uint64_t>(t.columns.size()));
  for (const Column& c : t.columns) {
    out.text(c.name);
    out.text(c.unit);
    out.text(c.label);
  }
  out.number(static_cast<std::uint8_t>(t.form));
  out.number(static_cast<std::uint8_t>(t.x_scale));
  out.number(static_cast<std::uint8_t>(t.y_scale));
  out.text(t.definition);
  out.number(static_cast<std::uint64_t>(t.exact.size()));
  for (const std::string& name : t.exact) out.text(name);
}
[[nodiscard]] inline TableInfo table_info(Decoder& in) {
  TableInfo t;
  t.id = in.text();
  t.title = in.text();
  t.columns.resize(in.count(28));
  for (Column& c : t.columns) {
    c.name = in.text();
    c.unit = in.text();
    c.label = in.text();
  }
  t.form = in.choice(ChartForm::none);
  t.x_scale = in.choice(AxisScale::log);
  t.y_scale = in.choice(AxisScale::log);
  t.definition = in.text();
  t.exact.resize(in.count(8));
  for (std::string& name : t.exact) name = in.text();
  return t;
}

}  // namespace conoid
