// SPDX-License-Identifier: BSD-3-Clause
// What happens to a patch of cells in one step.
#include "engine/solvers/acoustic_fd/stepping/field.hpp"

#include "engine/simd/subnormals.hpp"
#include "engine/solvers/acoustic_fd/discretization/cut_walls.hpp"
#include "engine/solvers/acoustic_fd/discretization/initial_field.hpp"
#include "engine/solvers/acoustic_fd/discretization/medium.hpp"
#include "engine/solvers/acoustic_fd/discretization/points.hpp"

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

/// Those that the case names. Throws Failure(resources) where this machine has none.
template <class T>
const PatchKernels<T>* named_kernels(const Problem& problem, const Machine& machine) {
  if (const PatchKernels<T>* found = patch_kernels<T>(problem.kernel, machine)) return found;
  std::string names;
  for (const auto n : patch_kernel_names(machine)) names += fmt::format("{}{}", names.empty() ? "" : ", ", n);
  throw Failure(make_error(ErrorCode::resources,
                           fmt::format("kernel \"{}\" does not run on this machine", problem.kernel),
                           fmt::format("Use auto, or one of: {}.", names)));
}

}  // namespace

template <class T>
Field<T>::Field(const Problem& problem, const Machine& machine, const Slab& slab)
    : problem_(problem), stencil_(stencil_of_order(problem.order)), kernels_(named_kernels<T>(problem, machine)),
      order_(kernels_->order[stencil_.radius - 1]), beside_(&beside_kernels<T>(kernels_->name)), slab_(slab) {
  const auto& n = problem.grid.points;
  at_ = Layout(slab.planes.begin, slab.planes.size(), n[1], n[2], stencil_.radius, slab.beside);
  held_ = {std::max(-at_.halo_x, -at_.first), std::min(at_.nx + at_.halo_x, n[0] - at_.first)};
  if (!slab.lower) held_.begin = 0;
  if (!slab.upper) held_.end = at_.nx;
  if (slab.moves) held_ = {0, at_.nx};
  for (auto& level : level_) level = Block<T>(at_.count);
  const Index row = padded(at_.nz) + 4 * vector_pad;
  take_medium(row);
  unequal_ = !equal_spacings(problem.grid.stencil_spacing());
  weights_ = row_weights<T>(stencil_, problem.grid.stencil_spacing());
  for (int i = 0; i <= stencil_.radius; ++i) {
    curvature_[i] = static_cast<T>(stencil_.weight[static_cast<std::size_t>(i)]);
    slope_[i] = static_cast<T>(stencil_.slope[static_cast<std::size_t>(i)]);
  }
  take_profiles(row);
  lay_out_layers();
  join_layers_to_kernels();
  core_x_ = core_[0];
  core_[0] = {core_x_.begin - at_.first, core_x_.end - at_.first};
  for (auto& m : memory_)
    if (m.layer.any() && m.planes > 0) {
      for (auto& block : m.block) block = Block<T>(m.planes * m.stride_x + vector_pad);
      if (dense_)
        for (auto& block : m.density) block = Block<T>(m.planes * m.stride_x + vector_pad);
    }

  for (std::size_t f = 0; f < 6; ++f) sign_[f] = problem.faces[f].image_sign();
  if (slab.lower) sign_[0] = 0;
  if (slab.upper) sign_[1] = 0;
  for (const int s : sign_) reflects_ = reflects_ || s != 0;
}

template <class T>
void Field<T>::take_medium(Index row) {
  varying_ = problem_.medium_varies();
  dense_ = scaled_ = problem_.density && !problem_.density->constant();
  a_ = Block<T>(varying_ ? at_.count : row);
  v_ = Block<T>(dense_ ? at_.count : row);
  if (problem_.peak_map) map_[0] = Block<T>(at_.count);
  if (problem_.rms_map) map_[1] = Block<T>(at_.count);
  for (const Relaxation& relaxation : problem_.relaxations) {
    memories_.emplace_back(at_.count);
    relaxation_steps_.push_back(relaxation_step(relaxation, problem_.dt));
  }
  const auto varies = [&](std::size_t axis) { return problem_.velocity->along(axis).varies; };
  if (varying_ && varies(2) && !varies(0) && !varies(1)) {
    const Grid& g = problem_.grid;
    column_.resize(static_cast<std::size_t>(at_.nz));
    problem_.velocity->row(g.at(0, 0), g.at(1, 0), g.origin[2], g.spacing[2], column_);
  }
  if (!varying_) {
    const double ratio = problem_.speed.highest * problem_.dt / problem_.grid.spacing[0];
    std::fill_n(a_.data(), row, static_cast<T>(ratio * ratio));
  }
}

template <class T>
void Field<T>::take_profiles(Index row) {
  const auto& n = problem_.grid.points;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::vector<double> profile = sponge_profile(problem_, a);
    sigma_[a].assign(profile.begin(), profile.end());
    memory_[a].layer = matched_layer(problem_, a);
    for (std::size_t i = 0; i < 7; ++i)
      memory_[a].factor[i].assign(memory_[a].layer.factor[i].begin(), memory_[a].layer.factor[i].end());
    Index low = 0, high = n[a];
    while (low < n[a] && profile[static_cast<std::size_t>(low)] != 0) ++low;
    while (high > low && profile[static_cast<std::size_t>(high - 1)] != 0) --high;
    core_[a] = {low, high};
    sponges_ = sponges_ || high - low < n[a];
  }
  sigma_z_ = Block<T>(row);
  std::copy(sigma_[2].begin(), sigma_[2].end(), sigma_z_.data());
  inverse_z_ = Block<T>(row);
  for (Index z = 0; z < row; ++z) inverse_z_.data()[z] = T(1) / (T(1) + sigma_z_.data()[z]);
  const auto first_plain = std::find(sigma_[2].begin(), sigma_[2].end(), T(0));
  const auto last_plain = std::find(sigma_[2].rbegin(), std::make_reverse_iterator(first_plain), T(0));
  undamped_z_ = {padded(first_plain - sigma_[2].begin()), (sigma_[2].rend() - last_plain) / vector_pad * vector_pad};
  if (sigma_[2].back() == 0) undamped_z_.end = padded(at_.nz);
}

