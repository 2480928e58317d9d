// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: a damaged results.vtkhdf is an error with a text, or frames that are sound and no larger than the file.
//
// Input: one byte that says which of the files below is damaged, then edits of six bytes each: what to do, a place (three bytes, counted
// among those that hold something), a value (two bytes). Files of HDF5 are too large and too empty for changes at random places.
// 255 as the first byte: the rest is the file.
// links: conoid_io
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "engine/io/export.hpp"
#include "engine/io/vtkhdf.hpp"
#include "scratch.hpp"
#include "tests/engine/io/sample_frames.hpp"

namespace {

using namespace conoid;

void require(bool condition) {
  if (!condition) std::abort();
}

struct Whole {
  std::string bytes;
  std::vector<std::size_t> places;  ///< of bytes that are not zero, or near one
};

Whole stored(std::uint64_t frames, const auto& part) {
  const auto folder = fuzz::scratch() / "whole";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  {
    auto writer = VtkhdfWriter::create(folder, "run").value();
    for (std::uint64_t number = 0; number < frames; ++number) {
      Frame frame = samples::Sampler::header(number);
      frame.parts.push_back(part(number));
      writer->write(frame).or_throw();
    }
    writer->close().or_throw();
  }
  std::ifstream in(folder / "results.vtkhdf", std::ios::binary);
  Whole out{{std::istreambuf_iterator<char>(in), {}}, {}};
  std::size_t until = 0;
  for (std::size_t i = 0; i < out.bytes.size(); ++i) {
    if (out.bytes[i] != '\0') until = i + 8;
    if (i < until) out.places.push_back(i);
  }
  return out;
}

/// A volume, a plane, a mesh that stays, one that moves, one whose cells change, one with complex values.
const std::vector<Whole>& whole_files() {
  static const std::vector<Whole> files = [] {
    samples::Sampler sampler(3);
    const auto slim = [](FramePart part, std::size_t first, std::size_t fields) {
      part.fields.erase(part.fields.begin(), part.fields.begin() + static_cast<std::ptrdiff_t>(first));
      part.fields.resize(fields);
      return part;
    };
    const MeshGeometry sheet = samples::Sampler::mesh(3, 4, 0);
    std::vector<Whole> out;
    out.push_back(stored(2, [&](std::uint64_t) { return slim(sampler.image_part("volume", {3, 4, 2}), 0, 3); }));
    out.push_back(stored(2, [&](std::uint64_t) { return slim(sampler.image_part("plane xz", {4, 1, 3}), 0, 1); }));
    out.push_back(stored(2, [&](std::uint64_t) { return slim(sampler.mesh_part("surface", sheet), 1, 2); }));
    out.push_back(stored(3, [&](std::uint64_t n) {
      MeshGeometry moved = sheet;
      auto points = std::make_shared<std::vector<double>>(*sheet.points);
      for (double& x : *points) x += static_cast<double>(n);
      moved.points = points;
      return slim(sampler.mesh_part("moving", moved), 0, 1);
    }));
    out.push_back(stored(3, [&](std::uint64_t n) {
      return slim(sampler.mesh_part("changing", samples::Sampler::mesh(n < 2 ? 3 : 4, 3, 0)), 0, 1);
    }));
    out.push_back(stored(1, [&](std::uint64_t) { return slim(sampler.mesh_part("surface", sheet), 3, 1); }));
    return out;
  }();
  return files;
}

std::string damaged(std::string_view input) {
  const auto first = static_cast<unsigned char>(input[0]);
  input.remove_prefix(1);
  if (first == 255) return std::string(input);
  const Whole& whole = whole_files()[first % whole_files().size()];
  std::string bytes = whole.bytes;
  for (; input.size() >= 6 && !bytes.empty(); input.remove_prefix(6)) {
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(input[i])); };
    const std::size_t place =
        whole.places[(byte(1) | byte(2) << 8 | byte(3) << 16) % whole.places.size()] % bytes.size();
    const std::size_t value = byte(4) | byte(5) << 8;
    const auto put = [&](std::uint64_t number, std::size_t count) {
      for (std::size_t i = 0; i < count && place + i < bytes.size(); ++i)
        bytes[place + i] = static_cast<char>(number >> (8 * i));
    };
    switch (byte(0) % 6) {
      case 0: bytes[place] = static_cast<char>(bytes[place] ^ static_cast<char>(1 << value % 8)); break;
      case 1: put(value, 1); break;
      case 2: put(value, 8); break;
      case 3: put(std::uint64_t{1} << value % 64, 8); break;
      case 4: put(~std::uint64_t{0}, 1 + value % 8); break;
      default: bytes.resize(place);
    }
  }
  return bytes;
}

/// Numbers that the frame holds.
std::size_t check(const Frame& frame) {
  std::size_t numbers = 0;
  for (const FramePart& part : frame.parts) {
    if (const auto* mesh = std::get_if<MeshGeometry>(&part.geometry)) {
      const auto& offsets = *mesh->offsets;
      require(offsets.size() == mesh->types->size() + 1 &&
              offsets.back() == static_cast<Index>(mesh->connectivity->size()));
      for (std::size_t c = 0; c + 1 < offsets.size(); ++c) require(offsets[c] < offsets[c + 1]);
      for (const Index n : *mesh->connectivity) require(n >= 0 && 3 * n + 2 < static_cast<Index>(mesh->points->size()));
      numbers += mesh->points->size() + offsets.size() + mesh->connectivity->size();
    }
    for (const Field& field : part.fields) numbers += field.values->size();
  }
  return numbers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes = damaged({reinterpret_cast<const char*>(data), size});
  const auto file = fuzz::written("results.vtkhdf", bytes);
  const auto reader = VtkhdfReader::open(file);
  if (!reader) {
    require(!reader.error().text.empty() && reader.error().code != ErrorCode::internal);
    return 0;
  }
  require((*reader)->frames().size() <= bytes.size());
  (void)telling_frame(**reader);
  for (std::size_t k = 0; k < (*reader)->frames().size() && k < 3; ++k) {
    const auto frame = (*reader)->read(k);
    if (!frame) {
      require(!frame.error().text.empty() && frame.error().code != ErrorCode::internal);
      continue;
    }
    require(check(**frame) <= bytes.size());
    for (const FramePart& part : (*frame)->parts)
      if (std::holds_alternative<MeshGeometry>(part.geometry)) require(!vtk_xml(part, 0).empty());
  }
  return 0;
}
