// SPDX-License-Identifier: BSD-3-Clause
// Cuts the matrices into tiles and runs the two passes over them on the team.
#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>

#include "engine/simd/subnormals.hpp"
#include "engine/solvers/acoustic_bem/cuda/device_tiles.hpp"
#include "engine/solvers/acoustic_bem/discretization/memory_columns.hpp"
#include "engine/solvers/acoustic_bem/discretization/slice_store.hpp"
#include "engine/solvers/acoustic_bem/discretization/tile_exchange.hpp"
#include "engine/solvers/acoustic_bem/problem.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"
#include "engine/solvers/acoustic_bem/verify/machine_rates.hpp"
#include "engine/team/device_worker.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {
namespace {

/// Part of a tile that one thread assembles.
struct Piece {
  Index tile = 0;
  Interval rows, cols;
  /// Pairs of unknowns, those of two mirrored blocks twice.
  [[nodiscard]] double cost() const {
    return static_cast<double>(rows.size()) * static_cast<double>(cols.size()) * (rows == cols ? 1 : 2);
  }
};

/// Tiles of this rank for the threads at hand. Where processors alone compute in memory, tiles beside the diagonal are halved until none is
/// more than half a thread's part, and the dearest come first: no thread then begins a long one when the others end. Every entry of such a tile
/// adds up its pairs in the same order in whatever piece it lies; on the diagonal it would not, and those tiles stay whole.
std::vector<Piece> cut_pieces(const std::vector<TilePair>& tiles, const std::vector<Index>& own, bool streams,
                              const Team& team) {
  constexpr Index least = 64;
  std::vector<Piece> out;
  out.reserve(own.size());
  for (const Index k : own)
    out.push_back({k, tiles[static_cast<std::size_t>(k)].rows, tiles[static_cast<std::size_t>(k)].cols});
  if (streams || team.workers().size() > 1 || !team.devices().empty()) return out;
  double whole = 0;
  for (const Piece& p : out) whole += p.cost();
  const double most = whole / (2 * team.threads());
  for (std::size_t k = 0; k < out.size();) {
    Piece& p = out[k];
    const Index longer = std::max(p.rows.size(), p.cols.size());
    if (p.rows == p.cols || p.cost() <= most || longer < 2 * least) {
      ++k;
      continue;
    }
    Piece other = p;
    const bool by_rows = p.rows.size() == longer;
    Interval &mine = by_rows ? p.rows : p.cols, &others = by_rows ? other.rows : other.cols;
    mine.end = others.begin = mine.begin + (longer / 2 + least - 1) / least * least;
    out.push_back(other);
  }
  std::ranges::stable_sort(out, [](const Piece& a, const Piece& b) { return a.cost() > b.cost(); });
  return out;
}

/// Items of a phase: tiles [begin, begin + count) of a longer list.
class TilePhase final : public Phase {
 public:
  using Body = std::function<void(Index, TileSpace&, DeviceTiles*)>;
  using Devices = std::function<std::vector<DeviceTiles*>(DeviceWorker&)>;
  /// `devices`: what a device has for its tiles, for each of the threads that feed it; none: processors only.
  TilePhase(std::string_view name, Interval tiles, Body body, Devices devices)
      : name_(name), tiles_(tiles), body_(std::move(body)), devices_(std::move(devices)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return tiles_.size(); }
  void run(CpuWorker& worker, Interval items) override {
    std::vector<TileSpace> spaces(static_cast<std::size_t>(worker.threads()));
    worker.for_each(items, 1, [&](Interval chunk, int thread) {
      for (Index k = chunk.begin; k < chunk.end; ++k)
        body_(tiles_.begin + k, spaces[static_cast<std::size_t>(thread)], nullptr);
    });
    const std::scoped_lock lock(mutex_);
    for (TileSpace& s : spaces) spaces_.push_back(std::move(s));
  }
  [[nodiscard]] bool runs_on_devices() const override { return devices_ != nullptr; }
  void run_on_device(DeviceWorker& worker, Interval items) override {
    // Several threads feed it, each with tiles, buffers and a stream of its own: while one lays out slices, the device computes for others.
    const std::vector<DeviceTiles*> fed = devices_(worker);
    std::vector<TileSpace> spaces(fed.size());
    std::atomic<Index> next = items.begin;
    worker.host().for_each({0, static_cast<Index>(fed.size())}, 1, [&](Interval feeders, int) {
      for (auto f = static_cast<std::size_t>(feeders.begin); f < static_cast<std::size_t>(feeders.end); ++f)
        for (Index k = next++; k < items.end; k = next++) body_(tiles_.begin + k, spaces[f], fed[f]);
    });
    const std::scoped_lock lock(mutex_);
    for (TileSpace& s : spaces) spaces_.push_back(std::move(s));
  }
  [[nodiscard]] std::vector<TileSpace>& spaces() { return spaces_; }

