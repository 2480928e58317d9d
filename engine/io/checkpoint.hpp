// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: named arrays with global positions, so that a run written by N ranks continues on M.
//
// A checkpoint is a folder checkpoints/step-<number>/ with one rank-<r>.bin a rank and manifest.json, which is written
// last and atomically; a folder without a valid manifest, or whose files fail their CRC-32C, does not count.
#pragma once

#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// Given to Solver::save on every rank. Failures are kept and returned by the session's finish.
class CheckpointWriter {
 public:
  virtual ~CheckpointWriter() = default;
  /// A piece [begin, begin + values.size()) of an array that has `global` entries over all ranks. Every entry must be
  /// written by exactly one rank; a rank may write several pieces.
  template <class T>
  void piece(std::string_view name, Index global, Index begin, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(name, sizeof(T), global, begin, std::as_bytes(values));
  }
  /// A small array that is the same on all ranks (rank 0's counts).
  template <class T>
  void shared(std::string_view name, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (leads()) bytes(name, sizeof(T), static_cast<Index>(values.size()), 0, std::as_bytes(values));
  }
  template <class T>
  void value(std::string_view name, const T& v) {
    shared(name, std::span<const T>(&v, 1));
  }

 protected:
  [[nodiscard]] virtual bool leads() const = 0;
  virtual void bytes(std::string_view name, std::size_t entry, Index global, Index begin,
                     std::span<const std::byte> data) = 0;
};

/// Given to Solver::load on every rank; any rank may read any range. A missing array or a wrong size throws
/// Failure(file) that names the checkpoint and the array.
class CheckpointReader {
 public:
  virtual ~CheckpointReader() = default;
  [[nodiscard]] virtual Index length(std::string_view name) const = 0;  ///< entries of an array, -1 if absent
  template <class T>
  void range(std::string_view name, Index begin, std::span<T> out) const {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(name, sizeof(T), begin, std::as_writable_bytes(out));
  }
  template <class T>
  [[nodiscard]] std::vector<T> all(std::string_view name) const {
    const Index n = length(name);
    std::vector<T> out(static_cast<std::size_t>(n < 0 ? 0 : n));
    range<T>(name, 0, out);
    return out;
  }
  template <class T>
  [[nodiscard]] T value(std::string_view name) const {
    T out{};
    range<T>(name, 0, std::span(&out, 1));
    return out;
  }

 protected:
  virtual void bytes(std::string_view name, std::size_t entry, Index begin, std::span<std::byte> out) const = 0;
};

}  // namespace conoid
