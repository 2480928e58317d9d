// SPDX-License-Identifier: BSD-3-Clause
// The single rank, and how to tell whether mpirun started this process.
#include "engine/cluster/communicator.hpp"

#include <cstdlib>

#include <fmt/core.h>

#include "conoid/config.hpp"
#include "engine/cluster/mpi_world.hpp"

namespace conoid {
namespace {

class SingleRank final : public Communicator {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  void barrier() override {}
  void sum(std::span<double>) override {}
  void minimum(std::span<double>) override {}
  void maximum(std::span<double>) override {}
  void broadcast(std::span<std::byte>, int) override {}
  void start_sum(std::span<double>) override {}
  void finish_sum() override {}
  using Communicator::start_exchange;
  void start_exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    verify(out.empty() && in.empty(), "a single rank has no other ranks");
  }
  void finish_exchange() override {}
  [[nodiscard]] std::vector<std::byte> gather(std::span<const std::byte> data, int) override {
    return {data.begin(), data.end()};
  }
  [[nodiscard]] std::vector<std::byte> all_gather(std::span<const std::byte> data) override {
    return {data.begin(), data.end()};
  }
  [[nodiscard]] std::unique_ptr<Communicator> split(int) override { return std::make_unique<SingleRank>(); }
  [[nodiscard]] const void* native() const override { return nullptr; }
};

#if !CONOID_HAVE_MPI
/// Ranks as the launcher announced them in the environment; 1 if it did not.
int announced_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  // srun announces tasks even without MPI; only PMI makes them one world.
  if (std::getenv("PMIX_RANK") != nullptr)
    if (const char* value = std::getenv("SLURM_NTASKS")) return std::atoi(value);
  return 1;
}
#endif

}  // namespace

void Communicator::start_exchange(std::span<const std::byte> to_lower, std::span<const std::byte> to_upper,
                                  std::span<std::byte> from_lower, std::span<std::byte> from_upper) {
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  if (rank() > 0) {
    in.push_back({rank() - 1, from_lower});
    out.push_back({rank() - 1, to_lower});
  }
  if (rank() + 1 < size()) {
    in.push_back({rank() + 1, from_upper});
    out.push_back({rank() + 1, to_upper});
  }
  start_exchange(out, in);
}

std::unique_ptr<Communicator> single_rank() {
  return std::make_unique<SingleRank>();
}

bool started_by_mpi() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr ||
         std::getenv("PMIX_RANK") != nullptr || std::getenv("MV2_COMM_WORLD_SIZE") != nullptr;
}

Result<std::unique_ptr<Communicator>> world() {
  if (!started_by_mpi()) return single_rank();
#if CONOID_HAVE_MPI
  return mpi_world();
#else
  if (const int ranks = announced_ranks(); ranks > 1)
    return make_error(ErrorCode::remote,
                      fmt::format("{} ranks were started, but this program was built without MPI", ranks),
                      "Start it without mpirun, or build it with an MPI library (CONOID_WITH_MPI=ON).");
  return single_rank();
#endif
}

#if !CONOID_HAVE_MPI
void abort_all_ranks(int exit_code) {
  std::_Exit(exit_code);
}
#endif

}  // namespace conoid
