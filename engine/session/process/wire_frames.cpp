// SPDX-License-Identifier: BSD-3-Clause
// Encoding of frames, and the checks of what arrives.
#include "engine/session/process/wire_frames.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/codec.hpp"
#include "engine/io/field_codec.hpp"
#include "engine/mesh/mesh.hpp"

namespace conoid::process {
namespace {

/// So that an id of an array of doubles is never taken for one of integers.
template <class T>
constexpr std::uint8_t type_mark() {
  if constexpr (std::is_same_v<T, float>) return 1;
  if constexpr (std::is_same_v<T, double>) return 2;
  if constexpr (std::is_same_v<T, Index>) return 3;
  return 4;
}

/// (type, id) in one number.
std::uint64_t key_of(std::uint8_t type, std::uint64_t id) {
  return (id << 3) | type;
}

template <class Map>
const typename Map::mapped_type* entry(const Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

Index points_of(const ImageGeometry& image) {
  Index product = 1;
  for (const Index n : image.points) {
    if (n < 1 || n > (Index{1} << 40) / product) Decoder::damaged("the points of a grid");
    product *= n;
  }
  return product;
}

}  // namespace

/// A mesh whose cells were found sound with as many points is not looked through again: most meshes never change.
void FrameDecoder::check(const MeshGeometry& mesh, std::vector<Checked>& now) {
  const Checked as{mesh.connectivity, mesh.offsets, mesh.types, mesh.points->size()};
  now.push_back(as);
  if (std::find(checked_.begin(), checked_.end(), as) != checked_.end()) return;
  const auto& offsets = *mesh.offsets;
  const auto points = static_cast<Index>(mesh.points->size() / 3);
  if (mesh.points->size() % 3 != 0) Decoder::damaged("three coordinates a point");
  if (offsets.empty() || offsets.size() != mesh.types->size() + 1 || offsets.front() != 0 ||
      offsets.back() != static_cast<Index>(mesh.connectivity->size()))
    Decoder::damaged("the offsets of cells");
  for (std::size_t c = 0; c + 1 < offsets.size(); ++c) {
    const int nodes = nodes_of(static_cast<CellShape>((*mesh.types)[c]));
    if (nodes == 0 || offsets[c + 1] - offsets[c] != nodes) Decoder::damaged("the nodes of a cell");
  }
  for (const Index n : *mesh.connectivity)
    if (n < 0 || n >= points) Decoder::damaged("a node that is a point");
}

std::string FrameEncoder::encode(const Frame& frame) {
  Encoder out;
  std::unordered_map<const void*, Known> now;
  const auto array = [&]<class T>(const std::shared_ptr<const std::vector<T>>& values) {
    static const auto nothing = std::make_shared<const std::vector<T>>();
    const auto& given = values ? values : nothing;
    const void* address = given.get();
    const Known* before = entry(now, address);
    if (before == nullptr) before = entry(known_, address);
    const bool fresh = before == nullptr;
    const std::uint64_t id = fresh ? next_id_++ : before->id;
    now.try_emplace(address, Known{given, id});
    out.number(id);
    out.number(static_cast<std::uint8_t>(fresh));
    if (fresh) out.array(std::span<const T>(*given));
  };
  out.number(frame.number);
  out.number(frame.step);
  out.number(frame.value);
  out.number(frame.axis);
  out.number(static_cast<std::uint64_t>(frame.parts.size()));
  for (const FramePart& part : frame.parts) {
    out.text(part.name);
    const auto* image = std::get_if<ImageGeometry>(&part.geometry);
    out.number(static_cast<std::uint8_t>(image != nullptr));
    if (image != nullptr) {
      for (const Index n : image->points) out.number(n);
      for (const double x : image->origin) out.number(x);
      for (const double x : image->spacing) out.number(x);
    } else {
      const auto& mesh = std::get<MeshGeometry>(part.geometry);
      array(mesh.points);
      array(mesh.connectivity);
      array(mesh.offsets);
      array(mesh.types);
    }
    out.number(static_cast<std::uint64_t>(part.fields.size()));
    for (const Field& field : part.fields) {
      put_field(out, field.info);
      array(field.values);
    }
  }
  known_ = std::move(now);
  return out.take();
}

std::shared_ptr<const Frame> FrameDecoder::decode(std::string_view body) {
  Decoder in(body);
  std::unordered_map<std::uint64_t, std::shared_ptr<const void>> now;
  const auto array = [&]<class T>(std::shared_ptr<const std::vector<T>>& values) {
    const auto id = in.number<std::uint64_t>();
    if (id >= std::uint64_t{1} << 60) Decoder::damaged("the number of an array");
    const std::uint64_t key = key_of(type_mark<T>(), id);
    if (in.flag()) {
      values = std::make_shared<const std::vector<T>>(in.array<T>());
    } else {
      const auto* before = entry(now, key);
      if (before == nullptr) before = entry(known_, key);
      if (before == nullptr) Decoder::damaged("an array that was sent before");
      values = std::static_pointer_cast<const std::vector<T>>(*before);
    }
    now[key] = values;
  };
  std::vector<Checked> sound;
  auto frame = std::make_shared<Frame>();
  frame->number = in.number<std::uint64_t>();
  frame->step = in.number<Index>();
  frame->value = in.number<double>();
  frame->axis = in.choice(FrameAxis::iteration);
  const std::uint64_t parts = in.count(17);
  for (std::uint64_t p = 0; p < parts; ++p) {
    FramePart part;
    part.name = in.text();
    Index points = 0;
    Index cells = 0;
    if (in.flag()) {
      ImageGeometry image;
      for (Index& n : image.points) n = in.number<Index>();
      for (double& x : image.origin) x = in.number<double>();
      for (double& x : image.spacing) x = in.number<double>();
      points = points_of(image);
      cells = 1;
      for (const Index n : image.points) cells *= std::max<Index>(1, n - 1);
      part.geometry = image;
    } else {
      MeshGeometry mesh;
      array(mesh.points);
      array(mesh.connectivity);
      array(mesh.offsets);
      array(mesh.types);
      check(mesh, sound);
      points = static_cast<Index>(mesh.points->size() / 3);
      cells = static_cast<Index>(mesh.types->size());
      part.geometry = std::move(mesh);
    }
    const std::uint64_t fields = in.count(39);
    for (std::uint64_t f = 0; f < fields; ++f) {
      Field field;
      field.info = get_field(in);
      if (field.info.components != 1 && field.info.components != 3) Decoder::damaged("1 or 3 components");
      array(field.values);
      const Index tuples = field.info.association == Association::point ? points : cells;
      const auto numbers = static_cast<std::uint64_t>(field.info.components) * (field.info.is_complex ? 2 : 1);
      if (field.values->size() % numbers != 0 || field.values->size() / numbers != static_cast<std::uint64_t>(tuples))
        Decoder::damaged("a value for every point or cell");
      part.fields.push_back(std::move(field));
    }
    frame->parts.push_back(std::move(part));
  }
  in.end();
  known_ = std::move(now);
  checked_ = std::move(sound);
  return frame;
}

}  // namespace conoid::process
