// SPDX-License-Identifier: BSD-3-Clause
// What happens to a patch of cells in one step.
#include "engine/solvers/acoustic_fd/field.hpp"

#include "engine/solvers/acoustic_fd/kernels/flush.hpp"
#include "engine/solvers/acoustic_fd/medium.hpp"
#include "engine/solvers/acoustic_fd/points.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

constexpr Index vector_pad = 16;  // values; rows and pieces of rows start on multiples of it

Index padded(Index n) {
  return (n + vector_pad - 1) / vector_pad * vector_pad;
}

/// A row of this thread for corrections of L, aligned to a page.
template <class T>
T* scratch_row(Index count) {
  thread_local Block<T> block;
  thread_local Index held = 0;
  if (held < count) {
    block = Block<T>(count);
    held = count;
  }
  return block.data();
}

}  // namespace

template <class T>
Field<T>::Field(const Problem& problem, const Machine& machine, const Slab& slab)
    : problem_(problem),
      stencil_(stencil_of_order(problem.order)),
      kernels_(patch_kernels<T>(problem.kernel, machine)),
      order_(nullptr),
      slab_(slab) {
  if (!kernels_) {
    std::string names;
    for (const auto n : patch_kernel_names(machine)) names += fmt::format("{}{}", names.empty() ? "" : ", ", n);
    throw Failure(make_error(ErrorCode::resources,
                             fmt::format("kernel \"{}\" does not run on this machine", problem.kernel),
                             fmt::format("Use auto, or one of: {}.", names)));
  }
  order_ = kernels_->order[stencil_.radius - 1];
  const auto& n = problem.grid.points;
  at_ = Layout(slab.planes.begin, slab.planes.size(), n[1], n[2], stencil_.radius, slab.beside);
  held_ = {std::max(-at_.halo_x, -at_.first), std::min(at_.nx + at_.halo_x, n[0] - at_.first)};
  if (!slab.lower) held_.begin = 0;
  if (!slab.upper) held_.end = at_.nx;
  for (auto& level : level_) level = Block<T>(at_.count);

  varying_ = !problem.velocity->constant();
  dense_ = scaled_ = problem.density && !problem.density->constant();
  const Index row = padded(at_.nz) + 4 * vector_pad;
  zeros_ = Block<T>(row);
  a_ = Block<T>(varying_ ? at_.count : row);
  v_ = Block<T>(dense_ ? at_.count : row);
  if (!varying_) {
    const double ratio = problem.speed.highest * problem.dt / problem.grid.spacing[0];
    std::fill_n(a_.data(), row, static_cast<T>(ratio * ratio));
  }
  unequal_ = !equal_spacings(problem.grid.spacing);
  weights_ = row_weights<T>(stencil_, problem.grid.spacing);
  for (int i = 0; i <= stencil_.radius; ++i) {
    curvature_[i] = static_cast<T>(stencil_.weight[static_cast<std::size_t>(i)]);
    slope_[i] = static_cast<T>(stencil_.slope[static_cast<std::size_t>(i)]);
  }

  for (std::size_t a = 0; a < 3; ++a) {
    const std::vector<double> profile = sponge_profile(problem, a);
    sigma_[a].assign(profile.begin(), profile.end());
    memory_[a].layer = matched_layer(problem, a);
    for (std::size_t i = 0; i < 7; ++i)
      memory_[a].factor[i].assign(memory_[a].layer.factor[i].begin(), memory_[a].layer.factor[i].end());
    Index low = 0, high = n[a];
    while (low < n[a] && (profile[static_cast<std::size_t>(low)] != 0 || low < memory_[a].layer.low)) ++low;
    while (high > low &&
           (profile[static_cast<std::size_t>(high - 1)] != 0 || high > n[a] - memory_[a].layer.high))
      --high;
    core_[a] = {low, high};
  }
  sigma_z_ = Block<T>(row);
  std::copy(sigma_[2].begin(), sigma_[2].end(), sigma_z_.data());
  core_[0] = {core_[0].begin - at_.first, core_[0].end - at_.first};
  // Whole vectors: cells without a layer give the same bits in the layer kernel.
  if (core_[2].begin > 0) core_[2].begin = std::min(padded(core_[2].begin), at_.nz);
  if (core_[2].end < at_.nz) core_[2].end = std::max(core_[2].begin, core_[2].end / vector_pad * vector_pad);
  matched_x_ = memory_[0].layer.any();
  matched_y_ = memory_[1].layer.any();
  matched_ends_ = memory_[2].layer.any();

  const Index rowz = padded(at_.nz);
  if (matched_x_) {
    Memory& m = memory_[0];
    m.stride_y = rowz;
    m.stride_x = at_.ny * rowz;
    const auto [position, count] = memory_plane(0, held_.end);  // the number of planes before the end
    (void)count;
    m.planes = position / m.stride_x;
  }
  if (matched_y_) {
    Memory& m = memory_[1];
    m.stride_y = rowz;
    m.stride_x = (m.layer.low + m.layer.high) * rowz;
    m.planes = held_.size();
  }
  if (matched_ends_) {
    Memory& m = memory_[2];
    const Index begin_high = (at_.nz - m.layer.high) / vector_pad * vector_pad;
    m.offset_high = padded(m.layer.low) - begin_high;
    m.stride_y = padded(m.layer.low) + padded(at_.nz - begin_high);
    m.stride_x = at_.ny * m.stride_y;
    m.planes = held_.size();
  }
  for (auto& m : memory_)
    if (m.layer.any() && m.planes > 0)
      for (auto& block : m.block) block = Block<T>(m.planes * m.stride_x + vector_pad);

  for (std::size_t f = 0; f < 6; ++f) sign_[f] = problem.faces[f].image_sign();
  if (slab.lower) sign_[0] = 0;
  if (slab.upper) sign_[1] = 0;
  for (const int s : sign_) reflects_ = reflects_ || s != 0;
}