 private:
  std::string_view name_;
  Interval tiles_;
  Body body_;
  Devices devices_;
  std::mutex mutex_;
  std::vector<TileSpace> spaces_;
};

/// The windows that a finished tile covers, of those of this rank's slices; tiles are whole windows.
template <class Real>
void write_windows(const Slices<Real>& slices, Block& block) {
  SliceStore<Real>& store = slices.store();
  const Index first = slices.first();
  const Interval mine{std::max(block.cols.begin - first, Index{0}), std::min(block.cols.end - first, slices.count())};
  if (mine.empty()) return;
  for (Index c = store.group_of(mine.begin); c <= store.group_of(mine.end - 1); ++c)
    for (Index r = store.group_of(block.rows.begin); r <= store.group_of(block.rows.end - 1); ++r) {
      if (!store.holds_values(store.window(r, c))) continue;
      auto lease = store.windows().acquire(store.window(r, c), Access::write);
      if (!lease) throw Failure(lease.error());
      Real* const values = lease->template write<Real>().data();
      const Interval own = store.slices_of(c), panels = store.panels_of(r);
      for (Index j = own.begin; j < own.end; ++j)
        for (Index panel = panels.begin; panel < panels.end; ++panel)
          slices.fill(j, panel, values + store.offset(slices, j, panel),
                      [&](Index i, Index k) { return block.at(i, first + j) + (k - block.first(i, first + j)); });
    }
}

Error stopped() {
  return make_error(ErrorCode::stopped, "Stopped during assembly.");
}

}  // namespace

struct Assembly::Tiles {
  TileContext context;
  std::vector<TilePair> pairs;
  std::mutex mutex;
  std::map<int, std::vector<std::unique_ptr<DeviceTiles>>>
      devices;  ///< by the worker's number, while tiles are assembled

  explicit Tiles(TileContext c) : context(std::move(c)) {}

  /// What each of the threads has that feed a device, `threads` at most; null: they compute as others do.
  std::vector<DeviceTiles*> device_of(DeviceWorker& worker, int threads) {
    const std::scoped_lock lock(mutex);
    auto& mine = devices[worker.index()];
    if (mine.empty() && worker.memory() >= DeviceTiles::least(context.surface)) {
      const Bytes memory = worker.memory();
      const int feeders =
          DeviceTiles::feeders(context.surface, context.form, tile_memory(context.surface.unknowns), memory, threads);
      for (int f = 0; f < feeders; ++f)
        mine.push_back(std::make_unique<DeviceTiles>(worker.device(), context, memory / static_cast<Bytes>(feeders)));
    }
    std::vector<DeviceTiles*> out;
    for (const auto& tiles : mine) out.push_back(tiles.get());
    if (out.empty()) out.assign(static_cast<std::size_t>(std::max(threads, 1)), nullptr);
    return out;
  }

