// SPDX-License-Identifier: BSD-3-Clause
// L D Lᵀ on a device by cuDSS, found at run time: neither its header nor the library is needed to build. Emulated devices have a library
// of the processors on their stream, which reads and writes the device's memory alone. Factors in single precision (matrix, right-hand sides
// and solutions on the device are single, too) are refined by the processors, in double.
#include "engine/linalg/refinement.hpp"
#include "engine/linalg/sparse_direct_bodies.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/team/device.hpp"
#include "engine/team/parallel_for.hpp"

namespace conoid {
namespace {

using Complex = std::complex<double>;

// Numbers that releases 0.7, 0.8 and 1.0 have in common, from cudss.h and CUDA's library_types.h.
constexpr int complex_single = 4, complex_double = 5, integer_32 = 10;  // cudaDataType
constexpr int analysis = 3, factorisation = 4, solution = 1008;         // cudssPhase_t
constexpr int symmetric = 1, upper = 2, from_zero = 0, by_columns = 0;  // type, view, base, layout of a matrix
constexpr int data_entries = 1;                                         // CUDSS_DATA_LU_NNZ
constexpr double enough = 1e-12, too_much = 1e-10;  // relative residuals of a trial: without, and with refinement

/// Numbers that differ: cudssConfigParam_t, cudssDataParam_t; and whether row offsets have a type of their own.
struct Release {
  int major, minor;
  int refine, hybrid, hybrid_room, host_threads, repeatable;
  int estimates;
  bool offset_type;
};
constexpr Release releases[] = {
    {0, 7, 6, 12, 13, 15, 25, 12, false}, {0, 8, 5, 11, 12, 14, 24, 13, true}, {1, 0, 5, 11, 12, 14, 24, 13, true}};

const Release* release_of(int major, int minor) {
  for (const Release& r : releases)
    if (r.major == major && r.minor == minor) return &r;
  return nullptr;
}

/// The calls that are used; all give a cudssStatus_t.
struct Cudss {
  using Thing = void*;
  int (*create)(Thing*) = nullptr;
  int (*destroy)(Thing) = nullptr;
  int (*stream)(Thing, void*) = nullptr;
  int (*threading)(Thing, const char*) = nullptr;
  int (*config_create)(Thing*) = nullptr;
  int (*config_destroy)(Thing) = nullptr;
  int (*config_set)(Thing, int, const void*, std::size_t) = nullptr;
  int (*data_create)(Thing, Thing*) = nullptr;
  int (*data_destroy)(Thing, Thing) = nullptr;
  int (*data_get)(Thing, Thing, int, void*, std::size_t, std::size_t*) = nullptr;
  int (*execute)(Thing, int, Thing, Thing, Thing, Thing, Thing) = nullptr;
  int (*dense)(Thing*, std::int64_t, std::int64_t, std::int64_t, const void*, int, int) = nullptr;
  int (*matrix_destroy)(Thing) = nullptr;
  int (*property)(int, int*) = nullptr;
  void* sparse = nullptr;  ///< cudssMatrixCreateCsr, whose arguments depend on the release
  const Release* release = nullptr;
  std::string name, missing;
  std::string threads_library;  ///< beside it: OpenMP for its ordering; empty: none