template <class T>
void Field<T>::lay_out_layers() {
  const Index rowz = padded(at_.nz);
  if (memory_[0].layer.any()) {
    Memory& m = memory_[0];
    m.stride_y = rowz;
    m.stride_x = at_.ny * rowz;
    m.planes = slab_.moves ? m.layer.low + m.layer.high
                           : memory_plane(0, held_.end).first / m.stride_x;  // the number of planes before the end
  }
  if (memory_[1].layer.any()) {
    Memory& m = memory_[1];
    m.stride_y = rowz;
    m.stride_x = (m.layer.low + m.layer.high) * rowz;
    m.planes = held_.size();
  }
  if (memory_[2].layer.any()) {
    Memory& m = memory_[2];
    m.begin_high = (at_.nz - m.layer.high) / vector_pad * vector_pad;
    m.offset_high = padded(m.layer.low) - m.begin_high;
    m.stride_y = padded(m.layer.low) + padded(at_.nz - m.begin_high);
    m.stride_x = at_.ny * m.stride_y;
    m.planes = held_.size();
    for (auto& f : m.factor)
      f.resize(static_cast<std::size_t>(rowz), T(0));  // layers of z are computed in whole vectors
  }
}

template <class T>
void Field<T>::join_layers_to_kernels() {
  const auto& n = problem_.grid.points;
  const MatchedLayer& z = memory_[2].layer;
  layered_ = z.any() && padded(z.low) <= memory_[2].begin_high && !sponges_ && !dense_ &&
             order_->update[unequal_][static_cast<int>(Cells::layered)];
  if (!layered_) return;
  for (std::size_t a = 0; a < 2; ++a) core_[a] = {memory_[a].layer.low, n[a] - memory_[a].layer.high};
  const Index rowz = padded(at_.nz);
  constexpr Index block = PatchLayers<T>::block;
  end_factors_ = Block<T>(7 * rowz);
  for (std::size_t i = 0; i < 7; ++i)
    for (Index at = 0; at < rowz; ++at)
      end_factors_.data()[(at / block * 7 + static_cast<Index>(i)) * block + at % block] =
          memory_[2].factor[i][static_cast<std::size_t>(at)];
}

template <class T>
Bytes Field<T>::bytes() const {
  Index count = at_.count * (2 + (varying_ ? 1 : 0) + (dense_ ? 1 : 0) + problem_.kept_arrays());
  for (const auto& m : memory_)
    if (m.layer.any()) count += static_cast<Index>(layer_arrays(problem_)) * m.planes * m.stride_x;
  return static_cast<Bytes>(count) * sizeof(T);
}

