// SPDX-License-Identifier: BSD-3-Clause
// Cuts an interval of elements into panels, lays out what their kernels read, hands the columns over.
#include "engine/solvers/elastic_bem/cuda/device_pairs.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <type_traits>
#include <unordered_map>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/cuda/pair_arguments.hpp"
#include "engine/solvers/elastic_bem/discretization/near_pairs.hpp"
#include "engine/team/phase.hpp"

namespace conoid::elastic_bem {
namespace {

using PanelClock = std::chrono::steady_clock;

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}
/// Elements of a group: those of several nodes share columns within it, the others fill the device better in small ones.
constexpr int group_of(int nodes) {
  return nodes == 1 ? 8 : 32;
}
constexpr int node_counts[] = {1, 3, 4, 6, 8, 9};
constexpr Bytes usual_slot = Bytes{64} << 20, largest_slot = Bytes{512} << 20;
constexpr Bytes least_slot = 4096;
constexpr Index summed_values = Index{1} << 16;  ///< of a case, in all parts whose sums are made at once
constexpr Bytes usual_host = Bytes{32} << 20;    ///< of a slot whose columns stay on the device

template <class Real>
PairMedium<Real> pair_medium(const LaneMedium<Real>& m) {
  PairMedium<Real> out;
  out.damped = m.damped;
  for (int k = 0; k < 2; ++k) {
    out.kS[k] = m.kS[k];
    out.kP[k] = m.kP[k];
    out.iS[k] = m.iS[k];
    out.iP[k] = m.iP[k];
  }
  out.kappa2 = m.kappa2;
  out.L = m.L;
  out.scale = m.scale;
  for (int f = 0; f < 5; ++f)
    for (int p = 0; p < 2; ++p) std::copy_n(m.series[f][p], pair_terms, out.series[f][p]);
  return out;
}

/// A column of a panel, and where it goes.
template <class Real>
struct PanelColumn {
  std::complex<Real>* to;
  bool alone;  ///< nobody else has a part in it at the same time
};

/// One panel: what its kernels read, and its columns.
template <class Real>
struct Panel {
  struct Launch {
    int nodes, first_group, groups;
  };
  std::vector<PairElement> elements;
  std::vector<PairClass> classes;
  std::vector<PairTarget<Real>> targets;
  std::vector<PairGroup> groups;
  std::vector<Launch> launches;
  std::vector<std::span<const Real>> points;  ///< of each element
  std::vector<PanelColumn<Real>> columns;
  std::size_t point_count = 0;

  /// Where things lie in a slot.
  struct Layout {
    std::size_t elements, classes, targets, groups, points, placed, order, panel, end;
  };
  [[nodiscard]] Layout layout(std::size_t column_bytes) const {
    Layout at{};
    at.classes = aligned(elements.size() * sizeof(PairElement));
    at.targets = at.classes + aligned(classes.size() * sizeof(PairClass));
    at.groups = at.targets + aligned(targets.size() * sizeof(PairTarget<Real>));
    at.points = at.groups + aligned(elements.size() * sizeof(PairGroup));  // as many groups as elements, at most
    at.placed = at.points + aligned(point_count * sizeof(Real));
    at.order = at.placed + aligned(columns.size() * sizeof(PlacedColumn<Real>));
    at.panel = at.order + aligned(columns.size() * sizeof(int));
    at.end = at.panel + aligned(columns.size() * column_bytes);
    return at;
  }
};

/// Makes panels one after the other.
template <class Real>
class PanelMaker {
 public:
  PanelMaker(const PairWork<Real>& work, Interval items)
      : work_(work), items_(items), next_(items.begin),
        column_bytes_(3 * work.rows.points.size() * sizeof(std::complex<Real>)) {
    // Elements that have a part in each column: others of the team may add to it meanwhile.
    if (!work.sink.shared) return;
    const Surface& s = work.surface;
    h_.assign(s.nodes.size(), {s.active, -1});
    g_.assign(s.traction_node.size(), {s.active, -1});
    for (Index k = 0; k < s.active; ++k) {
      const Element& e = s.elements[static_cast<std::size_t>(k)];
      const auto stretch = [k](Interval& i) { i = {std::min(i.begin, k), std::max(i.end, k)}; };
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
        stretch(h_[static_cast<std::size_t>(e.node[a])]);
        stretch(g_[static_cast<std::size_t>(e.traction[a])]);
      }
    }
  }
  [[nodiscard]] std::size_t column_bytes() const { return column_bytes_; }
  [[nodiscard]] bool done() const { return next_ >= items_.end; }

