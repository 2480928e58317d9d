// SPDX-License-Identifier: BSD-3-Clause
// One implicit step: a section of conjugate gradients over windows, a halo of one point to each side, sums in the order of blocks.
#include "implicit.hpp"

#include <algorithm>
#include <span>

#include "engine/cluster/rank_share.hpp"
#include "engine/linalg/conjugate_gradients.hpp"
#include "engine/team/device_worker.hpp"
#include "engine/team/team.hpp"

namespace conoid::heat_rod {
namespace {

std::size_t u(Index i) {
  return static_cast<std::size_t>(i);
}

/// Points of an interval of blocks, the first inner point being 1.
Interval points_of(Interval blocks, Index inner) {
  return {1 + std::min(inner, blocks.begin * block_points), 1 + std::min(inner, blocks.end * block_points)};
}

}  // namespace

Layout::Layout(Index cells, const RankPlace& place, Bytes budget, const ChosenTeam& team)
    : inner(cells - 1), all_blocks((inner + block_points - 1) / block_points),
      blocks(rank_share(all_blocks, place.rank, place.ranks)) {
  // Several windows a worker, so that borders can move; several in each memory, so that one comes while another is computed.
  const auto workers = static_cast<Index>(team.workers.size());
  const Bytes block = bytes({0, 1}), on_device = team.device_memory() / 2;
  Bytes most = budget / static_cast<Bytes>(4 + 4 * workers);
  if (on_device > 0) most = std::min(most, on_device / 6);
  const Index fitting = block > 0 ? static_cast<Index>(most / block) : 1;
  blocks_a_window = std::clamp<Index>(blocks.size() / (8 * workers), 1, std::max<Index>(1, fitting));
  host = std::min(budget, PartWindows::enough(sizes()));
  device = std::min(on_device, PartWindows::enough(sizes()));
}

Interval Layout::points(Index window) const {
  const Index width = blocks_a_window * block_points, all = points_of(blocks, inner).size();
  return {std::min(all, window * width), std::min(all, (window + 1) * width)};
}

Bytes Layout::bytes(Interval windows) const {
  return static_cast<Bytes>(5 * (points(windows.end - 1).end - points(windows.begin).begin)) * sizeof(double);
}

std::vector<Bytes> Layout::sizes() const {
  std::vector<Bytes> out;
  for (Index w = 0; w < count(); ++w) out.push_back(bytes({w, w + 1}));
  return out;
}

Bytes Layout::on_device() const {
  if (device == 0) return 0;
  const Index beside = blocks_a_window * block_points + blocks.size() + 2 * count();
  return device + static_cast<Bytes>(beside) * sizeof(double);
}

/// What a device needs beside the windows.
struct Implicit::OnDevice {
  OnDevice(const Device& device, const Layout& layout)
      : kernel(device.kernel<WindowArguments>("heat-rod/pass")),
        values(device.allocate<double>(u(layout.blocks_a_window * block_points), "values of a window")),
        sums(device.allocate<double>(u(layout.blocks.size()), "sums of blocks")),
        ends(device.allocate<double>(u(2 * layout.count()), "ends of windows")) {}
  Kernel<WindowArguments> kernel;
  DeviceBuffer<double> values, sums, ends;
};

Implicit::Implicit(const Layout& layout, double fourier, Communicator& cluster, const std::filesystem::path& folder)
    : layout_(layout), cluster_(cluster), sums_(layout.all_blocks, layout.blocks), ends_(u(2 * layout.count() + 2)) {
  if (layout.count() > 0)
    windows_ = PartWindows::create(layout.sizes(), {"vectors", folder, layout.host, layout.device});
  std::vector<Interval> parts;
  for (int rank = 0; rank < cluster.size(); ++rank)
    parts.push_back(points_of(rank_share(layout.all_blocks, rank, cluster.size()), layout.inner));
  // What this rank reads of others: the point before its first and the one behind its last, unless they are the ends of the rod.
  const Interval mine = parts[u(cluster.rank())];
  std::vector<Index> wanted;
  if (!mine.empty() && mine.begin > 1) wanted.push_back(mine.begin - 1);
  if (!mine.empty() && mine.end <= layout.inner) wanted.push_back(mine.end);
  halo_ = Halo::of_partition(cluster, parts, wanted);
  common_.fourier = fourier;
  common_.pivots[0] = 1 + 2 * fourier;
  for (int i = 1; i < block_points; ++i)
    common_.pivots[i] = 1 + 2 * fourier - fourier * fourier / common_.pivots[i - 1];
}

WindowArguments Implicit::arguments(const Lease& lease, Pass pass, double factor) {
  const Interval mine = layout_.points(lease.window());
  WindowArguments a = common_;
  a.pass = pass;
  a.points = static_cast<int>(mine.size());
  a.factor = factor;
  double* const x = reinterpret_cast<double*>(const_cast<std::byte*>(lease.bytes().data()));
  a.x = x, a.r = x + mine.size(), a.z = x + 2 * mine.size(), a.p = x + 3 * mine.size(), a.q = x + 4 * mine.size();
  a.values = u_ + mine.begin;
  a.sums = &sums_.at(layout_.blocks.begin + lease.window() * layout_.blocks_a_window);
  a.ends = &ends_[u(1 + 2 * lease.window())];
  a.before = pass == Pass::start ? a.values[-1] : a.ends[-1];
  a.behind = pass == Pass::start ? a.values[a.points] : a.ends[2];
  return a;
}

void Implicit::pass(Part& part, Pass pass, double factor) {
  if (part.items().empty()) return;
  const bool starts = pass == Pass::start, collects = pass == Pass::collect;
  Stream* const stream = windows_->stream(part);
  std::shared_ptr<OnDevice>& there = devices_[u(part.worker())];
  if (stream && !there) there = std::make_shared<OnDevice>(part.device()->device(), layout_);
  windows_->visit(part,
                  starts     ? Access::write
                  : collects ? Access::read
                             : Access::update,
                  [&](const Lease& lease) {
                    WindowArguments a = arguments(lease, pass, factor);
                    const Index blocks = (a.points + block_points - 1) / block_points;
                    if (!stream) {
                      part.host().for_each({0, blocks}, 64, [&](Interval some, int) {
                        for (Index b = some.begin; b < some.end; ++b) run_block(a, static_cast<int>(b));
                      });
                      return;
                    }
                    const std::span<double> values(a.values, u(a.points));
                    a.values = there->values.data();
                    a.sums = there->sums.data() + lease.window() * layout_.blocks_a_window;
                    a.ends = there->ends.data() + 2 * lease.window();
                    if (starts) stream->to_device(there->values, values);
                    stream->launch(there->kernel,
                                   {.grid = {static_cast<unsigned>((blocks + 63) / 64), 1, 1}, .block = {64, 1, 1}}, a);
                    if (collects) stream->to_host(values, there->values);
                  });
  if (!stream) return;
  const Interval windows = part.items();
  const Index first = windows.begin * layout_.blocks_a_window;
  const Index blocks = std::min(layout_.blocks.size(), windows.end * layout_.blocks_a_window) - first;
  const std::span sums(&sums_.at(layout_.blocks.begin + first), u(blocks));
  const std::span ends(&ends_[u(1 + 2 * windows.begin)], u(2 * windows.size()));
  if (pass != Pass::direction && !collects) stream->to_host(sums, there->sums, u(first));
  if (pass == Pass::direction || starts) stream->to_host(ends, there->ends, u(2 * windows.begin));
  stream->synchronize();
}

/// What conjugate_gradients() asks of a part; all parts of all ranks get the same totals.
struct Implicit::Passes {
  Implicit& of;
  Part& part;
  double total() {
    part.meet([this] { of.total_ = of.sums_.total(of.cluster_); });
    return of.total_;
  }
  double start() { return of.pass(part, Pass::start, 0), total(); }
  double product() {
    const Interval mine = points_of(of.layout_.blocks, of.layout_.inner);
    part.meet([&] {
      of.halo_.start_values(
          1, [&](Index point, int) { return point == mine.begin ? of.ends_[1] : of.ends_[of.ends_.size() - 2]; });
      of.halo_.finish_values(1, [&](Index point, int, double value) {
        (point < mine.begin ? of.ends_.front() : of.ends_.back()) = value;
      });
    });
    return of.pass(part, Pass::product, 0), total();
  }
  double update(double alpha) { return of.pass(part, Pass::update, alpha), total(); }
  void direction(double beta) { of.pass(part, Pass::direction, beta); }
};

void Implicit::body(Part& part) {
  if (!part.items().empty()) windows_->take(part, PartWindows::Contents::dropped);
  Passes passes{*this, part};
  const ConjugateEnd end = conjugate_gradients(passes, 1e-30, 10 * layout_.inner + 100);
  pass(part, Pass::collect, 0);
  part.meet([&] { iterations_ = end.converged ? end.iterations : -1; });
}

Index Implicit::step(Team& team, std::vector<double>& values) {
  const Interval mine = points_of(layout_.blocks, layout_.inner);
  u_ = values.data() + mine.begin;
  std::fill(ends_.begin(), ends_.end(), 0.0);
  devices_.resize(team.workers().size());
  if (items() > 0) {
    team.run(*this);
    team.add_streamed(windows_->take_streamed());
  } else {  // more ranks than blocks: this one only takes part in what all ranks add
    CpuWorker alone(1);
    run(alone, {});
  }
  // All ranks keep the whole rod: frames, tables and the next first guess read it anywhere.
  const auto all =
      cluster_.all_gather_values<double>(std::span<const double>(values).subspan(u(mine.begin), u(mine.size())));
  std::copy(all.begin(), all.end(), values.begin() + 1);
  return iterations_;
}

}  // namespace conoid::heat_rod