  Cudss() {
    void* library = nullptr;
    for (const std::string& folder : folders()) {
      // What it needs, from folders that the system does not search.
      for (const char* needed : {"libcublasLt.so.13", "libcublas.so.13", "libcublasLt.so.12", "libcublas.so.12"})
        static_cast<void>(dlopen((folder + needed).c_str(), RTLD_NOW | RTLD_LOCAL));
    }
    for (const char* file : {"libcudss.so.1", "libcudss.so.0"})
      for (const std::string& folder : folders())
        if (library == nullptr) library = dlopen((folder + file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      missing = "there is no libcudss.so.0 or libcudss.so.1 (package nvidia-cudss-cu13; CUDSS_HOME says where it is)";
      return;
    }
    find(library, "cudssCreate", create);
    find(library, "cudssDestroy", destroy);
    find(library, "cudssSetStream", stream);
    find(library, "cudssSetThreadingLayer", threading);
    find(library, "cudssConfigCreate", config_create);
    find(library, "cudssConfigDestroy", config_destroy);
    find(library, "cudssConfigSet", config_set);
    find(library, "cudssDataCreate", data_create);
    find(library, "cudssDataDestroy", data_destroy);
    find(library, "cudssDataGet", data_get);
    find(library, "cudssExecute", execute);
    find(library, "cudssMatrixCreateDn", dense);
    find(library, "cudssMatrixCreateCsr", sparse);
    find(library, "cudssMatrixDestroy", matrix_destroy);
    find(library, "cudssGetProperty", property);
    if (!missing.empty()) return;
    std::array<int, 3> version{};
    for (int k = 0; k < 3; ++k)
      if (property(k, &version[static_cast<std::size_t>(k)]) != 0) missing = "libcudss.so does not tell its release";
    name = fmt::format("cuDSS {}.{}.{}", version[0], version[1], version[2]);
    release = release_of(version[0], version[1]);
    if (release == nullptr) missing = name + " is not known to this program, which has the calls of 0.7, 0.8 and 1.0";
    Dl_info where{};
    if (dladdr(reinterpret_cast<void*>(create), &where) == 0 || where.dli_fname == nullptr) return;
    const std::filesystem::path layer =
        std::filesystem::path(where.dli_fname).parent_path() / fmt::format("libcudss_mtlayer_gomp.so.{}", version[0]);
    std::error_code ec;
    if (std::filesystem::exists(layer, ec)) threads_library = layer.string();
  }

  /// That the system searches, then those of the environment and of CUDA.
  static std::vector<std::string> folders() {
    std::vector<std::string> out{""};
    if (const char* root = std::getenv("CUDSS_HOME"); root != nullptr && *root != '\0')
      for (const char* below : {"/lib/", "/lib64/", "/"}) out.push_back(std::string(root) + below);
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* root = std::getenv(variable); root != nullptr && *root != '\0')
        out.push_back(std::string(root) + "/lib64/");
    out.emplace_back("/usr/local/cuda/lib64/");
    return out;
  }
  template <class Call>
  void find(void* library, const char* symbol, Call& call) {
    call = reinterpret_cast<Call>(dlsym(library, symbol));
    if (call == nullptr) missing = fmt::format("libcudss.so has no {}", symbol);
  }

  int create_sparse(Thing* out, Index n, Index entries, void* rows, void* columns, void* values, int type) const {
    if (release->offset_type) {
      using Call = int (*)(Thing*, std::int64_t, std::int64_t, std::int64_t, const void*, const void*, const void*,
                           const void*, int, int, int, int, int, int);
      return reinterpret_cast<Call>(sparse)(out, n, n, entries, rows, nullptr, columns, values, integer_32, integer_32,
                                            type, symmetric, upper, from_zero);
    }
    using Call =
        int (*)(Thing*, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*, void*, int, int, int, int, int);
    return reinterpret_cast<Call>(sparse)(out, n, n, entries, rows, nullptr, columns, values, integer_32, type,
                                          symmetric, upper, from_zero);
  }
};

const Cudss& cudss() {
  static const Cudss calls;  // loaded once; the library stays
  return calls;
}

std::string_view status_text(int status) {
  constexpr std::string_view texts[] = {"success",       "not initialised",  "no memory",      "a wrong value",
                                        "not supported", "execution failed", "internal error", "refinement failed"};
  return status >= 0 && status < static_cast<int>(std::size(texts)) ? texts[status] : "unknown status";
}

/// Of a method whose factors do not lie in the device's memory.
constexpr std::string_view on_the_host = ", factors in the host's memory";

/// Residual of a trial, relative; a solution of numbers between −1 and 1.
double trial_residual(const SymmetricMatrix& m, SparseDirect& direct) {
  std::vector<Complex> x(static_cast<std::size_t>(m.size)), b(x.size());
  double angle = 0;
  for (Complex& v : x) {
    angle += 1.7;
    v = {std::sin(angle), std::cos(3.1 * angle)};
  }
  m.multiply(x, b);
  x = b;
  direct.solve(x, 1).or_throw();
  return relative_residual(m, x, b);
}

template <class Real>
class DeviceDirect final : public SparseDirect {
  using Number = std::complex<Real>;
  static constexpr bool single = sizeof(Real) == 4;
  static constexpr int number_type = single ? complex_single : complex_double;