  /// Bytes of a slot that holds the largest element alone, and of one that holds all of them; of the largest one, what the host lays out.
  struct Needed {
    Bytes most = 0, all = 0, laid_out = 0;
  };
  [[nodiscard]] Needed needed() const {
    Needed out;
    for (Index k = items_.begin; k < items_.end; ++k) {
      if (!work_.sink.wants(k)) continue;
      const Element& e = work_.surface.elements[static_cast<std::size_t>(k)];
      Bytes columns = 0;
      for_targets(e, [&](const Target<Real>& t, bool, std::size_t, std::size_t) { columns += t.column != nullptr; });
      const Bytes laid_out =
          8 * 256 + points_of(k).size_bytes() + sizeof(PairElement) +
          work_.rules.classes(k).size() * sizeof(PairClass) + sizeof(PairGroup) +
          6 * static_cast<Bytes>(e.nodes) * (sizeof(PairTarget<Real>) + sizeof(PlacedColumn<Real>) + sizeof(int));
      const Bytes one = laid_out + columns * column_bytes_;
      out.most = std::max(out.most, one);
      out.laid_out = std::max(out.laid_out, laid_out);
      out.all += one;
    }
    return out;
  }

  /// The next elements that fit into so many bytes, what the host lays out into `host_size`.
  [[nodiscard]] Panel<Real> next(Bytes size, Bytes host_size) {
    Panel<Real> panel;
    std::vector<std::pair<int, PairGroup>> groups;  // with the number of nodes
    std::unordered_map<std::complex<Real>*, int> found;
    for (; next_ < items_.end; ++next_) {
      if (!work_.sink.wants(next_)) continue;
      const Element& e = work_.surface.elements[static_cast<std::size_t>(next_)];
      const auto mine = static_cast<int>(panel.elements.size());
      const bool opens = groups.empty() || groups.back().first != e.nodes ||
                         groups.back().second.end - groups.back().second.begin >= group_of(e.nodes);
      const std::size_t columns = panel.columns.size(), targets = panel.targets.size(), classes = panel.classes.size(),
                        points = panel.point_count;
      if (opens) found.clear();
      add(panel, e, found);
      const auto at = panel.layout(column_bytes_);
      if (mine > 0 && (at.end > size || at.panel > host_size)) {  // it begins the next one
        panel.elements.pop_back();
        panel.points.pop_back();
        panel.columns.resize(columns, {});
        panel.targets.resize(targets);
        panel.classes.resize(classes);
        panel.point_count = points;
        break;
      }
      if (opens) groups.push_back({e.nodes, {mine, mine}});
      groups.back().second.end = mine + 1;
    }
    for (const int nodes : node_counts) {
      const auto first = static_cast<int>(panel.groups.size());
      for (const auto& [n, group] : groups)
        if (n == nodes) panel.groups.push_back(group);
      if (const int count = static_cast<int>(panel.groups.size()) - first; count > 0)
        panel.launches.push_back({nodes, first, count});
    }
    return panel;
  }

