// SPDX-License-Identifier: BSD-3-Clause
// Direct solution of sparse complex symmetric systems: factored once, solved for many right-hand sides.
//
// Bodies behind one face: MUMPS (L D Lᵀ, factors on disk when memory asks) where the program was built with it, fronts of our own on
// its ordering for several threads, and Eigen's sparse LU elsewhere, which needs about three times the memory and time. Not thread-safe: one call at a time.
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

/// tree: fronts of our own, by several threads.
enum class DirectMethod : std::uint8_t { automatic, mumps, eigen, tree };

struct DirectOptions {
  DirectMethod method = DirectMethod::automatic;
  int threads = 1;       ///< of `tree`, whose results do not depend on it; `automatic` takes that where it can
  int block = 64;        ///< right-hand sides that one pass over the factors serves
  bool on_disk = false;  ///< factors in files of `scratch`; MUMPS only
  Bytes memory = 0;      ///< budget; beyond it the factors go to disk if `scratch` is given, else an error; 0: none
  std::filesystem::path scratch;
  /// Heard within a tenth of a second while factors are made and while right-hand sides are solved: the call returns an error
  /// of code stopped. (Not by Eigen.) MUMPS cannot be interrupted: what it had begun runs out on a thread of its own, and the next
  /// call waits for it.
  std::stop_token stop;
};

/// What a factorisation took.
struct DirectFacts {
  std::string method;  ///< "MUMPS 5.5.1", "Eigen sparse LU"
  Bytes bytes = 0;     ///< of the factors and work space
  Index entries = 0;   ///< in the factors
  double flops = 0;    ///< of the factorisation, those of real numbers; 0: not told
  double seconds = 0;  ///< that it took, without analysis; 0: not told
  bool on_disk = false;
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

/// True when the program was built with MUMPS.
[[nodiscard]] bool has_mumps();

/// Rough memory of the factors of a matrix from tetrahedra of order 2, for a message before the work. Solids: 13 n^1.33 entries,
/// the exponent of nested dissection in space (5.4·10⁷ measured for the 92,778 unknowns of a ball). A layer of `rows` rows of
/// elements around a surface: 6.2 rows n log₂(n/rows), nested dissection in the plane (7.77·10⁶ for 43,434 unknowns in two rows,
/// 4.30·10⁶ for 18,252 in three, 7.75·10⁶ for 24,336 in four). 20 bytes an entry with work space.
[[nodiscard]] Bytes expected_factor_bytes(Index size, int rows = 0);

}  // namespace conoid
