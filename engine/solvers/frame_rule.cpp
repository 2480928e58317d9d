// SPDX-License-Identifier: BSD-3-Clause
// The keys of "output.frames".
#include "engine/solvers/frame_rule.hpp"

namespace conoid {

Cadence frame_cadence(const Case& input) {
  Cadence out;
  const Values frames = input["output"]["frames"];
  if (frames.has("every")) out.every = frames["every"].integer();
  if (frames.has("interval")) out.interval = frames["interval"].number();
  if (frames.has("count")) out.count = frames["count"].integer();
  return out;
}

FrameRequest frame_request(const Case& input) {
  FrameRequest out;
  const Values frames = input["output"]["frames"];
  if (frames.has("fields"))
    for (std::size_t i = 0; i < frames["fields"].size(); ++i) out.fields.insert(frames["fields"].at(i).text());
  if (frames.has("parts"))
    for (std::size_t i = 0; i < frames["parts"].size(); ++i) out.parts.insert(frames["parts"].at(i).text());
  return out;
}

}  // namespace conoid