 private:
  template <class Body>
  void for_targets(const Element& e, const Body& body) const {
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
      for (const bool traction : {false, true})
        for (std::size_t j = 0; j < 3; ++j)
          body(traction ? work_.sink.g[static_cast<std::size_t>(e.traction[a])][j]
                        : work_.sink.h[static_cast<std::size_t>(e.node[a])][j],
               traction, a, j);
  }
  [[nodiscard]] std::span<const Real> points_of(Index k) const {
    const auto classes = work_.rules.classes(k);
    const auto& last = classes.back();
    const Real* const begin = classes.front().points.x;
    const Real* const end = last.points.x + last.padded * (7 + last.points.nodes);
    return {begin, end};
  }
  void add(Panel<Real>& panel, const Element& e, std::unordered_map<std::complex<Real>*, int>& found) const {
    PairElement out{};
    const Vec3 c = rule_centre(work_.rules, e);
    for (std::size_t d = 0; d < 3; ++d) out.centre[d] = c[d];
    out.nodes = e.nodes;
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) out.node[a] = static_cast<int>(e.node[a]);
    out.with_u = work_.sink.with_u(next_) ? 1 : 0;
    out.first_class = static_cast<int>(panel.classes.size());
    out.first_target = static_cast<int>(panel.targets.size());
    const auto classes = work_.rules.classes(next_);
    out.classes = static_cast<int>(classes.size());
    const std::span<const Real> points = points_of(next_);
    for (const auto& one : classes)
      panel.classes.push_back({one.distance2,
                               static_cast<long long>(panel.point_count) + (one.points.x - points.data()),
                               one.points.count, one.padded});
    panel.points.push_back(points);
    panel.point_count += points.size();
    for_targets(e, [&](const Target<Real>& t, bool traction, std::size_t a, std::size_t) {
      PairTarget<Real> to;
      if (t.column != nullptr) {
        const auto [at, fresh] = found.try_emplace(t.column, static_cast<int>(panel.columns.size()));
        if (fresh) panel.columns.push_back({t.column, alone(traction, traction ? e.traction[a] : e.node[a])});
        to = {at->second, fresh ? 0 : 1, t.scale.real(), t.scale.imag()};
      }
      panel.targets.push_back(to);
    });
    panel.elements.push_back(out);
  }
  [[nodiscard]] bool alone(bool traction, Index node) const {
    if (h_.empty()) return true;
    const Interval& i = (traction ? g_ : h_)[static_cast<std::size_t>(node)];
    return i.begin >= items_.begin && i.end < items_.end;
  }

  const PairWork<Real>& work_;
  Interval items_;
  Index next_;
  std::size_t column_bytes_;
  std::vector<Interval> h_, g_;  ///< first and last element of each node and traction; empty: nobody else adds
};

/// Takes slots of a size between `least` and `wanted`, of the host at most `host_size`; false where there is no memory for it.
bool take_slots(const Device& device, PanelMemory& memory, Bytes least, Bytes wanted, Bytes host_size,
                const std::function<Bytes()>& budget, Bytes always) {
  memory = {};  // what it held counts as free again
  const Bytes free = budget();
  if (free <= always) return false;
  for (Bytes size = std::min(wanted, (free - always) / 2 / 4096 * 4096); size >= std::max(least, least_slot);
       size /= 2) {
    try {
      for (PanelMemory::Slot& slot : memory.turns) {
        slot.device = device.allocate<std::byte>(size, "panel of far pairs");
        slot.host = device.pinned<std::byte>(std::min(size, host_size));
        slot.stream = device.stream();
        slot.begin = device.event();
        slot.computed = device.event();
        slot.copied = device.event();
      }
      memory.size = size;
      memory.wanted = wanted;
      memory.host_size = std::min(size, host_size);
      memory.wanted_host = host_size;
      memory.beside = always;
      return true;
    } catch (const Failure& failure) {
      memory = {};
      if (failure.error().code != ErrorCode::resources) throw;
      static_cast<void>(device.free_memory());  // a device that is lost, not full, throws here
    }
  }
  return false;
}

