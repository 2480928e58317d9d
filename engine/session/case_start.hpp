// SPDX-License-Identifier: BSD-3-Clause
// Whole cases around a mesh: what a solver offers to somebody who has nothing but a body ("radar cross section from all around"), with
// values that follow from the body's size, so that the case runs as it is. The window's page for a new case and `conoid new START --mesh`
// both make cases here.
//
// A solver says what it offers under "starts" in its parameters.json, a list of
//   {"id": "radar-cross-section", "title": …, "description": …,
//    "takes": "body" | "sheet",        the surface is closed, or not
//    "speed": 299792458,               of the slowest wave, m/s
//    "frequency": "1.2*c/size",        formula of what is suggested, Hz
//    "edge": "wave/5",                 formula of the longest edge that the wave bears, m
//    "asks": ["/excitation/frequency"],  keys worth a look before the run, in this order
//    "case": {…}}                      the case; texts that begin with "=" are formulas, "=f [Hz]" as a text with that unit
// Formulas know f (frequency), c (speed), wave (c/f), size (longest side of the body), edge (its longest edge) and the body's box,
// x0 x1 y0 y1 z0 z1, all in SI. Any thread may call.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/json.hpp"
#include "engine/core/types.hpp"
#include "engine/session/mesh_preview.hpp"

#include <array>
#include <string>
#include <vector>

namespace conoid {

struct CaseStart {
  std::string id, solver;
  std::string title, description;
  bool sheet = false;  ///< for open surfaces; else for closed ones
  double speed = 0;    ///< m/s
  std::string frequency, edge;
  std::vector<std::string> asks;
  Json body;
};
/// What all solvers offer, in their order.
[[nodiscard]] const std::vector<CaseStart>& case_starts();

struct MeshFacts {
  std::array<Vec3, 2> box{};  ///< m
  double longest_edge = 0;    ///< m
  double usual_edge = 0;      ///< the longest of an element, median of all, m
  std::size_t elements = 0;
  bool closed = false;
  bool geometry = false;              ///< meshed by sizes: elements may be as one likes
  bool flexible = true;               ///< elements can be given another size
  [[nodiscard]] double size() const;  ///< the longest side
};
[[nodiscard]] MeshFacts facts_of(const MeshPreview& mesh);

/// The frequency that `start` suggests for a body, with two digits, Hz.
[[nodiscard]] Result<double> suggested_frequency(const CaseStart& start, const MeshFacts& mesh);
/// The case. `mesh` is its section of that name, which gets a size of elements where it has none and those there are longer than the wave
/// bears, or so many more than it needs (scans, fine facets of CAD programs) that the run would take long for nothing; `frequency` 0: the suggested one. Errors: a formula that gives nothing (a bug of the solver's file: internal), no body.
[[nodiscard]] Result<Json> started_case(const CaseStart& start, Json mesh, const MeshFacts& facts, double frequency,
                                        const std::string& title);

}  // namespace conoid
