// SPDX-License-Identifier: BSD-3-Clause
// What the rows of `conoid bench maxwell-fem` share: surfaces to radiate between, times by the clock; rows of devices.
#pragma once

#include "engine/solvers/maxwell_fem/solving/radiation.hpp"
#include "engine/solvers/solver.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

namespace conoid::maxwell_fem {

/// Shortest of `repeats` calls by the clock, of what other threads and devices do.
template <class F>
double shortest_by_clock(int repeats, const F& f) {
  double best = 1e300;
  for (int r = 0; r < repeats; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

struct TwoSpheres {
  Mesh mesh;
  Domain domain;
};

/// Two spheres about each other with 20 d² faces each.
[[nodiscard]] std::unique_ptr<TwoSpheres> two_spheres(int divisions);
/// Of points of S and S'.
[[nodiscard]] double pairs(const TwoSpheres& s);

/// One application by devices of the run: the paper's loops, all devices together, each form.
void device_rows(const TestRun& run, const BenchSink& row);

}  // namespace conoid::maxwell_fem