/// Numbers of columns, those of one target together and in the order of its groups.
template <class Real>
std::vector<int> by_target(const std::vector<PanelColumn<Real>>& columns) {
  std::vector<int> order(columns.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::less<>()(columns[static_cast<std::size_t>(a)].to, columns[static_cast<std::size_t>(b)].to);
  });
  return order;
}

/// The same for a device that holds the targets.
template <class Real>
std::vector<PlacedColumn<Real>> placed_columns(const std::vector<PanelColumn<Real>>& columns,
                                               const std::vector<int>& order) {
  std::vector<PlacedColumn<Real>> out;
  for (std::size_t k = 0; k < order.size(); ++k) {
    auto* const to = reinterpret_cast<Real*>(columns[static_cast<std::size_t>(order[k])].to);
    const auto at = static_cast<int>(k);
    if (out.empty() || out.back().to != to) out.push_back({to, at, at});
    out.back().end = at + 1;
  }
  return out;
}

/// Columns of a panel to the targets; those of one target in the order of its groups.
template <class Real>
void hand_over(const CpuWorker& host, const std::vector<PanelColumn<Real>>& columns, const std::complex<Real>* panel,
               std::size_t length, bool set) {
  const std::vector<int> order = by_target(columns);
  std::vector<std::size_t> first;  // of each target
  for (std::size_t k = 0; k < order.size(); ++k)
    if (k == 0 || columns[static_cast<std::size_t>(order[k])].to != columns[static_cast<std::size_t>(order[k - 1])].to)
      first.push_back(k);
  first.push_back(order.size());
  host.for_each({0, static_cast<Index>(first.size()) - 1}, 4, [&](Interval some, int) {
    for (Index t = some.begin; t < some.end; ++t)
      for (std::size_t k = first[static_cast<std::size_t>(t)]; k < first[static_cast<std::size_t>(t) + 1]; ++k) {
        const auto c = static_cast<std::size_t>(order[k]);
        const PanelColumn<Real>& column = columns[c];
        const std::complex<Real>* from = panel + c * length;
        if (set)
          std::memcpy(static_cast<void*>(column.to), from, length * sizeof(*from));
        else if (column.alone)
          for (std::size_t i = 0; i < length; ++i) column.to[i] += from[i];
        else
          for (std::size_t i = 0; i < length; ++i) accumulate(column.to[i], from[i], true);
      }
  });
}

/// Of the sums of columns: how many parts of the columns are summed at once, and cases, made even for the kernel.
struct SumShape {
  Index parts = 0, cases = 0, length = 0;
  template <class Real>
  SumShape(const PanelSums<Real>& sums, std::size_t rows)
      : cases((sums.cases + sum_cases - 1) / sum_cases * sum_cases), length(3 * static_cast<Index>(rows)) {
    parts = std::clamp<Index>(summed_values / length, 8, 128);
  }
  /// Complex values of the sums on the device, and of x there.
  [[nodiscard]] std::size_t sums() const { return static_cast<std::size_t>(parts * cases * length); }
  [[nodiscard]] std::size_t x(Index width) const { return static_cast<std::size_t>(width * cases); }
};

/// Panels of pairs on their way through two slots: laid out by the host, computed by the device, and put into the columns.
template <class Real>
class PanelsUnderWay {
 public:
  PanelsUnderWay(const Device& device, PanelMemory& memory, const CpuWorker& host, const PairWork<Real>& work,
                 std::size_t column_bytes, DevicePairFacts& facts)
      : memory_(memory), host_(host), work_(work), facts_(facts), rows_(work.rows.points.size()), length_(3 * rows_),
        column_bytes_(column_bytes) {
    open_kernels(device);
    if (work.sums != nullptr) put_vectors(device, SumShape(*work.sums, rows_));
    put_rows(device);
    a_.rows = rows_there_.data();
    a_.evaluations = evaluations_.data();
    a_.row_count = static_cast<int>(rows_);
    a_.on_surface = work.rows.on_surface ? 1 : 0;
    a_.lanes = lane_kernels<Real>().lanes;
    // As many points at a time as leave a multiprocessor room for two blocks.
    a_.chunk = device.info().shared_per_block >= 2 * pair_shared(20, sizeof(Real)) ? 20 : 10;
    a_.medium = pair_medium(work.medium);
  }