  /// Runs the tiles in batches on the team, so that progress is told and a stop is seen in between. `after_batch`: of several ranks, which all
  /// have as many batches then.
  Status run(std::string_view name, const std::vector<Index>& chosen, Team& team, Progress& progress,
             const std::stop_token& stop, const TilePhase::Body& body, const std::function<void(TileSpace&)>& collect,
             const TilePhase::Devices& on_devices = {}, Communicator* cluster = nullptr,
             const std::function<void()>& after_batch = {}) {
    const auto total = static_cast<Index>(chosen.size());
    const Index batch = std::max<Index>(total / 40, 4 * team.threads());
    Index batches = (total + batch - 1) / batch;
    if (after_batch) batches = static_cast<Index>(cluster->maximum(static_cast<double>(batches)));
    progress.begin(name, total, "tiles");
    for (Index b = 0; b < batches; ++b) {
      const Interval some{total * b / batches, total * (b + 1) / batches};
      if (!some.empty()) {
        TilePhase phase(
            name, some,
            [&](Index k, TileSpace& space, DeviceTiles* device) {
              body(chosen[static_cast<std::size_t>(k)], space, device);
            },
            on_devices);
        team.run(phase, stop);
        if (stop.stop_requested()) return stopped();
        for (TileSpace& s : phase.spaces()) collect(s);
      }
      if (after_batch) after_batch();
      progress.at(some.end);
    }
    progress.end();
    return {};
  }
};

int splits_for(double thinness) {
  constexpr double edge = 1.74;  // of an equilateral triangle, over its radius
  return std::clamp(static_cast<int>(std::ceil(std::log2(edge / (2 * std::max(thinness, 1e-3))))), 1, 4);
}

Interval share_of_slices(std::span<const double> weights, int rank, int ranks) {
  const double whole = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto count = static_cast<Index>(weights.size());
  // A cut falls where the sum comes closest to the rank's part of the whole.
  const auto cut = [&](int k) {
    if (k == ranks) return count;
    const double wanted = whole * k / ranks;
    double sum = 0;
    Index j = 0;
    for (; j < count && sum + weights[static_cast<std::size_t>(j)] / 2 < wanted; ++j)
      sum += weights[static_cast<std::size_t>(j)];
    return j;
  };
  return {cut(rank), cut(rank + 1)};
}

double BlockPattern::pairs() const {
  double sum = 0;
  for (Index a = 0; a < clusters(); ++a)
    for (Index b = 0; b < clusters(); ++b)
      if (wants(a, b)) sum += static_cast<double>(of(a).size()) * static_cast<double>(of(b).size());
  return sum;
}

std::vector<double> BlockPattern::slice_pairs() const {
  std::vector<double> out;
  for (Index b = 0; b < clusters(); ++b) {
    double rows = 0;
    for (Index a = 0; a < clusters(); ++a) rows += wants(a, b) ? static_cast<double>(of(a).size()) : 0;
    out.insert(out.end(), static_cast<std::size_t>(of(b).size()), rows);
  }
  return out;
}

void Extents::lay_out(Index count, const BlockPattern* blocks) {
  unknowns = count;
  std::size_t entries = static_cast<std::size_t>(count * count);
  if (blocks != nullptr) {
    pattern = *blocks;
    entries = 0;
    for (Index c = 0; c < pattern.clusters(); ++c) {
      cluster.insert(cluster.end(), static_cast<std::size_t>(pattern.of(c).size()), static_cast<std::int32_t>(c));
      for (Index r = 0; r < pattern.clusters(); ++r) {
        block.push_back(entries);
        if (pattern.wants(c, r)) entries += static_cast<std::size_t>(pattern.of(c).size() * pattern.of(r).size());
      }
    }
  }
  first.assign(entries, std::numeric_limits<std::uint16_t>::max());
  last.assign(entries, 0);
}

void Extents::slice(Index j, std::vector<std::uint16_t>& first_of, std::vector<std::uint16_t>& last_of) const {
  first_of.assign(static_cast<std::size_t>(unknowns), 1);
  last_of.assign(first_of.size(), 0);
  const auto rows = [&](Interval some) {
    const std::size_t from = entry(some.begin, j);
    for (Index i = some.begin; i < some.end; ++i) {
      const auto k = static_cast<std::size_t>(i), e = from + static_cast<std::size_t>(i - some.begin);
      first_of[k] = std::max<std::uint16_t>(first[e], 1);
      last_of[k] = last[e];
    }
  };
  if (cluster.empty()) return rows({0, unknowns});
  const Index c = cluster[static_cast<std::size_t>(j)];
  for (Index r = 0; r < pattern.clusters(); ++r)
    if (pattern.wants(c, r) && !pattern.of(r).empty()) rows(pattern.of(r));
}

