// SPDX-License-Identifier: BSD-3-Clause
// Frames as bytes, and out of them.
#include "engine/solvers/acoustic_fd/stepping/shot_frames.hpp"

#include "engine/io/field_codec.hpp"

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace conoid::acoustic_fd {
namespace {

using Values = std::shared_ptr<const std::vector<float>>;

/// `seen`: values that are in the bytes already, by their number there.
void put(Encoder& out, const Frame& frame, std::map<const void*, std::uint64_t>& seen) {
  out.number(frame.step);
  out.number(frame.value);
  out.number(frame.axis);
  out.number(static_cast<std::uint64_t>(frame.parts.size()));
  for (const FramePart& part : frame.parts) {
    const auto& image = std::get<ImageGeometry>(part.geometry);
    out.text(part.name);
    for (const Index n : image.points) out.number(n);
    for (const double x : image.origin) out.number(x);
    for (const double h : image.spacing) out.number(h);
    out.number(static_cast<std::uint64_t>(part.fields.size()));
    for (const Field& field : part.fields) {
      put_field(out, field.info);
      const auto [known, fresh] = seen.try_emplace(field.values.get(), seen.size());
      out.number(static_cast<std::uint8_t>(fresh));
      if (fresh)
        out.array(std::span<const float>(*field.values));
      else
        out.number(known->second);
    }
  }
}

std::shared_ptr<const Frame> frame(Decoder& in, std::vector<Values>& seen) {
  Frame out;
  out.step = in.number<Index>();
  out.value = in.number<double>();
  out.axis = in.choice(FrameAxis::iteration);
  out.parts.resize(in.count(1));
  for (FramePart& part : out.parts) {
    ImageGeometry image;
    part.name = in.text();
    for (Index& n : image.points) n = in.number<Index>();
    for (double& x : image.origin) x = in.number<double>();
    for (double& h : image.spacing) h = in.number<double>();
    part.geometry = image;
    part.fields.resize(in.count(1));
    for (Field& field : part.fields) {
      field.info = get_field(in);
      if (in.flag()) {
        seen.push_back(std::make_shared<const std::vector<float>>(in.array<float>()));
        field.values = seen.back();
      } else {
        const auto number = in.number<std::uint64_t>();
        if (number >= seen.size()) Decoder::damaged("values of a frame");
        field.values = seen[number];
      }
    }
  }
  return std::make_shared<const Frame>(std::move(out));
}

}  // namespace

void ShotFrames::keep(std::shared_ptr<const Frame> frame) {
  const Index step = frame->step;
  frames_[step] = std::move(frame);
}

std::shared_ptr<const Frame> ShotFrames::find(Index step) const {
  const auto found = frames_.find(step);
  return found == frames_.end() ? nullptr : found->second;
}

std::string ShotFrames::bytes() const {
  Encoder out;
  std::map<const void*, std::uint64_t> seen;
  for (const auto& [step, kept] : frames_) put(out, *kept, seen);
  return out.take();
}

std::string ShotFrames::bytes(Index step) const {
  Encoder out;
  std::map<const void*, std::uint64_t> seen;
  if (const auto kept = find(step)) put(out, *kept, seen);
  return out.take();
}

void ShotFrames::take(std::string_view bytes) {
  Decoder in(bytes);
  std::vector<Values> seen;
  while (!in.at_end()) keep(frame(in, seen));
}

void fill_from(const Frame& frame, FrameBuilder& builder) {
  builder.at(frame.step, frame.value, frame.axis);
  for (const FramePart& kept : frame.parts) {
    if (!builder.wants_part(kept.name)) continue;
    std::vector<Field> fields;
    for (const Field& field : kept.fields)
      if (builder.wants(field.info.name)) fields.push_back(field);
    if (!fields.empty()) builder.part(kept.name, kept.geometry).fields = std::move(fields);
  }
}

}  // namespace conoid::acoustic_fd
