// SPDX-License-Identifier: BSD-3-Clause
// Slabs of y on devices, in core or as windows of planes over the host's memory.
#include "engine/solvers/acoustic_fd/device_steps.hpp"

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_fd/cuda/advance_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_arguments.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

constexpr Index pad = 16;            // values before the first cell of a row, as in Layout
constexpr Index longest_band = 128;  // steps of a window
constexpr Index steps_together =
    16;  // in core: what the host waits for at a time; of several devices: between exchanges

constexpr Index bands_together = 8;  // of towers: they overlap

unsigned blocks(Index n, Index each) {
  return static_cast<unsigned>((n + each - 1) / each);
}

/// What a launch of towers has to know of their shape.
struct TowerPlan {
  int levels, rows, fours, rim, threads;
  Bytes shared;
};
template <int R>
constexpr TowerPlan plan_of() {
  using S = TowerOf<R>;
  return {S::levels, S::tile_rows, S::tile_fours, S::rim, S::threads, static_cast<Bytes>(S::shared)};
}
constexpr TowerPlan tower_plans[] = {plan_of<1>(), plan_of<2>(), plan_of<3>(), plan_of<4>(), plan_of<5>(), plan_of<6>()};

/// Steps between two exchanges of devices that share the rows.
Index shared_band(const Problem& problem, int devices) {
  const Index s = problem.order / 2, thinnest = problem.grid.points[1] / devices;
  return std::clamp<Index>(thinnest / (4 * s), 1, steps_together);
}

Interval rows_of(const Problem& problem, int device, int devices) {
  const Index n = problem.grid.points[1];
  return {n * device / devices, n * (device + 1) / devices};
}

/// Planes and rows on one device.
class Slice {
 public:
  /// `beside`: rows of neighbours that are held below and above. `planes` and the first of them: all of the grid, or a window.
  Slice(const Problem& problem, Field<float>& host, Device device, Interval rows, Index below, Index above,
        Index planes)
      : problem_(problem), host_(host), device_(std::move(device)), stream_(device_.stream()), rows_(rows),
        below_(below), above_(above), s_(host.stencil().radius),
        at_(0, planes, rows.size() + below + above, problem.grid.points[2], host.stencil().radius) {
    // A window has no halo of its own: its planes count from −s as those of a whole grid do.
    const auto count = static_cast<std::size_t>(at_.count);
    for (std::size_t l = 0; l < 2; ++l) level_[l] = device_.allocate<float>(count, "pressure");
    a_ = device_.allocate<float>(
        host.medium_varies() ? count : static_cast<std::size_t>((at_.nz + pad - 1) / pad * pad + 4 * pad),
        "medium");  // a row as the host has it
    if (host.potential()) v_ = device_.allocate<float>(count, "density");
    std::vector<float> sigma;
    const auto whole_fours = [&] { sigma.resize((sigma.size() + 3) / 4 * 4, 0.0F); };
    for (std::size_t a = 0; a < 3; ++a) {
      sigma_at_[a] = sigma.size();
      const auto& of = host.sigma(a);
      const Index nodes = problem.grid.points[a], middle = nodes / 2;
      Index low = 0, high = nodes;
      for (Index i = 0; i < nodes; ++i)
        if (of[static_cast<std::size_t>(i)] != 0) (i < middle ? low : high) = i < middle ? i + 1 : std::min(high, i);
      core_[2 * a] = static_cast<int>(low);
      core_[2 * a + 1] = static_cast<int>(high);
      sigma.insert(sigma.end(), host.sigma(a).begin(), host.sigma(a).end());
      whole_fours();
    }
    sigma_ = device_.allocate<float>(sigma.size() + 4, "sponges");
    sigma.resize(sigma.size() + 4, 0.0F);
    stream_.to_device(sigma_, std::span<const float>(sigma));
    if (!host.medium_varies()) stream_.to_device(a_, std::span<const float>(host.medium(), a_.size()));
    advance_ = device_.kernel<AdvanceArguments>(
        fmt::format("acoustic-fd/advance<{}{}>", s_, host.unequal() ? ",unequal" : ""));
    inject_ = device_.kernel<PointArguments>("acoustic-fd/inject");
    record_ = device_.kernel<PointArguments>("acoustic-fd/record");
    mirror_ = device_.kernel<MirrorArguments>("acoustic-fd/mirror");
    for (std::size_t a = 0; a < 3; ++a) {
      const auto& memory = host.layer_memory(a);
      if (memory.count() == 0) continue;
      verify(rows.size() == problem.grid.points[1] && planes == problem.grid.points[0], "matched layers lie whole on one device");
      layered_ = true;
      for (auto& m : memory_[a]) m = device_.allocate<float>(memory.count(), "matched layers");
      std::vector<float> factors;
      for (const auto& f : memory.factor) factors.insert(factors.end(), f.begin(), f.end());
      factors_[a] = device_.allocate<float>(factors.size(), "matched layers");
      stream_.to_device(factors_[a], std::span<const float>(factors));
      stream_.synchronize();
    }
    if (layered_) matched_ = device_.kernel<MatchedArguments>("acoustic-fd/matched");
    plan_ = tower_plans[s_ - 1];
    towers_possible_ = !layered_ && !host.unequal() && !host.potential() && device_.info().shared_per_block >= plan_.shared + 1024 &&
                       at_.nz > 0 && rows.size() == problem.grid.points[1] && planes == problem.grid.points[0];
    if (towers_possible_) tower_ = device_.kernel<TowerArguments>(fmt::format("acoustic-fd/tower<{}>", s_));
    stream_.synchronize();
    place_points();
  }

