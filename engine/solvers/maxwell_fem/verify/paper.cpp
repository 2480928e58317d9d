// SPDX-License-Identifier: BSD-3-Clause
// The tables and figures of J. M. Badía et al., "Parallel algorithms for a mesh truncation technique on CPU and GPU" (J. Supercomput.), in
// its order: the loops over S', S and right-hand sides on processors and devices, and our forms beside them.
//
// The source counts one application of the operator from 1272 elements of S' to 1572 ... 32,576 of S for 1 ... 1000 right-hand sides
// (two Xeon E5-2698 v4 with 20 cores each, four P100). Its times are linear in the elements of S (its Table 1, within 3 %), so ours are
// taken on some elements of S, all of S', and scaled to the number named; each row says on how many. Six points an element.
#include "engine/core/seconds_now.hpp"
#include "engine/linalg/one_blas_thread.hpp"
#include "engine/solvers/maxwell_fem/cuda/device_radiation.hpp"
#include "engine/solvers/maxwell_fem/kernels/reference.hpp"
#include "engine/solvers/maxwell_fem/solving/radiation.hpp"
#include "engine/solvers/maxwell_fem/verify/spheres.hpp"
#include "engine/solvers/maxwell_fem/verify/verify.hpp"
#include "engine/team/device.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <map>
#include <numbers>
#include <thread>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

namespace {

constexpr std::array<Index, 5> outer_sizes{1572, 3432, 8012, 14696, 32576};
constexpr std::array<Index, 4> columns{1, 10, 100, 1000};
constexpr Index inner_size = 1272, middle_size = 3432, largest_size = 32576;

/// Table 1: seconds of the loops on one core, by numS and right-hand sides.
constexpr std::array<std::array<double, 4>, 5> sequential{{{7.28, 44.66, 416.68, 4150.27},
                                                           {15.78, 97.30, 905.87, 9133.59},
                                                           {36.99, 228.90, 2135.05, 22124.53},
                                                           {67.92, 422.14, 3890.59, 41198.88},
                                                           {149.89, 936.58, 8906.99, 91669.12}}};
/// Table 2, 10⁹ operations (its caption says millions; the rates of Table 3 follow with 10⁹ only): of the innermost loop, by numS
/// 1572, 8012, 32576 and right-hand sides; of the loop about it, by numS.
constexpr std::array<Index, 3> counted_sizes{1572, 8012, 32576};
constexpr std::array<std::array<double, 4>, 3> innermost{
    {{1.12, 11.18, 111.77, 1117.69}, {5.70, 56.97, 569.65, 5696.53}, {23.16, 231.62, 2316.15, 23161.54}}};
constexpr std::array<double, 3> about_it{4.38, 22.32, 90.79};
/// Of Table 3: of numS 32,576 and one right-hand side, all three parts.
constexpr double counted_flops = (23.16 + 90.79 + 0.08) * 1e9;

template <class F>
double seconds_of(const F& f) {
  const double begin = seconds_now();
  f();
  return seconds_now() - begin;
}

/// Points spread evenly over a sphere (Fibonacci's lattice), `face_points` an element.
PaperArrays arrays(Index elements, Index rhs, double radius, double value) {
  PaperArrays a;
  a.elements = elements;
  a.samples = face_points;
  a.rhs = rhs;
  const Index points = elements * face_points;
  for (Index p = 0; p < points; ++p) {
    const double z = 1 - (2 * static_cast<double>(p) + 1) / static_cast<double>(points), r = std::sqrt(1 - z * z),
                 angle = std::numbers::pi * (3 - std::sqrt(5.0)) * static_cast<double>(p);
    a.points.push_back({radius * r * std::cos(angle), radius * r * std::sin(angle), radius * z});
  }
  a.values.assign(static_cast<std::size_t>(points * rhs * 6), Complex(value, 0.5 * value));
  return a;
}

const char* name_of(PaperLoop loop) {
  switch (loop) {
    case PaperLoop::inner_surface: return "omp_S'";
    case PaperLoop::outer_surface: return "omp_S";
    case PaperLoop::right_hand_sides: break;
  }
  return "omp_rhs";
}

class Tables {
 public:
  Tables(const TestRun& run, const BenchSink& row) : run_(run), row_(row), threads_(std::max(1, run.threads)) {
    SphereScene s;
    s.ka = 3;
    s.divisions = 8;  // 1280 faces
    s.layers = 1;
    s.curved = false;
    s.order = 1;
    s.on_body = true;
    mesh_ = *sphere_mesh(s);
    domain_ = *make_domain(mesh_, sphere_roles(s));
    ours_ = std::make_unique<Radiation>(domain_, 1, threads_, 0);
    if (const auto found = find_devices("cuda"))
      for (const DeviceInfo& info : *found) {
        auto device = Device::open(fmt::format("cuda:{}", info.index));
        if (!device) throw Failure(device.error());
        devices_.push_back(*device);
      }
  }

