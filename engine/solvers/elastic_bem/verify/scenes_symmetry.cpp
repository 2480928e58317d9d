// SPDX-License-Identifier: BSD-3-Clause
// Part meshes that are completed by their mirror images, solved by parities and all at once.
#include <algorithm>
#include <cmath>

#include "engine/mesh/generators.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"

namespace conoid::elastic_bem {

namespace {

/// The cells in front of all planes across the axes.
Mesh part_of(const Mesh& mesh, const std::vector<int>& axes) {
  std::vector<Index> cells;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    Vec3 sum{};
    for (const Index k : mesh.nodes(c))
      for (std::size_t d = 0; d < 3; ++d) sum[d] += mesh.point(k)[d];
    if (std::all_of(axes.begin(), axes.end(), [&](int axis) { return sum[static_cast<std::size_t>(axis)] > 0; }))
      cells.push_back(c);
  }
  return mesh.extract(cells);
}

/// Neither even nor odd in any plane.
std::vector<LoadValues> lopsided(const Surface& s) {
  std::vector<LoadValues> out(2);
  for (std::size_t t = 0; t < s.traction_node.size(); ++t) {
    const Vec3& x = s.nodes[static_cast<std::size_t>(s.traction_node[t])];
    out[0].traction.push_back({1 + 0.3 * x[0] - x[1], Complex(0, 1 + x[2]), 0.5 - x[0] * x[1] + 0.2 * x[2]});
    out[1].traction.push_back({x[1] > 0.1 ? 1.0 : 0.0, 0, x[0] > 0.1 ? 1.0 : 0.0});
  }
  return out;
}

}  // namespace

Mesh symmetric_part(SymmetricBody body, int order) {
  if (body == SymmetricBody::cavity)
    return part_of(cube_sphere({.divisions = order > 1 ? 4 : 6, .order = std::max(1, order)}).value(), {0, 1, 2});
  if (body != SymmetricBody::ground) {
    BoxSurfaceOptions o;
    o.low = {-1, -0.5, 0};
    o.high = {1, 0.5, 1};
    o.divisions = {8, 4, 4};
    o.quads = body == SymmetricBody::box;
    o.order = std::max(1, order);
    return part_of(box_surface(o).value(), {0, 1});
  }
  return part_of(plate({.low = {-3, -2}, .high = {3, 2}, .divisions = {12, 8}, .order = std::max(1, order)}).value(),
                 {0, 1});
}

Parted parted_answer(SymmetricBody body, int order, double omega, Team& team) {
  const bool cavity = body == SymmetricBody::cavity, ground = body == SymmetricBody::ground;
  std::vector<int> axes{0, 1};
  if (cavity) axes.push_back(2);
  Mesh mesh = symmetric_part(body, order);
  for (const int axis : axes) mesh = completed_by_mirror(mesh, axis).value();
  SurfaceOptions options;
  options.domain = cavity ? Domain::outside : ground ? Domain::ground : Domain::inside;
  options.constant = order == 0;
  options.symmetry = axes;
  options.window = ground ? 0.8 : 0;
  Medium medium;
  medium.nu = 0.3;
  medium.beta = 0.02;
  std::vector<std::pair<std::string, std::array<bool, 3>>> held;
  if (!cavity && !ground) held.push_back({"zmin", {true, true, true}});
  TestBody whole(mesh, options, held, medium, {1e-5, false}, team),
      parts(mesh, options, held, medium, {1e-5, false}, team);
  parts.part(axes);
  SolveOptions solve;
  solve.tolerance = 1e-13;
  const auto want = whole.solve(omega, lopsided(whole.surface()), solve),
             got = parts.solve(omega, lopsided(parts.surface()), solve);
  Parted out;
  out.unknowns = 3 * whole.surface().node_count();
  for (const Parity& p : parts.system().parities()) out.largest = std::max(out.largest, p.size());
  for (std::size_t c = 0; c < want.size(); ++c) {
    double size = 0, apart = 0;
    for (const auto list : {&BoundaryValues::displacement, &BoundaryValues::traction}) {
      const double scale = list == &BoundaryValues::displacement ? 1 : 1 / std::abs(medium.mu);
      for (std::size_t k = 0; k < (want[c].*list).size(); ++k)
        for (std::size_t d = 0; d < 3; ++d) {
          size = std::max(size, scale * std::abs((want[c].*list)[k][d]));
          apart = std::max(apart, scale * std::abs((want[c].*list)[k][d] - (got[c].*list)[k][d]));
        }
    }
    out.error = std::max(out.error, apart / size);
  }
  return out;
}

}  // namespace conoid::elastic_bem
