// SPDX-License-Identifier: BSD-3-Clause
// The library of materials: values with their sources, those of the program (resources/materials.json) and the user's own, and what they
// are in the words of a case.
//
// Own materials are kept in $XDG_CONFIG_HOME/conoid/materials.json (else ~/.config/conoid), in the form of the program's file, so that the
// window and `conoid list materials` know the same. Any thread may call; files are small and are read each time.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/json.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace conoid {

struct LibraryMaterial {
  std::string name;
  std::string kind;    ///< "Gases", "Metals": how lists are parted
  std::string note;    ///< what the values hold for
  std::string source;  ///< where they come from
  Json values;         ///< by the names that keys of cases have: "speed": "343 m/s"
  bool own = false;    ///< the user's
};

/// All of them, the user's first. Errors: a file that cannot be read or is none of materials, with its name.
[[nodiscard]] Result<std::vector<LibraryMaterial>> library_materials();

/// Where the user's own are; empty without a home.
[[nodiscard]] std::filesystem::path own_materials_file();
/// Adds one to the user's own, in the place of one of the same name. Errors: no home, a file that cannot be written (file).
[[nodiscard]] Status keep_own_material(const LibraryMaterial& material);
/// Takes one out again; one that is not there is no error.
[[nodiscard]] Status forget_own_material(const std::string& name);

/// The material as a value for a place of a case whose schema is `node` (a material of a map, or the section of a solver with one
/// medium); none where the library has not what such a place needs first. Values that the place has no key for are left out.
[[nodiscard]] std::optional<Json> material_for(const Json& node, const LibraryMaterial& material);
/// The same turned round: what of a value of a case the library can keep.
[[nodiscard]] Json values_of_material(const Json& value);

}  // namespace conoid
