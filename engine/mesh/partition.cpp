// SPDX-License-Identifier: BSD-3-Clause
// The row of cells along the curve, cut where the running sum of work passes equal shares.
#include "engine/mesh/partition.hpp"

#include <algorithm>

namespace conoid {

double Partition::imbalance() const {
  double sum = 0;
  double most = 0;
  for (const double w : work) {
    sum += w;
    most = std::max(most, w);
  }
  return sum > 0 ? most * static_cast<double>(work.size()) / sum : 1;
}

Partition partition_cells(const Mesh& mesh, const PartitionOptions& options) {
  Partition p;
  const int parts = std::max(1, options.parts);
  const int dimension = options.dimension < 0 ? mesh.dimension() : options.dimension;
  const auto n = static_cast<std::size_t>(mesh.cell_count());
  verify(options.work.empty() || options.work.size() == n, "work is given for every cell");
  std::vector<Index> cells;
  std::vector<double> centres;
  {
    const auto all = cell_centres(mesh);
    for (Index c = 0; c < mesh.cell_count(); ++c)
      if (dimension_of(mesh.shape(c)) == dimension) {
        cells.push_back(c);
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(3 * c);
        centres.insert(centres.end(), from, from + 3);
      }
  }
  for (const Index i : curve_order(centres, options.curve)) p.order.push_back(cells[static_cast<std::size_t>(i)]);
  const auto work_of = [&](Index c) {
    return options.work.empty() ? 1.0 : std::max(0.0, options.work[static_cast<std::size_t>(c)]);
  };
  double total = 0;
  for (const Index c : p.order) total += work_of(c);

  p.part.assign(n, -1);
  p.work.assign(static_cast<std::size_t>(parts), 0);
  p.intervals.assign(static_cast<std::size_t>(parts), {});
  double before = 0;
  int current = 0;
  for (std::size_t i = 0; i < p.order.size(); ++i) {
    const double w = work_of(p.order[i]);
    // A cell belongs to the share that holds its middle.
    if (total > 0)
      while (current + 1 < parts && before + w / 2 >= total * (current + 1) / parts) {
        p.intervals[static_cast<std::size_t>(current)].end = static_cast<Index>(i);
        ++current;
        p.intervals[static_cast<std::size_t>(current)].begin = static_cast<Index>(i);
      }
    p.part[static_cast<std::size_t>(p.order[i])] = current;
    p.work[static_cast<std::size_t>(current)] += w;
    before += w;
  }
  for (auto k = static_cast<std::size_t>(current); k < p.intervals.size(); ++k) {
    if (k > static_cast<std::size_t>(current)) p.intervals[k].begin = static_cast<Index>(p.order.size());
    p.intervals[k].end = static_cast<Index>(p.order.size());
  }
  std::vector<int> owner(static_cast<std::size_t>(mesh.point_count()), -1);
  for (const Index c : p.order)
    for (const Index node : mesh.nodes(c)) {
      int& o = owner[static_cast<std::size_t>(node)];
      const int mine = p.part[static_cast<std::size_t>(c)];
      if (o == -1)
        o = mine;
      else if (o >= 0 && o != mine) {
        o = -2;
        ++p.shared_points;
      }
    }
  return p;
}

}  // namespace conoid
