// SPDX-License-Identifier: BSD-3-Clause
// Simple bodies by their sizes (spheres, boxes, cylinders, plates, barriers, open shells …), as a script for gmsh's OpenCASCADE kernel.
//
// What a case lists under mesh.bodies, what `conoid mesh --make` takes, and what the window's form shows are these kinds: the schema
// (engine/case/common.json) names the same sizes, which a test holds them to. Lengths in metres, angles in radians. Any thread may call.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/json.hpp"
#include "engine/core/types.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {

/// One size of a kind of body.
struct BodySize {
  std::string_view key;
  std::string_view unit;  ///< "m", "rad"; "1" of a switch
  double preset = 0;      ///< where it is not given; not a number: it must be
  bool may_be_zero = false;
};

struct BodyKind {
  std::string_view id;
  std::string_view words;               ///< what it is, where its position lies
  std::vector<BodySize> sizes;          ///< all above 0 unless they may be zero
  bool closed = true;                   ///< else a sheet
  std::vector<std::string_view> faces;  ///< its groups, in the order in which the kernel numbers them
};
[[nodiscard]] const std::vector<BodyKind>& body_kinds();

struct SimpleBody {
  std::string kind;
  std::string name;  ///< of its groups where there are several bodies; empty: the kind and its number
  std::map<std::string, double> sizes;
  Vec3 position{};
  Vec3 rotate{};  ///< about x, then y, then z, through its position
};

/// Statements for gmsh, and the unit of length that their numbers have: "m", or "mm" and "um" where a size is so small in metres that
/// gmsh's kernel, whose points coincide within 1e-7 of any unit, would not tell it from nothing.
struct BodiesScript {
  std::string text;
  std::string unit;
};

/// The bodies as a script whose elements have edges of `size` metres; 0: a tenth of each body's largest side, finer where it is curved.
/// Groups are named by the sides of a single body ("side", "top"), after the bodies where there are several ("tower side"). Bodies are
/// kept apart: where they overlap both surfaces stay. Errors (invalid_input): no body, an unknown kind or size, a size that makes none;
/// the hint says what there is.
[[nodiscard]] Result<BodiesScript> bodies_script(const std::vector<SimpleBody>& bodies, double size = 0);

/// The same from a list as a case has it: [{"kind": "sphere", "radius": "1 m", "position": [0, 0, "2 m"]}].
[[nodiscard]] Result<std::vector<SimpleBody>> bodies_from(const Json& list);

/// From what is typed: "cylinder radius=10cm height=1m position=0,0,1m rotate=0,90deg,0 name=tower".
[[nodiscard]] Result<SimpleBody> body_from_words(std::string_view words);

}  // namespace conoid
