// SPDX-License-Identifier: BSD-3-Clause
// L D Lᵀ by MUMPS (SYM = 2) on this rank alone. In a build with MPI it is MUMPS's MPI library, called with MPI_COMM_SELF:
// the sequential one brings an MPI of its own whose names would hide the real ones. P. R. Amestoy, I. S. Duff,
// J.-Y. L'Excellent, J. Koster, SIAM J. Matrix Anal. Appl. 23 (2001) 15; names of parameters as in its users' guide.
#include "engine/core/left_behind.hpp"
#include "engine/core/processors_only.hpp"
#include "engine/core/room_to_start.hpp"
#include "engine/core/stop.hpp"
#include "engine/linalg/factor_files.hpp"
#include "engine/linalg/one_blas_thread.hpp"
#include "engine/linalg/sparse_direct_bodies.hpp"

#include "conoid/config.hpp"

#if CONOID_HAVE_MUMPS

#include <zmumps_c.h>
#if CONOID_HAVE_MPI
#include <mpi.h>
#endif

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#if CONOID_HAVE_OPENMP
#include <omp.h>
#endif

#include <fmt/core.h>

namespace conoid {
namespace {

using Complex = std::complex<double>;

#if CONOID_HAVE_MPI
/// A variable of the environment that is gone with the object, unless it was there before.
class Meanwhile {
 public:
  Meanwhile(const char* name, const char* value) : name_(std::getenv(name) ? nullptr : name) {
    if (name_) setenv(name_, value, 0);
  }
  ~Meanwhile() {
    if (name_) unsetenv(name_);
  }
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  const char* name_;
};

/// MPI as a process of its own: no helper process, no network. Does nothing where the run has started MPI. Nothing of it stays in
/// the environment: ranks that are started from this program later have to reach each other.
void need_mpi() {
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0) return;
  keep_hwloc_to_processors();
  const Meanwhile isolated("OMPI_MCA_ess_singleton_isolated", "1"), pml("OMPI_MCA_pml", "ob1"),
      btl("OMPI_MCA_btl", "self"), osc("OMPI_MCA_osc", "^ucx"),
      interfaces("OMPI_MCA_if", "^posix_ipv4");  // which asks for the network's cards by a socket
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  std::atexit([] {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended == 0) MPI_Finalize();
  });
}
#endif

/// MUMPS keeps state of its own beside the instances: one call at a time in this process.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

/// One problem of MUMPS with the arrays that it looks at; may outlive the solver that made it, see Watched.
struct Instance {
  ZMUMPS_STRUC_C id{};
  std::vector<MUMPS_INT> rows, columns;
  std::vector<Complex> values, solving;  ///< solving: right-hand sides of a call that was given up
  bool alive = false;
  std::optional<FactorFiles> files;  ///< outlives the instance, which removes what it wrote

  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() {
    if (!alive) return;
#if CONOID_HAVE_MPI
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended != 0) return;
#endif
    call(-2);
  }
  void call(int job) {
    const std::lock_guard lock(one_at_a_time());
    const OneBlasThread one;  // threads meet after each small product of a front, and wait longer than they compute
    id.job = job;
    zmumps_c(&id);
  }
};

/// A call on a thread of its own, which is left behind when a stop is asked for. False: it was.
bool watched_call(const std::shared_ptr<Instance>& instance, int job, const std::stop_token& stop) {
  const BlasCall room;
  if (!stop.stop_possible()) {
    instance->call(job);
    return true;
  }
  struct End {
    std::mutex mutex;
    std::condition_variable changed;
    bool reached = false;
    std::unique_ptr<LeftBehind> left_behind;
  };
  const auto end = std::make_shared<End>();
#if CONOID_HAVE_OPENMP
  const int threads = omp_get_max_threads();
#else
  const int threads = 1;
#endif
  std::thread worker([held = instance, end, job, threads]() mutable {
#if CONOID_HAVE_OPENMP
    omp_set_num_threads(threads);
#else
    static_cast<void>(threads);
#endif
    held->call(job);
    std::unique_ptr<LeftBehind> alone;
    {
      const std::lock_guard lock(end->mutex);
      end->reached = true;
      alone = std::move(end->left_behind);
    }
    end->changed.notify_all();
    if (alone) held.reset();
  });
  std::unique_lock lock(end->mutex);
  while (!end->reached) {
    end->changed.wait_for(lock, std::chrono::milliseconds(50));
    if (end->reached || !stop.stop_requested()) continue;
    end->left_behind = std::make_unique<LeftBehind>();
    worker.detach();
    return false;
  }
  lock.unlock();
  worker.join();
  return true;
}