template <class T>
std::pair<Index, Index> Field<T>::memory_plane(std::size_t a, Index x) const {
  const Memory& m = memory_[a];
  if (a > 0) return {(x - held_.begin) * m.stride_x, m.stride_x};
  const Index n = problem_.grid.points[0], here = x + at_.first, begin = slab_.moves ? 0 : held_.begin + at_.first;
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
void Field<T>::speeds_of_row(Index x, Index y, std::vector<double>& c) const {
  const Grid& g = problem_.grid;
  c.resize(static_cast<std::size_t>(at_.nz));
  if (!column_.empty())
    std::copy(column_.begin(), column_.end(), c.begin());
  else
    problem_.velocity->row(g.at(0, x + at_.first), g.at(1, y), g.origin[2], g.spacing[2], c);
}

template <class T>
void Field<T>::make_medium(Index x, T* a, T* v) const {
  std::vector<double> c, potential(static_cast<std::size_t>(dense_ ? at_.nz : 0));
  const double h = problem_.grid.spacing[0];
  for (Index y = 0; y < at_.ny; ++y, a += at_.stride_y, v += at_.stride_y) {
    if (varying_) {
      speeds_of_row(x, y, c);
      for (Index z = 0; z < at_.nz; ++z) {
        const double ratio = c[static_cast<std::size_t>(z)] * problem_.dt / h;
        a[z] = static_cast<T>(ratio * ratio);
      }
      if (const Solid* const solid = problem_.obstacles ? problem_.obstacles->row(x + at_.first, y) : nullptr)
        for (Index z = 0; z < at_.nz; ++z)
          if (solid[z] != Solid::none) a[z] = static_cast<T>(still);
      if (problem_.obstacles && problem_.obstacles->cuts())
        for (const CutNode& cut : problem_.obstacles->cuts()->row(x + at_.first, y))
          if (cut.mass > 0 && !cut.in_layer) {
            const double ratio = c[static_cast<std::size_t>(cut.z)] * problem_.dt / h;
            a[cut.z] = static_cast<T>(ratio * ratio / cut.mass);
          }
    }
    if (dense_) {
      density_potential(problem_, stencil_, x + at_.first, y, potential);
      add_wall_potential(problem_, stencil_, x + at_.first, y, potential);
      std::transform(potential.begin(), potential.end(), v, [](double value) { return static_cast<T>(value); });
    }
  }
}

template <class T>
void Field<T>::fill_stretches(Index x) {
  const bool any = std::any_of(memory_, memory_ + 3, [](const Memory& m) { return m.layer.any(); });
  for (Index y = 0; dense_ && any && y < at_.ny; ++y)
    for (std::size_t a = 0; a < 3; ++a) fill_stretch(a, x, y);
}

template <class T>
void Field<T>::fill_plane(Index x) {
  const Index plane = at_.at(x, 0);
  make_medium(x, a_.data() + (varying_ ? plane : 0), v_.data() + (dense_ ? plane : 0));
  fill_stretches(x);
  if (problem_.initial.kind == Initial::Kind::none)
    silence_all(x);
  else
    fill_levels(x);
}

template <class T>
void Field<T>::fill_levels(Index x) {
  const Grid& g = problem_.grid;
  std::vector<double> c, factor(static_cast<std::size_t>(at_.nz), 1.0);
  silence_layers(x);
  for (Index y = 0; y < at_.ny; ++y) {
    const Index here = at_.at(x, y);
    speeds_of_row(x, y, c);
    if (dense_) pressure_factor(problem_, x + at_.first, y, 0, 1, factor);
    const Solid* const solid = problem_.obstacles ? problem_.obstacles->row(x + at_.first, y) : nullptr;
    for (Index z = 0; z < at_.nz; ++z) {
      T now = 0, before = 0;
      const bool starts = !on_free_surface(x + at_.first, y, z) && !(solid && solid[z] != Solid::none);
      const Vec3 p{g.at(0, x + at_.first), g.at(1, y), g.at(2, z)};
      const double speed = c[static_cast<std::size_t>(z)], scale = 1 / factor[static_cast<std::size_t>(z)];
      if (starts) {
        now = static_cast<T>(scale * initial_pressure(problem_.initial, p));
        before = static_cast<T>(scale * pressure_before(problem_, p, speed));
      }
      level(0)[here + z] = now;
      level(1)[here + z] = before;
      if (problem_.peak_map) map_[0].data()[here + z] = std::abs(now);
      for (std::size_t l = 0; l < memories_.size(); ++l)
        memories_[l].data()[here + z] =
            starts ? static_cast<T>(scale * initial_memory(problem_, problem_.relaxations[l], p, speed)) : T(0);
    }
  }
}

template <class T>
void Field<T>::silence_layers(Index x) {
  for (std::size_t a = 0; a < 3; ++a)
    if (memory_[a].layer.any() && !slab_.moves)
      if (const auto [position, count] = memory_plane(a, x); count > 0)
        for (auto& block : memory_[a].block) std::fill_n(block.data() + position, count, T(0));
}

template <class T>
void Field<T>::silence_all(Index x) {
  silence_plane(x);
  const Index plane = at_.at(x, -at_.halo_y) - vector_pad;
  for (auto& map : map_)
    if (map.data()) std::fill_n(map.data() + plane, at_.stride_x, T(0));
  for (auto& memory : memories_) std::fill_n(memory.data() + plane, at_.stride_x, T(0));
  silence_layers(x);
}

/// What the layers of an axis need of the density in row (x, y).
template <class T>
void Field<T>::fill_stretch(std::size_t a, Index x, Index y) {
  Memory& m = memory_[a];
  const Index place = memory_at(a, x, y);
  if (place < 0) return;
  std::vector<double> potential(static_cast<std::size_t>(at_.nz)), slope(potential.size());
  density_stretch(problem_, stencil_, a, x + at_.first, y, potential, slope);
  for (Index z = 0; z < at_.nz; ++z) {
    Index at = place + z;
    if (a == 2) {
      if (z >= m.layer.low && z < at_.nz - m.layer.high) continue;
      if (z >= at_.nz - m.layer.high) at += m.offset_high;
    }
    m.density[0].data()[at] = static_cast<T>(potential[static_cast<std::size_t>(z)]);
    m.density[1].data()[at] = static_cast<T>(slope[static_cast<std::size_t>(z)]);
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
void Field<T>::rest_start(Interval planes) {
  const FlushSubnormals flush;
  std::vector<T> before(static_cast<std::size_t>(padded(at_.nz) + vector_pad));
  const Machine plain{};
  const auto function = patch_kernels<T>("reference", plain)
                            ->order[stencil_.radius - 1]
                            ->update[unequal_][static_cast<int>(Cells::dense)];
  for (Index x = planes.begin; x < planes.end; ++x)
    for (Index y = 0; y < at_.ny; ++y) {
      // One plain update from p^{−1} = 0 gives 2 p^0 + a L; half of it is p^0 + ½ a L, the scheme's own p^{−1} = p^{1}.
      std::fill(before.begin(), before.end(), T(0));
      const Index here = at_.at(x, y);
      Patch<T> t;
      t.u = level(0) + here;
      t.o = before.data();
      t.stride_x = at_.stride_x;
      t.stride_y = at_.step_y();
      t.a = a_.data() + (varying_ ? here : 0);
      t.v = v_.data() + (dense_ ? here : 0);
      t.nx = t.ny = 1;
      t.z1 = t.core1 = at_.nz;
      t.weights = &weights_;
      function(t);
      for (const WallNode& node : walls_.at(x + at_.first, {y, y + 1})) {
        T& value = before[static_cast<std::size_t>(node.z)];
        value = std::fma(t.a[varying_ ? node.z : 0], wall_sum(t.u + node.z, node), value);
      }
      for (Index z = 0; z < at_.nz; ++z) level(1)[here + z] = T(0.5) * before[static_cast<std::size_t>(z)];
    }
}

template <class T>
void Field<T>::refresh_images() {
  for (Index x = held_.begin; x < held_.end; ++x) refresh_images(x);
}

template <class T>
void Field<T>::refresh_images(Index x) {
  for (auto& block : level_) images(block.data(), {{x, x + 1}, {0, at_.ny}, {0, at_.nz}});
}

/// call(values, count) for every array of a plane.
template <class T>
template <class Call>
void Field<T>::for_plane_arrays(Index x, Call&& call) const {
  const Index plane = at_.at(x, -at_.halo_y) - vector_pad;
  call(level_[0].data() + plane, at_.stride_x);
  call(level_[1].data() + plane, at_.stride_x);
  if (varying_) call(a_.data() + plane, at_.stride_x);
  if (dense_) call(v_.data() + plane, at_.stride_x);
  for (const auto& map : map_)
    if (map.data()) call(map.data() + plane, at_.stride_x);
  for (const auto& memory : memories_) call(memory.data() + plane, at_.stride_x);
  for (std::size_t a = 1; a < 3; ++a)
    if (memory_[a].layer.any()) {
      for (const auto& block : memory_[a].block) call(block.data() + memory_plane(a, x).first, memory_[a].stride_x);
      if (dense_)
        for (const auto& block : memory_[a].density) call(block.data() + memory_plane(a, x).first, memory_[a].stride_x);
    }
}

template <class T>
std::size_t Field<T>::plane_bytes() const {
  std::size_t bytes = 0;
  for_plane_arrays(0, [&](T*, Index count) { bytes += static_cast<std::size_t>(count) * sizeof(T); });
  return bytes;
}

template <class T>
void Field<T>::keep_plane(Index x, std::byte* to) const {
  for_plane_arrays(x, [&](const T* from, Index count) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
    to += static_cast<std::size_t>(count) * sizeof(T);
  });
}

template <class T>
Index Field<T>::kept_at(const T* part) const {
  Index before = 0, found = -1;
  for_plane_arrays(0, [&](const T* values, Index count) {
    if (values == part) found = before;
    before += count;
  });
  verify(found >= 0, "an array that is kept with a plane");
  return found;
}

template <class T>
const T* Field<T>::plane_of_level(Index k, Index x) const {
  return level(k) + at_.at(x, -at_.halo_y) - vector_pad;
}

template <class T>
void Field<T>::bring_plane(Index x, const std::byte* from) {
  for_plane_arrays(x, [&](T* to, Index count) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
    from += static_cast<std::size_t>(count) * sizeof(T);
  });
}

template <class T>
void Field<T>::silence_plane(Index x) {
  for (auto& level : level_) std::fill_n(level.data() + at_.at(x, -at_.halo_y) - vector_pad, at_.stride_x, T(0));
}

template <class T>
void Field<T>::slide(Index first) {
  const Index by = first - at_.first;
  if (by == 0) return;
  // Arrays of neighbouring planes lie side by side, so planes that stay move array by array, in the order that spares them.
  for (Index i = 0; i < at_.nx; ++i) {
    const Index x = by > 0 ? i : at_.nx - 1 - i;
    if (x + by < 0 || x + by >= at_.nx) continue;
    std::vector<const T*> from;
    for_plane_arrays(x + by, [&](const T* values, Index) { from.push_back(values); });
    std::size_t next = 0;
    for_plane_arrays(
        x, [&](T* to, Index count) { std::memcpy(to, from[next++], static_cast<std::size_t>(count) * sizeof(T)); });
  }
  at_.first = first;
  core_[0] = {core_x_.begin - first, core_x_.end - first};
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
  // A moving window meets every row of the grid; the others only those they hold.
  const Interval planes =
      slab_.moves ? Interval{0, problem_.grid.points[0]} : Interval{held_.begin + at_.first, held_.end + at_.first};
  const Interval own = slab_.moves ? slab_.own : Interval{at_.first, at_.first + at_.nx};
  std::vector<double> factor(1, 1.0);
  const auto scale_at = [&](const NodeWeight& node) {
    if (!scaled_) return 1.0;
    pressure_factor(problem_, node.x, node.y, node.z, 1, factor);
    return factor[0];
  };
  const auto solid_at = [&](const NodeWeight& node) {
    return problem_.obstacles && problem_.obstacles->at(node.x, node.y, node.z) != Solid::none;
  };
  walls_.clear();
  Walls walls = find_walls(problem_, stencil_, planes);
  for (const WallNode& node : walls.nodes) walls_.add(node);
  walls_.sort();
  wall_entries_ = std::move(walls.entries);
  sources_.clear();
  for (std::size_t n = 0; n < problem_.sources.size(); ++n)
    for (const NodeWeight& node :
         source_weights(problem_.grid, problem_.faces, problem_.sources[n], problem_.spread, &problem_)) {
      if (node.x < planes.begin || node.x >= planes.end || solid_at(node)) continue;
      problem_.velocity->row(problem_.grid.at(0, node.x), problem_.grid.at(1, node.y), problem_.grid.at(2, node.z),
                             h[2], factor);
      const double ratio = (problem_.velocity->constant() ? problem_.speed.highest : factor[0]) * problem_.dt / h[0];
      const auto a = static_cast<double>(static_cast<T>(ratio * ratio));  // as the kernels have it
      const Source& source = problem_.sources[n];
      // (1/K) p_tt = … + s δ/ρ(place) with K = ρ a: the node's density over that of the place, and q = p √(ρ_0/ρ).
      const CutNode* const cut = problem_.obstacles && problem_.obstacles->cuts()
                                     ? problem_.obstacles->cuts()->at(node.x, node.y, node.z)
                                     : nullptr;
      const double weight = node.weight * a * h[0] * h[0] / (h[0] * h[1] * h[2]) / (cut ? cut->mass : 1.0),
                   scale = scale_at(node),
                   density = source.density > 0 ? problem_.reference_density * scale * scale : 1;
      // Damping (attenuation, walls of an impedance, sponges) divides what comes to a node by 1 + σ, its sources as its neighbours.
      const double placed = weight * (source.transposed ? scale : density / scale) /
                            (1 + static_cast<double>(sigma_at(node.x, node.y, node.z)));
      sources_.add({node.x, node.y, node.z, placed, n});
    }
  sources_.sort();
  receivers_.clear();
  parts_.clear();
  nodes_.clear();
  for (std::size_t n = 0; n < problem_.receivers.size(); ++n)
    for (const NodeWeight& node :
         receiver_weights(problem_.grid, problem_.faces, problem_.receivers[n], problem_.spread, &problem_)) {
      if (parts_.empty() || parts_.back().receiver != n || parts_.back().x != node.x)
        parts_.push_back({n, node.x, nodes_.size(), nodes_.size()});
      if (node.x < own.begin || node.x >= own.end) continue;
      receivers_.add({node.x, node.y, node.z, nodes_.size()});
      nodes_.push_back({node.x, node.y, node.z, node.weight * scale_at(node)});
      parts_.back().last = nodes_.size();
    }
  receivers_.sort();
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
std::vector<typename Field<T>::SourceCell> Field<T>::source_cells() const {
  std::vector<SourceCell> out;
  std::size_t row = 0;  // where the cells of the row begin
  for (const SourceNode& node : sources_.all()) {
    if (row < out.size() && (out[row].x != node.x || out[row].y != node.y)) row = out.size();
    auto cell = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(row), out.end(),
                             [&](const SourceCell& c) { return c.z == node.z; });
    if (cell == out.end()) cell = out.insert(out.end(), {node.x, node.y, node.z, {}});
    cell->from.push_back({node.weight, node.source});
  }
  return out;
}

template <class T>
std::vector<std::array<Index, 3>> Field<T>::receiver_nodes() const {
  std::vector<std::array<Index, 3>> out;
  for (const Node& node : nodes_) out.push_back({node.x, node.y, node.z});
  return out;
}

template <class T>
T* Field<T>::record_of(Index k) {
  if (slots_ == 0 || (k + 1) % every_ != 0) return nullptr;
  return record_.data() + static_cast<std::size_t>((k + 1 - first_recorded_) / every_) * nodes_.size();
}

template <class T>
std::vector<double> Field<T>::recorded(Index n) const {
  const T* values = record_.data() + static_cast<std::size_t>(n) * nodes_.size();
  std::vector<double> sums(parts_.size(), 0.0);
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (std::size_t i = parts_[p].first; i < parts_[p].last; ++i)
      sums[p] = std::fma(nodes_[i].weight, static_cast<double>(values[i]), sums[p]);
  return sums;
}

template <class T>
void Field<T>::sample(Index k, Interval planes, std::span<double> parts) const {
  const T* u = level(k);
  for (std::size_t p = 0; p < parts_.size(); ++p)
    if (parts_[p].x >= planes.begin && parts_[p].x < planes.end)
      for (std::size_t n = parts_[p].first; n < parts_[p].last; ++n)
        parts[p] =
            std::fma(nodes_[n].weight,
                     static_cast<double>(u[at_.at(nodes_[n].x - at_.first, nodes_[n].y, nodes_[n].z)]), parts[p]);
}

template <class T>
void Field<T>::join_traces(std::span<const double> parts, std::span<double> traces) const {
  std::fill(traces.begin(), traces.end(), 0.0);
  for (std::size_t p = 0; p < parts_.size(); ++p) traces[parts_[p].receiver] += parts[p];
}

template <class T>
void Field<T>::ask(Index k, const Box& level_box, const Box& cells, bool older, Ahead& ahead) {
  const auto add = [&](const T* values, const Box& box) {
    const Interval x{std::max(box.x.begin, held_.begin), std::min(box.x.end, held_.end)};
    const Interval y{std::max<Index>(box.y.begin, 0), std::min(box.y.end, at_.ny)};
    if (y.empty()) return;
    constexpr Index piece = Ahead::bytes / static_cast<Index>(sizeof(T));
    const bool whole = box.z.size() == at_.nz;  // rows side by side
    for (Index i = x.begin; i < x.end; ++i)
      for (Index j = y.begin; j < y.end; j = whole ? y.end : j + 1) {
        const Index end = at_.at(i, whole ? y.end - 1 : j, box.z.end);
        for (Index p = at_.at(i, j, box.z.begin); p < end; p += piece) ahead.pieces.push_back(values + p);
      }
  };
  add(level(k), level_box);
  if (older) add(level(k + 1), cells);
  if (varying_) add(a_.data(), cells);
}

template <class T>
void Field<T>::update(Index k, const Box& box, Ahead* ahead) {
  const auto cut = [](const Interval& core, const Interval& of) {
    return Interval{std::clamp(core.begin, of.begin, of.end), std::clamp(core.end, of.begin, of.end)};
  };
  const Interval cx = cut(core_[0], box.x), cy = cut(core_[1], box.y);
  if (layered_) {  // layers of x and y by themselves, and what lies between
    for (const Interval x : {Interval{box.x.begin, cx.begin}, cx, Interval{cx.end, box.x.end}})
      for (const Interval y : {Interval{box.y.begin, cy.begin}, cy, Interval{cy.end, box.y.end}})
        run(Cells::layered, k, {x, y, box.z}, ahead);
    finish(k, box);
    return;
  }
  // Rows with a sponge of x or y, and those without.
  const Cells plain = dense_ ? Cells::dense : Cells::plain;
  if (cx.empty() || cy.empty()) {
    run(Cells::damped, k, box, ahead);
  } else {
    run(Cells::damped, k, {{box.x.begin, cx.begin}, box.y, box.z}, ahead);
    run(Cells::damped, k, {cx, {box.y.begin, cy.begin}, box.z}, ahead);
    run(plain, k, {cx, cy, box.z}, ahead);
    run(Cells::damped, k, {cx, {cy.end, box.y.end}, box.z}, ahead);
    run(Cells::damped, k, {{cx.end, box.x.end}, box.y, box.z}, ahead);
  }
  for (std::size_t a = 0; a < 3; ++a)
    if (const MatchedLayer& layer = memory_[a].layer; layer.any()) {
      const Index n = problem_.grid.points[a], first = a == 0 ? at_.first : 0;
      for (const Interval nodes : {Interval{0, layer.low}, Interval{n - layer.high, n}}) {
        Box part = box;
        Interval& along = a == 0 ? part.x : a == 1 ? part.y : part.z;
        along = {std::max(along.begin, nodes.begin - first), std::min(along.end, nodes.end - first)};
        matched(k, a, nodes.begin > 0, part);
      }
    }
  finish(k, box);
}

template <class T>
void Field<T>::run(Cells kind, Index k, const Box& box, Ahead* ahead) {
  if (box.empty()) return;
  const Index here = at_.at(box.x.begin, box.y.begin);
  Patch<T> t;
  t.u = level(k) + here;
  t.o = level(k + 1) + here;
  t.stride_x = at_.stride_x;
  t.stride_y = at_.step_y();
  t.a = a_.data() + (varying_ ? here : 0);
  t.a_stride_x = varying_ ? at_.stride_x : 0;
  t.a_stride_y = varying_ ? at_.stride_y : 0;
  t.v = v_.data() + (dense_ ? here : 0);
  t.v_stride_x = dense_ ? at_.stride_x : 0;
  t.v_stride_y = dense_ ? at_.stride_y : 0;
  t.nx = box.x.size();
  t.ny = box.y.size();
  t.z0 = box.z.begin;
  t.z1 = box.z.end;
  t.sigma_x = sigma_[0].data() + (box.x.begin + at_.first);
  t.sigma_y = sigma_[1].data() + box.y.begin;
  t.sigma_z = sigma_z_.data();
  t.inverse_z = inverse_z_.data();
  t.core0 = undamped_z_.begin;
  t.core1 = undamped_z_.end;
  t.weights = &weights_;
  t.ahead = ahead;
  PatchLayers<T> layers;
  if (kind == Cells::layered) {
    const auto rows = [&](std::size_t a) {
      const Memory& own = memory_[a];
      const Index place = memory_at(a, box.x.begin, box.y.begin);
      return place < 0
                 ? LayerRows<T>{}
                 : LayerRows<T>{own.block[0].data() + place, own.block[1].data() + place, own.stride_x, own.stride_y};
    };
    layers.x = rows(0);
    layers.y = rows(1);
    layers.z = rows(2);
    for (std::size_t i = 0; i < 7; ++i) {
      if (layers.x.m1) layers.factor_x[i] = memory_[0].factor[i].data() + (box.x.begin + at_.first);
      if (layers.y.m1) layers.factor_y[i] = memory_[1].factor[i].data() + box.y.begin;
    }
    layers.factors_z = end_factors_.data();
    layers.to_high = memory_[2].offset_high;
    layers.curvature = curvature_;
    layers.slope = slope_;
    t.layers = &layers;
    t.core0 = padded(memory_[2].layer.low);
    t.core1 = memory_[2].begin_high;
  }
  order_->update[unequal_][static_cast<int>(kind)](t);
}

template <class T>
void Field<T>::matched(Index k, std::size_t a, bool high, const Box& box) {
  if (box.empty()) return;
  const Memory& own = memory_[a];
  const Index here = at_.at(box.x.begin, box.y.begin), place = memory_at(a, box.x.begin, box.y.begin);
  MemoryPatch<T> m;
  m.u = level(k) + here;
  m.o = level(k + 1) + here;
  m.a = a_.data() + (varying_ ? here : 0);
  m.curvature = curvature_;
  m.slope = slope_;
  m.stride = a == 0 ? at_.stride_x : a == 1 ? at_.stride_y : 1;
  const Index offset = a == 2 && high ? own.offset_high : 0;
  m.m1 = own.block[0].data() + place + offset;
  m.m2 = own.block[1].data() + place + offset;
  if (dense_) {
    m.v = own.density[0].data() + place + offset;
    m.w = own.density[1].data() + place + offset;
  }
  const Index node = a == 0 ? box.x.begin + at_.first : a == 1 ? box.y.begin : 0;
  for (std::size_t i = 0; i < 7; ++i) m.factor[i] = own.factor[i].data() + node;
  if (sponges_) {
    m.sigma_slow = sigma_[0].data() + (box.x.begin + at_.first);
    m.sigma_fast = sigma_[1].data() + box.y.begin;
    m.sigma_z = sigma_z_.data();
  }
  m.slow = box.x.size();
  m.fast = box.y.size();
  m.stride_slow = at_.stride_x;
  m.stride_fast = at_.stride_y;
  m.a_stride_slow = varying_ ? at_.stride_x : 0;
  m.a_stride_fast = varying_ ? at_.stride_y : 0;
  m.m_stride_slow = own.stride_x;
  m.m_stride_fast = own.stride_y;
  m.factor_stride_slow = a == 0 ? 1 : 0;
  m.factor_stride_fast = a == 1 ? 1 : 0;
  m.z0 = box.z.begin;
  m.z1 = box.z.end;
  if (a == 0) {  // along x, so that neighbours stay in the first cache
    std::swap(m.slow, m.fast);
    std::swap(m.stride_slow, m.stride_fast);
    std::swap(m.a_stride_slow, m.a_stride_fast);
    std::swap(m.m_stride_slow, m.m_stride_fast);
    std::swap(m.factor_stride_slow, m.factor_stride_fast);
    std::swap(m.sigma_slow, m.sigma_fast);
  }
  if (a == 2) {  // in whole vectors: cells beyond the layer have no factors, unless they lie in the other one
    if (high) {
      m.z0 = std::min(m.z0, std::max(m.z0 / vector_pad * vector_pad, own.layer.low));
      m.z1 = padded(m.z1);
    } else {
      m.z1 = std::max(m.z1, std::min(padded(m.z1), at_.nz - own.layer.high));
    }
  }
  order_->memory[a == 2 ? 1 : 0](m);
}

template <class T>
void Field<T>::finish(Index k, const Box& box) {
  T* o = level(k + 1);
  const auto points = [&](const auto& of, auto&& call) {
    if (of.empty()) return;
    for (Index x = box.x.begin; x < box.x.end; ++x)
      for (const auto& point : of.at(x + at_.first, box.y))
        if (point.z >= box.z.begin && point.z < box.z.end) call(point, o[at_.at(x, point.y, point.z)]);
  };
  if (!walls_.empty()) walls(k, box);
  if (!memories_.empty()) relax(k, box);
  points(sources_,
         [&](const SourceNode& node, T& value) { value += static_cast<T>(node.weight * signal(k, node.source)); });
  if (!memories_.empty()) remember(k, box);
  images(o, box);
  if (T* const record = record_of(k))
    points(receivers_, [&](const ReceiverNode& node, T& value) { record[node.number] = value; });
  if (problem_.maps() > 0) map(o, box);
}

/// Copies cells of a box, times the sign of the face, to their images behind the faces near by.
template <class T>
void Field<T>::images(T* u, const Box& box) {
  if (!reflects_) return;
  const Index s = stencil_.radius;
  for (std::size_t face = 0; face < 6; ++face) {
    if (sign_[face] == 0) continue;
    const std::size_t axis = face / 2;
    const bool upper = face % 2 == 1;
    const Index mirror = (upper ? problem_.grid.points[axis] - 1 : 0) - (axis == 0 ? at_.first : 0);
    Box from = box;
    Interval& near = axis == 0 ? from.x : axis == 1 ? from.y : from.z;
    near = {std::max(near.begin, upper ? mirror - s : mirror + 1), std::min(near.end, upper ? mirror : mirror + s + 1)};
    if (from.empty()) continue;
    const auto sign = static_cast<T>(sign_[face]);
    for (Index x = from.x.begin; x < from.x.end; ++x) {
      if (axis == 2) {
        for (Index z = from.z.begin; z < from.z.end; ++z)
          for (Index y = from.y.begin; y < from.y.end; ++y) u[at_.at(x, y, 2 * mirror - z)] = sign * u[at_.at(x, y, z)];
        continue;
      }
      for (Index y = from.y.begin; y < from.y.end; ++y) {
        const T* const here = u + at_.at(x, y);
        T* const image = u + (axis == 0 ? at_.at(2 * mirror - x, y) : at_.at(x, 2 * mirror - y));
        for (Index z = from.z.begin; z < from.z.end; ++z) image[z] = sign * here[z];
      }
    }
  }
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
    row.stride_y = at_.step_y();
    row.nz = at_.nz;
    row.weights = &weights_;
    function(row);
    for (const WallNode& node : walls_.at(x + at_.first, {y, y + 1}))
      row.potential = std::fma(wz[static_cast<std::size_t>(node.z)] * static_cast<double>(row.u1[node.z]),
                               static_cast<double>(wall_sum(row.u0 + node.z, node)), row.potential);
    const double wy = y == 0 ? half_low : y == at_.ny - 1 ? half_high : 1.0;
    kinetic += wy * row.kinetic;
    potential += wy * row.potential;
  }
}

