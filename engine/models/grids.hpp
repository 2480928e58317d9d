// SPDX-License-Identifier: BSD-3-Clause
// Readers of grids that say themselves where their samples lie: Madagascar (RSF) and HDF5. Both hold all samples once opened.
#pragma once

#include "engine/models/model.hpp"

#include <optional>

namespace conoid {

/// A model of samples in memory, indexed by `stride`; an error names the first that is not positive and finite, and `path`.
[[nodiscard]] Result<std::unique_ptr<Model>> held_model(const ModelBox& box, const std::array<Index, 3>& stride,
                                                        std::vector<float> values, ModelQuantity quantity,
                                                        const std::filesystem::path& path,
                                                        std::vector<std::string> notes);

/// .rsf: axis 1 goes down from z = −o1, axis 2 is x, axis 3 y; d and o in unit1 … unit3 (metres without), values in unit. Samples are
/// native (of this machine's byte order), xdr (big endian) or ascii, floats or whole numbers of 4 bytes, in the plain file that in= names,
/// from the header's folder on, or behind the header.
[[nodiscard]] Result<std::unique_ptr<Model>> open_rsf_model(const std::filesystem::path& path, ModelQuantity quantity);

/// "model.h5", "model.hdf5" and either with ":/path/of/array" behind: whether `path` is one.
[[nodiscard]] bool names_hdf5(const std::filesystem::path& path);

/// An array of numbers with three axes. Without a path the array "speed" or "density" of the root group, else its only array. Attributes of the array as
/// keys of a raw model's header: spacing (three numbers, slowest axis first, m) and perhaps origin, axes ("zyx" without) and unit.
/// Where a JSON header names the file, what it says goes before the attributes.
[[nodiscard]] Result<std::unique_ptr<Model>> open_hdf5_model(const std::filesystem::path& path, ModelQuantity quantity);
/// Whether the JSON file `header` names an HDF5 file as that of its samples; then that model.
[[nodiscard]] std::optional<Result<std::unique_ptr<Model>>> hdf5_model_of_header(const std::filesystem::path& header,
                                                                                 ModelQuantity quantity);

}  // namespace conoid