class MumpsDirect final : public SparseDirect {
 public:
  Status factor(const SymmetricMatrix& m, const DirectOptions& options) {
#if CONOID_HAVE_MPI
    need_mpi();
    id().comm_fortran = static_cast<MUMPS_INT>(MPI_Comm_c2f(MPI_COMM_SELF));
#else
    id().comm_fortran = -987654;  // "use MPI_COMM_WORLD"
#endif
    id().par = 1;
    id().sym = 2;
    instance_->call(-1);
    if (id().infog[0] < 0) return failed("start");
    instance_->alive = true;
    for (int k = 1; k <= 3; ++k) icntl(k) = -1;  // no output
    icntl(4) = 0;
    icntl(7) = 5;    // nested dissection by METIS
    icntl(14) = 40;  // percent of work space beyond the estimate
    icntl(27) = block_of(options);
    size_ = m.size;
    stop_ = options.stop;
    auto &rows = instance_->rows, &columns = instance_->columns;
    rows.resize(m.columns.size());
    columns.resize(m.columns.size());
    instance_->values = m.values;
    for (Index i = 0; i < m.size; ++i)
      for (Index p = m.row_start[static_cast<std::size_t>(i)]; p < m.row_start[static_cast<std::size_t>(i) + 1]; ++p) {
        rows[static_cast<std::size_t>(p)] = static_cast<MUMPS_INT>(i + 1);
        columns[static_cast<std::size_t>(p)] = static_cast<MUMPS_INT>(m.columns[static_cast<std::size_t>(p)] + 1);
      }
    id().n = static_cast<MUMPS_INT>(m.size);
    id().nnz = static_cast<MUMPS_INT8>(m.columns.size());
    id().irn = rows.data();
    id().jcn = columns.data();
    id().a = reinterpret_cast<ZMUMPS_COMPLEX*>(instance_->values.data());
    if (!watched_call(instance_, 1, options.stop)) return stopped();
    if (id().infog[0] < 0) return failed("order");
    const Bytes in_memory = static_cast<Bytes>(std::max(id().infog[16], 0)) << 20;  // INFOG(17), MiB
    const Bytes with_disk = static_cast<Bytes>(std::max(id().infog[26], 0)) << 20;  // INFOG(27)
    bool disk = options.on_disk;
    if (options.memory > 0 && in_memory > options.memory) disk = true;
    if (disk && options.scratch.empty())
      return make_error(
          ErrorCode::resources,
          fmt::format("the factors of {} unknowns need {} MiB, the budget is {} MiB", m.size, in_memory >> 20,
                      options.memory >> 20),
          "Raise compute.memory.host, coarsen the mesh, or keep the run folder so that factors can go to disk.");
    if (disk && options.memory > 0 && with_disk > options.memory)
      return make_error(ErrorCode::resources,
                        fmt::format("even with factors on disk {} unknowns need {} MiB of memory, the budget is {} MiB",
                                    m.size, with_disk >> 20, options.memory >> 20),
                        "Raise compute.memory.host or coarsen the mesh.");
    icntl(22) = disk ? 1 : 0;
    if (disk) {
      auto files = FactorFiles::create(options.scratch);
      if (!files) return files.error();
      instance_->files = std::move(*files);
      const std::string folder = instance_->files->folder().string();
      if (folder.size() >= sizeof id().ooc_tmpdir)
        return make_error(ErrorCode::file,
                          fmt::format("MUMPS takes names of folders up to {} letters, '{}' has {}",
                                      sizeof id().ooc_tmpdir - 1, folder, folder.size()),
                          "Choose a run folder with a shorter name (--out).");
      std::strncpy(id().ooc_tmpdir, folder.c_str(), sizeof id().ooc_tmpdir - 1);
      std::strncpy(id().ooc_prefix, "factors", sizeof id().ooc_prefix - 1);
    }
    const auto begun = std::chrono::steady_clock::now();
    for (int attempt = 0;; ++attempt) {
      if (!watched_call(instance_, 2, options.stop)) return stopped();
      if ((id().infog[0] != -8 && id().infog[0] != -9) || attempt == 3) break;
      icntl(14) *= 3;  // pivoting needed more work space than the analysis foresaw
    }
    if (id().infog[0] < 0) return failed("factor");
    id().irn = id().jcn = nullptr;
    id().a = nullptr;
    rows = columns = {};
    instance_->values = {};
    facts_.method = fmt::format("MUMPS {}", id().version_number);
    facts_.bytes = static_cast<Bytes>(std::max(id().infog[20], 0)) << 20;
    facts_.entries = id().infog[28] < 0 ? Index{-1000000} * id().infog[28] : id().infog[28];
    facts_.flops = 4 * id().rinfog[2];  // counted alike for real and complex numbers
    facts_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    facts_.on_disk = disk;
    return {};
  }

