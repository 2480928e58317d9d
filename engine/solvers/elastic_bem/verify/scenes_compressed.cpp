// SPDX-License-Identifier: BSD-3-Clause
// Compressed matrices against dense ones.
#include <algorithm>
#include <cmath>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/elastic_bem/solving/compressed_equations.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"

namespace conoid::elastic_bem {

namespace {

/// Two loads that nothing is symmetric in; balanced on a body that nothing holds.
std::vector<LoadValues> loads_on(const Surface& s, bool balanced, double length) {
  std::vector<LoadValues> out(2);
  for (std::size_t t = 0; t < s.traction_node.size(); ++t) {
    const Vec3 x = vec::scale(1 / length, s.nodes[static_cast<std::size_t>(s.traction_node[t])]);
    const Vec3& n = s.traction_normal[t];
    out[0].traction.push_back({-n[0], -n[1], -n[2]});
    if (balanced)
      out[1].traction.push_back({n[0], Complex(0, 0.5) * n[1], -2 * n[2]});
    else
      out[1].traction.push_back({1 + 0.3 * x[0] - x[1], Complex(0, 1 + x[2]), 0.5 - x[0] * x[1] + 0.2 * x[2]});
  }
  return out;
}

}  // namespace

TestBody compressed_body(CompressedBody body, int divisions, int order, Team& team, double compression, double length) {
  SurfaceOptions options;
  options.constant = order == 0;
  Medium medium;
  medium.nu = body == CompressedBody::incompressible ? 0.4999 : 0.3;
  medium.beta = 0.02;
  std::vector<std::pair<std::string, std::array<bool, 3>>> held;
  switch (body) {
    case CompressedBody::ground: {
      options.domain = Domain::ground;
      options.window = 0.8;
      return {plate({.low = {-3 * length, -2 * length},
                     .high = {3 * length, 2 * length},
                     .divisions = {3 * divisions, 2 * divisions},
                     .order = std::max(1, order)})
                  .value(),
              options,
              held,
              medium,
              {1e-5, false},
              team,
              compression};
    }
    case CompressedBody::held_box:
    case CompressedBody::free_box: {
      options.domain = Domain::inside;
      BoxSurfaceOptions o;
      o.low = {-0.5 * length, -0.5 * length, 0};
      o.high = {0.5 * length, 0.5 * length, 3 * length};
      o.divisions = {divisions, divisions, 3 * divisions};
      o.order = std::max(1, order);
      if (body == CompressedBody::held_box) held.push_back({"zmin", {true, true, true}});
      return {box_surface(o).value(), options, held, medium, {1e-5, false}, team, compression};
    }
    default:
      return {cube_sphere({.radius = length, .divisions = divisions, .order = std::max(1, order)}).value(),
              options,
              held,
              medium,
              {1e-5, false},
              team,
              compression};
  }
}

Compressed compressed_answer(CompressedBody body, int divisions, int order, double omega, double tolerance, Team& team,
                             double length) {
  omega /= length;
  TestBody scene = compressed_body(body, divisions, order, team, 0, length);
  const auto loads = loads_on(scene.surface(), body == CompressedBody::free_box, length);
  SolveOptions solve;
  solve.chief = Chief::off;
  const auto want = scene.solve(omega, loads, solve);
  Compressed out;
  out.dense = scene.facts;
  solve.method = Method::compressed;
  solve.compression = tolerance;
  TestBody other = compressed_body(body, divisions, order, team, compressed_sums_share * tolerance, length);
  const auto got = other.solve(omega, loads, solve);
  out.facts = other.facts;
  out.unknowns = 3 * scene.surface().node_count();
  for (std::size_t c = 0; c < want.size(); ++c)
    for (const auto list : {&BoundaryValues::displacement, &BoundaryValues::traction}) {
      double size = 0, apart = 0;
      for (std::size_t k = 0; k < (want[c].*list).size(); ++k)
        for (std::size_t d = 0; d < 3; ++d) {
          size += std::norm((want[c].*list)[k][d]);
          apart += std::norm((want[c].*list)[k][d] - (got[c].*list)[k][d]);
        }
      if (size > 0) out.error = std::max(out.error, std::sqrt(apart / size));
    }
  return out;
}

}  // namespace conoid::elastic_bem
