// SPDX-License-Identifier: BSD-3-Clause
// Columns of both matrices by themselves, for rows of the bench that assemble and do not solve.
#pragma once

#include <algorithm>
#include <complex>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/assembly.hpp"
#include "engine/solvers/elastic_bem/discretization/surface.hpp"

namespace conoid::elastic_bem {

/// Columns of H and G of some elements in host memory.
template <class Real>
struct ColumnsOfSome {
  std::vector<std::complex<Real>> values;
  Targets<Real> targets;
  ColumnsOfSome(const Surface& s, Index elements) {
    const Index rows = 3 * s.node_count();
    targets.h.resize(s.nodes.size());
    targets.g.resize(s.traction_node.size());
    std::vector<Target<Real>*> wanted;
    for (Index k = 0; k < elements; ++k) {
      const Element& e = s.elements[static_cast<std::size_t>(k)];
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
        for (std::size_t d = 0; d < 3; ++d) {
          wanted.push_back(&targets.h[static_cast<std::size_t>(e.node[a])][d]);
          wanted.push_back(&targets.g[static_cast<std::size_t>(e.traction[a])][d]);
        }
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    values.assign(wanted.size() * static_cast<std::size_t>(rows), 0);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      *wanted[k] = {values.data() + k * static_cast<std::size_t>(rows), std::complex<Real>(1)};
  }
};

}  // namespace conoid::elastic_bem
