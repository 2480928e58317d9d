// SPDX-License-Identifier: BSD-3-Clause
// The frames of a run whose fields are known everywhere.
#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include <QtGlobal>

#include "engine/io/vtkhdf.hpp"

namespace conoid::app::test {

inline constexpr int frames = 4;

/// On 5 x 4 x 3 points in the box (0 … 2, 0 … 1.5, −1 … 0) m at t = 0, 1, 2, 3 s.
inline double known(double t, double x, double y, double z) {
  return t * (1 + 2 * x - y + 4 * z);
}

inline Frame known_frame(int number) {
  Frame frame;
  frame.number = static_cast<std::uint64_t>(number);
  frame.step = 10 * number;
  frame.value = number;
  std::vector<float> p, v;
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 5; ++x) {
        p.push_back(static_cast<float>(known(number, 0.5 * x, 0.5 * y, 0.5 * z - 1)));
        v.insert(v.end(), {0.5F * static_cast<float>(x), 0, 1 - 0.5F * static_cast<float>(z)});
      }
  frame.parts.push_back(
      {"volume",
       ImageGeometry{{5, 4, 3}, {0, 0, -1}, {0.5, 0.5, 0.5}},
       {make_field({"pressure", "Pa", FieldKind::signed_value, Association::point, 1, false, "Pressure"}, p),
        make_field({"velocity", "m/s", FieldKind::magnitude, Association::point, 3, false, "Velocity"}, v)}});
  return frame;
}

inline void write_known_frames(const std::filesystem::path& run) {
  std::ofstream(run / "log.jsonl") << "";
  auto writer = VtkhdfWriter::create(run, "known");
  if (!writer) qFatal("%s", writer.error().render().c_str());
  for (int i = 0; i < frames; ++i)
    if (!(*writer)->write(known_frame(i))) qFatal("write");
  if (!(*writer)->close()) qFatal("close");
}

}  // namespace conoid::app::test