template <class T>
Bytes Field<T>::bytes() const {
  Index count = at_.count * (2 + (varying_ ? 1 : 0) + (dense_ ? 1 : 0));
  for (const auto& m : memory_)
    if (m.layer.any()) count += 3 * m.planes * m.stride_x;
  return static_cast<Bytes>(count) * sizeof(T);
}

template <class T>
std::pair<Index, Index> Field<T>::memory_plane(std::size_t a, Index x) const {
  const Memory& m = memory_[a];
  if (a > 0) return {(x - held_.begin) * m.stride_x, m.stride_x};
  const Index n = problem_.grid.points[0], here = x + at_.first, begin = held_.begin + at_.first;
  const Index low = std::clamp(here, begin, std::max(begin, m.layer.low)) - begin;  // planes of the lower layer before
  const Index high_begin = std::max(begin, n - m.layer.high);
  const Index high = std::max<Index>(0, here - high_begin);
  const bool inside = here < m.layer.low || here >= n - m.layer.high;
  return {(low + high) * m.stride_x, inside ? m.stride_x : 0};
}

template <class T>
Index Field<T>::memory_at(std::size_t a, Index x, Index y) const {
  const Memory& m = memory_[a];
  if (!m.layer.any()) return -1;
  const auto [position, count] = memory_plane(a, x);
  if (count == 0) return -1;
  if (a == 1) {
    if (y < m.layer.low) return position + y * m.stride_y;
    if (y >= at_.ny - m.layer.high) return position + (y - (at_.ny - m.layer.high) + m.layer.low) * m.stride_y;
    return -1;
  }
  return position + y * m.stride_y;
}