template <class T>
double Field<T>::plane_peak(Index k, Index x) const {
  double most = 0;
  for (Index y = 0; y < at_.ny; ++y) most = std::max(most, row_peak(x + at_.first, y, level(k) + at_.at(x, y)));
  return most;
}

template <class T>
double Field<T>::row_peak(Index x, Index y, const T* values) const {
  constexpr Index lanes = 16;           // of their own, so that no value waits for the one before
  T most[lanes] = {}, odd[lanes] = {};  // v − v is zero, or no number where v is not finite
  const auto look = [&](Index lane, T value) {
    const T v = value < 0 ? -value : value;
    most[lane] = v > most[lane] ? v : most[lane];
    odd[lane] += v - v;
  };
  if (scaled_) {
    std::vector<double> factor(static_cast<std::size_t>(at_.nz));
    pressure_factor(problem_, x, y, 0, 1, factor);
    for (Index z = 0; z < at_.nz; ++z) look(z % lanes, values[z] * static_cast<T>(factor[static_cast<std::size_t>(z)]));
  } else {
    Index z = 0;
    for (; z + lanes <= at_.nz; z += lanes)
      for (Index lane = 0; lane < lanes; ++lane) look(lane, values[z + lane]);
    for (; z < at_.nz; ++z) look(0, values[z]);
  }
  for (const T o : odd)
    if (!(o == 0)) return HUGE_VAL;
  return static_cast<double>(*std::max_element(most, most + lanes));
}