Assembly::Assembly(const Surface& surface, Form form, AssemblyOptions options, Communicator* cluster,
                   const BlockPattern* pattern)
    : surface_(surface), form_(form), options_(options),
      cluster_(cluster != nullptr && cluster->size() > 1 ? cluster : nullptr), own_{0, surface.unknowns} {
  if (surface.has_walls()) options_.lag2 = false;  // M_0 is far from symmetric there: it is solved as it is
  tiles_ = std::make_unique<Tiles>(tile_context(surface, form, options));
  if (pattern != nullptr) {
    pattern_ = *pattern;
    cut_pattern();
    if (cluster_ != nullptr) cut_slices(pattern_.slice_pairs(), 1);
  } else {
    cut_tiles();
  }
}

/// A cluster of rows and as many clusters behind each other as are wanted with it, up to a window's columns.
void Assembly::cut_pattern() {
  const Index clusters = pattern_.clusters(), most = window_group(surface_.unknowns);
  for (Index a = 0; a < clusters; ++a) {
    const Interval rows = pattern_.of(a);
    if (rows.empty()) continue;
    if (pattern_.wants(a, a)) tiles_->pairs.push_back({rows, rows});
    Interval cols;
    const auto close = [&] {
      if (!cols.empty()) tiles_->pairs.push_back({rows, cols});
      cols = {};
    };
    for (Index b = a + 1; b < clusters; ++b) {
      const Interval more = pattern_.of(b);
      if (more.empty()) continue;
      if (!pattern_.wants(a, b) || cols.size() + more.size() > most) close();
      if (!pattern_.wants(a, b)) continue;
      if (cols.empty()) cols.begin = more.begin;
      cols.end = more.end;
    }
    close();
  }
}

void Assembly::cut_tiles() {
  const Surface& surface = surface_;
  const double delta = shortest_delta(surface, form_);
  const double gap = surface.filled() ? 0.5 * surface.diameter * (1 / delta - 1 / longest_delta(surface, form_)) : 0;
  // Tiles of whole panels: long enough that triangles on the borders, computed twice, are few; short enough that a
  // thread's double buffers stay within about 100 MB.
  const double length = 4 * surface.mean_edge / delta + 4 + gap;
  const Index N = surface.unknowns;
  const Index rows = window_group(N);
  const auto fit = static_cast<Index>(48e6 / (8 * length * static_cast<double>(rows))) / rows * rows;
  // Of several ranks, square: long ones would nearly all hold slices of two ranks.
  const Index cols = std::clamp<Index>(N < 2048 || cluster_ != nullptr ? rows : fit, rows, 8 * rows);
  for (Index r = 0; r < N; r += rows) {
    const Interval row_range{r, std::min(r + rows, N)};
    tiles_->pairs.push_back({row_range, row_range});
    for (Index c = row_range.end; c < N; c += cols) tiles_->pairs.push_back({row_range, {c, std::min(c + cols, N)}});
  }
}

Assembly::~Assembly() = default;

Status Assembly::find_extents(Team& team, Progress& progress, const std::stop_token& stop) {
  extents_ = {};
  extents_.lay_out(surface_.unknowns, pattern_.begin.empty() ? nullptr : &pattern_);
  const TileContext& context = tiles_->context;
  const auto body = [&](Index k, TileSpace& space, DeviceTiles*) {
    const TilePair& p = tiles_->pairs[static_cast<std::size_t>(k)];
    sweep_extents(context, space, p.rows, p.cols, extents_, stop);
    if (!(p.rows == p.cols)) sweep_extents(context, space, p.cols, p.rows, extents_, stop);
    if (!form_.combined() || !options_.lag2) return;
    for (Index j = p.cols.begin; j < p.cols.end; ++j)  // lag 2 writes to columns 1 and 2
      for (Index i = p.rows.begin; i < p.rows.end; ++i)
        for (const std::size_t e : {extents_.entry(i, j), extents_.entry(j, i)})
          if (extents_.first[e] == 0) extents_.last[e] = std::max<std::uint16_t>(extents_.last[e], 2);
  };
  // Ranks take tiles in turn; of a pattern, whose slices are shared out already, those of their own slices.
  const bool by_slices = !pattern_.begin.empty();
  std::vector<Index> chosen = by_slices ? own_tiles() : std::vector<Index>{};
  const auto rank = static_cast<Index>(cluster_ != nullptr ? cluster_->rank() : 0),
             ranks = static_cast<Index>(cluster_ != nullptr ? cluster_->size() : 1);
  for (Index k = rank; k < static_cast<Index>(tiles_->pairs.size()) && !by_slices; k += ranks) chosen.push_back(k);
  if (Status s = tiles_->run("row extents", chosen, team, progress, stop, body, [](TileSpace&) {}); !s) return s;
  if (cluster_ != nullptr && !by_slices) join_extents();
  return {};
}