  /// Waits for the slot whose turn it is, and hands over what it computed.
  void finish(std::size_t which) {
    UnderWay& w = under_way_[which];
    if (!w.busy) return;
    PanelMemory::Slot& slot = memory_.turns[which];
    slot.copied.synchronize();
    facts_.kernel_seconds += slot.computed.seconds_since(slot.begin);
    if (!work_.stays())
      hand_over<Real>(host_, w.columns, reinterpret_cast<const std::complex<Real>*>(slot.host.data() + w.panel),
                      length_, work_.sink.sole);
    w.busy = false;
  }

  /// A panel into a slot that is free, and its kernels; does not wait for them.
  void start(std::size_t which, Panel<Real> panel) {
    PanelMemory::Slot& slot = memory_.turns[which];
    const Layout at = panel.layout(column_bytes_);
    verify(at.end <= memory_.size, "a panel fits its slot");
    const std::size_t placed = lay_out(slot, at, panel);
    slot.device.expect_written();
    slot.stream.to_device(slot.device, std::span<const std::byte>(slot.host.data(), at.panel));
    slot.stream.record(slot.begin);
    compute(slot, at, panel);
    slot.stream.record(slot.computed);
    if (work_.stays()) {
      // Two panels may have parts of one column: they are put in one after the other.
      if (facts_.panels > 0) slot.stream.wait(memory_.turns[1 - which].copied);
      if (work_.sums != nullptr)
        sum(slot, at, panel.columns.size());
      else
        place(slot, at, placed);
    } else {
      const std::size_t back = panel.columns.size() * column_bytes_;
      slot.stream.to_host(std::span(slot.host.data() + at.panel, back), slot.device, at.panel);
      facts_.copied += back;
    }
    slot.stream.record(slot.copied);
    under_way_[which] = {std::move(panel.columns), at.panel, true};
    ++facts_.panels;
  }

  /// Points that kernels counted; when all panels are finished.
  [[nodiscard]] double counted() {
    unsigned long long points = 0;
    memory_.turns[0].stream.to_host(std::span(&points, 1), evaluations_);
    memory_.turns[0].stream.synchronize();
    return static_cast<double>(points);
  }

  /// What all panels have added, to the host.
  void finish_sums() {
    if (work_.sums == nullptr) return;
    const SumShape shape(*work_.sums, rows_);
    Stream& stream = memory_.turns[0].stream;
    stream.launch(sum_parts_,
                  {.grid = {row_blocks(), static_cast<unsigned>(shape.cases), 1}, .block = {matrix_threads, 1, 1}},
                  sums_);
    std::vector<std::complex<Real>>& y = *work_.sums->y;
    y.resize(length_ * static_cast<std::size_t>(work_.sums->cases));
    stream.to_host(std::span(reinterpret_cast<Real*>(y.data()), 2 * y.size()), parts_);
    stream.synchronize();
    facts_.copied += y.size() * sizeof(y[0]);
  }

 private:
  using Layout = typename Panel<Real>::Layout;
  struct UnderWay {
    std::vector<PanelColumn<Real>> columns;
    std::size_t panel = 0;  ///< where it begins in the slot
    bool busy = false;
  };