 public:
  DeviceDirect(const SymmetricMatrix& m, const DirectOptions& options)
      : device_(*options.device), stop_(options.stop), n_(m.size), block_(block_of(options, true)),
        threads_(std::max(1, options.threads)), real_(device_.info().backend == "cuda") {
    const Bytes free = device_.free_memory() / 10 * 9;  // and makes it the device of this thread
    room_ = options.device_memory > 0 ? std::min(options.device_memory, free) : free;
  }
  ~DeviceDirect() override {
    if (handle_ == nullptr) return;
    try {
      static_cast<void>(device_.free_memory());
    } catch (const Failure&) {  // a lost device: the library's own calls fail, too
    }
    release_data();
    if (matrix_ != nullptr) static_cast<void>(cudss().matrix_destroy(matrix_));
    if (config_ != nullptr) static_cast<void>(cudss().config_destroy(config_));
    static_cast<void>(cudss().destroy(handle_));
  }
  DeviceDirect(const DeviceDirect&) = delete;
  DeviceDirect& operator=(const DeviceDirect&) = delete;

  Status factor(const SymmetricMatrix& m, const DirectOptions& options) {
    if constexpr (single) matrix_of_ = m;
    if (Status s = upload(m); !s) return s;
    facts_.ranks = 1;
    Status made = real_ ? factor_by_library(options) : factor_on_host(options);
    if (!made) return made;
    if constexpr (single) {
      facts_.method += ", single precision refined in double";
      facts_.residual = 0;  // of all solutions, from here on
      facts_.bytes += sizeof(Complex) * m.values.size() + sizeof(std::int32_t) * m.columns.size();
      const double residual = trial_residual(m, *this);  // an error where it is too large
      facts_.residual = std::max(facts_.residual, residual);
      facts_.refinements = 0;
      return {};
    }
    facts_.residual = trial_residual(m, *this);
    if (real_ && !(facts_.residual <= enough)) {
      const int steps = 2;
      check(cudss().config_set(config_, cudss().release->refine, &steps, sizeof steps), "set refinement");
      facts_.residual = trial_residual(m, *this);
    }
    if (!(facts_.residual <= too_much))
      return make_error(ErrorCode::not_converged,
                        fmt::format("{} leaves a residual of {:.1e}", facts_.method, facts_.residual),
                        "Take the direct solver auto or mumps, which exchanges pivots.");
    return {};
  }

  Status solve(std::vector<Complex>& columns, Index count) override {
    for (Index c = 0; c < count; c += block_) {
      const Index some = std::min(block_, count - c);
      const std::span<Complex> here(columns.data() + c * n_, static_cast<std::size_t>(some * n_));
      if constexpr (single) {
        const Refinement done =
            refine_columns(matrix_of_, threads_, here, some,
                           [&](std::span<Complex> b, Index columns_of_it) { return pass(b, columns_of_it); });
        if (!stop_.stop_requested()) {
          facts_.refinements += done.passes;
          facts_.residual = std::max(facts_.residual, done.residual);
          if (!done.good) return refinement_failed(done.residual);
          continue;
        }
      } else if (pass(here, some)) {
        continue;
      }
      columns.clear();
      return make_error(ErrorCode::stopped, "stopped while right-hand sides were solved");
    }
    return {};
  }
  [[nodiscard]] const DirectFacts& facts() const override { return facts_; }