  Status solve(std::vector<Complex>& columns, Index count) override {
    if (!instance_->alive || stop_.stop_requested()) {
      columns.clear();
      return stop_error();
    }
    for (Index at = 0; at < count;) {
      const Index some = std::min<Index>(count - at, 512);
      id().rhs = reinterpret_cast<ZMUMPS_COMPLEX*>(columns.data() + at * size_);
      id().nrhs = static_cast<MUMPS_INT>(some);
      id().lrhs = static_cast<MUMPS_INT>(size_);
      if (!watched_call(instance_, 3, stop_)) {
        instance_->solving = std::move(columns);  // its values stay where they are
        columns.clear();
        return stopped();
      }
      if (id().infog[0] < 0) return failed("solve");
      at += some;
    }
    id().rhs = nullptr;
    return {};
  }
  [[nodiscard]] const DirectFacts& facts() const override {
    return facts_;
  }

 private:
  MUMPS_INT& icntl(int k) {
    return id().icntl[k - 1];
  }
  /// Nothing of the instance may be touched any more: a thread still works on it.
  Status stopped() {
    instance_ = std::make_shared<Instance>();
    return stop_error();
  }
  [[nodiscard]] ZMUMPS_STRUC_C& id() const {
    return instance_->id;
  }
  [[nodiscard]] Error failed(const char* what) const {
    const int code = id().infog[0], more = id().infog[1];
    if (code == -10)
      return make_error(ErrorCode::invalid_input,
                        fmt::format("the system of equations is singular ({} pivots were found)", more),
                        "Two unknowns may coincide, or a part of the mesh has no boundary condition at a resonance.");
    if (code == -13 || code == -8 || code == -9 || code == -7 || code == -5 || code == -19)
      return make_error(ErrorCode::resources,
                        fmt::format("MUMPS found no memory to {} {} unknowns (INFOG {} {})", what, size_, code, more),
                        "Coarsen the mesh, or lower compute.memory.host so that factors go to disk.");
    if (code == -90)
      return make_error(ErrorCode::file, "MUMPS cannot write its factors to disk",
                        "Make room in the run folder or in $TMPDIR.");
    return make_error(ErrorCode::internal, fmt::format("MUMPS could not {} (INFOG {} {})", what, code, more));
  }

  std::shared_ptr<Instance> instance_ = std::make_shared<Instance>();
  Index size_ = 0;
  std::stop_token stop_;
  DirectFacts facts_;
};

}  // namespace

Result<std::unique_ptr<SparseDirect>> factorise_mumps(const SymmetricMatrix& matrix, const DirectOptions& options) {
  auto out = std::make_unique<MumpsDirect>();
  if (Status s = out->factor(matrix, options); !s) return s.error();
  return std::unique_ptr<SparseDirect>(std::move(out));
}

}  // namespace conoid

#else

namespace conoid {

Result<std::unique_ptr<SparseDirect>> factorise_mumps(const SymmetricMatrix&, const DirectOptions&) {
  return make_error(ErrorCode::resources, "this program was built without MUMPS",
                    "Install libmumps-dev and build again, or choose the built-in solver.");
}

}  // namespace conoid

#endif
