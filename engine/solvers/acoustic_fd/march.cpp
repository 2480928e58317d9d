// SPDX-License-Identifier: BSD-3-Clause
// The stepwise march: rows in blocks that keep 2s+1 planes in the second-level cache, planes as items of the team.
#include "engine/solvers/acoustic_fd/march.hpp"

#include "engine/solvers/acoustic_fd/kernels/flush.hpp"
#include "engine/solvers/acoustic_fd/kernels/row.hpp"
#include "engine/solvers/acoustic_fd/points.hpp"
#include "engine/solvers/acoustic_fd/storage.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// A loop over x-planes of the slab as a phase of the team; the body gets a block of planes and rows.
class PlanesPhase final : public Phase {
 public:
  using Body = std::function<void(CpuWorker&, Interval planes)>;
  PlanesPhase(std::string_view name, Interval planes, Bytes bytes_a_plane, Body body)
      : name_(name), planes_(planes), bytes_(bytes_a_plane), body_(std::move(body)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return planes_.size(); }
  [[nodiscard]] Bytes bytes(Interval items) const override {
    return static_cast<Bytes>(items.size()) * bytes_;
  }
  void run(CpuWorker& worker, Interval items) override {
    body_(worker, {planes_.begin + items.begin, planes_.begin + items.end});
  }

 private:
  std::string_view name_;
  Interval planes_;
  Bytes bytes_;
  Body body_;
};

template <class T>
class StepwiseMarch final : public March {
 public:
  StepwiseMarch(const Problem& problem, const Machine& machine, const Communicator& cluster)
      : problem_(problem),
        stencil_(stencil_of_order(problem.order)),
        kernels_(row_kernels<T>(problem.kernel, machine)),
        cache_(machine.l2 > 0 ? machine.l2 : Bytes{1} << 20) {
    if (!kernels_) {
      std::string names;
      for (const auto n : row_kernel_names(machine))
        names += fmt::format("{}{}", names.empty() ? "" : ", ", n);
      throw Failure(make_error(ErrorCode::resources,
                               fmt::format("kernel \"{}\" does not run on this machine", problem.kernel),
                               fmt::format("Use auto, or one of: {}.", names)));
    }
    const auto& n = problem.grid.points;
    planes_ = slab(n[0], cluster.rank(), cluster.size());
    const Index thinnest = n[0] / cluster.size();
    if (cluster.size() > 1 && thinnest < stencil_.radius + 1)
      throw Failure(
          make_error(ErrorCode::invalid_input,
                     fmt::format("{} ranks share {} x-planes: {} a rank, at least {} are needed at order {}",
                                 cluster.size(), n[0], thinnest, stencil_.radius + 1, problem.order),
                     fmt::format("Use at most {} ranks.", n[0] / (stencil_.radius + 1))));
    at_ = Layout(planes_.begin, planes_.size(), n[1], n[2], stencil_.radius);
    for (auto& level : level_) level = Block<T>(at_.count);
    varying_ = !problem.velocity->constant();
    if (varying_) a_ = Block<T>(at_.count);
    const double dt_h = problem.dt / problem.grid.spacing[0];
    a_constant_ = static_cast<T>(problem.speed.highest * problem.speed.highest * dt_h * dt_h);
    unequal_ = !equal_spacings(problem.grid.spacing);
    weights_ = row_weights<T>(stencil_, problem.grid.spacing);
    for (std::size_t a = 0; a < 3; ++a) {
      const std::vector<double> profile = sponge_profile(problem, a);
      sigma_[a].assign(profile.begin(), profile.end());
    }
    plain_z_ = {0, at_.nz};
    while (plain_z_.begin < at_.nz && sigma_[2][static_cast<std::size_t>(plain_z_.begin)] != 0)
      ++plain_z_.begin;
    while (plain_z_.end > plain_z_.begin && sigma_[2][static_cast<std::size_t>(plain_z_.end - 1)] != 0)
      --plain_z_.end;
    for (std::size_t f = 0; f < 6; ++f) sign_[f] = problem.faces[f].image_sign();
    if (cluster.rank() > 0) sign_[0] = 0;
    if (cluster.rank() + 1 < cluster.size()) sign_[1] = 0;
    place_receivers();
  }

