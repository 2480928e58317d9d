// SPDX-License-Identifier: BSD-3-Clause
// Rows of verification and benchmark.
#include "engine/cli/solver_rows.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/ranges.h>

#include "engine/case/case.hpp"

namespace conoid::cli {

Result<std::vector<const SolverInfo*>> solvers_named(const std::string& id) {
  const auto all = registered_solvers();
  if (id.empty()) return std::vector<const SolverInfo*>(all.begin(), all.end());
  if (const SolverInfo* info = find_solver(id)) return std::vector<const SolverInfo*>{info};
  std::vector<std::string> ids;
  for (const SolverInfo* info : all) ids.emplace_back(info->id);
  const std::string near = nearest(id, ids);
  return make_error(ErrorCode::command_line, fmt::format("there is no solver '{}'", id),
                    near.empty() ? fmt::format("Known solvers: {}.", fmt::join(ids, ", "))
                                 : fmt::format("Did you mean '{}'?", near));
}

int threads_here(const Machine& machine) {
  if (const char* text = std::getenv("OMP_NUM_THREADS"))
    if (const int n = std::atoi(text); n > 0) return n;
  return std::max(1, machine.cores);
}

Json machine_json(const Machine& machine, int threads) {
  return {{"host", machine.host},
          {"processor", machine.processor},
          {"cores", machine.cores},
          {"threads", threads},
          {"memory", machine.memory}};
}

RowPrinter::RowPrinter(const Context& context, std::vector<std::string> headings, std::vector<std::size_t> widths)
    : context_(context), headings_(std::move(headings)), widths_(std::move(widths)) {}

void RowPrinter::line(const std::vector<std::string>& cells) const {
  std::string out;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    out += cells[c];
    if (c + 1 == cells.size()) break;
    const std::size_t used = width(cells[c]);
    out.append(used < widths_[c] ? widths_[c] - used : 1, ' ');
  }
  context_.write(out);
}

void RowPrinter::row(const std::vector<std::string>& cells) {
  if (!begun_) line(headings_);
  begun_ = true;
  line(cells);
}

}  // namespace conoid::cli