template <class T>
std::size_t Field<T>::plane_state_bytes(Index x, bool older) const {
  Index count = at_.stride_x * ((older ? 2 : 1) + static_cast<Index>(memories_.size()));
  for (std::size_t a = 0; a < 3; ++a)
    if (memory_[a].layer.any()) count += static_cast<Index>(layer_variables) * memory_plane(a, x).second;
  return static_cast<std::size_t>(count) * sizeof(T);
}

template <class T>
void Field<T>::pack(Index k, Index x, bool older, std::byte*& to) const {
  const auto add = [&](const T* from, Index count) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
    to += static_cast<std::size_t>(count) * sizeof(T);
  };
  const Index plane = at_.at(x, -at_.halo_y) - vector_pad;
  add(level(k) + plane, at_.stride_x);
  if (older) add(level(k - 1) + plane, at_.stride_x);
  for (const auto& memory : memories_) add(memory.data() + plane, at_.stride_x);
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
  const Index plane = at_.at(x, -at_.halo_y) - vector_pad;
  take(level(k) + plane, at_.stride_x);
  if (older) take(level(k - 1) + plane, at_.stride_x);
  for (auto& memory : memories_) take(memory.data() + plane, at_.stride_x);
  for (std::size_t a = 0; a < 3; ++a)
    if (memory_[a].layer.any())
      if (const auto [position, count] = memory_plane(a, x); count > 0)
        for (auto& block : memory_[a].block) take(block.data() + position, count);
}