  void start(Team& team, Communicator& cluster) override {
    k_ = 0;
    PlanesPhase phase("touch", {0, at_.nx}, plane_bytes(), [&](CpuWorker& worker, Interval planes) {
      worker.for_each(planes, 1, [&](Interval some, int) {
        const FlushSubnormals flush;
        for (Index x = some.begin; x < some.end; ++x) fill_plane(x);
      });
    });
    team.run(phase);
    place_sources();
    refresh(cluster);
    if (problem_.initial.kind == Initial::Kind::pulse) rest_start(cluster);
  }

  void step(Team& team, Communicator& cluster) override {
    source_now_.resize(problem_.sources.size());
    const double t = static_cast<double>(k_) * problem_.dt;
    for (std::size_t n = 0; n < source_now_.size(); ++n) source_now_[n] = problem_.sources[n].signal->at(t);

    const Index s = stencil_.radius;
    if (cluster.size() == 1) {
      sweep("march", {0, at_.nx}, team);
    } else {
      const bool lower = cluster.rank() > 0, upper = cluster.rank() + 1 < cluster.size();
      const Index low = lower ? std::min(s, at_.nx) : 0;
      const Index high = upper ? std::max(low, at_.nx - s) : at_.nx;
      if (low > 0) sweep("march lower edge", {0, low}, team);
      if (high < at_.nx) sweep("march upper edge", {high, at_.nx}, team);
      start_exchange(cluster, level(k_ + 1));
      sweep("march", {low, high}, team);
      cluster.finish_exchange();
    }
    ++k_;
  }