 private:
  /// To the device, solved there, and back; false: stopped before that.
  bool pass(std::span<Complex> b, Index count) {
    if (stop_.stop_requested()) return false;
    if constexpr (single) {
      passing_.resize(b.size());
      std::vector<double> size(static_cast<std::size_t>(count));
      parallel_for(threads_, {0, count}, 1, [&](Index c) {
        size[c] = largest_part(b.subspan(static_cast<std::size_t>(c * n_), static_cast<std::size_t>(n_)));
        for (Index i = c * n_; i < (c + 1) * n_; ++i) passing_[i] = Number(b[i] / size[c]);
      });
      pass_numbers(std::span(passing_), count);
      parallel_for(threads_, {0, count}, 1, [&](Index c) {
        for (Index i = c * n_; i < (c + 1) * n_; ++i) b[i] = size[c] * Complex(passing_[i]);
      });
    } else {
      pass_numbers(b, count);
    }
    return true;
  }
  void pass_numbers(std::span<Number> b, Index count) {
    stream_.to_device(right_, b);
    if (real_)
      solve_by_library(count);
    else
      solve_on_host(count);
    stream_.to_host(b, solved_);
    stream_.synchronize();
  }

  Status upload(const SymmetricMatrix& m) {
    if (m.nonzeros() > std::numeric_limits<std::int32_t>::max())
      return make_error(ErrorCode::resources,
                        fmt::format("a matrix of {} entries is too large for a device", m.nonzeros()),
                        "Take the direct solver auto.");
    const auto n = static_cast<std::size_t>(n_), entries = m.columns.size();
    const Bytes sides = 2 * sizeof(Number) * n;
    const Bytes matrix = entries * (sizeof(Number) + sizeof(std::int32_t)) + (n + 1) * sizeof(std::int32_t);
    if (room_ > matrix) block_ = std::min(block_, static_cast<Index>((room_ - matrix) / 4 / sides));
    if (room_ <= matrix || block_ < 1)
      return make_error(ErrorCode::resources,
                        fmt::format("{} has {} for a matrix of {} and its factors", device_.info().name,
                                    format_bytes(room_), format_bytes(matrix)),
                        "Take the direct solver auto, or allow more memory of the device.");
    const std::vector<std::int32_t> start(m.row_start.begin(), m.row_start.end());
    stream_ = device_.stream();
    rows_ = device_.allocate<std::int32_t>(start.size(), "rows of a matrix");
    columns_ = device_.allocate<std::int32_t>(entries, "columns of a matrix");
    values_ = device_.allocate<Number>(entries, "values of a matrix");
    right_ = device_.allocate<Number>(static_cast<std::size_t>(block_) * n, "right-hand sides");
    solved_ = device_.allocate<Number>(static_cast<std::size_t>(block_) * n, "solutions");
    stream_.to_device(rows_, start);
    stream_.to_device(columns_, m.columns);
    if constexpr (single) {
      const std::vector<Number> values(m.values.begin(), m.values.end());
      stream_.to_device(values_, values);
      stream_.synchronize();
    } else {
      stream_.to_device(values_, m.values);
      stream_.synchronize();
    }
    room_ -= matrix + sides * static_cast<Bytes>(block_);
    facts_.bytes = matrix + sides * static_cast<Bytes>(block_);
    return {};
  }

  void check(int status, std::string_view what) const {
    if (status != 0)
      throw Failure(
          make_error(ErrorCode::resources,
                     fmt::format("{}: {} cannot {}: {}", device_.info().name, cudss().name, what, status_text(status)),
                     "Take the direct solver tree, or a device with more memory."));
  }

  static bool beyond_budget(Bytes on_host, const DirectOptions& options) {
    return options.memory > 0 && on_host > options.memory;
  }
  [[nodiscard]] Error no_room_on_host(Bytes on_host, const DirectOptions& options) const {
    return make_error(
        ErrorCode::resources,
        fmt::format("{} has {}, and factors in the host's memory need {} of a budget of {}", device_.info().name,
                    format_bytes(room_), format_bytes(on_host), format_bytes(options.memory)),
        "Take the direct solver auto, or raise compute.memory.host.");
  }

  void release_data() {
    if (data_ != nullptr) static_cast<void>(cudss().data_destroy(handle_, data_));
    data_ = nullptr;
  }