namespace {
// Not layer_x1 …, which belonged to layers of three variables.
constexpr std::array<std::array<const char*, layer_variables>, 3> memory_names{
    {{"matched_x1", "matched_x2"}, {"matched_y1", "matched_y2"}, {"matched_z1", "matched_z2"}}};
}  // namespace

/// call(name, entries in all, begin, values, count) for the memory of axis a on global planes.
template <class T>
template <class Call>
void Field<T>::for_memory_pieces(std::size_t a, Interval planes, Call&& call) const {
  const Memory& m = memory_[a];
  if (!m.layer.any()) return;
  const Index n = problem_.grid.points[0];
  const Index all = a == 0 ? m.layer.low + m.layer.high : n;
  for (Index x = planes.begin; x < planes.end; ++x) {
    const auto [position, count] = memory_plane(a, x - at_.first);
    if (count == 0) continue;
    const Index slot = a > 0 || x < m.layer.low ? x : x - n + m.layer.high + m.layer.low;
    for (std::size_t i = 0; i < layer_variables; ++i)
      call(memory_names[a][i], all * count, slot * count, m.block[i].data() + position,
           static_cast<std::size_t>(count));
  }
}

namespace {
constexpr std::array<const char*, 2> level_names{"pressure", "pressure_before"};
}  // namespace