  void table_1() {
    if (!run_.may_want("Table 1")) return;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (run_.quick && columns[c] > 100) continue;
      for (std::size_t n = 0; n < outer_sizes.size(); ++n) {
        const auto [loops, of] = loop_seconds(PaperLoop::outer_surface, columns[c], 1, outer_sizes[n]);
        emit(fmt::format("Table 1: loops, one core, numS {}, RHS {}", outer_sizes[n], columns[c]), loops, "s",
             sequential[n][c], true, of);
        const auto [ours, of_ours] = our_seconds(columns[c], 1, outer_sizes[n]);
        emit(fmt::format("Table 1: {}, one core, numS {}, RHS {}", columns[c] == 1 ? "fused" : "blocked",
                         outer_sizes[n], columns[c]),
             ours, "s", sequential[n][c], true, of_ours);
      }
    }
  }

  void table_2() {
    if (!run_.may_want("Table 2")) return;
    const auto pairs = [](Index outer) {
      return static_cast<double>(inner_size * outer) * static_cast<double>(face_points * face_points);
    };
    for (std::size_t n = 0; n < counted_sizes.size(); ++n) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        emit(fmt::format("Table 2: innermost loop (1), numS {}, RHS {}", counted_sizes[n], columns[c]),
             pairs(counted_sizes[n]) * 32 * static_cast<double>(columns[c]) / 1e9, "Gflop", innermost[n][c], false,
             "ours: 32 flops a pair of points");
      emit(fmt::format("Table 2: loop about it (2), numS {}", counted_sizes[n]),
           pairs(counted_sizes[n]) * tile_flops / 1e9, "Gflop", about_it[n], false,
           fmt::format("ours: {} flops a pair of points", tile_flops));
    }
  }

  void figure_2() {
    if (run_.may_want("Fig. 2a"))
      for (const Index inner : {Index{1332}, Index{4768}})
        for (int threads = 1;; threads = std::min(2 * threads, threads_)) {
          const auto [one, of_one] = loop_seconds(PaperLoop::inner_surface, 1, 1, middle_size, inner);
          const auto [all, of] = loop_seconds(PaperLoop::inner_surface, 1, threads, middle_size, inner);
          emit(fmt::format("Fig. 2a: omp_S', acceleration, numSp {}, {} threads", inner, threads), one / all, "1", 0,
               false, of);
          if (threads >= threads_) break;
        }
    if (run_.may_want("Fig. 2b"))
      for (const Index rhs : {1, 10})
        for (const PaperLoop loop : {PaperLoop::inner_surface, PaperLoop::outer_surface})
          for (const Index outer : outer_sizes) acceleration("Fig. 2b", loop, rhs, outer);
  }

  void figure_3() {
    const Index many = run_.quick ? 100 : 1000;
    if (run_.may_want("Fig. 3a"))
      for (const PaperLoop loop : {PaperLoop::inner_surface, PaperLoop::outer_surface, PaperLoop::right_hand_sides})
        for (int threads = 1;; threads = std::min(2 * threads, threads_)) {
          acceleration("Fig. 3a", loop, many, middle_size, threads);
          if (threads >= threads_) break;
        }
    if (run_.may_want("Fig. 3b"))
      for (const Index rhs : columns)
        for (const Index outer : outer_sizes) device_acceleration("Fig. 3b", 1, rhs, outer);
  }

  void figure_4() {
    if (!run_.may_want("Fig. 4")) return;
    for (const Index rhs : {1, 10})
      for (std::size_t n = 1; n <= devices_.size(); ++n)
        for (const Index outer : outer_sizes) device_acceleration("Fig. 4", n, rhs, outer);
  }

  void figure_5() {
    if (run_.may_want("Fig. 5a"))
      for (const Index outer : outer_sizes) {
        acceleration("Fig. 5a", PaperLoop::inner_surface, 1, outer);
        acceleration("Fig. 5a", PaperLoop::outer_surface, 1, outer);
        ours("Fig. 5a", 1, outer);
        if (!devices_.empty()) device_acceleration("Fig. 5a", 1, 1, outer);
        if (devices_.size() > 1) device_acceleration("Fig. 5a", devices_.size(), 1, outer);
      }
    if (run_.may_want("Fig. 5b"))
      for (const Index rhs : columns) {
        if (run_.quick && rhs > 100) continue;
        for (const PaperLoop loop : {PaperLoop::inner_surface, PaperLoop::outer_surface, PaperLoop::right_hand_sides})
          acceleration("Fig. 5b", loop, rhs, middle_size);
        ours("Fig. 5b", rhs, middle_size);
        device_acceleration("Fig. 5b", 1, rhs, middle_size);
        if (!devices_.empty()) {
          const auto [one, of_one] = loop_seconds(PaperLoop::outer_surface, rhs, 1, middle_size);
          const auto [all, of] = pair_seconds(rhs, middle_size);
          emit(fmt::format("Fig. 5b: cuda_rhs, acceleration, numS {}, RHS {}", middle_size, rhs), one / all, "1", 0,
               false, of);
        }
      }
  }

  void table_3() {
    if (!run_.may_want("Table 3")) return;
    const auto rate = [&](const std::string& what, std::pair<double, std::string> t, double published) {
      emit(fmt::format("Table 3: {}, numS {}, RHS 1", what, largest_size), counted_flops / t.first / 1e9, "Gflop/s",
           published, false, fmt::format("the source's count of flops; {}", t.second));
    };
    for (const auto& [loop, published] :
         {std::pair{PaperLoop::inner_surface, 27.94}, std::pair{PaperLoop::outer_surface, 22.28}})
      rate(fmt::format("{}, {} threads", name_of(loop), threads_), loop_seconds(loop, 1, threads_, largest_size),
           published);
    rate(fmt::format("fused, {} threads", threads_), our_seconds(1, threads_, largest_size), 27.94);
    if (devices_.empty()) return;
    rate("cuda_S, one device", device_seconds(1, 1, largest_size), 99.35);
    if (devices_.size() > 1)
      rate(fmt::format("multi-GPU, {} devices", devices_.size()), device_seconds(devices_.size(), 1, largest_size),
           254.30);
  }

 private:
  using Timing = std::pair<double, std::string>;  ///< seconds, and on what

  void emit(std::string name, double value, std::string unit, double published, bool faster_is_more, std::string on) {
    BenchRow row{std::move(name), value, std::move(unit), 0, 0, "", std::move(on)};
    row.published = published;
    if (published > 0) {
      row.ratio = faster_is_more ? published / value : value / published;
      row.against = "the source's";
    }
    row_(std::move(row));
  }

  void acceleration(const char* figure, PaperLoop loop, Index rhs, Index outer) {
    acceleration(figure, loop, rhs, outer, threads_);
  }
  void acceleration(const char* figure, PaperLoop loop, Index rhs, Index outer, int threads) {
    const auto [one, of_one] = loop_seconds(PaperLoop::outer_surface, rhs, 1, outer);
    const auto [all, of] = loop_seconds(loop, rhs, threads, outer);
    emit(fmt::format("{}: {}, acceleration by {} threads, numS {}, RHS {}", figure, name_of(loop), threads, outer, rhs),
         one / all, "1", 0, false, of);
  }
  void ours(const char* figure, Index rhs, Index outer) {
    const auto [one, of_one] = loop_seconds(PaperLoop::outer_surface, rhs, 1, outer);
    const auto [all, of] = our_seconds(rhs, threads_, outer);
    emit(fmt::format("{}: {}, acceleration by {} threads, numS {}, RHS {}", figure, rhs == 1 ? "fused" : "blocked",
                     threads_, outer, rhs),
         one / all, "1", 0, false, of);
  }
  void device_acceleration(const char* figure, std::size_t count, Index rhs, Index outer) {
    if (devices_.empty()) return;
    const auto [one, of_one] = loop_seconds(PaperLoop::outer_surface, rhs, 1, outer);
    const auto [all, of] = device_seconds(count, rhs, outer);
    emit(fmt::format("{}: cuda_S, acceleration, {} device{}, numS {}, RHS {}", figure, count, count > 1 ? "s" : "",
                     outer, rhs),
         one / all, "1", 0, false, of);
  }

  /// Of one application by a loop of the source; on as many elements of S as fit a fraction of a second, at least one a thread.
  const Timing& scaled(const std::string& key, Index whole, Index least,
                       const std::function<double(Index)>& seconds_on) {
    if (const auto known = timings_.find(key); known != timings_.end()) return known->second;
    run_.doing(key);
    const double enough = run_.quick ? 0.1 : 0.5;
    Index some = std::min(least, whole);
    // The shorter of two where it took long enough: a machine with other work may have stood still meanwhile.
    const auto shorter_of_two = [&] {
      const double first = seconds_on(some);
      return first < enough || first > 8 * enough ? first : std::min(first, seconds_on(some));
    };
    double seconds = shorter_of_two();
    while (seconds < enough && some < whole) {
      some = std::min(whole, seconds < enough / 8 ? 8 * some : 2 * some);
      seconds = shorter_of_two();
    }
    const double all = seconds * static_cast<double>(whole) / static_cast<double>(some);
    return timings_
        .emplace(key, Timing{all, some == whole ? "all of S" : fmt::format("timed on {} elements of S", some)})
        .first->second;
  }

  Timing loop_seconds(PaperLoop loop, Index rhs, int threads, Index outer, Index inner = inner_size) {
    // The sequential loops are the same, whichever is shared by threads.
    const std::string key =
        fmt::format("{}, {} threads, {} by {}, {} right-hand sides", threads > 1 ? name_of(loop) : "loops", threads,
                    inner, loop == PaperLoop::inner_surface && threads > 1 ? outer : 0, rhs);
    const Timing found = scaled(key, outer, 2 * threads, [&](Index some) {
      const PaperArrays currents = arrays(inner, rhs, 1, 0.3);
      PaperArrays fields = arrays(some, rhs, 1.5, 0);
      return seconds_of([&] { paper_loops(loop, currents, fields, {0, some}, 1, threads); });
    });
    // Kept for the first number of elements asked for, and scaled to others.
    const Index first = sizes_.emplace(key, outer).first->second;
    return {found.first * static_cast<double>(outer) / static_cast<double>(first), found.second};
  }

  Timing our_seconds(Index rhs, int threads, Index outer) {
    const std::string key = fmt::format("ours, {} threads, {} right-hand sides", threads, rhs);
    const Index faces = domain_.outer.faces();
    const Timing found = scaled(key, faces, std::min<Index>(faces, 32 * threads), [&](Index some) {
      Team team({{"cpu", threads, 1}});
      std::vector<Complex> f(static_cast<std::size_t>(4 * domain_.currents.size() * rhs), Complex(0.3, 0.5)),
          psi(static_cast<std::size_t>(2 * domain_.outer.size() * rhs));
      return seconds_of([&] { ours_->apply(team, f, rhs, psi, RadiationLoop::automatic, {0, some}); });
    });
    return {
        found.first * static_cast<double>(outer * inner_size) / static_cast<double>(faces * domain_.currents.faces()),
        found.second};
  }

  /// cuda_S with S shared evenly by the first `count` devices, a host thread each, copies and all, as the source does it.
  Timing device_seconds(std::size_t count, Index rhs, Index outer) {
    const std::string key =
        fmt::format("cuda_S, {} devices, {} by {}, {} right-hand sides", count, inner_size, outer, rhs);
    // A thread takes an element of S: fewer than all of S would leave the device idle.
    const Index most = rhs < 1000 ? outer : std::min<Index>(outer, middle_size);
    const Timing& found = scaled(key, outer, most, [&](Index some) {
      const PaperArrays currents = arrays(inner_size, rhs, 1, 0.3);
      PaperArrays fields = arrays(some, rhs, 1.5, 0);
      const auto whole = [&] {
        std::vector<std::exception_ptr> failed(count);
        std::vector<std::thread> hosts;
        for (std::size_t d = 0; d < count; ++d)
          hosts.emplace_back([&, d] {
            const auto at = [&](std::size_t part) {
              return static_cast<Index>(part) * some / static_cast<Index>(count);
            };
            try {
              static_cast<void>(paper_loops_on_device(devices_[d], false, currents, fields, {at(d), at(d + 1)}, 1));
            } catch (...) {
              failed[d] = std::current_exception();
            }
          });
        for (std::thread& host : hosts) host.join();
        for (const std::exception_ptr& e : failed)
          if (e) std::rethrow_exception(e);
      };
      whole();  // once to load the kernel
      return seconds_of(whole);
    });
    return found;
  }

  Timing pair_seconds(Index rhs, Index outer) {
    return scaled(fmt::format("cuda_rhs, {} right-hand sides", rhs), outer, 1, [&](Index some) {
      const PaperArrays currents = arrays(inner_size, rhs, 1, 0.3);
      PaperArrays fields = arrays(some, rhs, 1.5, 0);
      return paper_loops_on_device(devices_.front(), true, currents, fields, {0, some}, 1);
    });
  }

  const TestRun& run_;
  const BenchSink& row_;
  int threads_;
  Mesh mesh_;
  Domain domain_;
  std::unique_ptr<Radiation> ours_;
  std::vector<Device> devices_;
  std::map<std::string, Timing> timings_;
  std::map<std::string, Index> sizes_;
};

}  // namespace

Status paper_table(const TestRun& run, const BenchSink& row) {
  try {
    Tables tables(run, row);
    tables.table_1();
    tables.table_2();
    tables.figure_2();
    tables.figure_3();
    tables.figure_4();
    tables.figure_5();
    tables.table_3();
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

}  // namespace conoid::maxwell_fem
