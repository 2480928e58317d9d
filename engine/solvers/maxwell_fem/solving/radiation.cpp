// SPDX-License-Identifier: BSD-3-Clause
// The phases that radiate.
#include "engine/solvers/maxwell_fem/solving/radiation.hpp"

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/kernels/reference.hpp"
#include "engine/team/device_worker.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

PointArrays point_arrays(const Patch& patch) {
  PointArrays out;
  out.count = patch.size();
  out.padded = (out.count + 15) / 16 * 16 + tile_rows;
  out.data = AlignedDoubles(static_cast<std::size_t>(9 * out.padded));
  for (Index p = 0; p < out.padded; ++p) {
    FacePoint at{};
    if (p < out.count)
      at = patch.point(p);
    else
      at.x = {1e6, 1e6, 1e6};  // no division by zero there
    for (int d = 0; d < 3; ++d) {
      out.data.data()[d * out.padded + p] = at.x[d];
      out.data.data()[(3 + d) * out.padded + p] = at.t1[d];
      out.data.data()[(6 + d) * out.padded + p] = at.t2[d];
    }
  }
  return out;
}

Radiation::Radiation(const Domain& domain, double k, int threads, double near, InstructionSet level,
                     std::stop_token stop)
    : domain_(&domain), k_(k), stop_(std::move(stop)), kernel_(&radiation_kernel(level)),
      to_(point_arrays(domain.outer)), from_(point_arrays(domain.currents)),
      of_devices_(std::make_unique<OfDevices>()) {
  for (Index p = 0; p < domain.outer.size(); ++p) scale_.push_back(std::sqrt(domain.outer.weight(p) / 2));
  find_near(near, threads);
}

void Radiation::add_near(Interval points, const Complex* f_minus, const Complex* f_plus, Complex* plus,
                         Complex* minus) const {
  for (Index p = points.begin; p < points.end; ++p) {
    Complex up = 0, down = 0;
    for (Index b = near_start_[p]; b < near_start_[p + 1]; ++b) {
      const NearBlock& n = near_[b];
      const Index at = 2 * face_points * n.face;
      for (int q = 0; q < face_points; ++q)
        for (int d = 0; d < 2; ++d) {
          up += n.plus[q][d] * f_minus[at + 2 * q + d];
          down += n.minus[q][d] * f_plus[at + 2 * q + d];
        }
    }
    plus[p - points.begin] += up;
    minus[p - points.begin] += down;
  }
}

/// Place and two tangents of a point.
constexpr double point_bytes = 9 * sizeof(double);

/// Many right-hand sides: tiles of coefficients in the cache, each used for all panels.
class Radiation::Blocked final : public Phase {
 public:
  Blocked(const Radiation& r, std::span<const Complex> f, Index count, std::span<Complex> psi, Interval part)
      : r_(r), psi_(psi), part_(part), count_(count), panels_((count + panel_width - 1) / panel_width),
        depth_(2 * r.from_.count) {
    packed_ = AlignedDoubles(static_cast<std::size_t>(2 * panels_ * depth_ * 2 * panel_width));
    for (Index c = 0; c < count; ++c)
      for (Index half = 0; half < 2; ++half) {
        const Complex* from = f.data() + (2 * c + half) * depth_;
        double* to = panel(half, c / panel_width) + 2 * (c % panel_width);
        for (Index d = 0; d < depth_; ++d) {
          to[2 * panel_width * d] = from[d].real();
          to[2 * panel_width * d + 1] = from[d].imag();
        }
      }
  }
  [[nodiscard]] std::string_view name() const override { return "radiation"; }
  [[nodiscard]] Index items() const override { return part_.size(); }
  [[nodiscard]] Bytes bytes(Interval) const override { return packed_.size() * 8; }
  /// Coefficients of a pair once, a product a column of the panels; memory: points and panels once a tile of rows.
  [[nodiscard]] Work work(Interval items) const override {
    const auto points = static_cast<double>(items.size() * face_points);
    return {
        points * static_cast<double>(r_.from_.count) * (tile_flops + 32.0 * static_cast<double>(panels_ * panel_width)),
        std::ceil(points / tile_rows) *
            (8.0 * static_cast<double>(packed_.size()) + point_bytes * static_cast<double>(r_.from_.count))};
  }

