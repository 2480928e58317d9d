// SPDX-License-Identifier: BSD-3-Clause
// Models of the medium in files: raw floats with a JSON header, SEG-Y, images of VTK (.vti), Madagascar (.rsf), HDF5. Every reader checks what a header
// claims against the bytes that are there before it allocates.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/io/segy.hpp"
#include "engine/models/velocity.hpp"

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace conoid {

enum class ModelQuantity { speed, density, pressure };

/// Its name and unit, "speed" and "m/s". A pressure may have any sign.
[[nodiscard]] const char* name_of(ModelQuantity quantity);
[[nodiscard]] const char* unit_of(ModelQuantity quantity);

/// Samples on a box, indexed by axis (0 = x).
struct ModelBox {
  std::array<Index, 3> shape{};
  Vec3 spacing{1, 1, 1};
  Vec3 origin{};
};

/// A file whose header has been read and found in order.
class Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual ModelBox box() const = 0;
  /// What was taken to be, or read in another unit, a sentence each.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
  /// Loads the samples, trilinear between them; an error names the first that is not positive and finite.
  [[nodiscard]] virtual Result<std::shared_ptr<const Velocity>> load() const = 0;
};

/// By the name: .sgy or .segy (`bytes` says where its trace headers keep things), .vti, .rsf, .h5 or .hdf5 (with ":/path/of/array" behind), anything else is a JSON header (whose samples
/// may lie in a NumPy .npy).
[[nodiscard]] Result<std::unique_ptr<Model>> open_model(const std::filesystem::path& path, ModelQuantity quantity,
                                                        const SegyBytes& bytes = {});

/// Between which two samples of an axis a position lies, and how much each counts; beyond the ends the nearest one alone.
struct SamplePlace {
  std::array<Index, 2> index{};
  std::array<double, 2> weight{};
};
[[nodiscard]] SamplePlace between_samples(const ModelBox& box, std::size_t axis, double position);
/// Trilinear: `at(i, j, k)` are the samples.
template <class At>
[[nodiscard]] double trilinear(const SamplePlace& x, const SamplePlace& y, const SamplePlace& z, At&& at) {
  double sum = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k < 2; ++k)
        sum += x.weight[i] * y.weight[j] * z.weight[k] * at(x.index[i], y.index[j], z.index[k]);
  return sum;
}

/// Trilinear samples; `stride` is in values. For readers, and for means over cells.
[[nodiscard]] std::shared_ptr<const Velocity> sampled_velocity(const ModelBox& box, const std::array<Index, 3>& stride,
                                                               std::vector<float> values, SpeedRange range);
[[nodiscard]] std::shared_ptr<const Velocity> sampled_velocity(const ModelBox& box, const std::array<Index, 3>& stride,
                                                               std::vector<double> values, SpeedRange range);

/// Header of a raw model: a JSON object (file, type, endian, unit, axes, shape, spacing, origin). `axes` are listed slowest first, as in the file; `shape`,
/// `spacing` and `origin` are indexed by axis (0 = x).
struct ModelHeader {
  std::filesystem::path data;
  std::array<int, 3> axes{2, 1, 0};
  std::array<Index, 3> shape{};
  Vec3 spacing{1, 1, 1};
  Vec3 origin{};
  double factor = 1;  ///< SI units a unit of the file
  bool swap_bytes = false;
  Bytes offset = 0;   ///< of the first sample
  bool wide = false;  ///< 64-bit floats (NumPy)
  ModelQuantity quantity = ModelQuantity::speed;
  [[nodiscard]] ModelBox box() const { return {shape, spacing, origin}; }
  [[nodiscard]] std::array<Index, 3> strides() const;
};

/// Reads and checks the JSON header: keys, units, and the length of the data file.
[[nodiscard]] Result<ModelHeader> read_model_header(const std::filesystem::path& header,
                                                    ModelQuantity quantity = ModelQuantity::speed);

[[nodiscard]] Result<std::shared_ptr<const Velocity>> load_model(const ModelHeader& header);

}  // namespace conoid
