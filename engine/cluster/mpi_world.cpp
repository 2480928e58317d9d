// SPDX-License-Identifier: BSD-3-Clause
// Communicator on MPI-3.1 calls. Messages longer than 2^31-1 bytes go in pieces.
#include "engine/cluster/mpi_world.hpp"

#include "engine/core/processors_only.hpp"

#include "conoid/config.hpp"

#if CONOID_HAVE_MPI

#include <mpi.h>

#include <algorithm>
#include <cstdlib>

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

/// Ranks of a communicator of MPI: the world, or a part of it that ends with this object.
class MpiRanks final : public Communicator {
 public:
  MpiRanks(MPI_Comm ranks, bool owned) : ranks_(ranks), owned_(owned) {
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
  }
  ~MpiRanks() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (owned_ && !finalized) MPI_Comm_free(&ranks_);
  }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  void barrier() override { check(MPI_Barrier(ranks_), "wait for all ranks"); }

  void sum(std::span<double> values) override {
    start_sum(values);
    finish_sum();
  }
  void start_sum(std::span<double> values) override {
    verify(!summing_, "one sum at a time");
    verify(values.size() < piece, "a sum over ranks of fewer than 2^30 values");
    summing_ = true;
    values_ = values;
    // Every value of every rank is at hand where it is added, in rank order, so that the result does not depend on the library's
    // choice of a tree. Few values: all ranks add all. Many: each adds its share, which then goes to the others.
    const int n = static_cast<int>(values.size());
    if (!shared_sum()) {
      gathered_.resize(values.size() * static_cast<std::size_t>(size_));
      check(MPI_Iallgather(values.data(), n, MPI_DOUBLE, gathered_.data(), n, MPI_DOUBLE, ranks_, &sum_request_),
            "add over ranks");
      return;
    }
    const auto parts = static_cast<std::size_t>(size_);
    counts_.resize(parts);
    begins_.resize(parts);
    own_counts_.assign(parts, part_begin(rank_ + 1) - part_begin(rank_));
    own_begins_.resize(parts);
    for (int r = 0; r < size_; ++r) {
      const auto k = static_cast<std::size_t>(r);
      begins_[k] = part_begin(r);
      counts_[k] = part_begin(r + 1) - begins_[k];
      own_begins_[k] = r * own_counts_[k];
    }
    gathered_.resize(parts * static_cast<std::size_t>(own_counts_[0]));
    check(MPI_Ialltoallv(values.data(), counts_.data(), begins_.data(), MPI_DOUBLE, gathered_.data(),
                         own_counts_.data(), own_begins_.data(), MPI_DOUBLE, ranks_, &sum_request_),
          "add over ranks");
  }
  void finish_sum() override {
    verify(summing_, "a sum is under way");
    summing_ = false;
    check(MPI_Wait(&sum_request_, MPI_STATUS_IGNORE), "add over ranks");
    const std::size_t first = shared_sum() ? static_cast<std::size_t>(part_begin(rank_)) : 0,
                      n = shared_sum() ? static_cast<std::size_t>(own_counts_[0]) : values_.size();
    for (std::size_t i = 0; i < n; ++i) {
      double total = 0;
      for (std::size_t r = 0; r < static_cast<std::size_t>(size_); ++r) total += gathered_[r * n + i];
      values_[first + i] = total;
    }
    if (shared_sum())
      check(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values_.data(), counts_.data(), begins_.data(),
                           MPI_DOUBLE, ranks_),
            "add over ranks");
  }
  void minimum(std::span<double> values) override { reduce(values, MPI_MIN); }
  void maximum(std::span<double> values) override { reduce(values, MPI_MAX); }

  void broadcast(std::span<std::byte> data, int root) override {
    for (std::size_t at = 0; at < data.size(); at += piece)
      check(MPI_Bcast(data.data() + at, static_cast<int>(std::min(piece, data.size() - at)), MPI_BYTE, root, ranks_),
            "broadcast");
  }

  using Communicator::start_exchange;
  void start_exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    verify(requests_.empty(), "one exchange at a time");
    for (const Incoming& m : in)
      for (std::size_t at = 0; at < m.data.size(); at += piece)
        check(MPI_Irecv(m.data.data() + at, static_cast<int>(std::min(piece, m.data.size() - at)), MPI_BYTE, m.rank,
                        exchange_tag, ranks_, &requests_.emplace_back()),
              "receive a halo");
    for (const Outgoing& m : out)
      for (std::size_t at = 0; at < m.data.size(); at += piece)
        check(MPI_Isend(m.data.data() + at, static_cast<int>(std::min(piece, m.data.size() - at)), MPI_BYTE, m.rank,
                        exchange_tag, ranks_, &requests_.emplace_back()),
              "send a halo");
  }
  void finish_exchange() override {
    const int code = MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
    check(code, "exchange halos");
  }

  [[nodiscard]] std::vector<std::byte> gather(std::span<const std::byte> data, int root) override {
    const std::vector<unsigned long long> lengths = all_lengths(data.size());
    if (rank_ != root) {
      for (std::size_t at = 0; at < data.size(); at += piece)
        check(MPI_Send(data.data() + at, static_cast<int>(std::min(piece, data.size() - at)), MPI_BYTE, root,
                       gather_tag, ranks_),
              "gather");
      return {};
    }
    std::vector<std::byte> out(total(lengths));
    std::size_t at = 0;
    for (int r = 0; r < size_; ++r) {
      const std::size_t n = lengths[static_cast<std::size_t>(r)];
      if (r == root) {
        std::copy(data.begin(), data.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        for (std::size_t k = 0; k < n; k += piece)
          check(MPI_Recv(out.data() + at + k, static_cast<int>(std::min(piece, n - k)), MPI_BYTE, r, gather_tag, ranks_,
                         MPI_STATUS_IGNORE),
                "gather");
      }
      at += n;
    }
    return out;
  }
  [[nodiscard]] std::vector<std::byte> all_gather(std::span<const std::byte> data) override {
    const std::vector<unsigned long long> lengths = all_lengths(data.size());
    std::vector<std::byte> out(total(lengths));
    std::size_t at = 0;
    for (int r = 0; r < size_; ++r) {
      const std::size_t n = lengths[static_cast<std::size_t>(r)];
      const std::span block = std::span(out).subspan(at, n);
      if (r == rank_) std::copy(data.begin(), data.end(), block.begin());
      broadcast(block, r);
      at += n;
    }
    return out;
  }

  [[nodiscard]] std::unique_ptr<Communicator> split(int group) override {
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(ranks_, group, rank_, &part), "form groups of ranks");
    MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN);
    return std::make_unique<MpiRanks>(part, true);
  }
  [[nodiscard]] const void* native() const override { return &ranks_; }

 private:
  static constexpr int exchange_tag = 1, gather_tag = 7;
  static constexpr std::size_t few = 2048;  // values of which every rank adds all

  [[nodiscard]] bool shared_sum() const { return size_ > 1 && values_.size() > few; }
  [[nodiscard]] int part_begin(int rank) const {
    return static_cast<int>(values_.size() * static_cast<std::size_t>(rank) / static_cast<std::size_t>(size_));
  }
  [[nodiscard]] std::vector<unsigned long long> all_lengths(std::size_t own) {
    const unsigned long long mine = own;
    std::vector<unsigned long long> out(static_cast<std::size_t>(size_));
    check(MPI_Allgather(&mine, 1, MPI_UNSIGNED_LONG_LONG, out.data(), 1, MPI_UNSIGNED_LONG_LONG, ranks_), "gather");
    return out;
  }
  static std::size_t total(const std::vector<unsigned long long>& lengths) {
    std::size_t out = 0;
    for (const auto n : lengths) out += n;
    return out;
  }
  void reduce(std::span<double> values, MPI_Op op) {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, op, ranks_),
          "reduce over ranks");
  }

  MPI_Comm ranks_;
  bool owned_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<MPI_Request> requests_;

  // The sum that is under way.
  bool summing_ = false;
  std::span<double> values_;
  std::vector<double> gathered_;  // what has come from all ranks, rank after rank
  std::vector<int> counts_, begins_, own_counts_, own_begins_;
  MPI_Request sum_request_ = MPI_REQUEST_NULL;
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
  return std::unique_ptr<Communicator>(std::make_unique<MpiRanks>(MPI_COMM_WORLD, false));
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