  void run(CpuWorker& worker, Interval items) override {
    const Interval faces{part_.begin + items.begin, part_.begin + items.end};
    constexpr Index grain = tile_rows / face_points;
    struct Room {
      AlignedDoubles tiles, sums;
    };
    std::vector<Room> rooms(static_cast<std::size_t>(std::max(1, worker.threads())));
    worker.for_each(faces, grain, [&](Interval chunk, int thread) {
      if (r_.stopped()) return;
      Room& room = rooms[static_cast<std::size_t>(thread)];
      constexpr std::size_t half_tile = std::size_t{tile_rows} * 2 * 2 * tile_points;
      const auto sums_length = static_cast<std::size_t>(2 * panels_ * panel_width * 2 * tile_rows);
      if (room.tiles.size() == 0) {
        room.tiles = AlignedDoubles(2 * half_tile);
        room.sums = AlignedDoubles(sums_length);
      } else {
        std::memset(room.sums.data(), 0, sums_length * sizeof(double));
      }
      block({chunk.begin * face_points, chunk.end * face_points}, room.tiles.data(), room.tiles.data() + half_tile,
            room.sums.data());
    });
  }

 private:
  double* panel(Index half, Index p) { return packed_.data() + (half * panels_ + p) * depth_ * 2 * panel_width; }

  void block(Interval points, double* plus, double* minus, double* sums) {
    const RadiationKernel& kernel = *r_.kernel_;
    const int wanted = static_cast<int>(points.size());
    const int rows = (wanted + kernel.strip - 1) / kernel.strip * kernel.strip;
    double* const half_sums[2] = {sums, sums + panels_ * panel_width * 2 * tile_rows};
    for (Index q = 0; q < r_.from_.count; q += tile_points) {
      const int some = static_cast<int>(std::min<Index>(tile_points, r_.from_.count - q));
      kernel.tile(r_.to_, points.begin, rows, r_.from_, q, some, r_.k_, plus, minus);
      for (Index p = 0; p < panels_; ++p)
        for (Index half = 0; half < 2; ++half)
          kernel.multiply(half == 0 ? plus : minus, rows, 2 * some, panel(half, p) + 2 * q * 2 * panel_width,
                          half_sums[half] + p * panel_width * 2 * tile_rows, tile_rows);
    }
    for (Index row = points.begin; row < points.end; ++row)
      for (Index b = r_.near_start_[row]; b < r_.near_start_[row + 1]; ++b)
        for (Index p = 0; p < panels_; ++p)
          for (Index half = 0; half < 2; ++half) {
            const NearBlock& n = r_.near_[b];
            const auto& c = half == 0 ? n.plus : n.minus;
            const double* f = panel(half, p) + 2 * face_points * n.face * 2 * panel_width;
            double re[panel_width] = {}, im[panel_width] = {};
            for (int q = 0; q < face_points; ++q)
              for (int d = 0; d < 2; ++d, f += 2 * panel_width)
                for (int k = 0; k < panel_width; ++k) {
                  re[k] += c[q][d].real() * f[2 * k] - c[q][d].imag() * f[2 * k + 1];
                  im[k] += c[q][d].real() * f[2 * k + 1] + c[q][d].imag() * f[2 * k];
                }
            double* to = half_sums[half] + p * panel_width * 2 * tile_rows + (row - points.begin);
            for (int k = 0; k < panel_width; ++k) {
              to[2 * k * tile_rows] += re[k];
              to[(2 * k + 1) * tile_rows] += im[k];
            }
          }
    const Index n = r_.to_.count;
    for (Index c = 0; c < count_; ++c)
      for (Index half = 0; half < 2; ++half) {
        const double* from = half_sums[half] + c * 2 * tile_rows;
        Complex* to = psi_.data() + (2 * c + half) * n + points.begin;
        for (int row = 0; row < wanted; ++row) {
          const double w = r_.scale_[points.begin + row];
          to[row] = {w * from[row], w * from[tile_rows + row]};
        }
      }
  }

  const Radiation& r_;
  std::span<Complex> psi_;
  Interval part_;
  Index count_, panels_, depth_;
  AlignedDoubles packed_;
};