std::vector<Index> Assembly::own_tiles() const {
  const auto meets = [&](Interval i) { return i.begin < own_.end && own_.begin < i.end; };
  std::vector<Index> out;
  for (std::size_t k = 0; k < tiles_->pairs.size(); ++k)
    if (meets(tiles_->pairs[k].rows) || meets(tiles_->pairs[k].cols)) out.push_back(static_cast<Index>(k));
  return out;
}

/// Those of all tiles that this rank computes.
std::vector<Index> Assembly::computed_tiles() const {
  const std::vector<int> by = ranks_of_tiles(tiles_->pairs, cuts_);
  std::vector<Index> out;
  for (std::size_t k = 0; k < by.size(); ++k)
    if (by[k] == cluster_->rank()) out.push_back(static_cast<Index>(k));
  return out;
}

/// Each rank tells the others what it has found of its tiles, 8 bytes a pair of mirror entries.
void Assembly::join_extents() {
  std::vector<std::uint16_t> packed;
  const auto ranks = static_cast<std::size_t>(cluster_->size());
  for (std::size_t k = 0; k < tiles_->pairs.size(); ++k) {
    const TilePair& p = tiles_->pairs[k];
    const auto owner = static_cast<int>(k % ranks);
    const auto values = static_cast<std::size_t>(p.rows.size() * p.cols.size());
    packed.resize((p.rows == p.cols ? 2 : 4) * values);
    std::size_t at = 0;
    const auto part = [&](Interval rows, Interval cols) {
      for (Index j = cols.begin; j < cols.end; ++j) {
        const std::size_t from = extents_.entry(rows.begin, j);
        const auto size = static_cast<std::size_t>(rows.size());
        for (std::vector<std::uint16_t>* all : {&extents_.first, &extents_.last}) {
          std::uint16_t* const here = all->data() + from;
          if (owner == cluster_->rank())
            std::copy_n(here, size, packed.data() + at);
          else
            std::copy_n(packed.data() + at, size, here);
          at += size;
        }
      }
    };
    const auto whole = [&] {
      at = 0;
      part(p.rows, p.cols);
      if (!(p.rows == p.cols)) part(p.cols, p.rows);
    };
    if (owner == cluster_->rank()) whole();
    cluster_->broadcast(std::as_writable_bytes(std::span(packed)), owner);
    if (owner != cluster_->rank()) whole();
  }
  share_slices(1);
}

/// As many values each; shares begin at multiples of `group`.
void Assembly::share_slices(Index group) {
  const Index N = extents_.unknowns;
  std::vector<double> weights(static_cast<std::size_t>((N + group - 1) / group), 0);
  for (Index j = 0; j < N; ++j) {
    Index sum = 0;
    for (std::size_t e = extents_.entry(0, j), end = e + static_cast<std::size_t>(N); e < end; ++e)
      sum += std::max(static_cast<int>(extents_.last[e]) - std::max<int>(extents_.first[e], 1) + 1, 0);
    weights[static_cast<std::size_t>(j / group)] += static_cast<double>(sum);
  }
  cut_slices(weights, group);
}

