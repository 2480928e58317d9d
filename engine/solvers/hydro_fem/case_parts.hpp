// SPDX-License-Identifier: BSD-3-Clause
// The sections of a case as they are read, before a problem is made of them: for case.cpp, which reads them, and case_checks.cpp, which says
// what is wrong between them. SI units.
#pragma once

#include "engine/case/expression.hpp"
#include "engine/solvers/hydro_fem/problem.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace conoid::hydro_fem {

/// A region and what fills it at the start: numbers, or formulas of the place.
struct Region {
  std::string name;
  std::size_t material = 0;
  Extent extent;
  double density = 0;
  double pressure = 0;
  Vec3 velocity{};
  std::optional<double> energy;  ///< of an explosive [J/kg], instead of the pressure
  std::optional<Expression> density_formula, pressure_formula;
  std::vector<Expression> velocity_formula;

  [[nodiscard]] double density_at(const Vec3& p) const {
    if (!density_formula) return density;
    const std::array<double, 4> v = {p[0], p[1], p[2], std::hypot(p[0], p[1], p[2])};
    return (*density_formula)(v);
  }
  [[nodiscard]] double pressure_at(const Vec3& p) const {
    if (!pressure_formula) return pressure;
    const std::array<double, 5> v = {p[0], p[1], p[2], std::hypot(p[0], p[1], p[2]), density_at(p)};
    return (*pressure_formula)(v);
  }
  [[nodiscard]] Vec3 velocity_at(const Vec3& p) const {
    if (velocity_formula.empty()) return velocity;
    const std::array<double, 4> v = {p[0], p[1], p[2], std::hypot(p[0], p[1], p[2])};
    Vec3 out{};
    for (std::size_t d = 0; d < velocity_formula.size(); ++d) out[d] = velocity_formula[d](v);
    return out;
  }
};

/// Heat: a power a volume [W/m^3], or a formula of place and time.
struct Source {
  int region = -1;  ///< -1: all
  double power = 0;
  std::string formula;
};

/// All sections.
struct Parts {
  Geometry geometry;
  std::vector<std::string> names;
  std::vector<std::shared_ptr<const EquationOfState>> materials;
  std::vector<Region> regions;
  std::vector<Extent> extents;  ///< of the regions
  std::vector<std::string> boundary_names;
  std::vector<BoundaryCondition> boundaries;
  std::vector<std::function<double(double from, double to)>> step_ends;  ///< of speeds that change
  std::vector<Source> sources;
  std::shared_ptr<const InitialRun> initial;
};

/// One region of one density and pressure.
[[nodiscard]] bool uniform(const Parts& parts);
/// The material whose speed of sound hardly depends on its state; empty: there is none.
[[nodiscard]] std::string stiff_material(const Case& input, const Parts& parts);
/// Which end of axis `d` a point lies on, within half a zone of a grid: 0 the lower, 1 the upper, -1 none.
[[nodiscard]] int folding_end(const Geometry& geometry, const Vec3& point, int d);

// ---- what is wrong; each says it through the reader

/// A piston that moves along its own side.
void moves_along(ProblemReader& r, const Values& direction);
/// Boundary conditions that their sides cannot have, once all of them are read.
void check_boundaries(ProblemReader& r, const Parts& p);
/// A side under less pressure than a material beside it can have: what bears no tension is pulled by nothing.
void check_pressure(ProblemReader& r, const Parts& p, int boundary, const Values& side, double least);
/// What is wrong between the parts of a case that are right by themselves.
void check_parts(ProblemReader& r, const Parts& p);

}  // namespace conoid::hydro_fem