template <class T>
void Field<T>::save_planes(CheckpointWriter& writer, Index k, Interval planes) const {
  const Index plane = at_.ny * at_.nz;
  std::vector<T> buffer(static_cast<std::size_t>(plane));
  for (int back = 0; back < 2; ++back)
    for (Index x = planes.begin; x < planes.end; ++x) {
      for (Index y = 0; y < at_.ny; ++y)
        std::copy_n(level(k - back) + at_.at(x - at_.first, y), at_.nz, buffer.data() + y * at_.nz);
      writer.piece<T>(level_names[static_cast<std::size_t>(back)], problem_.grid.cells(), x * plane, buffer);
    }
  for (const auto& [name, values] : kept_arrays())
    for (Index x = planes.begin; x < planes.end; ++x) {
      for (Index y = 0; y < at_.ny; ++y)
        std::copy_n(values + at_.at(x - at_.first, y), at_.nz, buffer.data() + y * at_.nz);
      writer.piece<T>(name, problem_.grid.cells(), x * plane, buffer);
    }
  for (std::size_t a = 1; a < 3; ++a)
    for_memory_pieces(a, planes, [&](const char* name, Index all, Index begin, const T* values, std::size_t count) {
      writer.piece<T>(name, all, begin, std::span<const T>(values, count));
    });
}