  /// Steps of a band of towers; 0: this grid, or this device, has none.
  [[nodiscard]] Index tower_steps() const { return towers_possible_ ? plan_.levels : 0; }
  /// Bands of towers from update k on, sources, images and receivers included; after begin_band().
  void towers(Index k, Index bands) {
    const auto& n = problem_.grid.points;
    const Index lean_y = s_ * (plan_.levels - 1), lean_z = Index{4} * plan_.rim * (plan_.levels - 1);
    const Index tile_z = Index{4} * plan_.fours;
    TowerArguments t;
    t.even = level_[static_cast<std::size_t>(k & 1)].data() + at_.origin;
    t.odd = level_[static_cast<std::size_t>((k + 1) & 1)].data() + at_.origin;
    t.a = host_.medium_varies() ? a_.data() + at_.origin : a_.data();
    t.stride_x = at_.stride_x;
    t.stride_y = at_.stride_y;
    t.a_stride_x = host_.medium_varies() ? at_.stride_x : 0;
    t.a_stride_y = host_.medium_varies() ? at_.stride_y : 0;
    t.nx = static_cast<int>(n[0]);
    t.ny = static_cast<int>(n[1]);
    t.nz = static_cast<int>(n[2]);
    t.bands = static_cast<int>(bands);
    t.rows = static_cast<int>((n[1] + lean_y + plan_.rows - 1) / plan_.rows);
    t.columns = static_cast<int>((n[2] + lean_z + tile_z - 1) / tile_z);
    t.first_y = static_cast<int>(-lean_y);
    // Rows that begin on 128 bytes where that costs no tile more.
    const Index aligned = (lean_z + 31) / 32 * 32;
    t.first_z = static_cast<int>(-(t.columns * tile_z >= n[2] + aligned ? aligned : lean_z));
    const RowWeights<float>& w = host_.weights();
    t.centre = w.centre;
    for (Index i = 1; i <= s_; ++i) t.weight[i] = w.equal[i];
    for (std::size_t f = 0; f < 6; ++f) {
      t.sign[f] = static_cast<float>(problem_.faces[f].image_sign());
      t.core[f] = core_[f];
    }
    t.sigma_x = sigma_.data();
    t.sigma_y = sigma_.data() + sigma_at_[1];
    t.sigma_z = sigma_.data() + sigma_at_[2];
    const std::size_t number = static_cast<std::size_t>(t.rows) * static_cast<std::size_t>(t.columns) *
                               static_cast<std::size_t>(bands);
    if (progress_.size() < number + 1) progress_ = device_.allocate<unsigned>(number + 1, "progress of towers");
    stream_.zero(progress_);
    t.ticket = progress_.data();
    t.done = progress_.data() + 1;
    if (!busy_.empty()) {
      point_data_.values = values_.data();
      point_data_.contributions = static_cast<std::int64_t>(parts_.size());
      point_data_.out = traces_.data();
      point_data_.receiver_count = static_cast<std::int64_t>(receiver_count_);
      records_.assign(static_cast<std::size_t>(bands * plan_.levels), -1);
      for (std::size_t i = 0; i < recorded_.size(); ++i)
        if (recorded_[i] >= k && recorded_[i] < k + bands * plan_.levels)
          records_[static_cast<std::size_t>(recorded_[i] - k)] = static_cast<int>(i);
      point_data_.values += (k - band_) * point_data_.contributions;
      if (record_of_step_.size() < records_.size())
        record_of_step_ = device_.allocate<int>(records_.size(), "receivers");
      stream_.to_device(record_of_step_, std::span<const int>(records_));
      point_data_.record = record_of_step_.data();
      if (points_.empty()) points_ = device_.allocate<TowerPoints>(1, "points");
      stream_.to_device(points_, std::span<const TowerPoints>(&point_data_, 1));
      t.busy = busy_.data();
      t.points = points_.data();
    }
    LaunchShape shape;
    shape.block = {static_cast<unsigned>(plan_.threads), 1, 1};
    shape.shared = plan_.shared;
    shape.cooperative = true;  // towers wait for each other
    const auto at_once = static_cast<std::size_t>(device_.info().multiprocessors);
    shape.grid = {static_cast<unsigned>(std::min(number, at_once)), 1, 1};
    stream_.launch(tower_, shape, t);
    images(level_[static_cast<std::size_t>((k + bands * plan_.levels) & 1)].data() + at_.origin, {0, n[0]}, rows_);
  }

  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] Stream& stream() { return stream_; }
  [[nodiscard]] Interval rows() const { return rows_; }
  [[nodiscard]] Interval held() const { return {rows_.begin - below_, rows_.end + above_}; }
  [[nodiscard]] Index planes() const { return at_.nx; }
  [[nodiscard]] std::size_t plane_values() const { return static_cast<std::size_t>(at_.stride_x); }
  [[nodiscard]] Bytes bytes() const {
    std::size_t layers = 0;
    for (const auto& axis : memory_) layers += 3 * axis[0].size();
    return (level_[0].size() + level_[1].size() + a_.size() + v_.size() + sigma_.size() + layers) * sizeof(float);
  }
  /// Arrays that come with a plane: the levels, the medium and the density where they vary.
  [[nodiscard]] std::size_t arrays() const {
    return 2 + (host_.medium_varies() ? 1U : 0U) + (host_.potential() ? 1U : 0U);
  }
  [[nodiscard]] const DeviceBuffer<float>& array(std::size_t n) const {
    return n < 2 ? level_[n] : n == 2 && host_.medium_varies() ? a_ : v_;
  }
  [[nodiscard]] const float* host_array(std::size_t n) const {
    return n < 2                             ? host_.level(static_cast<Index>(n))
           : n == 2 && host_.medium_varies() ? host_.medium()
                                             : host_.potential();
  }
  /// Where plane `global` lies in the buffers.
  [[nodiscard]] std::size_t plane_at(Index global) const {
    return static_cast<std::size_t>(at_.at(global - first_, -s_) - pad);
  }
  void begin_at(Index first) { first_ = first; }
  [[nodiscard]] Index first() const { return first_; }
  /// Values of the host's plane that this slice holds: position and count.
  [[nodiscard]] std::pair<Index, Index> host_plane(Index global) const {
    const Layout& h = host_.at();
    return {h.at(global, held().begin - s_) - pad, (held().size() + 2 * s_) * h.stride_y};
  }

  /// Levels (and the medium) of rows of the host, plane by plane.
  void send(Interval planes, Interval rows, bool medium) {
    const Layout& h = host_.at();
    for (std::size_t n = 0; n < (medium ? arrays() : 2); ++n)
      for (Index x = planes.begin; x < planes.end; ++x) {
        const Index count = rows.size() * h.stride_y;
        stream_.to_device(
            array(n),
            std::span<const float>(host_array(n) + h.at(x, rows.begin) - pad, static_cast<std::size_t>(count)),
            static_cast<std::size_t>(at_.at(x - first_, rows.begin - held().begin) - pad));
      }
  }
  void fetch(Interval planes, Interval rows) {
    const Layout& h = host_.at();
    for (Index n = 0; n < 2; ++n)
      for (Index x = planes.begin; x < planes.end; ++x)
        stream_.to_host(std::span<float>(host_.level(n) + h.at(x, rows.begin) - pad,
                                         static_cast<std::size_t>(rows.size() * h.stride_y)),
                        level_[static_cast<std::size_t>(n)],
                        static_cast<std::size_t>(at_.at(x - first_, rows.begin - held().begin) - pad));
  }

  /// The memory of the matched layers, of which the host has the same arrays.
  void send_layers() {
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t i = 0; i < 3; ++i)
        if (const auto& m = host_.layer_memory(a); m.count() > 0)
          stream_.to_device(memory_[a][i], std::span<const float>(m.block[i].data(), m.count()));
  }
  void fetch_layers() {
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t i = 0; i < 3; ++i)
        if (const auto& m = host_.layer_memory(a); m.count() > 0)
          stream_.to_host(std::span<float>(m.block[i].data(), m.count()), memory_[a][i]);
  }

  /// Contributions of the sources and room for the receivers of updates k … k+count−1.
  void begin_band(Index k, Index count) {
    band_ = k;
    contributions_.clear();
    for (Index i = k; i < k + count; ++i)
      for (const auto& [weight, source] : parts_)
        contributions_.push_back(static_cast<float>(weight * host_.signal(i, source)));
    if (values_.size() < contributions_.size()) values_ = device_.allocate<float>(contributions_.size(), "sources");
    if (!contributions_.empty()) stream_.to_device(values_, std::span<const float>(contributions_));
    recorded_.clear();
    for (Index i = k; i < k + count; ++i)
      if (host_.record_of(i)) recorded_.push_back(i);
    const std::size_t room = recorded_.size() * receiver_count_;
    if (traces_.size() < room) traces_ = device_.allocate<float>(room, "receivers");
    if (!traces_.empty()) traces_.expect_written();
  }
  /// Values of the receivers in this slice's rows go to the host's record.
  void end_band() {
    if (recorded_.empty() || receiver_nodes_.empty()) return;
    std::vector<float> all(recorded_.size() * receiver_count_);
    stream_.to_host(std::span(all), traces_, 0);
    stream_.synchronize();
    for (std::size_t slot = 0; slot < recorded_.size(); ++slot) {
      float* to = host_.record_of(recorded_[slot]);
      for (std::size_t n = 0; n < receiver_nodes_.size(); ++n) to[receiver_of_[n]] = all[slot * receiver_count_ + n];
    }
  }

  /// Update k of global planes and rows: stencil, sources, images, receivers.
  void update(Index k, Interval planes, Interval rows) {
    if (planes.empty() || rows.empty()) return;
    const Interval x{planes.begin - first_, planes.end - first_}, y{rows.begin - held().begin, rows.end - held().begin};
    float* o = level_[static_cast<std::size_t>((k + 1) & 1)].data() + at_.origin;
    AdvanceArguments t;
    t.u = level_[static_cast<std::size_t>(k & 1)].data() + at_.origin;
    t.o = o;
    t.a = host_.medium_varies() ? a_.data() + at_.origin : a_.data();
    t.v = host_.potential() ? v_.data() + at_.origin : nullptr;
    t.stride_x = at_.stride_x;
    t.stride_y = at_.stride_y;
    t.a_stride_x = host_.medium_varies() ? at_.stride_x : 0;
    t.a_stride_y = host_.medium_varies() ? at_.stride_y : 0;
    t.x0 = static_cast<int>(x.begin);
    t.x1 = static_cast<int>(x.end);
    t.y0 = static_cast<int>(y.begin);
    t.y1 = static_cast<int>(y.end);
    t.nz = static_cast<int>(at_.nz);
    const RowWeights<float>& w = host_.weights();
    t.centre = w.centre;
    for (Index i = 1; i <= s_; ++i) {
      t.x[i] = host_.unequal() ? w.x[i] : w.equal[i];
      t.y[i] = host_.unequal() ? w.y[i] : w.equal[i];
      t.z[i] = host_.unequal() ? w.z[i] : w.equal[i];
    }
    t.sigma_x = sigma_.data() + sigma_at_[0] + first_;
    t.sigma_y = sigma_.data() + sigma_at_[1] + held().begin;
    t.sigma_z = sigma_.data() + sigma_at_[2];
    // Short pieces leave no tail of idle multiprocessors; each loads 2s planes more.
    t.planes = static_cast<int>(std::clamp<Index>(x.size() / 16, 16 * s_, 128));
    LaunchShape shape;
    shape.block = {advance_threads_z, advance_threads_y, 1};
    shape.grid = {blocks(at_.nz, 4 * advance_threads_z), blocks(y.size(), advance_threads_y),
                  blocks(x.size(), t.planes)};
    stream_.launch(advance_, shape, t);
    if (layered_) layers(k, x, y);
    points(inject_, source_nodes_, source_first_, planes, y, o, k);
    images(o, planes, rows);
    if (!recorded_.empty())
      if (const auto slot = std::find(recorded_.begin(), recorded_.end(), k); slot != recorded_.end()) {
        const Interval own{rows_.begin - held().begin, rows_.end - held().begin};
        slot_ = static_cast<std::size_t>(slot - recorded_.begin());
        points(record_, receiver_nodes_, receiver_first_, planes,
               {std::max(y.begin, own.begin), std::min(y.end, own.end)}, o, k);
      }
  }

 private:
  void place_points() {
    const Index n = problem_.grid.points[0];
    const auto inside = [&](Index y) { return y >= held().begin && y < held().end; };
    source_first_.assign(static_cast<std::size_t>(n + 1), 0);
    receiver_first_ = source_first_;
    for (const auto& cell : host_.source_cells()) {  // in the order of planes
      if (!inside(cell.y)) continue;
      PointNode node;
      node.x = static_cast<int>(cell.x);
      node.y = static_cast<int>(cell.y - held().begin);
      node.place = node.y * at_.stride_y + cell.z;
      node.begin = static_cast<std::uint32_t>(parts_.size());
      for (const auto& c : cell.from) parts_.emplace_back(c.weight, c.source);
      node.end = static_cast<std::uint32_t>(parts_.size());
      source_nodes_list_.push_back(node);
      ++source_first_[static_cast<std::size_t>(cell.x + 1)];
    }
    const auto all = host_.receiver_nodes();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i][1] >= rows_.begin && all[i][1] < rows_.end) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all[a][0] < all[b][0]; });
    std::vector<PointNode> list;
    for (const std::size_t i : order) {
      PointNode node;
      node.x = static_cast<int>(all[i][0]);
      node.y = static_cast<int>(all[i][1] - held().begin);
      node.place = node.y * at_.stride_y + all[i][2];
      node.begin = static_cast<std::uint32_t>(list.size());
      list.push_back(node);
      receiver_of_.push_back(i);
      ++receiver_first_[static_cast<std::size_t>(all[i][0] + 1)];
    }
    receiver_count_ = list.size();
    for (auto* first : {&source_first_, &receiver_first_})
      for (std::size_t i = 1; i < first->size(); ++i) (*first)[i] += (*first)[i - 1];
    place_rows(list);
    const auto upload = [&](const std::vector<PointNode>& from, DeviceBuffer<PointNode>& to) {
      if (from.empty()) return;
      to = device_.allocate<PointNode>(from.size(), "points");
      stream_.to_device(to, std::span<const PointNode>(from));
    };
    upload(source_nodes_list_, source_nodes_);
    upload(list, receiver_nodes_);
    stream_.synchronize();
  }

  /// The same nodes as towers look for them.
  void place_rows(const std::vector<PointNode>& receivers) {
    if (!towers_possible_ || (source_nodes_list_.empty() && receivers.empty())) return;
    const auto& n = problem_.grid.points;
    std::vector<unsigned char> busy(static_cast<std::size_t>(n[0]), 0);
    std::vector<std::uint32_t> firsts;
    std::vector<RowNode> nodes;
    std::vector<int> slots;
    const std::vector<PointNode>* const lists[] = {&source_nodes_list_, &receivers};
    for (const auto* const list : lists) {
      std::vector<PointNode> sorted = *list;
      std::stable_sort(sorted.begin(), sorted.end(), [](const PointNode& a, const PointNode& b) {
        return a.x != b.x ? a.x < b.x : a.place < b.place;
      });
      int slot = 0;
      std::size_t i = 0;
      for (Index x = 0; x < n[0]; ++x) {
        const bool some = i < sorted.size() && sorted[i].x == x;
        slots.push_back(some ? slot : -1);
        if (!some) continue;
        busy[static_cast<std::size_t>(x)] = 1;
        ++slot;
        for (Index y = 0; y <= n[1]; ++y) {
          firsts.push_back(static_cast<std::uint32_t>(nodes.size()));
          for (; i < sorted.size() && sorted[i].x == x && sorted[i].y == y; ++i)
            nodes.push_back({static_cast<int>(sorted[i].place - y * at_.stride_y), sorted[i].begin, sorted[i].end});
        }
      }
      if (list == &source_nodes_list_) source_rows_ = {slots.size(), firsts.size()};
    }
    busy_ = device_.allocate<unsigned char>(busy.size(), "points");
    row_slots_ = device_.allocate<int>(slots.size(), "points");
    row_firsts_ = device_.allocate<std::uint32_t>(std::max<std::size_t>(firsts.size(), 1), "points");
    row_nodes_ = device_.allocate<RowNode>(std::max<std::size_t>(nodes.size(), 1), "points");
    stream_.to_device(busy_, std::span<const unsigned char>(busy));
    stream_.to_device(row_slots_, std::span<const int>(slots));
    stream_.to_device(row_firsts_, std::span<const std::uint32_t>(firsts));
    stream_.to_device(row_nodes_, std::span<const RowNode>(nodes));
    stream_.synchronize();
    point_data_.sources = {row_slots_.data(), row_firsts_.data(), row_nodes_.data()};
    point_data_.receivers = {row_slots_.data() + source_rows_[0], row_firsts_.data() + source_rows_[1], row_nodes_.data()};
  }

  /// The matched layers in local planes and rows, axis after axis as the host has them.
  void layers(Index k, Interval planes, Interval rows) {
    const auto& n = problem_.grid.points;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto& memory = host_.layer_memory(a);
      if (memory.count() == 0) continue;
      for (const Interval nodes : {Interval{0, memory.layer.low}, Interval{n[a] - memory.layer.high, n[a]}}) {
        std::array<Interval, 3> box{planes, rows, Interval{0, n[2]}};
        box[a] = {std::max(box[a].begin, nodes.begin), std::min(box[a].end, nodes.end)};
        if (box[0].empty() || box[1].empty() || box[2].empty()) continue;
        const Index here = at_.at(box[0].begin, box[1].begin, box[2].begin);
        MatchedArguments t;
        t.u = level_[static_cast<std::size_t>(k & 1)].data() + here;
        t.o = level_[static_cast<std::size_t>((k + 1) & 1)].data() + here;
        t.a = a_.data() + (host_.medium_varies() ? here : box[2].begin);
        t.stride_x = at_.stride_x;
        t.stride_y = at_.stride_y;
        t.a_stride_x = host_.medium_varies() ? at_.stride_x : 0;
        t.a_stride_y = host_.medium_varies() ? at_.stride_y : 0;
        t.along = std::array<Index, 3>{at_.stride_x, at_.stride_y, 1}[a];
        const Index place = host_.memory_at(a, box[0].begin, box[1].begin) + box[2].begin +
                            (a == 2 && nodes.begin > 0 ? memory.offset_high : 0);
        for (std::size_t i = 0; i < 3; ++i) t.m[i] = memory_[a][i].data() + place;
        t.m_stride_x = memory.stride_x;
        t.m_stride_y = memory.stride_y;
        t.factor = factors_[a].data() + box[a].begin;
        t.nodes = static_cast<int>(memory.factor[0].size());
        t.axis = static_cast<int>(a);
        t.radius = static_cast<int>(s_);
        std::copy_n(host_.curvature(), s_ + 1, t.curvature);
        std::copy_n(host_.slope(), s_ + 1, t.slope);
        t.sigma_x = sigma_.data() + sigma_at_[0] + box[0].begin;
        t.sigma_y = sigma_.data() + sigma_at_[1] + box[1].begin;
        t.sigma_z = sigma_.data() + sigma_at_[2] + box[2].begin;
        t.nx = static_cast<int>(box[0].size());
        t.ny = static_cast<int>(box[1].size());
        t.nz = static_cast<int>(box[2].size());
        LaunchShape shape;
        shape.block = {matched_threads, 1, 1};
        shape.grid = {blocks(box[0].size() * box[1].size() * box[2].size(), matched_threads), 1, 1};
        stream_.launch(matched_, shape, t);
      }
    }
  }

  void points(const Kernel<PointArguments>& kernel, const DeviceBuffer<PointNode>& nodes,
              const std::vector<std::size_t>& first, Interval planes, Interval y, float* o, Index k) {
    if (nodes.empty() || y.empty()) return;
    const std::size_t begin = first[static_cast<std::size_t>(planes.begin)],
                      end = first[static_cast<std::size_t>(planes.end)];
    if (begin == end) return;
    PointArguments t;
    t.o = o;
    t.stride_x = at_.stride_x;
    t.first = static_cast<int>(first_);
    t.y0 = static_cast<int>(y.begin);
    t.y1 = static_cast<int>(y.end);
    t.count = static_cast<int>(end - begin);
    t.nodes = nodes.data() + begin;
    t.values = values_.data() + static_cast<std::size_t>(k - band_) * parts_.size();
    t.out = traces_.data() + slot_ * receiver_count_;
    LaunchShape shape;
    shape.block = {point_threads, 1, 1};
    shape.grid = {blocks(t.count, point_threads), 1, 1};
    stream_.launch(kernel, shape, t);
  }

  void images(float* o, Interval planes, Interval rows) {
    const auto& n = problem_.grid.points;
    for (std::size_t f = 0; f < 6; ++f) {
      const int sign = problem_.faces[f].image_sign();
      if (sign == 0) continue;
      const std::size_t axis = f / 2;
      const Index face = f % 2 == 0 ? 0 : n[axis] - 1, towards = f % 2 == 0 ? 1 : -1;
      const Interval part = axis == 0 ? planes : axis == 1 ? rows : Interval{0, n[2]};
      // Nodes face + i inwards lie in the part that was updated.
      MirrorArguments t;
      const Index near = towards > 0 ? part.begin - face : face - (part.end - 1);
      const Index far = towards > 0 ? part.end - face : face - part.begin + 1;
      t.first = static_cast<int>(std::max<Index>(1, near));
      t.last = static_cast<int>(std::min(s_ + 1, far));
      if (t.first >= t.last) continue;
      const std::array<Index, 3> stride{at_.stride_x, at_.stride_y, 1};
      const std::array<Index, 3> begin{planes.begin - first_, rows.begin - held().begin, 0};
      const std::array<Index, 3> count{planes.size(), rows.size(), n[2]};
      const std::size_t p = axis == 2 ? 1 : 2, q = 3 - axis - p;
      std::array<Index, 3> corner = begin;
      corner[axis] = face - (axis == 0 ? first_ : axis == 1 ? held().begin : 0);
      t.face = o + corner[0] * stride[0] + corner[1] * stride[1] + corner[2];
      t.inwards = towards * stride[axis];
      t.stride_p = stride[p];
      t.stride_q = stride[q];
      t.p = static_cast<int>(count[p]);
      t.q = static_cast<int>(count[q]);
      t.sign = static_cast<float>(sign);
      LaunchShape shape;
      shape.block = {mirror_threads, 1, 1};
      shape.grid = {blocks(t.p, mirror_threads), static_cast<unsigned>(t.q), 1};
      stream_.launch(mirror_, shape, t);
    }
  }

  const Problem& problem_;
  Field<float>& host_;
  Device device_;
  Stream stream_;
  Interval rows_;
  Index below_, above_, s_;
  Layout at_;
  Index first_ = 0;  ///< global plane of plane 0
  DeviceBuffer<float> level_[2], a_, v_, sigma_, values_, traces_;
  std::size_t sigma_at_[3]{};
  Kernel<AdvanceArguments> advance_;
  Kernel<PointArguments> inject_, record_;
  Kernel<MirrorArguments> mirror_;
  Kernel<MatchedArguments> matched_;
  DeviceBuffer<float> memory_[3][3], factors_[3];  ///< of the matched layers, by axis
  bool layered_ = false;
  std::vector<PointNode> source_nodes_list_;
  DeviceBuffer<PointNode> source_nodes_, receiver_nodes_;
  std::vector<std::size_t> source_first_, receiver_first_;  ///< nodes before each plane
  std::vector<std::pair<double, std::size_t>> parts_;
  std::vector<std::size_t> receiver_of_;
  std::size_t receiver_count_ = 0, slot_ = 0;
  TowerPlan plan_{};
  bool towers_possible_ = false;
  Kernel<TowerArguments> tower_;
  int core_[6]{};  ///< nodes of each axis that lie in no sponge
  DeviceBuffer<unsigned> progress_;
  DeviceBuffer<unsigned char> busy_;
  DeviceBuffer<int> row_slots_, record_of_step_;
  DeviceBuffer<std::uint32_t> row_firsts_;
  DeviceBuffer<RowNode> row_nodes_;
  DeviceBuffer<TowerPoints> points_;
  TowerPoints point_data_;
  std::array<std::size_t, 2> source_rows_{};  ///< slots and firsts of the sources, which come before those of the receivers
  std::vector<int> records_;
  Index band_ = 0;
  std::vector<float> contributions_;
  std::vector<Index> recorded_;
};

