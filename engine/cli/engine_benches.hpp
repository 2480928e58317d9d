// SPDX-License-Identifier: BSD-3-Clause
// What `conoid bench` measures besides solvers: parts of the engine that all solvers share.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/solvers/solver.hpp"

namespace conoid::cli {

struct EngineBench {
  std::string_view id;     ///< "balance"
  std::string_view title;  ///< "Balancers on virtual workers"
  Status (*run)(const TestRun&, const BenchSink&) = nullptr;
};

[[nodiscard]] std::span<const EngineBench> engine_benches();

/// How near to the optimum the balancers bring 6 virtual workers over 10 000 items, for 5 shapes of workers and 4 of work
/// (Table 1 of Bramas et al., Parallel Computing 49 (2015)), and how soon they answer a worker that becomes 3 times slower.
[[nodiscard]] Status bench_balance(const TestRun& how, const BenchSink& sink);

/// Thread phases (a thread of a kernel from one barrier to the next) that a core emulates.
[[nodiscard]] Status bench_emulated(const TestRun& how, const BenchSink& sink);

/// Pictures a second of surface, solid, cuts, iso-surfaces and volume, each turned and frame after frame, drawn by conoid-render without a
/// display on a card (CONOID_EGL=device, unless the variable says otherwise) or the processor; 60 are asked with a card, 30 without. No rows in
/// a build without pictures.
[[nodiscard]] Status bench_pictures(const TestRun& how, const BenchSink& sink);

/// Calculation windows over a file in the folder of temporary files: data of 4 times the memory budget against raw reads
/// of the same disk, and what a consumer loses that computes longer than its data take to come. Neither is helped by the
/// page cache: reads pass it by.
[[nodiscard]] Status bench_windows(const TestRun& how, const BenchSink& sink);

}  // namespace conoid::cli