template <class T>
void Field<T>::load_planes(CheckpointReader& reader, Index k, Interval planes) {
  const Index plane = at_.ny * at_.nz;
  std::vector<T> buffer(static_cast<std::size_t>(plane));
  for (int back = 0; back < 2; ++back)
    for (Index x = planes.begin; x < planes.end; ++x) {
      reader.range<T>(level_names[static_cast<std::size_t>(back)], x * plane, buffer);
      for (Index y = 0; y < at_.ny; ++y)
        std::copy_n(buffer.data() + y * at_.nz, at_.nz, level(k - back) + at_.at(x - at_.first, y));
    }
  for (const auto& [name, values] : kept_arrays())
    for (Index x = planes.begin; x < planes.end; ++x) {
      reader.range<T>(name, x * plane, buffer);
      for (Index y = 0; y < at_.ny; ++y)
        std::copy_n(buffer.data() + y * at_.nz, at_.nz, values + at_.at(x - at_.first, y));
    }
  for (std::size_t a = 1; a < 3; ++a)
    for_memory_pieces(a, planes, [&](const char* name, Index, Index begin, T* values, std::size_t count) {
      reader.range<T>(name, begin, std::span<T>(values, count));
    });
}

template <class T>
void Field<T>::save_memory_x(CheckpointWriter& writer) const {
  const Interval planes = slab_.moves ? slab_.own : slab_.planes;
  for_memory_pieces(0, planes, [&](const char* name, Index all, Index begin, const T* values, std::size_t count) {
    writer.piece<T>(name, all, begin, std::span<const T>(values, count));
  });
}

template <class T>
void Field<T>::load_memory_x(CheckpointReader& reader) {
  const Interval planes = slab_.moves ? slab_.own : slab_.planes;
  for_memory_pieces(0, planes, [&](const char* name, Index, Index begin, T* values, std::size_t count) {
    reader.range<T>(name, begin, std::span<T>(values, count));
  });
}

template class Field<float>;
template class Field<double>;

}  // namespace conoid::acoustic_fd
