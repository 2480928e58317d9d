// SPDX-License-Identifier: BSD-3-Clause
// Parts of the bench of elastic-bem that stand in a file of their own.
#pragma once

#include "engine/solvers/elastic_bem/solving/system.hpp"
#include "engine/solvers/elastic_bem/verify/plain.hpp"
#include "engine/solvers/solver.hpp"

namespace conoid::elastic_bem {

/// One of the classical meshes: a square of level ground with what encloses it.
struct Size {
  int n;
  double half;
  int cells, rings, walls;
  double depth;
};
inline constexpr Size sizes[] = {{240, 5, 10, 0, 1, 2.5},
                                 {960, 5, 20, 1, 1, 5},
                                 {2160, 5, 30, 2, 1, 5},
                                 {4000, 20, 40, 0, 5, 5},
                                 {14400, 40, 80, 0, 5, 5}};
[[nodiscard]] Mesh classical_mesh(const Size& s);
/// Constant elements; those of the group "enclosing" carry no unknowns.
[[nodiscard]] Surface classical_surface(const Mesh& mesh);

/// The stages of one of the classical meshes, measured: the best of a few, seconds.
struct Stages {
  Index dofs = 0;
  double active = 0;          ///< elements that carry unknowns
  bool whole = false;         ///< all of G; else of the loaded elements only, as a run would
  Bytes needed = 0;           ///< by the matrices
  double rules = 0;           ///< rules of the far pairs
  double assembly = 0;        ///< rules, pairs, singular part, static row sums, rigid motions
  double first_assembly = 0;  ///< of the first frequency, which takes new pages from the system
  SolveFacts assembled, solved;
  StaticDiagonal diagonal;
  PlainTimes plain;
  [[nodiscard]] double pairs() const { return assembled.seconds_pairs + rules; }
};
/// Nothing where `free_memory` does not do; then `needed` alone is said. `plain_budget`: seconds for the classical algorithm. `once`: the
/// largest sample is not repeated, for sequential programs.
[[nodiscard]] Stages measure_stages(Team& team, const Size& s, Bytes free_memory, double plain_budget,
                                    bool once = false);

/// Far pairs on the CUDA devices that are here; no rows where there are none. Throws Failure.
void bench_devices(const TestRun& run, const BenchSink& row);

/// Rows of compressed matrices.
void bench_compressed(const TestRun& run, const BenchSink& row);

}  // namespace conoid::elastic_bem