/// All planes on the devices.
class InCore final : public DeviceSteps {
 public:
  InCore(const Problem& problem, Field<float>& host, std::vector<Device> devices)
      : problem_(problem), host_(host), name_(devices.front().info().name) {
    const auto count = static_cast<int>(devices.size());
    band_ = count == 1 ? steps_together : shared_band(problem, count);
    const Index beside = count == 1 ? 0 : problem.order / 2 * band_;
    for (int d = 0; d < count; ++d)
      slices_.push_back(std::make_unique<Slice>(problem, host, std::move(devices[static_cast<std::size_t>(d)]),
                                                rows_of(problem, d, count), d > 0 ? beside : 0,
                                                d + 1 < count ? beside : 0, problem.grid.points[0]));
    if (const Index levels = tower_steps(); levels > 0) band_ = bands_together * levels;
  }
  void take(Index) override {
    const Index s = problem_.order / 2, n = problem_.grid.points[0];
    for (auto& slice : slices_) {
      slice->send({-s, n + s}, {slice->held().begin - s, slice->held().end + s}, true);
      slice->send_layers();
      slice->stream().synchronize();
    }
    fresh_ = true;
  }
  void advance(Index k, Index count) override {
    for (Index done = 0; done < count;) {
      const Index steps = std::min(band_, count - done);
      if (!fresh_) exchange();
      fresh_ = false;
      const auto start = std::chrono::steady_clock::now();
      for (auto& slice : slices_) {
        slice->begin_band(k + done, steps);
        Index i = 0;
        if (const Index levels = towers_ ? tower_steps() : 0; levels > 0 && steps >= levels) {
          slice->towers(k + done, steps / levels);
          i = steps / levels * levels;
        }
        for (; i < steps; ++i) {
          const Index beside = problem_.order / 2 * (steps - 1 - i);
          const Interval own = slice->rows(), held = slice->held();
          slice->update(k + done + i, {0, problem_.grid.points[0]},
                        {std::max(held.begin, own.begin - beside), std::min(held.end, own.end + beside)});
        }
      }
      for (auto& slice : slices_) {
        slice->end_band();
        slice->stream().synchronize();
      }
      if (steps == band_) learn(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      done += steps;
    }
  }
  void bring_back(Index) override {
    for (auto& slice : slices_) {
      slice->fetch({0, problem_.grid.points[0]}, slice->rows());
      slice->fetch_layers();
      slice->stream().synchronize();
    }
    host_.refresh_images();
  }
  [[nodiscard]] Index band() const override { return band_; }
  [[nodiscard]] Bytes bytes() const override {
    Bytes sum = 0;
    for (const auto& slice : slices_) sum += slice->bytes();
    return sum;
  }
  [[nodiscard]] std::string text() const override {
    if (towers_ && tower_steps() > 0) return fmt::format("{}, towers of {} steps", name_, tower_steps());
    return slices_.size() == 1 ? name_ : fmt::format("{} × {}", slices_.size(), name_);
  }

 private:
  /// Levels of the towers that take the steps; 0: they go one by one.
  [[nodiscard]] Index tower_steps() const {
    return problem_.tiling.starts_with("stepwise") ? 0 : slices_.front()->tower_steps();
  }
  /// Of the first full bands of a run two go in towers and two step by step; the second of each, when everything is loaded, is
  /// timed, and the run goes on with what was faster. Both give the same bits.
  void learn(double seconds) {
    if (trial_ == 4 || tower_steps() == 0) return;
    if (trial_ == 1) tower_seconds_ = seconds;
    ++trial_;
    towers_ = trial_ < 2 || (trial_ == 4 && tower_seconds_ < seconds);
    if (trial_ == 4)
      log::info("acoustic-fd: {:.3g} s for {} steps in towers, {:.3g} s step by step", tower_seconds_, band_, seconds);
  }
  /// Rows beside each border, both levels, by way of the host.
  void exchange() {
    const Index s = problem_.order / 2, beside = s * band_;
    const Interval all{-s, problem_.grid.points[0] + s};  // with the images behind the faces of x
    for (std::size_t d = 0; d + 1 < slices_.size(); ++d) {
      const Index border = slices_[d]->rows().end;
      slices_[d]->fetch(all, {border - beside, border});
      slices_[d + 1]->fetch(all, {border, border + beside});
    }
    for (auto& slice : slices_) slice->stream().synchronize();
    for (std::size_t d = 0; d + 1 < slices_.size(); ++d) {
      const Index border = slices_[d]->rows().end;
      slices_[d]->send(all, {border, border + beside}, false);
      slices_[d + 1]->send(all, {border - beside, border}, false);
    }
    for (auto& slice : slices_) slice->stream().synchronize();
  }

  const Problem& problem_;
  Field<float>& host_;
  std::string name_;
  std::vector<std::unique_ptr<Slice>> slices_;
  Index band_ = 1;
  bool fresh_ = true;
  bool towers_ = true;  ///< where there are any
  int trial_ = 0;
  double tower_seconds_ = 0;
};

/// A window of planes over the host's levels. In position j update i covers planes [jB − s i, (j+1)B − s i); the window holds
/// [jB − sT − 2s, (j+1)B + 2s), the images beyond the faces of x included. Per band a plane enters and leaves once.
class Windowed final : public DeviceSteps {
 public:
  Windowed(const Problem& problem, Field<float>& host, Device device, const DevicePlan& plan, int threads)
      : problem_(problem), host_(host), plan_(plan), hands_(threads), s_(problem.order / 2),
        slice_(problem, host, std::move(device), {0, problem.grid.points[1]}, 0, 0,
               window_planes(plan, problem.order / 2) - 2 * s_) {
    const Device& d = slice_.device();
    const auto block = static_cast<std::size_t>(plan.planes) * slice_.plane_values();
    for (std::size_t n = 0; n < slice_.arrays(); ++n) {
      incoming_.push_back(d.allocate<float>(block, "planes that come"));
      pinned_in_.push_back(d.pinned<float>(block));
    }
    for (std::size_t n = 0; n < 2; ++n) {
      outgoing_.push_back(d.allocate<float>(block, "planes that leave"));
      pinned_out_.push_back(d.pinned<float>(block));
    }
    in_ = d.stream();
    out_ = d.stream();
    arrived_ = d.event();
    taken_ = d.event();
    left_ = d.event();
  }
  [[nodiscard]] static Index window_planes(const DevicePlan& plan, Index s) {
    return plan.planes + s * plan.steps + 4 * s;
  }