/// `weights`: of each group of slices.
void Assembly::cut_slices(std::span<const double> weights, Index group) {
  cuts_.clear();
  for (int r = 0; r < cluster_->size(); ++r)
    cuts_.push_back(std::min(share_of_slices(weights, r, cluster_->size()).begin * group, surface_.unknowns));
  cuts_.push_back(surface_.unknowns);
  const auto r = static_cast<std::size_t>(cluster_->rank());
  own_ = {cuts_[r], cuts_[r + 1]};
}

void Assembly::stream_values(std::function<Bytes()> window_memory, std::filesystem::path file) {
  window_memory_ = std::move(window_memory);
  window_file_ = std::move(file);
  if (cluster_ != nullptr) share_slices(window_group(surface_.unknowns));  // a window is written and read by one rank
}

Bytes Assembly::slice_bytes(std::size_t bytes_per_value, Team& team) const {
  const bool all = pattern_.begin.empty();
  std::vector<Bytes> values(static_cast<std::size_t>(own_.size())), rows(values);
  // All entries are gone through: pages of them, at large sizes.
  const double entries = static_cast<double>(extents_.first.size());
  for_range(team, "row extents", own_.size(), 16, 1e-9 * entries, [&](Interval some) {
    std::vector<std::uint16_t> first, last;
    for (auto k = static_cast<std::size_t>(some.begin); k < static_cast<std::size_t>(some.end); ++k) {
      extents_.slice(own_.begin + static_cast<Index>(k), first, last);
      for (std::size_t i = 0; i < first.size(); ++i) {
        if (last[i] < first[i]) continue;
        values[k] += static_cast<Bytes>(last[i] - first[i]) + 1;
        ++rows[k];
      }
    }
  });
  const auto sum = [](const std::vector<Bytes>& v) { return std::accumulate(v.begin(), v.end(), Bytes{0}); };
  const auto panels = static_cast<Bytes>((extents_.unknowns + panel_rows - 1) / panel_rows * own_.size());
  // A few zeros fill up groups of rows; panels take so much whether they hold values or not.
  return sum(values) * bytes_per_value * 26 / 25 + sum(rows) * 3 + panels * (all ? 0 : sizeof(Panel));
}

/// The structure of every slice from the extents, without column 0, and memory or a file for its values.
template <class Real>
Status Assembly::lay_out(Matrices<Real>& out, Team& team, const std::stop_token& stop) const {
  const Index N = surface_.unknowns;
  // Values are zeroed by the threads too, each page by the one that makes its slice.
  const double cost = 5e-8 * static_cast<double>(own_.size()) * static_cast<double>(N);
  for_range(team, "row extents", own_.size(), 16, cost, [&](Interval some) {
    std::vector<std::uint16_t> first, last;
    for (Index j = some.begin; j < some.end && !stop.stop_requested(); ++j) {
      extents_.slice(own_.begin + j, first, last);
      out.slices.lay_out(j, first, last);
      if (!window_memory_) out.slices.allocate(j);
    }
  });
  if (stop.stop_requested()) return stopped();
  if (window_memory_ && !own_.empty()) {
    auto store = SliceStore<Real>::create(out.slices, window_group(N), window_file_, window_memory_());
    if (!store) return store.error();
    out.slices.stream_through(std::move(*store));
  }
  return {};
}

/// Column 0 of all ranks, and what is told of it: added in the order of the tiles and their pieces.
template <class Real>
void Assembly::close_m0(Matrices<Real>& out, std::vector<Eigen::Triplet<double>>& m0,
                        std::vector<Squares>& squares_of) const {
  if (cluster_ != nullptr) {
    struct Entry {
      int row, column;
      double value;
    };
    std::vector<Entry> mine;
    mine.reserve(m0.size());
    for (const auto& t : m0) mine.push_back({t.row(), t.col(), t.value()});
    m0.clear();
    for (const Entry& e : cluster_->all_gather_values<Entry>(mine)) m0.emplace_back(e.row, e.column, e.value);
    std::vector<double> joined;  // what is told of a tile is the same on all ranks that computed it
    for (const Squares& s : squares_of) joined.insert(joined.end(), {s.skew, s.all, s.evaluations});
    cluster_->maximum(joined);
    for (std::size_t k = 0; k < squares_of.size(); ++k)
      squares_of[k] = {joined[3 * k], joined[3 * k + 1], joined[3 * k + 2]};
    out.seconds = cluster_->sum(out.seconds);
  }
  out.M0.setFromTriplets(m0.begin(), m0.end());
  double skew_squares = 0, squares = 0;
  for (const Squares& s : squares_of) {
    skew_squares += s.skew;
    squares += s.all;
    out.evaluations += static_cast<std::uint64_t>(s.evaluations);
  }
  for (const double d : Eigen::VectorXd(out.M0.diagonal())) squares += d * d;
  out.skew = squares > 0 ? std::sqrt(skew_squares / squares) : 0;
}