template <class T>
void Field<T>::fill_plane(Index x) {
  const Grid& g = problem_.grid;
  const double h = g.spacing[0];
  std::vector<double> c(static_cast<std::size_t>(at_.nz)), other(c.size());
  for (Index y = 0; y < at_.ny; ++y) {
    const Index here = at_.at(x, y);
    const double px = g.at(0, x + at_.first), py = g.at(1, y);
    problem_.velocity->row(px, py, g.origin[2], g.spacing[2], c);
    if (varying_)
      for (Index z = 0; z < at_.nz; ++z) {
        const double ratio = c[static_cast<std::size_t>(z)] * problem_.dt / h;
        a_.data()[here + z] = static_cast<T>(ratio * ratio);
      }
    if (dense_) {
      density_potential(problem_, stencil_, x + at_.first, y, other);
      for (Index z = 0; z < at_.nz; ++z) v_.data()[here + z] = static_cast<T>(other[static_cast<std::size_t>(z)]);
      pressure_factor(problem_, x + at_.first, y, 0, 1, other);
    }
    for (Index z = 0; z < at_.nz; ++z) {
      T now = 0, before = 0;
      if (!on_free_surface(x + at_.first, y, z) && problem_.initial.kind != Initial::Kind::none) {
        const Vec3 p{px, py, g.at(2, z)};
        const double scale = dense_ ? 1 / other[static_cast<std::size_t>(z)] : 1;
        now = static_cast<T>(scale * initial(p, 0, c[static_cast<std::size_t>(z)]));
        before = static_cast<T>(scale * initial(p, -problem_.dt, c[static_cast<std::size_t>(z)]));
      }
      level(0)[here + z] = now;
      level(1)[here + z] = before;
    }
  }
}

template <class T>
bool Field<T>::on_free_surface(Index x, Index y, Index z) const {
  const std::array<Index, 3> i{x, y, z};
  for (std::size_t f = 0; f < 6; ++f)
    if (problem_.faces[f].kind == FaceKind::free_surface &&
        i[f / 2] == (f % 2 == 0 ? 0 : problem_.grid.points[f / 2] - 1))
      return true;
  return false;
}

template <class T>
double Field<T>::initial(const Vec3& p, double t, double c) const {
  const Initial& f = problem_.initial;
  const auto bell = [&](double d) { return f.amplitude * std::exp(-0.5 * d * d / (f.width * f.width)); };
  if (f.kind == Initial::Kind::none) return 0;
  if (f.kind == Initial::Kind::plane) {
    const auto a = static_cast<std::size_t>(f.axis);
    const double d = p[a] - f.centre[a];
    return f.direction != 0 ? bell(d - f.direction * c * t) : 0.5 * (bell(d - c * t) + bell(d + c * t));
  }
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) square += (p[a] - f.centre[a]) * (p[a] - f.centre[a]);
  return bell(std::sqrt(square));
}

template <class T>
void Field<T>::rest_start() {
  const FlushSubnormals flush;
  std::vector<T> before(static_cast<std::size_t>(padded(at_.nz) + vector_pad));
  const Machine plain{};
  const auto function =
      patch_kernels<T>("reference", plain)->order[stencil_.radius - 1]->update[unequal_][static_cast<int>(Cells::dense)];
  for (Index x = 0; x < at_.nx; ++x)
    for (Index y = 0; y < at_.ny; ++y) {
      // One plain update from p^{−1} = 0 gives 2 p^0 + a L; half of it is p^0 + ½ a L, the scheme's own p^{−1} = p^{1}.
      std::fill(before.begin(), before.end(), T(0));
      const Index here = at_.at(x, y);
      Patch<T> t;
      t.u = level(0) + here;
      t.o = before.data();
      t.stride_x = at_.stride_x;
      t.stride_y = at_.stride_y;
      t.a = a_.data() + (varying_ ? here : 0);
      t.v = v_.data() + (dense_ ? here : 0);
      t.nx = t.ny = 1;
      t.z1 = at_.nz;
      t.weights = &weights_;
      function(t);
      for (Index z = 0; z < at_.nz; ++z) level(1)[here + z] = T(0.5) * before[static_cast<std::size_t>(z)];
    }
}

