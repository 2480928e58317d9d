// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a run: MPI when the program was built with it and started by mpirun, else a single rank.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// A message to another rank, and the place of one from another rank; both ends state the same length. Empty ones are not sent.
struct Outgoing {
  int rank;
  std::span<const std::byte> data;
};
struct Incoming {
  int rank;
  std::span<std::byte> data;
};

/// All calls are collective unless said otherwise and are made from the engine thread only.
class Communicator {
 public:
  virtual ~Communicator() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] bool leads() const { return rank() == 0; }

  virtual void barrier() = 0;
  virtual void sum(std::span<double> values) = 0;  ///< element-wise over ranks, result on all; added in rank order
  /// The same without waiting: `values` are left alone until finish_sum(), which puts the sums there. One at a time; it may be
  /// under way together with an exchange.
  virtual void start_sum(std::span<double> values) = 0;
  virtual void finish_sum() = 0;
  virtual void minimum(std::span<double> values) = 0;
  virtual void maximum(std::span<double> values) = 0;
  virtual void broadcast(std::span<std::byte> data, int root) = 0;

  /// Messages to and from any other ranks, of which at most one goes from a rank to another. Not collective: a rank without
  /// messages need not call. Starts at once; finish_exchange() waits; the blocks are left alone until then. One exchange may be
  /// under way at a time.
  virtual void start_exchange(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;
  /// To and from the neighbours (lower = rank - 1, upper = rank + 1). Empty spans where there is none.
  void start_exchange(std::span<const std::byte> to_lower, std::span<const std::byte> to_upper,
                      std::span<std::byte> from_lower, std::span<std::byte> from_upper);
  virtual void finish_exchange() = 0;

  /// Blocks of unequal length from all ranks, joined in rank order on the root (empty elsewhere).
  [[nodiscard]] virtual std::vector<std::byte> gather(std::span<const std::byte> data, int root) = 0;
  /// The same, joined on every rank.
  [[nodiscard]] virtual std::vector<std::byte> all_gather(std::span<const std::byte> data) = 0;

  /// The ranks that gave the same group, in the order that they have here.
  [[nodiscard]] virtual std::unique_ptr<Communicator> split(int group) = 0;
  /// Not collective: the library's own handle (a pointer to an MPI_Comm) for libraries that communicate by themselves; null where
  /// there is no MPI.
  [[nodiscard]] virtual const void* native() const = 0;

  [[nodiscard]] double sum(double value) { return sum(std::span(&value, 1)), value; }
  [[nodiscard]] double minimum(double value) { return minimum(std::span(&value, 1)), value; }
  [[nodiscard]] double maximum(double value) { return maximum(std::span(&value, 1)), value; }
  template <class T>
  [[nodiscard]] T from_root(T value, int root = 0) {
    broadcast(std::as_writable_bytes(std::span(&value, 1)), root);
    return value;
  }
  template <class T>
  [[nodiscard]] std::vector<T> gather_values(std::span<const T> data, int root = 0) {
    return values_of<T>(gather(std::as_bytes(data), root));
  }
  template <class T>
  [[nodiscard]] std::vector<T> all_gather_values(std::span<const T> data) {
    return values_of<T>(all_gather(std::as_bytes(data)));
  }

 protected:
  Communicator() = default;

 private:
  template <class T>
  static std::vector<T> values_of(const std::vector<std::byte>& raw) {
    const T* first = reinterpret_cast<const T*>(raw.data());
    return std::vector<T>(first, first + raw.size() / sizeof(T));
  }
};

/// A single rank, no MPI.
[[nodiscard]] std::unique_ptr<Communicator> single_rank();

/// True when this process was started by mpirun/srun (from the environment; MPI is not touched).
[[nodiscard]] bool started_by_mpi();

/// The world of ranks; initialises MPI (serialised threads) on first use, from the calling thread, and finalises it
/// when the process ends. Without MPI in this build: an error (remote) if started_by_mpi() with more than one rank,
/// else a single rank.
[[nodiscard]] Result<std::unique_ptr<Communicator>> world();

/// Ends all ranks at once (MPI_Abort) with this exit code; only for failures that one rank alone saw.
[[noreturn]] void abort_all_ranks(int exit_code);

}  // namespace conoid