template <class Real>
Matrices<Real> Assembly::empty_matrices() const {
  const Index N = surface_.unknowns;
  return {form_, SparseMatrix(N, N), Slices<Real>(N, own_.size(), own_.begin), 0, 0, 0};
}

/// M_0 = S + A: keep S; a^n ≈ 2a^{n−1} − a^{n−2} in the skew part: M_1 += 2A, M_2 −= A.
void Assembly::symmetrise(Block& block, Block& mirror, Squares& told) const {
  const bool diagonal = block.rows == block.cols;
  for (Index j = block.cols.begin; j < block.cols.end; ++j)
    for (Index i = block.rows.begin; i < (diagonal ? j : block.rows.end); ++i) {
      if (block.first(i, j) != 0) continue;
      double* const u = block.at(i, j);
      double* const v = mirror.at(j, i);
      const double skew = 0.5 * (u[0] - v[0]);
      told.skew += 2 * skew * skew;
      told.all += u[0] * u[0] + v[0] * v[0];
      if (!form_.combined() || !options_.lag2) continue;
      u[0] = v[0] = 0.5 * (u[0] + v[0]);
      u[1] += 2 * skew, u[2] -= skew;
      v[1] -= 2 * skew, v[2] += skew;
    }
}

template <class Real>
Result<Matrices<Real>> Assembly::assemble(Team& team, Progress& progress, const std::stop_token& stop) {
  auto out = empty_matrices<Real>();
  const TileContext& context = tiles_->context;

  if (Status s = lay_out(out, team, stop); !s) return s.error();

  // Tiles with slices of several ranks are computed by one of them; not those of windows, which are written whole.
  std::optional<TileExchange<Real>> exchange;
  if (cluster_ != nullptr && !window_memory_) exchange.emplace(extents_, cuts_, *cluster_);
  const auto fill_rows = [&](Index j, Interval rows, auto&& source) {
    for (Index panel = out.slices.panel_of(rows.begin);
         panel < out.slices.panels() && out.slices.panel(panel).begin < rows.end; ++panel)
      out.slices.fill_rows(j - own_.begin, panel, rows, source);
  };
  const auto keep = [&](Block& block, TileSpace& space) {
    if (out.slices.streams()) write_windows(out.slices, block);
    if (exchange) exchange->put(block);
    const Interval mine{std::max(block.cols.begin, own_.begin), std::min(block.cols.end, own_.end)};
    for (Index j = mine.begin; j < mine.end && !out.slices.streams(); ++j)
      fill_rows(j, block.rows, [&](Index i, Index k) { return block.at(i, j) + (k - block.first(i, j)); });
    const Interval told = exchange ? block.cols : mine;
    for (Index j = told.begin; j < told.end; ++j)
      for (Index i = block.rows.begin; i < block.rows.end; ++i)
        if (block.first(i, j) == 0) space.m0.emplace_back(static_cast<int>(i), static_cast<int>(j), *block.at(i, j));
  };
  const auto take = [&](const typename TileExchange<Real>::Column& c) {
    fill_rows(c.j, c.rows, [&](Index i, Index k) { return c.at(i, k); });
  };
  const std::vector<Piece> pieces =
      cut_pieces(tiles_->pairs, exchange ? computed_tiles() : own_tiles(), window_memory_ != nullptr, team);
  std::vector<Squares> squares_of(pieces.size());
  const auto body = [&](Index k, TileSpace& space, DeviceTiles* device) {
    const FlushSubnormals flush;
    Squares& mine = squares_of[static_cast<std::size_t>(k)];
    const double begin = thread_seconds();
    const std::uint64_t before = space.evaluations;
    const Piece& p = pieces[static_cast<std::size_t>(k)];
    const bool diagonal = p.rows == p.cols;
    Block& block = space.block;
    Block& mirror = diagonal ? space.block : space.mirror;
    block.reset(p.rows, p.cols, extents_);
    if (!diagonal) mirror.reset(p.cols, p.rows, extents_);
    if (device == nullptr || !device->sweep(block, mirror, space.evaluations, stop)) {
      sweep_pairs(context, space, block, mirror, stop);
      if (!diagonal) sweep_pairs(context, space, mirror, block, stop);
    }
    if (stop.stop_requested()) return;
    add_mass(context, block);
    if (!diagonal) add_mass(context, mirror);
    symmetrise(block, mirror, mine);
    keep(block, space);
    if (!diagonal) keep(mirror, space);
    mine.evaluations = static_cast<double>(space.evaluations - before);
    space.seconds += thread_seconds() - begin;
  };
  std::vector<Eigen::Triplet<double>> m0;
  std::vector<Index> chosen(pieces.size());
  std::iota(chosen.begin(), chosen.end(), Index{0});
  TilePhase::Devices on_devices;
  if (DeviceTiles::takes(surface_))
    on_devices = [&](DeviceWorker& worker) {
      return tiles_->device_of(worker, team.workers()[static_cast<std::size_t>(worker.index())].threads);
    };
  const Status status = tiles_->run(
      "assembly", chosen, team, progress, stop, body,
      [&](TileSpace& s) {
        m0.insert(m0.end(), s.m0.begin(), s.m0.end());
        out.seconds += s.seconds;
      },
      on_devices, cluster_, exchange ? std::function<void()>([&] { exchange->pass(team, take); }) : nullptr);
  tiles_->devices.clear();  // the march needs the memory
  if (!status) return status.error();
  if (exchange) exchange->take_in(team, take);
  extents_ = {};
  if (out.slices.streams()) {
    if (const Status s = out.slices.store().windows().flush(); !s) return s.error();
  }
  std::vector<Squares> of_tiles(tiles_->pairs.size());
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    Squares& all = of_tiles[static_cast<std::size_t>(pieces[k].tile)];
    all = {all.skew + squares_of[k].skew, all.all + squares_of[k].all, all.evaluations + squares_of[k].evaluations};
  }
  close_m0(out, m0, of_tiles);
  add_memory_columns(out, surface_, options_, pattern_, own_, team, stop);
  if (stop.stop_requested()) return stopped();
  return out;
}