template <class T>
void Field<T>::refresh_images() {
  if (!reflects_) return;
  for (auto& block : level_)
    for (Index x = held_.begin; x < held_.end; ++x)
      for (Index y = 0; y < at_.ny; ++y) images(block.data(), x, y);
}

template <class T>
void Field<T>::clear_memory() {
  for (auto& m : memory_)
    if (m.layer.any() && m.planes > 0)
      for (auto& block : m.block) std::fill_n(block.data(), m.planes * m.stride_x, T(0));
}

template <class T>
void Field<T>::place_points() {
  const Vec3& h = problem_.grid.spacing;
  const auto rows = static_cast<std::size_t>(held_.size() * at_.ny);
  const auto row_of = [&](Index x, Index y) { return static_cast<std::size_t>((x - held_.begin) * at_.ny + y); };
  std::vector<double> factor(1, 1.0);
  const auto scale_at = [&](const NodeWeight& node) {
    if (!scaled_) return 1.0;
    pressure_factor(problem_, node.x, node.y, node.z, 1, factor);
    return factor[0];
  };
  source_bucket_.clear();
  sources_.clear();
  for (std::size_t n = 0; n < problem_.sources.size(); ++n)
    for (const NodeWeight& node : point_weights(problem_.grid, problem_.faces, problem_.sources[n].position,
                                                problem_.spread, PointUse::source)) {
      const Index x = node.x - at_.first;
      if (x < held_.begin || x >= held_.end) continue;
      if (source_bucket_.empty()) source_bucket_.assign(rows, -1);
      auto& bucket = source_bucket_[row_of(x, node.y)];
      if (bucket < 0) {
        bucket = static_cast<std::int32_t>(sources_.size());
        sources_.emplace_back();
      }
      const double a = static_cast<double>(a_.data()[varying_ ? at_.at(x, node.y, node.z) : 0]);
      sources_[static_cast<std::size_t>(bucket)].push_back(
          {node.z, node.weight * a * h[0] * h[0] / (h[0] * h[1] * h[2]) / scale_at(node), n});
    }
  receiver_bucket_.clear();
  receivers_.clear();
  parts_.clear();
  nodes_.clear();
  for (std::size_t n = 0; n < problem_.receivers.size(); ++n)
    for (const NodeWeight& node : point_weights(problem_.grid, problem_.faces, problem_.receivers[n].position,
                                                problem_.spread, PointUse::receiver)) {
      if (parts_.empty() || parts_.back().receiver != n || parts_.back().x != node.x)
        parts_.push_back({n, node.x, nodes_.size(), nodes_.size()});
      const Index x = node.x - at_.first;
      if (x < 0 || x >= at_.nx) continue;
      if (receiver_bucket_.empty()) receiver_bucket_.assign(rows, -1);
      auto& bucket = receiver_bucket_[row_of(x, node.y)];
      if (bucket < 0) {
        bucket = static_cast<std::int32_t>(receivers_.size());
        receivers_.emplace_back();
      }
      receivers_[static_cast<std::size_t>(bucket)].push_back(nodes_.size());
      nodes_.push_back({x, node.y, node.z, node.weight * scale_at(node)});
      parts_.back().last = nodes_.size();
    }
}

template <class T>
void Field<T>::begin_band(Index first, Index last, Index every) {
  band_first_ = first;
  every_ = every;
  const std::size_t sources = problem_.sources.size();
  signal_.resize(static_cast<std::size_t>(last - first) * sources);
  if (!sources_.empty())
    for (Index k = first; k < last; ++k)
      for (std::size_t n = 0; n < sources; ++n)
        signal_[static_cast<std::size_t>(k - first) * sources + n] =
            problem_.sources[n].signal->at(static_cast<double>(k) * problem_.dt);
  slots_ = 0;
  if (every > 0) {
    first_recorded_ = (first / every + 1) * every;
    slots_ = first_recorded_ <= last ? (last - first_recorded_) / every + 1 : 0;
  }
  record_.resize(static_cast<std::size_t>(slots_) * nodes_.size());
}

