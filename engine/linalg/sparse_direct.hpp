// SPDX-License-Identifier: BSD-3-Clause
// Direct solution of sparse complex symmetric systems: factored once, solved for many right-hand sides.
//
// Bodies behind one face: MUMPS (L D Lᵀ, factors on disk when memory asks) where the program was built with it, fronts of our own on
// its ordering for several threads, and Eigen's sparse LU elsewhere, which needs about three times the memory and time; cuDSS on a device,
// where its library is found at run time. Not thread-safe: one call at a time.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

#include <complex>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace conoid {

class Communicator;
class Device;

/// A complex symmetric (not Hermitian) matrix: the upper triangle with the diagonal, row by row, columns ascending.
struct SymmetricMatrix {
  Index size = 0;
  std::vector<Index> row_start{0};  ///< size + 1 entries
  std::vector<std::int32_t> columns;
  std::vector<std::complex<double>> values;

  [[nodiscard]] Index nonzeros() const { return static_cast<Index>(columns.size()); }
  /// y = A x
  void multiply(std::span<const std::complex<double>> x, std::span<std::complex<double>> y) const;
};

/// tree: fronts of our own, by several threads. device: on DirectOptions::device, and nowhere else.
enum class DirectMethod : std::uint8_t { automatic, mumps, eigen, tree, device };

struct DirectOptions {
  DirectMethod method = DirectMethod::automatic;
  int threads = 1;       ///< of `tree`, whose results do not depend on it; `automatic` takes that where it can
  int block = 0;         ///< right-hand sides that one pass over the factors serves; 0: as block_of() says
  bool on_disk = false;  ///< factors in files of `scratch`; MUMPS only
  Bytes memory = 0;      ///< budget; beyond it the factors go to disk if `scratch` is given, else an error; 0: none
  std::filesystem::path scratch;
  /// Factors of `tree` in single precision, which take half the memory; each solution is refined until its residual, in double, is 1e-12
  /// of its right-hand side or does not fall any more. Where it stays above 1e-10 factorise() takes double ones instead. Those of a device
  /// likewise; other methods do not know it.
  bool single = false;
  /// Ranks that share the factors of `tree`, each with a part of them, where there are several: all give the same matrix, and make all calls
  /// together, with the same right-hand sides; each gets the whole solution, with the bits of a single rank. No stop is heard then.
  /// Other methods factor the whole on each rank. Must outlive the factors.
  Communicator* ranks = nullptr;
  /// `automatic` tries this device first and says why where it cannot; `device` takes no other. Real ones need cuDSS (missing_device_direct());
  /// emulated ones have MUMPS or Eigen's LU on their stream. Each rank factors the whole. Factors that its memory
  /// does not hold stay in the host's where that does. A stop is heard between
  /// ordering, factors and blocks of right-hand sides.
  const Device* device = nullptr;
  Bytes device_memory = 0;  ///< of the device, for factors and right-hand sides; 0: nine tenths of what is free
  bool repeatable = false;  ///< the same bits from the same device each time, which costs time there
  /// Heard within a tenth of a second while factors are made and while right-hand sides are solved: the call returns an error
  /// of code stopped. (Not by Eigen.) MUMPS cannot be interrupted: what it had begun runs out on a thread of its own, and the next
  /// call waits for it.
  std::stop_token stop;
};

/// What a factorisation took.
struct DirectFacts {
  std::string method;    ///< "MUMPS 5.5.1", "Eigen sparse LU"
  Bytes bytes = 0;       ///< of the factors and work space, on this rank; of a device: there
  Bytes host_bytes = 0;  ///< of factors of a device that are kept in the host's memory
  Index entries = 0;     ///< in the factors
  double flops = 0;      ///< of the factorisation, those of real numbers; 0: not told
  double seconds = 0;    ///< that it took, without analysis; 0: not told
  bool on_disk = false;
  double residual =
      0;  ///< of `tree` and devices: relative, of a trial; of factors in single precision the largest of all solutions so far
  Index refinements = 0;  ///< passes over factors in single precision, of all blocks of right-hand sides so far
  int ranks = 1;          ///< that share the factors: solve() is a call of all of them
};

class SparseDirect {
 public:
  virtual ~SparseDirect() = default;
  /// Solves A X = B in place; `columns` holds count × size values, column by column. After a stop (code stopped) it is empty,
  /// since the library may still work on what it held, and the factors are of no more use.
  [[nodiscard]] virtual Status solve(std::vector<std::complex<double>>& columns, Index count) = 0;
  [[nodiscard]] virtual const DirectFacts& facts() const = 0;
};

/// Errors: a singular matrix (invalid_input, naming the row), no memory (resources, with what would be needed), a method
/// that this program does not contain (resources).
[[nodiscard]] Result<std::unique_ptr<SparseDirect>> factorise(const SymmetricMatrix& matrix,
                                                              const DirectOptions& options = {});

/// Why no CUDA device of this machine can factor: the library is not found, or not known; empty: it can. The library is loaded once.
[[nodiscard]] std::string missing_device_direct();

/// Whether the layout of calls and numbers of this release of cuDSS is known.
[[nodiscard]] bool knows_cudss(int major, int minor);

/// True when the program was built with MUMPS.
[[nodiscard]] bool has_mumps();

/// Whether fronts of our own take a matrix with these options, as long as their pivots hold.
[[nodiscard]] bool own_fronts(const DirectOptions& options);

/// What factors of a matrix from tetrahedra of order 2 are expected to take, for a message before the work.
struct ExpectedFactors {
  double entries = 0;
  Bytes bytes = 0;    ///< that stay, on one rank
  Bytes waiting = 0;  ///< beside them while they are made
};
/// A layer of `rows` rows of elements around a surface, nested dissection in the plane; 0: solids, nested dissection in space. Fronts of our
/// own, counted for spheres of 12,168 to 223,452 and balls of 21,196 to 123,596 unknowns (README of maxwell_fem, "Estimates"): 6.9 rows n log₂(n/rows)
/// entries within 9 %, 9.26 n^1.36 within 1 %; 18.7 bytes an entry, since the triangle of a front's pivots is kept as a square; what waits for
/// parents: 700 rows n bytes, a half more or less, and 118 n^(4/3), within 8 %. MUMPS: 6.2 rows n log₂(n/rows) and 13 n^1.33 entries
/// of 20 bytes with work space. Of several ranks that share factors each holds a fifth and its share of the rest.
[[nodiscard]] ExpectedFactors expected_factors(Index size, int rows, const DirectOptions& options, int ranks = 1);

}  // namespace conoid