/// One right-hand side.
class Radiation::Fused final : public Phase {
 public:
  Fused(const Radiation& r, std::span<const Complex> f, std::span<Complex> psi, Interval part)
      : r_(r), f_(f), psi_(psi), part_(part) {}
  [[nodiscard]] std::string_view name() const override { return "radiation of one"; }
  [[nodiscard]] Index items() const override { return part_.size(); }
  /// Memory: points and currents once a chunk of eight faces.
  [[nodiscard]] Work work(Interval items) const override {
    const auto points = static_cast<double>(items.size() * face_points), from = static_cast<double>(r_.from_.count);
    return {fused_flops * points * from,
            std::ceil(static_cast<double>(items.size()) / 8) * from * (point_bytes + 4 * sizeof(Complex))};
  }
  void run(CpuWorker& worker, Interval items) override {
    const Interval faces{part_.begin + items.begin, part_.begin + items.end};
    const Index n = r_.to_.count, depth = 2 * r_.from_.count;
    worker.for_each(faces, 8, [&](Interval chunk, int) {
      if (r_.stopped()) return;
      const Interval points{chunk.begin * face_points, chunk.end * face_points};
      const int rows =
          static_cast<int>((points.size() + r_.kernel_->lanes - 1) / r_.kernel_->lanes * r_.kernel_->lanes);
      std::array<Complex, 2 * tile_rows> plus{}, minus{};
      r_.kernel_->fused(r_.to_, points.begin, rows, r_.from_, r_.k_, reinterpret_cast<const double*>(f_.data() + depth),
                        reinterpret_cast<const double*>(f_.data()), plus.data(), minus.data());
      r_.add_near(points, f_.data(), f_.data() + depth, plus.data(), minus.data());
      for (Index p = points.begin; p < points.end; ++p) {
        const double w = r_.scale_[p];
        psi_[p] = w * plus[p - points.begin];
        psi_[n + p] = w * minus[p - points.begin];
      }
    });
  }

 private:
  const Radiation& r_;
  std::span<const Complex> f_;
  std::span<Complex> psi_;
  Interval part_;
};

/// The paper's loops on Cartesian arrays.
class Radiation::Paper final : public Phase {
 public:
  /// `devices`: that run loops over S or right-hand sides, too.
  Paper(const Radiation& r, std::span<const Complex> f, Index count, std::span<Complex> psi, PaperLoop loop,
        Interval part, bool devices = false)
      : r_(r), f_(f), psi_(psi), part_(part), loop_(loop), devices_(devices) {
    const Patch &s = r.domain_->outer, &inner = r.domain_->currents;
    currents_.elements = inner.faces();
    fields_.elements = s.faces();
    currents_.samples = fields_.samples = face_points;
    currents_.rhs = fields_.rhs = count;
    for (Index q = 0; q < inner.size(); ++q) currents_.points.push_back(inner.point(q).x);
    for (Index p = 0; p < s.size(); ++p) fields_.points.push_back(s.point(p).x);
    currents_.values.resize(static_cast<std::size_t>(inner.size() * count * 6));
    fields_.values.assign(static_cast<std::size_t>(s.size() * count * 6), 0);
    const Index depth = 2 * inner.size();
    for (Index c = 0; c < count; ++c)
      for (Index q = 0; q < inner.size(); ++q) {
        Complex* to = currents_.at(q, c);
        const Complex *minus = f.data() + 2 * c * depth + 2 * q, *plus = minus + depth;
        for (int d = 0; d < 3; ++d)
          for (int t = 0; t < 2; ++t) {
            const double along = t == 0 ? inner.point(q).t1[d] : inner.point(q).t2[d];
            to[d] += along * 0.5 * (minus[t] + plus[t]);
            to[3 + d] += along * 0.5 / r.k_ * (minus[t] - plus[t]);
          }
      }
  }
  [[nodiscard]] std::string_view name() const override { return "radiation by loops"; }
  [[nodiscard]] Index items() const override { return part_.size(); }
  [[nodiscard]] bool runs_on_devices() const override { return devices_; }
  void run(CpuWorker& worker, Interval items) override {
    const Interval faces{part_.begin + items.begin, part_.begin + items.end};
    paper_loops(loop_, currents_, fields_, faces, r_.k_, std::max(1, worker.threads()));
    finish(faces);
  }
  void run_on_device(DeviceWorker& worker, Interval items) override {
    const Interval faces{part_.begin + items.begin, part_.begin + items.end};
    static_cast<void>(
        paper_loops_on_device(worker.device(), loop_ == PaperLoop::right_hand_sides, currents_, fields_, faces, r_.k_));
    finish(faces);
  }