template <class T>
void Field<T>::recorded(std::vector<std::vector<double>>& out) const {
  for (Index slot = 0; slot < slots_; ++slot) {
    const T* values = record_.data() + static_cast<std::size_t>(slot) * nodes_.size();
    std::vector<double> sums(parts_.size(), 0.0);
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (std::size_t n = parts_[p].first; n < parts_[p].last; ++n)
        sums[p] = std::fma(nodes_[n].weight, static_cast<double>(values[n]), sums[p]);
    out.push_back(std::move(sums));
  }
}

template <class T>
void Field<T>::sample(Index k, std::span<double> parts) const {
  const T* u = level(k);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    double sum = 0;
    for (std::size_t n = parts_[p].first; n < parts_[p].last; ++n)
      sum = std::fma(nodes_[n].weight, static_cast<double>(u[at_.at(nodes_[n].x, nodes_[n].y, nodes_[n].z)]), sum);
    parts[p] = sum;
  }
}

template <class T>
void Field<T>::join_traces(std::span<const double> parts, std::span<double> traces) const {
  std::fill(traces.begin(), traces.end(), 0.0);
  for (std::size_t p = 0; p < parts_.size(); ++p) traces[parts_[p].receiver] += parts[p];
}

template <class T>
void Field<T>::patch(Index k, Index x0, Index x1, Index y0, Index y1) {
  const Interval cx{std::clamp(core_[0].begin, x0, x1), std::clamp(core_[0].end, x0, x1)};
  const Interval cy{std::clamp(core_[1].begin, y0, y1), std::clamp(core_[1].end, y0, y1)};
  if (cx.empty() || cy.empty()) {
    rectangle(k, x0, x1, y0, y1, false);
  } else {
    rectangle(k, x0, cx.begin, y0, y1, false);
    rectangle(k, cx.begin, cx.end, y0, cy.begin, false);
    rectangle(k, cx.begin, cx.end, cy.begin, cy.end, true);
    rectangle(k, cx.begin, cx.end, cy.end, y1, false);
    rectangle(k, cx.end, x1, y0, y1, false);
  }
  finish_rows(k, x0, x1, y0, y1);
}

template <class T>
void Field<T>::rectangle(Index k, Index x0, Index x1, Index y0, Index y1, bool core) {
  if (x0 >= x1 || y0 >= y1) return;
  if (!core && (matched_x_ || matched_y_)) {
    for (Index x = x0; x < x1; ++x)
      for (Index y = y0; y < y1; ++y) {
        if (memory_at(0, x, y) >= 0 || memory_at(1, x, y) >= 0) {
          matched_row(k, x, y, 0, at_.nz);
          continue;
        }
        run(Cells::damped, k, x, x + 1, y, y + 1, core_[2].begin, core_[2].end, nullptr);
        matched_row(k, x, y, 0, core_[2].begin);
        matched_row(k, x, y, core_[2].end, at_.nz);
      }
    return;
  }
  run(core ? (dense_ ? Cells::dense : Cells::plain) : Cells::damped, k, x0, x1, y0, y1, core_[2].begin, core_[2].end, nullptr);
  for (const Interval z : {Interval{0, core_[2].begin}, Interval{core_[2].end, at_.nz}}) {
    if (z.empty()) continue;
    if (!matched_ends_) {
      run(Cells::layer, k, x0, x1, y0, y1, z.begin, z.end, zeros_.data());
      continue;
    }
    for (Index x = x0; x < x1; ++x)
      for (Index y = y0; y < y1; ++y) matched_row(k, x, y, z.begin, z.end);
  }
}