  void sample(std::span<double> parts) const override {
    const T* u = level(k_);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      double sum = 0;
      if (parts_[p].x >= planes_.begin && parts_[p].x < planes_.end)
        for (const auto& node : parts_[p].nodes)
          sum = std::fma(node.weight, static_cast<double>(u[at_.at(parts_[p].x - at_.first, node.y, node.z)]),
                         sum);
      parts[p] = sum;
    }
  }
  [[nodiscard]] std::size_t parts() const override { return parts_.size(); }
  void join_traces(std::span<const double> parts, std::span<double> traces) const override {
    std::fill(traces.begin(), traces.end(), 0.0);
    for (std::size_t p = 0; p < parts_.size(); ++p) traces[parts_[p].receiver] += parts[p];
  }

  Energy energy(Team& team, Communicator& cluster) override {
    const auto& n = problem_.grid.points;
    std::vector<double> sums(static_cast<std::size_t>(2 * n[0]), 0.0);
    const auto half = [&](std::size_t face) { return problem_.faces[face].image_sign() != 0 ? 0.5 : 1.0; };
    std::vector<double> wz(static_cast<std::size_t>(at_.nz), 1.0);
    wz.front() *= half(4);
    wz.back() *= half(5);
    const auto function = kernels_->energy[stencil_.radius - 1][unequal_];
    PlanesPhase phase("energy", {0, at_.nx}, plane_bytes(), [&](CpuWorker& worker, Interval planes) {
      worker.for_each(planes, 1, [&](Interval some, int) {
        const FlushSubnormals flush;
        for (Index x = some.begin; x < some.end; ++x) {
          double kinetic = 0, potential = 0;
          for (Index y = 0; y < at_.ny; ++y) {
            EnergyRow<T> row;
            row.u0 = level(k_ - 1) + at_.at(x, y);
            row.u1 = level(k_) + at_.at(x, y);
            row.a = varying_ ? a_.data() + at_.at(x, y) : nullptr;
            row.wz = wz.data();
            row.stride_x = at_.stride_x;
            row.stride_y = at_.stride_y;
            row.nz = at_.nz;
            row.weights = &weights_;
            function(row);
            const double wy = y == 0 ? half(2) : y == at_.ny - 1 ? half(3) : 1.0;
            kinetic += wy * row.kinetic;
            potential += wy * row.potential;
          }
          const Index global = x + at_.first;
          const double wx = global == 0 ? half(0) : global == n[0] - 1 ? half(1) : 1.0;
          sums[static_cast<std::size_t>(2 * global)] = wx * kinetic;
          sums[static_cast<std::size_t>(2 * global + 1)] = wx * potential;
        }
      });
    });
    team.run(phase);
    cluster.sum(
        std::span(sums));  // one rank holds each entry, the others add zero: the order of ranks is no matter
    Energy e;
    for (std::size_t x = 0; x < sums.size(); x += 2) {
      e.kinetic += sums[x];
      e.potential += sums[x + 1];
    }
    // 1/(c dt)² = 1/(a h_x²); the kernel's Laplacian carries h_x².
    const Vec3& h = problem_.grid.spacing;
    const double scale = 0.5 * h[0] * h[1] * h[2] / (h[0] * h[0]);
    e.kinetic *= varying_ ? scale : scale / static_cast<double>(a_constant_);
    e.potential *= -scale;
    return e;
  }

  double peak(Team& team) override {
    std::vector<double> peaks(static_cast<std::size_t>(at_.nx), 0.0);
    PlanesPhase phase("peak", {0, at_.nx}, plane_bytes(), [&](CpuWorker& worker, Interval planes) {
      worker.for_each(planes, 1, [&](Interval some, int) {
        const FlushSubnormals flush;
        for (Index x = some.begin; x < some.end; ++x) {
          T most = 0;
          bool finite = true;
          for (Index y = 0; y < at_.ny; ++y) {
            const T* u = level(k_) + at_.at(x, y);
            for (Index z = 0; z < at_.nz; ++z) {
              const T v = u[z] < 0 ? -u[z] : u[z];
              most = v > most ? v : most;
              finite &= (v - v == 0);
            }
          }
          peaks[static_cast<std::size_t>(x)] = finite ? static_cast<double>(most) : HUGE_VAL;
        }
      });
    });
    team.run(phase);
    return peaks.empty() ? 0 : *std::max_element(peaks.begin(), peaks.end());
  }

  void read(const Cut& cut, std::vector<float>& out) const override {
    const T* u = level(k_);
    for (Index i = 0; i < cut.count[0]; ++i) {
      const Index x = cut.first[0] + i * cut.step[0];
      if (x < planes_.begin || x >= planes_.end) continue;
      for (Index j = 0; j < cut.count[1]; ++j) {
        const T* row = u + at_.at(x - at_.first, cut.first[1] + j * cut.step[1]);
        for (Index l = 0; l < cut.count[2]; ++l)
          out.push_back(static_cast<float>(row[cut.first[2] + l * cut.step[2]]));
      }
    }
  }

  void save(CheckpointWriter& writer) const override {
    writer.value("step", k_);
    const Index plane = at_.ny * at_.nz;
    std::vector<T> buffer(static_cast<std::size_t>(plane));
    for (int back = 0; back < 2; ++back)
      for (Index x = 0; x < at_.nx; ++x) {
        for (Index y = 0; y < at_.ny; ++y)
          std::copy_n(level(k_ - back) + at_.at(x, y), at_.nz, buffer.data() + y * at_.nz);
        writer.piece<T>(level_names[back], problem_.grid.cells(), (x + at_.first) * plane, buffer);
      }
  }

  void load(CheckpointReader& reader, Communicator& cluster) override {
    k_ = reader.value<Index>("step");
    const Index plane = at_.ny * at_.nz;
    std::vector<T> buffer(static_cast<std::size_t>(plane));
    for (int back = 0; back < 2; ++back)
      for (Index x = 0; x < at_.nx; ++x) {
        reader.range<T>(level_names[back], (x + at_.first) * plane, buffer);
        for (Index y = 0; y < at_.ny; ++y)
          std::copy_n(buffer.data() + y * at_.nz, at_.nz, level(k_ - back) + at_.at(x, y));
      }
    refresh(cluster);
  }

  [[nodiscard]] Bytes bytes() const override {
    return static_cast<Bytes>(at_.count) * sizeof(T) * (varying_ ? 3 : 2);
  }
  [[nodiscard]] std::string_view kernel() const override { return kernels_->name; }

 private:
  static constexpr std::array<const char*, 2> level_names{"pressure", "pressure_before"};

  struct SourceNode {
    Index z;
    double weight;  ///< c² dt² w / dV
    std::size_t source;
  };
  struct Part {  ///< what one x-plane gives to one receiver
    std::size_t receiver;
    Index x;
    struct Node {
      Index y, z;
      double weight;
    };
    std::vector<Node> nodes;
  };

  [[nodiscard]] T* level(Index k) { return level_[k & 1].data(); }
  [[nodiscard]] const T* level(Index k) const { return level_[k & 1].data(); }
  [[nodiscard]] Bytes plane_bytes() const {
    return static_cast<Bytes>(at_.stride_x) * sizeof(T) * (varying_ ? 3 : 2);
  }

  /// Everything that happens at one row in one step. The heart of every traversal.
  void row(Index k, Index x, Index y) {
    Row<T> r;
    const Index here = at_.at(x, y);
    r.u = level(k) + here;
    r.o = level(k + 1) + here;
    r.a = varying_ ? a_.data() + here : nullptr;
    r.a_constant = a_constant_;
    r.sigma_xy = sigma_[0][static_cast<std::size_t>(x + at_.first)] + sigma_[1][static_cast<std::size_t>(y)];
    r.sigma_z = sigma_[2].data();
    r.stride_x = at_.stride_x;
    r.stride_y = at_.stride_y;
    r.nz = at_.nz;
    r.plain_begin = r.sigma_xy == 0 ? plain_z_.begin : at_.nz;
    r.plain_end = r.sigma_xy == 0 ? plain_z_.end : at_.nz;
    r.weights = &weights_;
    kernels_->update[stencil_.radius - 1][unequal_][varying_](r);
    if (const std::int32_t bucket = bucket_of_row_[static_cast<std::size_t>(x * at_.ny + y)]; bucket >= 0)
      for (const SourceNode& node : buckets_[static_cast<std::size_t>(bucket)])
        r.o[node.z] += static_cast<T>(node.weight * source_now_[node.source]);
    images(level(k + 1), x, y);
  }

  /// Copies a row, times the sign of the face, to its images behind the faces near by.
  void images(T* u, Index x, Index y) {
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

  void sweep(std::string_view name, Interval planes, Team& team) {
    if (planes.empty()) return;
    PlanesPhase phase(name, planes, plane_bytes(),
                      [&](CpuWorker& worker, Interval mine) { blocks(worker, mine); });
    team.run(phase);
  }

  /// Planes of one worker, cut into blocks of rows such that 2s+1 planes of a block of u (and the rows of o and c²
  /// under way) fit in half of the second-level cache; several blocks a thread, so that unequal threads even out.
  void blocks(CpuWorker& worker, Interval planes) {
    const Index s = stencil_.radius;
    const Index row_bytes = at_.stride_y * static_cast<Index>(sizeof(T));
    const Index fit = static_cast<Index>(cache_ / 2) / (row_bytes * (2 * s + 3)) - 2 * s;
    const Index wanted = worker.threads() == 1 ? 1 : 4 * worker.threads();
    Index height = std::clamp<Index>(fit, 4, at_.ny);
    Index y_blocks = (at_.ny + height - 1) / height;
    const Index x_blocks =
        std::clamp<Index>((wanted + y_blocks - 1) / y_blocks, 1, std::max<Index>(1, planes.size() / (4 * s)));
    if (x_blocks * y_blocks < wanted) y_blocks = std::min(at_.ny, (wanted + x_blocks - 1) / x_blocks);
    worker.for_each({0, x_blocks * y_blocks}, 1, [&](Interval some, int) {
      const FlushSubnormals flush;
      for (Index b = some.begin; b < some.end; ++b) {
        const Index i = b / y_blocks, j = b % y_blocks;
        const Interval xs{planes.begin + planes.size() * i / x_blocks,
                          planes.begin + planes.size() * (i + 1) / x_blocks};
        const Interval ys{at_.ny * j / y_blocks, at_.ny * (j + 1) / y_blocks};
        for (Index x = xs.begin; x < xs.end; ++x)
          for (Index y = ys.begin; y < ys.end; ++y) row(k_, x, y);
      }
    });
  }

  void start_exchange(Communicator& cluster, T* u) {
    const bool lower = cluster.rank() > 0, upper = cluster.rank() + 1 < cluster.size();
    const auto planes = [&](Index first, bool there) {
      return there ? std::span<T>(u + first * at_.stride_x + at_.halo * at_.stride_x,
                                  static_cast<std::size_t>(at_.halo * at_.stride_x))
                   : std::span<T>();
    };
    cluster.start_exchange(std::as_bytes(planes(0, lower)), std::as_bytes(planes(at_.nx - at_.halo, upper)),
                           std::as_writable_bytes(planes(-at_.halo, lower)),
                           std::as_writable_bytes(planes(at_.nx, upper)));
  }

  /// Images and halos of both levels, after they were set from outside.
  void refresh(Communicator& cluster) {
    for (auto& block : level_) {
      for (Index x = 0; x < at_.nx; ++x)
        for (Index y = 0; y < at_.ny; ++y) images(block.data(), x, y);
      start_exchange(cluster, block.data());
      cluster.finish_exchange();
    }
  }

  /// First touch of a plane: the medium and the initial field at t = 0 and, for plane waves, at t = −dt.
  void fill_plane(Index x) {
    const Grid& g = problem_.grid;
    const double h = g.spacing[0];
    std::vector<double> c(static_cast<std::size_t>(at_.nz));
    for (Index y = 0; y < at_.ny; ++y) {
      const Index here = at_.at(x, y);
      const double px = g.at(0, x + at_.first), py = g.at(1, y);
      problem_.velocity->row(px, py, g.origin[2], g.spacing[2], c);
      if (varying_)
        for (Index z = 0; z < at_.nz; ++z) {
          const double ratio = c[static_cast<std::size_t>(z)] * problem_.dt / h;
          a_.data()[here + z] = static_cast<T>(ratio * ratio);
        }
      for (Index z = 0; z < at_.nz; ++z) {
        if (on_free_surface(x + at_.first, y, z)) continue;  // stays zero
        const Vec3 p{px, py, g.at(2, z)};
        level(0)[here + z] = static_cast<T>(initial(p, 0, c[static_cast<std::size_t>(z)]));
        level(1)[here + z] = static_cast<T>(initial(p, -problem_.dt, c[static_cast<std::size_t>(z)]));
      }
    }
  }

  [[nodiscard]] bool on_free_surface(Index x, Index y, Index z) const {
    const std::array<Index, 3> i{x, y, z};
    for (std::size_t f = 0; f < 6; ++f)
      if (problem_.faces[f].kind == FaceKind::free_surface &&
          i[f / 2] == (f % 2 == 0 ? 0 : problem_.grid.points[f / 2] - 1))
        return true;
    return false;
  }

  [[nodiscard]] double initial(const Vec3& p, double t, double c) const {
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

  /// A field at rest: p^{−1} = p^0 + ½ c² dt² Δ_h p^0, the scheme's own p^{−1} = p^{1}.
  void rest_start(Communicator& cluster) {
    const FlushSubnormals flush;
    std::fill(source_now_.begin(), source_now_.end(), 0.0);
    std::vector<T> before(static_cast<std::size_t>(at_.nz));
    const Machine plain{};
    const auto function = row_kernels<T>("reference", plain)->update[stencil_.radius - 1][unequal_][varying_];
    for (Index x = 0; x < at_.nx; ++x)
      for (Index y = 0; y < at_.ny; ++y) {
        // One plain update from p^{−1} = 0 gives 2 p^0 + a L; half of it is p^0 + ½ a L.
        Row<T> r;
        const Index here = at_.at(x, y);
        std::fill(before.begin(), before.end(), T(0));
        r.u = level(0) + here;
        r.o = before.data();
        r.a = varying_ ? a_.data() + here : nullptr;
        r.a_constant = a_constant_;
        r.sigma_z = sigma_[2].data();
        r.stride_x = at_.stride_x;
        r.stride_y = at_.stride_y;
        r.nz = at_.nz;
        r.plain_end = at_.nz;
        r.weights = &weights_;
        function(r);
        for (Index z = 0; z < at_.nz; ++z) level(1)[here + z] = T(0.5) * before[static_cast<std::size_t>(z)];
      }
    refresh(cluster);
  }

  void place_sources() {
    bucket_of_row_.assign(static_cast<std::size_t>(at_.nx * at_.ny), -1);
    buckets_.clear();
    source_now_.assign(problem_.sources.size(), 0.0);
    const Vec3& h = problem_.grid.spacing;
    for (std::size_t n = 0; n < problem_.sources.size(); ++n)
      for (const NodeWeight& node : point_weights(problem_.grid, problem_.faces, problem_.sources[n].position,
                                                  problem_.spread, PointUse::source)) {
        if (node.x < planes_.begin || node.x >= planes_.end) continue;
        const Index x = node.x - at_.first;
        auto& bucket = bucket_of_row_[static_cast<std::size_t>(x * at_.ny + node.y)];
        if (bucket < 0) {
          bucket = static_cast<std::int32_t>(buckets_.size());
          buckets_.emplace_back();
        }
        const double a = static_cast<double>(varying_ ? a_.data()[at_.at(x, node.y, node.z)] : a_constant_);
        buckets_[static_cast<std::size_t>(bucket)].push_back(
            {node.z, node.weight * a * h[0] * h[0] / (h[0] * h[1] * h[2]), n});
      }
  }

  void place_receivers() {
    for (std::size_t n = 0; n < problem_.receivers.size(); ++n)
      for (const NodeWeight& node :
           point_weights(problem_.grid, problem_.faces, problem_.receivers[n].position, problem_.spread,
                         PointUse::receiver)) {
        if (parts_.empty() || parts_.back().receiver != n || parts_.back().x != node.x)
          parts_.push_back({n, node.x, {}});
        parts_.back().nodes.push_back({node.y, node.z, node.weight});
      }
  }

  const Problem& problem_;
  Stencil stencil_;
  const RowKernels<T>* kernels_;
  Bytes cache_;
  Layout at_;
  Block<T> level_[2];
  Block<T> a_;  ///< c² dt²/h_x², only where c varies
  T a_constant_ = 0;
  bool varying_ = false;
  bool unequal_ = false;
  RowWeights<T> weights_;
  std::vector<T> sigma_[3];
  Interval plain_z_{};
  int sign_[6]{};
  std::vector<std::int32_t> bucket_of_row_;
  std::vector<std::vector<SourceNode>> buckets_;
  std::vector<double> source_now_;
  std::vector<Part> parts_;
};

}  // namespace