 private:
  void finish(Interval faces) {
    const Patch& s = r_.domain_->outer;
    const Index n = s.size(), depth = 2 * r_.from_.count;
    constexpr Complex j{0, 1};
    for (Index c = 0; c < fields_.rhs; ++c)
      for (Index p = faces.begin * face_points; p < faces.end * face_points; ++p) {
        const Complex *e = fields_.at(p, c), *curl = e + 3;
        const FacePoint& at = s.point(p);
        const auto on = [](const Vec3& t, const Complex* v) { return t[0] * v[0] + t[1] * v[1] + t[2] * v[2]; };
        const Complex one = -on(at.t2, curl) - j * r_.k_ * on(at.t1, e),
                      two = on(at.t1, curl) - j * r_.k_ * on(at.t2, e);
        Complex plus = one + j * two, minus = one - j * two;
        const Complex* f = f_.data() + 2 * c * depth;
        r_.add_near({p, p + 1}, f, f + depth, &plus, &minus);
        const double w = r_.scale_[p];
        psi_[2 * c * n + p] = w * plus;
        psi_[(2 * c + 1) * n + p] = w * minus;
      }
  }

  const Radiation& r_;
  std::span<const Complex> f_;
  std::span<Complex> psi_;
  Interval part_;
  PaperLoop loop_;
  bool devices_;
  PaperArrays currents_, fields_;
};

/// By devices; processors of the team do as they do alone.
class Radiation::OnDevices final : public Phase {
 public:
  OnDevices(const Radiation& r, std::span<const Complex> f, Index count, std::span<Complex> psi, DeviceForm form,
            Interval part, const std::vector<WorkerSpec>& team)
      : r_(r), f_(f), psi_(psi), part_(part), count_(count), form_(form),
        devices_(static_cast<int>(std::ranges::count_if(team, [](const WorkerSpec& w) { return !w.device.empty(); }))),
        beside_(devices_ < static_cast<int>(team.size())) {}
  [[nodiscard]] std::string_view name() const override { return "radiation on devices"; }
  [[nodiscard]] Index items() const override { return part_.size(); }
  [[nodiscard]] bool runs_on_devices() const override { return true; }
  /// Memory: of the fused form currents once, of products the operator written and read.
  [[nodiscard]] Work work(Interval items) const override {
    const double pairs = static_cast<double>(items.size() * face_points) * static_cast<double>(r_.from_.count),
                 columns = static_cast<double>(count_);
    const bool products =
        form_ == DeviceForm::products || (form_ == DeviceForm::automatic && count_ > most_fused_columns);
    return {pairs * (device_pair_flops + device_column_flops * columns),
            columns * 64 * static_cast<double>(r_.from_.count) + (products ? 128 * pairs : 0)};
  }
  void run(CpuWorker& worker, Interval items) override {
    if (items.empty()) return;
    const Interval faces{part_.begin + items.begin, part_.begin + items.end};
    if (count_ == 1) {
      Fused(r_, f_, psi_, faces).run(worker, {0, faces.size()});
    } else {
      Blocked(r_, f_, count_, psi_, faces).run(worker, {0, faces.size()});
    }
  }
  void run_on_device(DeviceWorker& worker, Interval items) override {
    const Interval faces{part_.begin + items.begin, part_.begin + items.end},
        points{faces.begin * face_points, faces.end * face_points};
    DeviceRadiation* device = nullptr;
    {
      const std::scoped_lock lock(r_.of_devices_->mutex);
      auto& mine = r_.of_devices_->by_worker[worker.index()];
      if (!mine)
        // Threads that compute would be waited for at each piece of what is copied; devices alone share all.
        mine = std::make_unique<DeviceRadiation>(
            worker.device(), RadiationParts{r_.to_, r_.from_, r_.scale_, r_.near_start_, r_.near_, r_.k_},
            beside_ ? CpuWorker(1) : worker.host(), std::max(1, worker.host().threads() / devices_));
      device = mine.get();
    }
    const DeviceRadiationFacts facts = device->apply(
        f_, count_, psi_, points, form_, [&](Bytes held) { return worker.memory_beside(held); }, r_.stop_);
    if (facts.fits) {
      tell(worker, *device, facts);
      worker.add_copying(std::max(0.0, facts.seconds - facts.kernel_seconds));
      return;
    }
    if (const std::scoped_lock lock(r_.of_devices_->mutex); !std::exchange(r_.of_devices_->warned, true))
      log::warning(
          "maxwell-fem: {} takes no part in the radiation: one right-hand side needs {} there, and there are {} for "
          "it; "
          "processors compute its share",
          worker.device().info().name, format_bytes(facts.least), format_bytes(facts.given));
    CpuWorker host = worker.host();
    run(host, items);
  }