  void take(Index) override {}
  void bring_back(Index) override {}  // the host's levels are those of the last band
  void advance(Index k, Index count) override {
    for (Index done = 0; done < count;) {
      const Index steps = std::min(plan_.steps, count - done);
      sweep(k + done, steps);
      done += steps;
    }
  }
  [[nodiscard]] Index band() const override { return plan_.steps; }
  [[nodiscard]] Bytes bytes() const override {
    return slice_.bytes() + (incoming_.size() + outgoing_.size()) * incoming_.front().size() * sizeof(float);
  }
  [[nodiscard]] std::string text() const override {
    return fmt::format("{}, window of {} planes over the host, {} steps at a time", slice_.device().info().name,
                       window_planes(plan_, s_), plan_.steps);
  }

 private:
  void sweep(Index k, Index T) {
    const Index B = plan_.planes, N = problem_.grid.points[0], end = N + s_;  // planes −s … N + s − 1 travel
    Stream& compute = slice_.stream();
    slice_.begin_band(k, T);
    Interval held{-s_, -s_};
    slice_.begin_at(0);
    bool leaving = false;
    Interval left{};
    const auto wanted = [&](Index j) {
      return Interval{std::clamp(j * B - s_ * T - 2 * s_, -s_, end), std::clamp((j + 1) * B + 2 * s_, -s_, end)};
    };
    const Index positions = (N + s_ * (T - 1) + B - 1) / B;
    Interval coming = prefetch({held.end, std::min(held.end + B, wanted(0).end)});
    for (Index j = 0; j < positions; ++j) {
      const Interval want = wanted(j);
      // Out: what lies below the window, at most B planes at a time.
      while (held.begin < std::min(want.begin, held.end)) {
        const Interval go{held.begin, std::min({held.begin + B, want.begin, held.end})};
        if (leaving) store(left);
        send_away(go);
        leaving = true;
        left = go;
        held.begin = go.end;
      }
      slide(held, want.begin);
      held.begin = std::max(held.begin, want.begin);
      if (held.end < held.begin) held.end = held.begin;
      // In: what has come already, then the rest.
      while (held.end < want.end) {
        compute.wait(arrived_);
        for (std::size_t n = 0; n < slice_.arrays(); ++n)
          compute.on_device(slice_.array(n), slice_.plane_at(coming.begin), incoming_[n], 0,
                            static_cast<std::size_t>(coming.size()) * slice_.plane_values());
        compute.record(taken_);
        held.end = coming.end;
        const Index next = std::min(held.end + B, held.end < want.end ? want.end : wanted(j + 1).end);
        if (held.end < want.end) {
          coming = prefetch({held.end, next});
        } else {
          // The steps of this position are given to the device before the host lays out what comes next.
          steps(k, T, j);
          coming = j + 1 < positions ? prefetch({held.end, next}) : Interval{};
          want_done_ = true;
        }
      }
      if (!want_done_) steps(k, T, j);
      want_done_ = false;
    }
    while (held.begin < held.end) {
      const Interval go{held.begin, std::min(held.begin + B, held.end)};
      if (leaving) store(left);
      send_away(go);
      leaving = true;
      left = go;
      held.begin = go.end;
    }
    if (leaving) store(left);
    slice_.end_band();
    compute.synchronize();
  }
  void steps(Index k, Index T, Index j) {
    const Index B = plan_.planes, N = problem_.grid.points[0];
    for (Index i = 0; i < T; ++i)
      slice_.update(k + i, {std::clamp<Index>(j * B - s_ * i, 0, N), std::clamp<Index>((j + 1) * B - s_ * i, 0, N)},
                    slice_.rows());
  }
  /// The planes that stay move to the window's new beginning.
  void slide(Interval held, Index begin) {
    const Index from = slice_.first() - s_;  // the plane at the first place
    const Index by = begin - from;
    if (by <= 0) return;
    for (Index p = std::max(held.begin, begin); p < held.end; p += by) {
      const auto count = static_cast<std::size_t>(std::min(by, held.end - p)) * slice_.plane_values();
      for (std::size_t n = 0; n < slice_.arrays(); ++n)
        slice_.stream().on_device(slice_.array(n),
                                  slice_.plane_at(p) - static_cast<std::size_t>(by) * slice_.plane_values(),
                                  slice_.array(n), slice_.plane_at(p), count);
    }
    slice_.begin_at(begin + s_);
  }
  Interval prefetch(Interval planes) {
    if (planes.empty()) return planes;
    in_.synchronize();                                    // the page-locked memory is free again
    hands_.for_each(planes, 1, [&](Interval some, int) {  // one thread alone would be slower than the link
      for (Index x = some.begin; x < some.end; ++x)
        for (std::size_t n = 0; n < slice_.arrays(); ++n) {
          const auto [at, count] = slice_.host_plane(x);
          std::memcpy(pinned_in_[n].data() + static_cast<std::size_t>(x - planes.begin) * slice_.plane_values(),
                      slice_.host_array(n) + at, static_cast<std::size_t>(count) * sizeof(float));
        }
    });
    if (coming_once_) in_.wait(taken_);
    coming_once_ = true;
    for (std::size_t n = 0; n < slice_.arrays(); ++n)
      in_.to_device(incoming_[n], std::span<const float>(pinned_in_[n].data(), static_cast<std::size_t>(planes.size()) *
                                                                                   slice_.plane_values()));
    in_.record(arrived_);
    return planes;
  }
  void send_away(Interval planes) {
    Stream& compute = slice_.stream();
    const auto count = static_cast<std::size_t>(planes.size()) * slice_.plane_values();
    for (std::size_t n = 0; n < 2; ++n)
      compute.on_device(outgoing_[n], 0, slice_.array(n), slice_.plane_at(planes.begin), count);
    compute.record(left_);
    out_.wait(left_);
    for (std::size_t n = 0; n < 2; ++n) out_.to_host(pinned_out_[n].span().first(count), outgoing_[n]);
  }
  /// The host's levels take what left.
  void store(Interval planes) {
    out_.synchronize();
    hands_.for_each(planes, 1, [&](Interval some, int) {
      for (Index x = some.begin; x < some.end; ++x)
        for (Index n = 0; n < 2; ++n) {
          const auto [at, count] = slice_.host_plane(x);
          std::memcpy(host_.level(n) + at,
                      pinned_out_[static_cast<std::size_t>(n)].data() +
                          static_cast<std::size_t>(x - planes.begin) * slice_.plane_values(),
                      static_cast<std::size_t>(count) * sizeof(float));
        }
    });
  }

