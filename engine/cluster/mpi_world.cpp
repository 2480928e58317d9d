// SPDX-License-Identifier: BSD-3-Clause
// Communicator on MPI-3.1 calls. Messages longer than 2^31-1 bytes go in pieces.
#include "engine/cluster/mpi_world.hpp"

#include "engine/core/processors_only.hpp"

#include "conoid/config.hpp"

#if CONOID_HAVE_MPI

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/core.h>

namespace conoid {
namespace {

constexpr std::size_t piece = std::size_t{1} << 30;

[[noreturn]] void fail(const char* what, int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Failure(make_error(
      ErrorCode::remote, fmt::format("MPI could not {}: {}", what, std::string(text, static_cast<std::size_t>(length))),
      "See the messages of mpirun above; a rank may have ended."));
}

void check(int code, const char* what) {
  if (code != MPI_SUCCESS) fail(what, code);
}

class MpiWorld final : public Communicator {
 public:
  MpiWorld() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  void barrier() override { check(MPI_Barrier(MPI_COMM_WORLD), "wait for all ranks"); }

  void sum(std::span<double> values) override {
    // Gathered and added in rank order, so that the result does not depend on the library's choice of a tree.
    std::vector<double> all(values.size() * static_cast<std::size_t>(size_));
    const int n = static_cast<int>(values.size());
    check(MPI_Allgather(values.data(), n, MPI_DOUBLE, all.data(), n, MPI_DOUBLE, MPI_COMM_WORLD), "add over ranks");
    for (std::size_t i = 0; i < values.size(); ++i) {
      double total = 0;
      for (int r = 0; r < size_; ++r) total += all[static_cast<std::size_t>(r) * values.size() + i];
      values[i] = total;
    }
  }
  void minimum(std::span<double> values) override { reduce(values, MPI_MIN); }
  void maximum(std::span<double> values) override { reduce(values, MPI_MAX); }

  void broadcast(std::span<std::byte> data, int root) override {
    for (std::size_t at = 0; at < data.size(); at += piece)
      check(MPI_Bcast(data.data() + at, static_cast<int>(std::min(piece, data.size() - at)), MPI_BYTE, root,
                      MPI_COMM_WORLD),
            "broadcast");
  }

  void start_exchange(std::span<const std::byte> to_lower, std::span<const std::byte> to_upper,
                      std::span<std::byte> from_lower, std::span<std::byte> from_upper) override {
    verify(requests_.empty(), "one exchange at a time");
    if (rank_ > 0) {
      receive(from_lower, rank_ - 1, up);
      send(to_lower, rank_ - 1, down);
    }
    if (rank_ + 1 < size_) {
      receive(from_upper, rank_ + 1, down);
      send(to_upper, rank_ + 1, up);
    }
  }
  void finish_exchange() override {
    const int code = MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
    check(code, "exchange halos");
  }

  [[nodiscard]] std::vector<std::byte> gather(std::span<const std::byte> data, int root) override {
    unsigned long long mine = data.size();
    std::vector<unsigned long long> lengths(static_cast<std::size_t>(size_));
    check(MPI_Gather(&mine, 1, MPI_UNSIGNED_LONG_LONG, lengths.data(), 1, MPI_UNSIGNED_LONG_LONG, root, MPI_COMM_WORLD),
          "gather");
    constexpr int tag = 7;
    if (rank_ != root) {
      for (std::size_t at = 0; at < data.size(); at += piece)
        check(MPI_Send(data.data() + at, static_cast<int>(std::min(piece, data.size() - at)), MPI_BYTE, root, tag,
                       MPI_COMM_WORLD),
              "gather");
      return {};
    }
    std::size_t total = 0;
    for (const auto n : lengths) total += n;
    std::vector<std::byte> out(total);
    std::size_t at = 0;
    for (int r = 0; r < size_; ++r) {
      const std::size_t n = lengths[static_cast<std::size_t>(r)];
      if (r == root) {
        std::copy(data.begin(), data.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        for (std::size_t k = 0; k < n; k += piece)
          check(MPI_Recv(out.data() + at + k, static_cast<int>(std::min(piece, n - k)), MPI_BYTE, r, tag,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                "gather");
      }
      at += n;
    }
    return out;
  }

 private:
  static constexpr int up = 1;    // travelling to a higher rank
  static constexpr int down = 2;  // travelling to a lower rank

  void reduce(std::span<double> values, MPI_Op op) {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, op, MPI_COMM_WORLD),
          "reduce over ranks");
  }
  void send(std::span<const std::byte> data, int to, int tag) {
    for (std::size_t at = 0; at < data.size(); at += piece)
      check(MPI_Isend(data.data() + at, static_cast<int>(std::min(piece, data.size() - at)), MPI_BYTE, to, tag,
                      MPI_COMM_WORLD, &requests_.emplace_back()),
            "send a halo");
  }
  void receive(std::span<std::byte> data, int from, int tag) {
    for (std::size_t at = 0; at < data.size(); at += piece)
      check(MPI_Irecv(data.data() + at, static_cast<int>(std::min(piece, data.size() - at)), MPI_BYTE, from, tag,
                      MPI_COMM_WORLD, &requests_.emplace_back()),
            "receive a halo");
  }

  int rank_ = 0;
  int size_ = 1;
  std::vector<MPI_Request> requests_;
};

void finalize() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Finalize();
}

}  // namespace

Result<std::unique_ptr<Communicator>> mpi_world() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (!initialised) {
    keep_hwloc_to_processors();
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
      return make_error(ErrorCode::remote, "MPI could not be started", "Start the program with mpirun or srun.");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::atexit(finalize);
  }
  return std::unique_ptr<Communicator>(std::make_unique<MpiWorld>());
}

void abort_all_ranks(int exit_code) {
  int initialised = 0;
  int finalized = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalized);
  if (initialised && !finalized) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace conoid

#endif
