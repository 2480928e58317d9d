// SPDX-License-Identifier: BSD-3-Clause
// A frame: the fields of one moment, to be looked at or to be kept. Immutable once built, shared between threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/core/types.hpp"

namespace conoid {

/// How a field is to be coloured: a magnitude (viridis-like), a signed value (diverging around zero), a phase (cyclic).
enum class FieldKind : std::uint8_t { magnitude, signed_value, phase };
enum class Association : std::uint8_t { point, cell };

struct FieldInfo {
  std::string name;  ///< "pressure": lower case, words joined by '_'
  std::string unit;  ///< "Pa"
  FieldKind kind = FieldKind::signed_value;
  Association association = Association::point;
  int components = 1;       ///< 1 or 3
  bool is_complex = false;  ///< values are (re, im) pairs a component, for phase animation
  std::string label;        ///< "Pressure", for people
};

/// Values: tuple by tuple, components × (2 if complex) floats each; on images x fastest, then y, then z.
struct Field {
  FieldInfo info;
  std::shared_ptr<const std::vector<float>> values;
};

/// A uniform grid: `points` per axis (cells = points − 1; 1 point = a plane).
struct ImageGeometry {
  std::array<Index, 3> points{1, 1, 1};
  Vec3 origin{};
  Vec3 spacing{1, 1, 1};
};

/// Cells in VTK's numbering of types and nodes (CellShape in engine/mesh/mesh.hpp uses the same numbers). All shared:
/// a fixed mesh costs one pointer a frame; on a moving mesh only `points` is new.
struct MeshGeometry {
  std::shared_ptr<const std::vector<double>> points;  ///< x y z
  std::shared_ptr<const std::vector<Index>> connectivity;
  std::shared_ptr<const std::vector<Index>> offsets;  ///< cells + 1
  std::shared_ptr<const std::vector<std::uint8_t>> types;
};

using Geometry = std::variant<ImageGeometry, MeshGeometry>;

/// A named piece of a frame: "volume", "surface", "plane xz".
struct FramePart {
  std::string name;
  Geometry geometry;
  std::vector<Field> fields;
};

enum class FrameAxis : std::uint8_t { time, frequency, iteration };

struct Frame {
  std::uint64_t number = 0;  ///< counts frames of one run
  Index step = 0;
  double value = 0;  ///< seconds, hertz or iteration, by axis
  FrameAxis axis = FrameAxis::time;
  std::vector<FramePart> parts;
};

/// What a viewer or the results file asks for. Empty sets mean: everything.
struct FrameRequest {
  std::set<std::string> parts;
  std::set<std::string> fields;
  Index points_limit = 0;  ///< 0: full resolution; else the solver may thin a part to about this many points
};

/// Collects a frame; given to Solver::fill.
class FrameBuilder {
 public:
  FrameBuilder(FrameRequest request, std::uint64_t number) : request_(std::move(request)) { frame_.number = number; }

  [[nodiscard]] const FrameRequest& request() const { return request_; }
  [[nodiscard]] bool wants_part(std::string_view part) const {
    return request_.parts.empty() || request_.parts.contains(std::string(part));
  }
  [[nodiscard]] bool wants(std::string_view field) const {
    return request_.fields.empty() || request_.fields.contains(std::string(field));
  }
  void at(Index step, double value, FrameAxis axis) {
    frame_.step = step;
    frame_.value = value;
    frame_.axis = axis;
  }
  /// Starts a part; the reference is valid until the next call.
  FramePart& part(std::string name, Geometry geometry) {
    frame_.parts.push_back({std::move(name), std::move(geometry), {}});
    return frame_.parts.back();
  }
  [[nodiscard]] std::shared_ptr<const Frame> finish() { return std::make_shared<const Frame>(std::move(frame_)); }

 private:
  FrameRequest request_;
  Frame frame_;
};

inline Field make_field(FieldInfo info, std::vector<float> values) {
  return {std::move(info), std::make_shared<const std::vector<float>>(std::move(values))};
}

}  // namespace conoid