  const Problem& problem_;
  Field<float>& host_;
  DevicePlan plan_;
  CpuWorker hands_;
  Index s_;
  Slice slice_;
  Stream in_, out_;
  std::vector<DeviceBuffer<float>> incoming_, outgoing_;
  std::vector<PinnedBuffer<float>> pinned_in_, pinned_out_;
  Event arrived_, taken_, left_;
  bool coming_once_ = false, want_done_ = false;
};

}  // namespace

std::string not_on_devices(const Problem& problem) {
  return problem.double_precision ? "double precision is computed by the processors" : "";
}

namespace {

/// Of the memory of the matched layers.
Bytes matched_bytes(const Problem& problem) {
  const auto& n = problem.grid.points;
  const auto padded = [](Index count) { return (count + pad - 1) / pad * pad + pad; };
  Index values = 0;
  for (std::size_t f = 0; f < 6; ++f)
    if (const Face& face = problem.faces[f]; face.kind == FaceKind::matched) {
      const Index width = std::min(face.width, n[f / 2]);
      values += 3 * (f / 2 == 0 ? width * n[1] * padded(n[2]) : f / 2 == 1 ? n[0] * width * padded(n[2]) : n[0] * n[1] * padded(width));
    }
  return static_cast<Bytes>(values) * sizeof(float);
}

}  // namespace