template <class T>
void Field<T>::run(Cells kind, Index k, Index x0, Index x1, Index y0, Index y1, Index z0, Index z1, const T* extra) {
  if (z0 >= z1) return;
  const Index here = at_.at(x0, y0);
  Patch<T> t;
  t.u = level(k) + here;
  t.o = level(k + 1) + here;
  t.stride_x = at_.stride_x;
  t.stride_y = at_.stride_y;
  t.a = a_.data() + (varying_ ? here : 0);
  t.a_stride_x = varying_ ? at_.stride_x : 0;
  t.a_stride_y = varying_ ? at_.stride_y : 0;
  t.v = v_.data() + (dense_ ? here : 0);
  t.v_stride_x = dense_ ? at_.stride_x : 0;
  t.v_stride_y = dense_ ? at_.stride_y : 0;
  t.nx = x1 - x0;
  t.ny = y1 - y0;
  t.z0 = z0;
  t.z1 = z1;
  t.sigma_x = sigma_[0].data() + (x0 + at_.first);
  t.sigma_y = sigma_[1].data() + y0;
  t.sigma_z = sigma_z_.data();
  t.extra = extra;
  t.weights = &weights_;
  order_->update[unequal_][static_cast<int>(kind)](t);
}

template <class T>
void Field<T>::matched_row(Index k, Index x, Index y, Index z0, Index z1) {
  if (z0 >= z1) return;
  T* extra = scratch_row<T>(padded(at_.nz) + 4 * vector_pad);
  const Index begin = z0 / vector_pad * vector_pad, end = padded(z1);
  std::fill(extra + begin, extra + end, T(0));
  MemoryRow<T> row;
  row.u = level(k) + at_.at(x, y);
  row.curvature = curvature_;
  row.slope = slope_;
  row.extra = extra;
  for (std::size_t a = 0; a < 2; ++a) {
    const Index place = memory_at(a, x, y);
    if (place < 0) continue;
    const auto node = static_cast<std::size_t>(a == 0 ? x + at_.first : y);
    row.stride = a == 0 ? at_.stride_x : at_.stride_y;
    row.m1 = memory_[a].block[0].data() + place;
    row.m2 = memory_[a].block[1].data() + place;
    row.m3 = memory_[a].block[2].data() + place;
    for (std::size_t i = 0; i < 7; ++i) row.factor[i] = memory_[a].factor[i].data() + node;
    row.z0 = z0;
    row.z1 = z1;
    order_->memory[0](row);
  }
  if (matched_ends_) {
    const Memory& m = memory_[2];
    const Index place = memory_at(2, x, y);
    row.stride = 1;
    for (std::size_t i = 0; i < 7; ++i) row.factor[i] = m.factor[i].data();
    const auto piece = [&](Index from, Index to, Index offset) {
      row.z0 = std::max(from, z0);
      row.z1 = std::min(to, z1);
      if (row.z0 >= row.z1) return;
      row.m1 = m.block[0].data() + place + offset;
      row.m2 = m.block[1].data() + place + offset;
      row.m3 = m.block[2].data() + place + offset;
      order_->memory[1](row);
    };
    piece(0, m.layer.low, 0);
    piece(at_.nz - m.layer.high, at_.nz, m.offset_high);
  }
  run(Cells::layer, k, x, x + 1, y, y + 1, z0, z1, extra);
}

