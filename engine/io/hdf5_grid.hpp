// SPDX-License-Identifier: BSD-3-Clause
// One array of numbers in an HDF5 file of others, with what its attributes say of the places of its values.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

struct Hdf5Grid {
  std::string name;                     ///< path of the array in the file
  std::vector<Index> shape;             ///< slowest axis first
  std::vector<float> values;            ///< floats and whole numbers of any width, narrowed
  std::vector<double> spacing, origin;  ///< attributes of these names, empty where there are none
  std::string axes, unit;               ///< likewise
};

/// `array` is its path ("/model/vp"); empty: the one of the root group called `preferred`, else the only one there. Looks first in a copy of the process, as HDF5
/// trusts what headers say. Links to other places and files, arrays whose values lie in other files, and more values than the file can hold
/// (1032 bytes from one, as zlib packs them) are errors. Any thread; one at a time reads.
[[nodiscard]] Result<Hdf5Grid> read_hdf5_grid(const std::filesystem::path& path, const std::string& array,
                                              const std::string& preferred);

}  // namespace conoid