DevicePlan device_plan(const Problem& problem, Bytes budget, int devices) {
  DevicePlan plan;
  const auto& n = problem.grid.points;
  const Index s = problem.order / 2;
  const bool varying = !problem.velocity || !problem.velocity->constant();
  const Bytes arrays = 2 + (varying ? 1U : 0U) + (problem.density ? 1U : 0U);
  const Bytes rest = Bytes{1} << 20;  // points, profiles
  const Bytes layers = matched_bytes(problem);
  if (layers > 0) devices = 1;
  const Index beside = devices > 1 ? 2 * s * shared_band(problem, devices) : 0;
  const Layout whole(0, n[0], (n[1] + devices - 1) / devices + beside, n[2], static_cast<int>(s));
  plan.in_core = arrays * static_cast<Bytes>(whole.count) * sizeof(float) + rest + layers;
  plan.streamed = plan.in_core > budget;
  if (!plan.streamed) return plan;
  if (layers > 0) {
    plan.least = plan.in_core;
    plan.possible = false;
    return plan;
  }
  const Layout one(0, 1, n[1], n[2], static_cast<int>(s));
  const Bytes plane = static_cast<Bytes>(one.stride_x) * sizeof(float);
  // B = sT/4 + 2s planes come and go at a time beside a window of B + sT + 4s.
  const auto needed = [&](Index T) {
    const Index B = s * T / 4 + 2 * s;
    return plane * (arrays * static_cast<Bytes>(2 * B + s * T + 4 * s + 1) + 2 * static_cast<Bytes>(B)) + rest;
  };
  plan.least = needed(1);
  plan.possible = devices == 1 && plan.least <= budget;
  if (!plan.possible) return plan;
  plan.steps = 1;
  while (plan.steps < longest_band && needed(plan.steps + 1) <= budget) ++plan.steps;
  plan.planes = s * plan.steps / 4 + 2 * s;
  return plan;
}