template <class Real>
Matrices<Real> assemble_all(const Surface& surface, const Form& form, const AssemblyOptions& options, Team& team) {
  Assembly assembly(surface, form, options);
  NoProgress quiet;
  assembly.find_extents(team, quiet, {}).or_throw();
  return std::move(*assembly.assemble<Real>(team, quiet, {}));
}

template <class Real>
Eigen::MatrixXd dense_matrix(const Matrices<Real>& matrices, Index k) {
  if (k == 0) return Eigen::MatrixXd(matrices.M0);
  const Index N = matrices.slices.count();
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(N, N);
  for (Index j = 0; j < N; ++j)
    matrices.slices.for_each_row(j, [&](Index i, Index start, std::span<const Real> v) {
      const Index d = k - start;
      if (d >= 0 && d < static_cast<Index>(v.size())) out(i, j) = static_cast<double>(v[static_cast<std::size_t>(d)]);
    });
  return out;
}

template Result<Matrices<float>> Assembly::assemble<float>(Team&, Progress&, const std::stop_token&);
template Result<Matrices<double>> Assembly::assemble<double>(Team&, Progress&, const std::stop_token&);
template Matrices<float> assemble_all(const Surface&, const Form&, const AssemblyOptions&, Team&);
template Matrices<double> assemble_all(const Surface&, const Form&, const AssemblyOptions&, Team&);
template Eigen::MatrixXd dense_matrix(const Matrices<float>&, Index);
template Eigen::MatrixXd dense_matrix(const Matrices<double>&, Index);

}  // namespace conoid::acoustic_bem