  void open_kernels(const Device& device) {
    const char* const real = std::is_same_v<Real, float> ? "float" : "double";
    for (const int nodes : node_counts)
      kernels_[nodes] = device.kernel<PairArguments<Real>>(fmt::format("elastic-bem/pairs<{},{}>", real, nodes));
    place_ = device.kernel<PlaceArguments<Real>>(fmt::format("elastic-bem/place_columns<{}>", real));
    sum_columns_ = device.kernel<SumArguments<Real>>(fmt::format("elastic-bem/sum_columns<{}>", real));
    sum_parts_ = device.kernel<SumArguments<Real>>(fmt::format("elastic-bem/sum_parts<{}>", real));
    if (work_.block_a_pair)
      block_a_pair_ = device.kernel<PairArguments<Real>>(fmt::format("elastic-bem/pairs_block<{}>", real));
  }
  /// x by rows, and sums that are zero.
  void put_vectors(const Device& device, const SumShape& shape) {
    const PanelSums<Real>& s = *work_.sums;
    std::vector<std::complex<Real>> x(shape.x(s.width));
    host_.for_each({0, s.width}, 1024, [&](Interval some, int) {
      for (Index k = some.begin; k < some.end; ++k)
        for (Index c = 0; c < s.cases; ++c) x[static_cast<std::size_t>(k * shape.cases + c)] = s.x[c * s.width + k];
    });
    x_there_ = device.allocate<Real>(2 * x.size(), "vectors of far pairs");
    parts_ = device.allocate<Real>(2 * shape.sums(), "sums of far pairs");
    Stream& stream = memory_.turns[0].stream;
    stream.to_device(x_there_, std::span<const Real>(reinterpret_cast<const Real*>(x.data()), 2 * x.size()));
    stream.zero(parts_);
    stream.synchronize();
    sums_.x = x_there_.data();
    sums_.parts = parts_.data();
    sums_.length = static_cast<long long>(length_);
    sums_.parts_count = static_cast<int>(shape.parts);
    sums_.cases = static_cast<int>(shape.cases);
  }
  void put_rows(const Device& device) {
    std::vector<Real> rows(length_);
    for (std::size_t i = 0; i < rows_; ++i) {
      const Vec3 p = vec::sub(work_.rows.points[i], work_.rules.origin());
      for (std::size_t d = 0; d < 3; ++d) rows[d * rows_ + i] = static_cast<Real>(p[d]);
    }
    rows_there_ = device.allocate<Real>(length_, "rows of far pairs");
    evaluations_ = device.allocate<unsigned long long>(1, "evaluations");
    Stream& stream = memory_.turns[0].stream;
    stream.to_device(rows_there_, rows);
    stream.zero(evaluations_);
    stream.synchronize();
  }

  /// What the kernels read, into the slot's memory of the host. Returns how many targets columns are placed into, 0 if not by the device.
  std::size_t lay_out(PanelMemory::Slot& slot, const Layout& at, const Panel<Real>& panel) const {
    const auto lay = [&](std::size_t offset, const auto& list) {
      std::memcpy(slot.host.data() + offset, list.data(), list.size() * sizeof(list[0]));
    };
    lay(at.elements, panel.elements);
    lay(at.classes, panel.classes);
    lay(at.targets, panel.targets);
    lay(at.groups, panel.groups);
    for (Real* to = reinterpret_cast<Real*>(slot.host.data() + at.points); const auto& some : panel.points) {
      std::memcpy(to, some.data(), some.size_bytes());
      to += some.size();
    }
    if (work_.sums != nullptr) {
      std::vector<int> rows;  // of x
      for (const auto& column : panel.columns)
        rows.push_back(static_cast<int>((column.to - work_.sums->base) / static_cast<std::ptrdiff_t>(length_)));
      lay(at.order, rows);
    }
    if (!work_.resident) return 0;
    const std::vector<int> order = by_target(panel.columns);
    const std::vector<PlacedColumn<Real>> placed = placed_columns(panel.columns, order);
    lay(at.placed, placed);
    lay(at.order, order);
    return placed.size();
  }