 private:
  /// Once a frequency: what cannot be seen in the answer.
  void tell(const DeviceWorker& worker, const DeviceRadiation& device, const DeviceRadiationFacts& facts) const {
    const bool without = !device.no_products().empty();
    if (!without && facts.groups < 2) return;
    if (const std::scoped_lock lock(r_.of_devices_->mutex); std::exchange(r_.of_devices_->told, true)) return;
    if (without)
      log::info("maxwell-fem: {} computes coefficients anew for each {} right-hand sides: {}",
                worker.device().info().name, 8, device.no_products());
    if (facts.groups > 1)
      log::info("maxwell-fem: {} has no room for {} right-hand sides at once and takes them in {} groups",
                worker.device().info().name, count_, facts.groups);
  }

  const Radiation& r_;
  std::span<const Complex> f_;
  std::span<Complex> psi_;
  Interval part_;
  Index count_;
  DeviceForm form_;
  int devices_;  ///< of the team
  bool beside_;  ///< processors of it compute meanwhile
};

void Radiation::compress(double tolerance, int threads, int rank, int ranks) {
  compressed_ = std::make_unique<CompressedRadiation>(*domain_, k_, tolerance, threads, stop_, 0.5, rank, ranks);
}

void Radiation::apply(Team& team, std::span<const Complex> f, Index count, std::span<Complex> psi, RadiationLoop loop,
                      Interval part) const {
  if (count == 0 || part.size() == 0) return;
  if (loop == RadiationLoop::automatic) loop = count == 1 ? RadiationLoop::fused : RadiationLoop::blocked;
  switch (loop) {
    case RadiationLoop::fused:
      for (Index c = 0; c < count; ++c) {
        Fused phase(*this, f.subspan(c * 4 * from_.count, 4 * from_.count),
                    psi.subspan(c * 2 * to_.count, 2 * to_.count), part);
        team.run(phase);
      }
      break;
    case RadiationLoop::omp_inner:
    case RadiationLoop::omp_outer:
    case RadiationLoop::omp_rhs: {
      Paper phase(*this, f, count, psi,
                  loop == RadiationLoop::omp_inner   ? PaperLoop::inner_surface
                  : loop == RadiationLoop::omp_outer ? PaperLoop::outer_surface
                                                     : PaperLoop::right_hand_sides,
                  part);
      team.run(phase);
      break;
    }
    case RadiationLoop::compressed: {
      verify(compressed_ != nullptr, "compress() comes before the loop `compressed`");
      const Index n = to_.count, depth = 2 * from_.count;
      std::fill(psi.begin(), psi.begin() + 2 * n * count, Complex(0));
      compressed_->apply(f, count, psi, team.threads());
      for (Index c = 0; c < count; ++c) {
        const auto column = psi.subspan(2 * c * n, 2 * n);
        const Complex *minus = f.data() + 2 * c * depth, *plus = minus + depth;
        for (Index face = 0; face < domain_->outer.faces(); ++face) {
          const Interval points{face * face_points, (face + 1) * face_points};
          const bool wanted = face >= part.begin && face < part.end && compressed_->owns(face);
          if (wanted) add_near(points, minus, plus, column.data() + points.begin, column.data() + n + points.begin);
          for (Index p = points.begin; p < points.end; ++p)
            for (Complex* value : {&column[p], &column[n + p]}) *value = wanted ? *value * scale_[p] : Complex(0);
        }
      }
      break;
    }
    case RadiationLoop::device:
    case RadiationLoop::device_fused:
    case RadiationLoop::device_products:
    case RadiationLoop::cuda_outer:
    case RadiationLoop::cuda_rhs: {
      if (loop == RadiationLoop::cuda_outer || loop == RadiationLoop::cuda_rhs) {
        Paper phase(*this, f, count, psi,
                    loop == RadiationLoop::cuda_outer ? PaperLoop::outer_surface : PaperLoop::right_hand_sides, part,
                    true);
        team.run(phase);
      } else {
        OnDevices phase(*this, f, count, psi,
                        loop == RadiationLoop::device_fused      ? DeviceForm::fused
                        : loop == RadiationLoop::device_products ? DeviceForm::products
                                                                 : DeviceForm::automatic,
                        part, team.workers());
        team.run(phase);
      }
      break;
    }
    default: {
      Blocked phase(*this, f, count, psi, part);
      team.run(phase);
    }
  }
}

}  // namespace conoid::maxwell_fem
