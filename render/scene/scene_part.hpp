// SPDX-License-Identifier: BSD-3-Clause
// One part of a frame as actors of a renderer: what grids and meshes have in common.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/run_reader.hpp"
#include "render/scene/field_scene.hpp"

class vtkRenderer;
class vtkLookupTable;

namespace conoid {

/// A map spread over a range: what value has which colour.
struct Coloring {
  std::vector<std::array<std::uint8_t, 4>> table;
  double low = 0;
  double high = 1;
  Rgb missing{};     ///< not-a-number
  bool log = false;  ///< the map is spread over the logarithm; low > 0 then

  /// 0 at the lower end, 1 at the upper one.
  [[nodiscard]] double place(double value) const {
    if (log) return value > 0 ? std::log(value / low) / std::log(high / low) : -1;
    return (value - low) / (high - low);
  }
  [[nodiscard]] const std::array<std::uint8_t, 4>* color(float value) const {
    if (!(value == value)) return nullptr;
    const double t = place(static_cast<double>(value)) * static_cast<double>(table.size());
    const double last = static_cast<double>(table.size() - 1);
    return &table[static_cast<std::size_t>(t < 0 ? 0 : (t > last ? last : t))];
  }
};

/// A ray through the scene and where it first met something.
struct Ray {
  Vec3 origin{};
  Vec3 direction{};
};
struct Hit {
  double distance = 0;  ///< along the direction
  double value = 0;
  std::optional<Vec3> place{};  ///< where that is not where the ray met it
};

class ScenePart {
 public:
  explicit ScenePart(vtkRenderer& renderer) : renderer_(renderer) {}
  ScenePart(const ScenePart&) = delete;
  ScenePart& operator=(const ScenePart&) = delete;
  virtual ~ScenePart() = default;

  /// New geometry if it differs from the present one. False in `ok` when the part is of the other kind.
  virtual Status set_geometry(const FramePart& part) = 0;
  [[nodiscard]] virtual bool accepts(const Geometry& geometry) const = 0;
  [[nodiscard]] virtual Bounds bounds() const = 0;
  /// Points whose hull holds the part (nearly, for large meshes); empty: the corners of the bounds.
  [[nodiscard]] virtual std::vector<Vec3> extremes() const { return {}; }
  [[nodiscard]] virtual Index entries(Association association) const = 0;
  /// Hands over the numbers to be coloured (null or empty: the part carries no field and is drawn plain, or not at all).
  virtual void set_values(std::shared_ptr<const std::vector<float>> values, Association association) = 0;
  /// The numbers handed over last; none: empty.
  [[nodiscard]] const std::vector<float>& values() const { return values_ ? *values_ : none_; }
  [[nodiscard]] const std::shared_ptr<const std::vector<float>>& shared() const { return values_; }
  /// Brings actors up to date with geometry, values, colours and view. `warp` may be null.
  virtual void update(const FieldView& view, const Theme& theme, const Coloring& coloring, const Field* warp,
                      double pixel_ratio) = 0;
  /// Draws large meshes with far fewer triangles, about `most`, while the view moves and drawing all of them takes too long.
  virtual void set_coarse(bool /*coarse*/, std::size_t /*most*/) {}
  /// Where the camera of the next picture is, in the part's coordinates.
  virtual void seen_from(const Vec3& /*eye*/) {}
  /// Lines alone, drawn as a band.
  [[nodiscard]] virtual bool is_line() const { return false; }
  /// Whether nothing of its outside is drawn, so that a box around it says where it is.
  [[nodiscard]] virtual bool wants_outline(const FieldView& /*view*/) const { return false; }
  /// What sampling it once may cost: cells that are looked through anew each time.
  [[nodiscard]] virtual std::size_t cells_to_search() const { return 0; }
  [[nodiscard]] virtual std::size_t triangles_drawn() const { return 0; }
  [[nodiscard]] virtual std::optional<Hit> hit(const Ray& ray, const FieldView& view) const = 0;
  /// The numbers at points, by a function of its own arrays, which any thread may call later.
  using Sampler = std::function<Result<std::vector<double>>(const std::vector<Vec3>& points)>;
  [[nodiscard]] virtual Sampler sampler() const = 0;

 protected:
  vtkRenderer& renderer_;
  std::shared_ptr<const std::vector<float>> values_;

 private:
  inline static const std::vector<float> none_{};
};

}  // namespace conoid