  /// A view of the first columns of a buffer, for one call.
  struct Columns {
    void* thing = nullptr;
    ~Columns() {
      if (thing != nullptr) static_cast<void>(cudss().matrix_destroy(thing));
    }
  };
  void execute(int phase, Index count, std::string_view what) {
    static_cast<void>(device_.free_memory());  // makes it the device of this thread
    Columns b, x;
    check(cudss().dense(&b.thing, n_, count, n_, right_.data(), number_type, by_columns), "take right-hand sides");
    check(cudss().dense(&x.thing, n_, count, n_, solved_.data(), number_type, by_columns), "take solutions");
    check(cudss().execute(handle_, phase, config_, data_, matrix_, x.thing, b.thing), what);
    stream_.synchronize();  // the views end here
  }

  Status factor_by_library(const DirectOptions& options) {
    const Cudss& c = cudss();
    if (!c.missing.empty())
      return make_error(ErrorCode::resources, c.missing, "Install it, set CUDSS_HOME, or take the direct solver auto.");
    facts_.method = fmt::format("{} on {}", c.name, device_.info().name);
    check(c.create(&handle_), "start");
    check(c.stream(handle_, stream_.native()), "take a stream");
    check(c.config_create(&config_), "make settings");
    check(c.create_sparse(&matrix_, n_, static_cast<Index>(columns_.size()), rows_.data(), columns_.data(),
                          values_.data(), number_type),
          "take a matrix");
    if (!c.threads_library.empty() && options.threads > 1 && c.threading(handle_, c.threads_library.c_str()) == 0)
      check(c.config_set(config_, c.release->host_threads, &options.threads, sizeof options.threads), "take threads");
    const int on = 1;
    if (options.repeatable)
      check(c.config_set(config_, c.release->repeatable, &on, sizeof on), "give the same bits each time");
    // Order and room; a second time with factors in the host's memory where the device has too little.
    for (const bool hybrid : {false, true}) {
      if (options.stop.stop_requested()) return make_error(ErrorCode::stopped, "stopped while a matrix was factored");
      if (hybrid) check(c.config_set(config_, c.release->hybrid, &on, sizeof on), "keep factors on the host");
      check(c.data_create(handle_, &data_), "make room");
      execute(analysis, block_, "order the matrix");
      std::array<std::int64_t, 16>
          bytes{};  // lasting and most of the device, of the host; least and most of the device when hybrid
      std::size_t told = 0;
      check(c.data_get(handle_, data_, c.release->estimates, bytes.data(), sizeof bytes, &told), "tell its memory");
      const auto needed = static_cast<Bytes>(std::max<std::int64_t>(0, hybrid ? bytes[4] : bytes[1])),
                 on_host = static_cast<Bytes>(std::max<std::int64_t>(0, bytes[5]));
      if (hybrid && beyond_budget(on_host, options)) {
        release_data();
        return no_room_on_host(on_host, options);
      }
      if (needed <= room_) {
        facts_.bytes += static_cast<Bytes>(std::max<std::int64_t>(0, hybrid ? bytes[4] : bytes[0]));
        if (hybrid) {
          const auto room = static_cast<std::int64_t>(room_);
          check(c.config_set(config_, c.release->hybrid_room, &room, sizeof room), "take a limit of memory");
          facts_.method += on_the_host;
          facts_.host_bytes = on_host;
        }
        break;
      }
      release_data();
      if (hybrid)
        return make_error(ErrorCode::resources,
                          fmt::format("{} has {}, factors on it need {}", device_.info().name, format_bytes(room_),
                                      format_bytes(needed)),
                          "Take the direct solver auto.");
    }
    if (options.stop.stop_requested()) return make_error(ErrorCode::stopped, "stopped while a matrix was factored");
    const auto begun = std::chrono::steady_clock::now();
    execute(factorisation, block_, "factorise");
    facts_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    std::int64_t entries = 0;
    std::size_t told = 0;
    check(c.data_get(handle_, data_, data_entries, &entries, sizeof entries, &told), "tell its entries");
    facts_.entries = entries;
    return {};
  }
  void solve_by_library(Index count) { execute(solution, count, "solve"); }