  void compute(PanelMemory::Slot& slot, const Layout& at, const Panel<Real>& panel) {
    std::byte* const there = slot.device.data();
    PairArguments<Real> a = a_;
    a.elements = reinterpret_cast<const PairElement*>(there + at.elements);
    a.classes = reinterpret_cast<const PairClass*>(there + at.classes);
    a.targets = reinterpret_cast<const PairTarget<Real>*>(there + at.targets);
    a.points = reinterpret_cast<const Real*>(there + at.points);
    a.panel = reinterpret_cast<Real*>(there + at.panel);
    if (work_.block_a_pair) {
      slot.stream.launch(block_a_pair_,
                         {.grid = {static_cast<unsigned>(rows_), static_cast<unsigned>(panel.elements.size()), 1},
                          .block = {pair_block_threads, 1, 1}},
                         a);
      for (const PairClass& one : panel.classes)
        facts_.points += one.count * static_cast<double>(work_.rows.on_surface ? rows_ - 1 : rows_);
      return;
    }
    for (const auto& launch : panel.launches) {
      a.groups = reinterpret_cast<const PairGroup*>(there + at.groups) + launch.first_group;
      const auto groups = static_cast<unsigned>(launch.groups);
      const auto blocks = [&](unsigned some) { return (static_cast<unsigned>(rows_) + some - 1) / some; };
      if (launch.nodes == 1)
        slot.stream.launch(kernels_[1], {.grid = {blocks(pair_threads), groups, 1}, .block = {pair_threads, 1, 1}}, a);
      else
        slot.stream.launch(kernels_[launch.nodes],
                           {.grid = {blocks(pair_rows_a_block), groups, 1},
                            .block = {32 * pair_sets, 1, 1},
                            .shared = static_cast<Bytes>(pair_shared(a.chunk, sizeof(Real)))},
                           a);
    }
  }

  [[nodiscard]] unsigned row_blocks() const {
    return static_cast<unsigned>((length_ + matrix_threads - 1) / matrix_threads);
  }
  void sum(PanelMemory::Slot& slot, const Layout& at, std::size_t columns) {
    SumArguments<Real> a = sums_;
    a.row = reinterpret_cast<const int*>(slot.device.data() + at.order);
    a.panel = reinterpret_cast<const Real*>(slot.device.data() + at.panel);
    a.columns = static_cast<int>(columns);
    slot.stream.launch(
        sum_columns_,
        {.grid = {row_blocks(), static_cast<unsigned>(a.parts_count), static_cast<unsigned>(a.cases / sum_cases)},
         .block = {matrix_threads, 1, 1}},
        a);
  }
  void place(PanelMemory::Slot& slot, const Layout& at, std::size_t placed) {
    std::byte* const there = slot.device.data();
    slot.stream.launch(
        place_, {.grid = {row_blocks(), static_cast<unsigned>(placed), 1}, .block = {matrix_threads, 1, 1}},
        {reinterpret_cast<const PlacedColumn<Real>*>(there + at.placed), reinterpret_cast<const int*>(there + at.order),
         reinterpret_cast<const Real*>(there + at.panel), static_cast<long long>(length_), work_.sink.sole ? 1 : 0});
  }

  PanelMemory& memory_;
  const CpuWorker& host_;
  const PairWork<Real>& work_;
  DevicePairFacts& facts_;
  std::size_t rows_, length_, column_bytes_;
  std::map<int, Kernel<PairArguments<Real>>> kernels_;  ///< by the number of nodes
  Kernel<PlaceArguments<Real>> place_;
  Kernel<PairArguments<Real>> block_a_pair_;
  Kernel<SumArguments<Real>> sum_columns_, sum_parts_;
  SumArguments<Real> sums_{};
  DeviceBuffer<Real> x_there_, parts_;
  DeviceBuffer<Real> rows_there_;
  DeviceBuffer<unsigned long long> evaluations_;
  PairArguments<Real> a_{};  ///< what all panels share
  std::array<UnderWay, 2> under_way_;
};

}  // namespace