Interval slab(Index planes, int rank, int ranks) {
  return {planes * rank / ranks, planes * (rank + 1) / ranks};
}

Bytes march_bytes(const Problem& problem, int ranks) {
  const auto& n = problem.grid.points;
  const Layout layout(0, (n[0] + ranks - 1) / ranks, n[1], n[2], problem.order / 2);
  const bool varying = !problem.velocity || !problem.velocity->constant();
  return static_cast<Bytes>(layout.count) * (problem.double_precision ? 8 : 4) * (varying ? 3 : 2) +
         static_cast<Bytes>(layout.nx * layout.ny * 4) + (problem.velocity ? problem.velocity->bytes() : 0);
}

std::vector<double> sponge_profile(const Problem& problem, std::size_t axis) {
  const Index n = problem.grid.points[axis];
  std::vector<double> sigma(static_cast<std::size_t>(n), 0.0);
  for (std::size_t side = 0; side < 2; ++side) {
    const Face& face = problem.faces[2 * axis + side];
    if (face.kind != FaceKind::sponge || face.width <= 0) continue;
    // p_tt + b p_t with b = b_max d²: a wave loses exp(−∫ b/(2c) dx) each way, together exp(−b_max W/(3c)).
    const double width = static_cast<double>(face.width);
    const double b_max = 3 * problem.speed.highest * face.attenuation * std::log(10.0) / 20 /
                         (width * problem.grid.spacing[axis]);
    for (Index i = 0; i < std::min(n, face.width); ++i) {
      const double d = (width - static_cast<double>(i)) / width;
      sigma[static_cast<std::size_t>(side == 0 ? i : n - 1 - i)] += 0.5 * problem.dt * b_max * d * d;
    }
  }
  return sigma;
}

std::unique_ptr<March> make_march(const Problem& problem, const Machine& machine,
                                  const Communicator& cluster) {
  if (problem.double_precision) return std::make_unique<StepwiseMarch<double>>(problem, machine, cluster);
  return std::make_unique<StepwiseMarch<float>>(problem, machine, cluster);
}

}  // namespace conoid::acoustic_fd