  Status factor_on_host(const DirectOptions& options) {
    host_ = std::make_shared<OnHost>();
    const auto n = n_;
    const auto entries = static_cast<Index>(columns_.size());
    const std::int32_t *rows = rows_.data(), *columns = columns_.data();
    const Number* values = values_.data();
    stream_.run_on_host(
        [host = host_, rows, columns, values, n, entries] {
          SymmetricMatrix m;
          m.size = n;
          m.row_start.assign(rows, rows + n + 1);
          m.columns.assign(columns, columns + entries);
          m.values.assign(values, values + entries);
          DirectOptions other;
          other.method = has_mumps() ? DirectMethod::mumps : DirectMethod::eigen;
          host->made.emplace(factorise(m, other));
        },
        {{rows, rows_.size() * sizeof *rows, true, false},
         {columns, columns_.size() * sizeof *columns, true, false},
         {values, values_.size() * sizeof *values, true, false}});
    stream_.synchronize();
    if (!*host_->made) return host_->made->error();
    const Bytes here = facts_.bytes;
    facts_ = (**host_->made)->facts();
    facts_.method = fmt::format("{} on {}", facts_.method, device_.info().name);
    facts_.flops = 0;            // not of a device
    if (facts_.bytes > room_) {  // as the library does where a device has too little
      if (beyond_budget(facts_.bytes, options)) return no_room_on_host(facts_.bytes, options);
      facts_.method += on_the_host;
      facts_.host_bytes = facts_.bytes;
      facts_.bytes = 0;
    }
    facts_.bytes += here;
    return {};
  }
  void solve_on_host(Index count) {
    const auto n = n_;
    const Number* from = right_.data();
    Number* to = solved_.data();
    const Bytes bytes = static_cast<Bytes>(count * n) * sizeof(Number);
    stream_.run_on_host(
        [host = host_, from, to, n, count] {
          std::vector<Complex> b(from, from + count * n);
          host->solved = (**host->made)->solve(b, count);
          if (host->solved) std::transform(b.begin(), b.end(), to, [](const Complex& v) { return Number(v); });
        },
        {{from, bytes, true, false}, {to, bytes, false, true}});
    stream_.synchronize();
    host_->solved.or_throw();
  }

  struct OnHost {
    std::optional<Result<std::unique_ptr<SparseDirect>>> made;
    Status solved;
  };
  Device device_;
  std::stop_token stop_;
  Index n_, block_;
  int threads_;
  bool real_;
  Bytes room_ = 0;
  Stream stream_;
  DeviceBuffer<std::int32_t> rows_, columns_;
  DeviceBuffer<Number> values_, right_, solved_;
  SymmetricMatrix matrix_of_;    ///< in double, of single factors
  std::vector<Number> passing_;  ///< right-hand sides in single precision
  void *handle_ = nullptr, *config_ = nullptr, *data_ = nullptr, *matrix_ = nullptr;
  std::shared_ptr<OnHost> host_;  ///< emulated
  DirectFacts facts_;
};

}  // namespace

std::string missing_device_direct() {
  return cudss().missing;
}

bool knows_cudss(int major, int minor) {
  return release_of(major, minor) != nullptr;
}

Result<std::unique_ptr<SparseDirect>> factorise_device(const SymmetricMatrix& matrix, const DirectOptions& options) {
  if (options.device == nullptr)
    return make_error(ErrorCode::resources, "the matrix is to be factored on a device, and none is among the workers",
                      "Name one with --workers (cuda, or emulated to try), or take the direct solver auto.");
  const auto made = [&]<class Real>(Real) -> Result<std::unique_ptr<SparseDirect>> {
    auto out = std::make_unique<DeviceDirect<Real>>(matrix, options);
    if (Status s = out->factor(matrix, options); !s) return s.error();
    return std::unique_ptr<SparseDirect>(std::move(out));
  };
  try {
    return options.single ? made(float{}) : made(double{});
  } catch (const Failure& failure) {
    return failure.error();
  }
}

}  // namespace conoid