Bytes panel_slot(Bytes largest_element, Bytes all) {
  return std::max(largest_element, std::min(all, std::clamp(16 * largest_element, usual_slot, largest_slot)));
}
Bytes resident_slot(Bytes largest_element, Bytes all) {
  return std::max(largest_element, std::min(all, largest_slot));
}
Bytes least_slot_of(Index nodes, Index rows, Bytes entry) {
  return static_cast<Bytes>(6 * nodes * rows) * entry + 600 * static_cast<Bytes>(7 + nodes) * entry / 2 + (64 << 10);
}

std::string too_small(const DeviceWorker& worker, const DevicePairFacts& facts) {
  return fmt::format(
      "elastic-bem: {} takes no part in the assembly: the columns of an element need {} twice, and there are {} for "
      "it; processors compute its share",
      worker.device().info().name, format_bytes(facts.least), format_bytes(facts.given));
}

template <class Real>
DevicePairFacts device_pairs(const Device& device, const std::function<Bytes()>& budget, PanelMemory& memory,
                             const CpuWorker& host, const PairWork<Real>& work, Interval items,
                             const std::stop_token& stop) {
  const auto start = PanelClock::now();
  DevicePairFacts facts;
  PanelMaker<Real> maker(work, items);
  const auto [least, all, laid_out] = maker.needed();
  if (all == 0) return facts;
  facts.least = least;
  Bytes always = aligned(3 * work.rows.points.size() * sizeof(Real)) + 4096;
  if (work.sums != nullptr) {
    const SumShape shape(*work.sums, work.rows.points.size());
    always += 2 * sizeof(Real) * (shape.sums() + shape.x(work.sums->width)) + 4096;
  }
  // Slots that serve what comes back and what stays in turn have the larger part for each: they are taken once.
  const Bytes own = work.stays() ? resident_slot(least, all) : panel_slot(least, all);
  const Bytes least_host = work.stays() ? laid_out : least,
              own_host = work.stays() ? std::max(laid_out, usual_host) : own;
  const bool kept = memory.size >= least && memory.wanted >= own && memory.host_size >= least_host &&
                    memory.wanted_host >= own_host && memory.beside >= always;
  const Bytes wanted = std::max(own, memory.wanted), wanted_host = std::max(own_host, memory.wanted_host);
  if (!kept && !take_slots(device, memory, least, wanted, wanted_host, budget, always)) {
    facts.fits = false;
    facts.given = budget();
    return facts;
  }
  facts.given = memory.size;
  PanelsUnderWay<Real> panels(device, memory, host, work, maker.column_bytes(), facts);
  for (std::size_t turn = 0; !maker.done() && !stop.stop_requested(); ++turn) {
    panels.finish(turn % 2);
    Panel<Real> panel = work.stays() ? maker.next(memory.size, memory.host_size)
                                     : maker.next(std::min(memory.size, memory.host_size), memory.host_size);
    if (panel.elements.empty()) break;  // nothing wanted any more
    panels.start(turn % 2, std::move(panel));
  }
  for (const std::size_t which : {std::size_t(facts.panels % 2), std::size_t((facts.panels + 1) % 2)})
    panels.finish(which);
  panels.finish_sums();
  facts.points += panels.counted();
  facts.seconds = std::chrono::duration<double>(PanelClock::now() - start).count();
  return facts;
}

template DevicePairFacts device_pairs<double>(const Device&, const std::function<Bytes()>&, PanelMemory&,
                                              const CpuWorker&, const PairWork<double>&, Interval,
                                              const std::stop_token&);
template DevicePairFacts device_pairs<float>(const Device&, const std::function<Bytes()>&, PanelMemory&,
                                             const CpuWorker&, const PairWork<float>&, Interval,
                                             const std::stop_token&);

}  // namespace conoid::elastic_bem