std::unique_ptr<DeviceSteps> make_device_steps(const Problem& problem, Field<float>& host, const Team& team) {
  std::vector<Device> devices;
  Bytes budget = 0;
  const Index s = problem.order / 2;
  for (const WorkerSpec& worker : team.workers()) {
    if (worker.device.empty()) continue;
    auto device = Device::open(worker.device);
    if (!device) throw Failure(device.error());
    Bytes mine = std::min(device->free_memory() / 10 * 9, device->info().memory / 10 * 9);
    if (problem.device_memory > 0) mine = std::min(mine, problem.device_memory);
    if (worker.device_memory > 0) mine = std::min(mine, worker.device_memory);
    budget = devices.empty() ? mine : std::min(budget, mine);
    devices.push_back(std::move(*device));
  }
  if (devices.empty()) return nullptr;
  if (matched_bytes(problem) > 0) {
    devices.erase(devices.begin() + 1, devices.end());
    if (const DevicePlan plan = device_plan(problem, budget, 1); plan.streamed) {
      log::warning("acoustic-fd: devices are left alone: with matched layers the grid has to fit there, it needs {} of {}",
                   format_bytes(plan.in_core), format_bytes(budget));
      return nullptr;
    }
  }
  while (devices.size() > 1 && problem.grid.points[1] / static_cast<Index>(devices.size()) < 2 * s) devices.pop_back();
  const DevicePlan plan = device_plan(problem, budget, static_cast<int>(devices.size()));
  if (!plan.streamed) return std::make_unique<InCore>(problem, host, std::move(devices));
  const DevicePlan alone = device_plan(problem, budget, 1);
  if (!alone.possible)
    throw Failure(
        make_error(ErrorCode::resources,
                   fmt::format("{} of device memory are too few to stream this grid through: {} are needed",
                               format_bytes(budget), format_bytes(alone.least)),
                   "Allow more in compute.memory.device, lower the order, turn the longest axis of the grid to x, "
                   "or compute with --workers cpu."));
  return std::make_unique<Windowed>(problem, host, std::move(devices.front()), alone, team.threads());
}

}  // namespace conoid::acoustic_fd