template <class T>
void Field<T>::finish_rows(Index k, Index x0, Index x1, Index y0, Index y1) {
  const bool recording = slots_ > 0 && (k + 1) % every_ == 0 && !receiver_bucket_.empty();
  if (source_bucket_.empty() && !reflects_ && !recording) return;
  T* o = level(k + 1);
  const double* signal = signal_.data() + static_cast<std::size_t>(k - band_first_) * problem_.sources.size();
  T* record = recording
                  ? record_.data() + static_cast<std::size_t>((k + 1 - first_recorded_) / every_) * nodes_.size()
                  : nullptr;
  for (Index x = x0; x < x1; ++x) {
    const auto row = static_cast<std::size_t>((x - held_.begin) * at_.ny);
    for (Index y = y0; y < y1; ++y) {
      const std::size_t here = row + static_cast<std::size_t>(y);
      if (!source_bucket_.empty())
        if (const std::int32_t bucket = source_bucket_[here]; bucket >= 0)
          for (const SourceNode& node : sources_[static_cast<std::size_t>(bucket)])
            o[at_.at(x, y, node.z)] += static_cast<T>(node.weight * signal[node.source]);
      if (reflects_) images(o, x, y);
      if (recording)
        if (const std::int32_t bucket = receiver_bucket_[here]; bucket >= 0)
          for (const std::size_t n : receivers_[static_cast<std::size_t>(bucket)])
            record[n] = o[at_.at(x, y, nodes_[n].z)];
    }
  }
}

/// Copies a row, times the sign of the face, to its images behind the faces near by.
template <class T>
void Field<T>::images(T* u, Index x, Index y) {
  const Index s = stencil_.radius, nx = at_.nx, ny = at_.ny, nz = at_.nz;
  T* here = u + at_.at(x, y);
  if (sign_[4] != 0)
    for (Index i = 1; i <= s; ++i) here[-i] = static_cast<T>(sign_[4]) * here[i];
  if (sign_[5] != 0)
    for (Index i = 1; i <= s; ++i) here[nz - 1 + i] = static_cast<T>(sign_[5]) * here[nz - 1 - i];
  const auto mirror = [&](int sign, Index to_x, Index to_y) {
    T* to = u + at_.at(to_x, to_y);
    if (sign > 0)
      std::copy_n(here, nz, to);
    else
      for (Index z = 0; z < nz; ++z) to[z] = -here[z];
  };
  if (sign_[0] != 0 && x >= 1 && x <= s) mirror(sign_[0], -x, y);
  if (sign_[1] != 0 && x <= nx - 2 && x >= nx - 1 - s) mirror(sign_[1], 2 * (nx - 1) - x, y);
  if (sign_[2] != 0 && y >= 1 && y <= s) mirror(sign_[2], x, -y);
  if (sign_[3] != 0 && y <= ny - 2 && y >= ny - 1 - s) mirror(sign_[3], x, 2 * (ny - 1) - y);
}

template <class T>
void Field<T>::plane_energy(Index k, Index x, std::span<const double> wz, double half_low, double half_high,
                            double& kinetic, double& potential) const {
  const auto function = order_->energy[unequal_];
  kinetic = potential = 0;
  for (Index y = 0; y < at_.ny; ++y) {
    const Index here = at_.at(x, y);
    EnergyRow<T> row;
    row.u0 = level(k - 1) + here;
    row.u1 = level(k) + here;
    row.a = a_.data() + (varying_ ? here : 0);
    row.v = dense_ ? v_.data() + here : nullptr;
    row.wz = wz.data();
    row.stride_x = at_.stride_x;
    row.stride_y = at_.stride_y;
    row.nz = at_.nz;
    row.weights = &weights_;
    function(row);
    const double wy = y == 0 ? half_low : y == at_.ny - 1 ? half_high : 1.0;
    kinetic += wy * row.kinetic;
    potential += wy * row.potential;
  }
}

template <class T>
double Field<T>::plane_peak(Index k, Index x) const {
  T most = 0;
  bool finite = true;
  std::vector<double> factor(static_cast<std::size_t>(scaled_ ? at_.nz : 0));
  for (Index y = 0; y < at_.ny; ++y) {
    const T* u = level(k) + at_.at(x, y);
    if (scaled_) pressure_factor(problem_, x + at_.first, y, 0, 1, factor);
    for (Index z = 0; z < at_.nz; ++z) {
      T v = u[z] < 0 ? -u[z] : u[z];
      if (scaled_) v *= static_cast<T>(factor[static_cast<std::size_t>(z)]);
      most = v > most ? v : most;
      finite &= (v - v == 0);
    }
  }
  return finite ? static_cast<double>(most) : HUGE_VAL;
}

