// SPDX-License-Identifier: BSD-3-Clause
// What the source of the method measures besides its kernels: Bramas et al. 2015, Tables 1 and 4, Figs. 13 to 15.
#pragma once

#include "engine/solvers/test_run.hpp"

namespace conoid::acoustic_bem {

/// How long all of it will take, as a row before the others. On one rank.
void say_length(const TestRun& run, const BenchSink& row);
/// Extra cost of the source's balancer against the best borders, on made-up workers and costs.
void paper_table_1(const TestRun& run, const BenchSink& row);
/// Non-zeros of blocks of a body numbered at random, by Morton and by Hilbert; the source's airplane beside it.
void paper_table_4(const TestRun& run, const BenchSink& row);
/// A march over the threads, devices and (under mpirun) ranks that are here, its stages, and how workers come to share it. Of the
/// source's figures its text gives numbers of some. Under mpirun collective, and rows come from the leading rank. Throws Failure.
void paper_figures(const TestRun& run, const BenchSink& row);

}  // namespace conoid::acoustic_bem