template <class T>
std::size_t Field<T>::plane_state_bytes(Index x, bool older) const {
  Index count = at_.stride_x * (older ? 2 : 1);
  for (std::size_t a = 0; a < 3; ++a)
    if (memory_[a].layer.any()) count += 3 * memory_plane(a, x).second;
  return static_cast<std::size_t>(count) * sizeof(T);
}

template <class T>
void Field<T>::pack(Index k, Index x, bool older, std::byte*& to) const {
  const auto add = [&](const T* from, Index count) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
    to += static_cast<std::size_t>(count) * sizeof(T);
  };
  const Index plane = at_.at(x, -at_.halo) - vector_pad;
  add(level(k) + plane, at_.stride_x);
  if (older) add(level(k - 1) + plane, at_.stride_x);
  for (std::size_t a = 0; a < 3; ++a)
    if (memory_[a].layer.any())
      if (const auto [position, count] = memory_plane(a, x); count > 0)
        for (const auto& block : memory_[a].block) add(block.data() + position, count);
}

template <class T>
void Field<T>::unpack(Index k, Index x, bool older, const std::byte*& from) {
  const auto take = [&](T* to, Index count) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
    from += static_cast<std::size_t>(count) * sizeof(T);
  };
  const Index plane = at_.at(x, -at_.halo) - vector_pad;
  take(level(k) + plane, at_.stride_x);
  if (older) take(level(k - 1) + plane, at_.stride_x);
  for (std::size_t a = 0; a < 3; ++a)
    if (memory_[a].layer.any())
      if (const auto [position, count] = memory_plane(a, x); count > 0)
        for (auto& block : memory_[a].block) take(block.data() + position, count);
}

namespace {
constexpr std::array<std::array<const char*, 3>, 3> memory_names{{{"layer_x1", "layer_x2", "layer_x3"},
                                                                  {"layer_y1", "layer_y2", "layer_y3"},
                                                                  {"layer_z1", "layer_z2", "layer_z3"}}};
}

template <class T>
void Field<T>::save_memory(CheckpointWriter& writer) const {
  for (std::size_t a = 0; a < 3; ++a) {
    const Memory& m = memory_[a];
    if (!m.layer.any()) continue;
    const Index n = problem_.grid.points[0];
    const Index planes = a == 0 ? m.layer.low + m.layer.high : n;
    for (Index x = 0; x < at_.nx; ++x) {
      const auto [position, count] = memory_plane(a, x);
      if (count == 0) continue;
      const Index here = x + at_.first;
      const Index slot = a > 0 || here < m.layer.low ? here : here - n + m.layer.high + m.layer.low;
      for (std::size_t i = 0; i < 3; ++i)
        writer.piece<T>(memory_names[a][i], planes * count, slot * count,
                        std::span<const T>(m.block[i].data() + position, static_cast<std::size_t>(count)));
    }
  }
}

template <class T>
void Field<T>::load_memory(CheckpointReader& reader) {
  for (std::size_t a = 0; a < 3; ++a) {
    Memory& m = memory_[a];
    if (!m.layer.any()) continue;
    const Index n = problem_.grid.points[0];
    for (Index x = 0; x < at_.nx; ++x) {
      const auto [position, count] = memory_plane(a, x);
      if (count == 0) continue;
      const Index here = x + at_.first;
      const Index slot = a > 0 || here < m.layer.low ? here : here - n + m.layer.high + m.layer.low;
      for (std::size_t i = 0; i < 3; ++i)
        reader.range<T>(memory_names[a][i], slot * count,
                        std::span<T>(m.block[i].data() + position, static_cast<std::size_t>(count)));
    }
  }
}

template class Field<float>;
template class Field<double>;

}  // namespace conoid::acoustic_fd
