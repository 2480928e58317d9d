// SPDX-License-Identifier: BSD-3-Clause
// Fields kept in windows on the way forwards, multiplied with those that come back, and shown.
#include "engine/solvers/acoustic_fd/stepping/image.hpp"

#include "engine/core/resources.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_fd/stepping/slab.hpp"
#include "engine/team/parallel_for.hpp"
#include "engine/window/disk_windows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

constexpr Index scale_block = 64;  // values along z that share a scale
constexpr float most_stored = 32767;
constexpr Bytes page = 4096, piece_target = Bytes{4} << 20;
constexpr std::array<const char*, 3> sum_names{"image_products", "image_source", "image_receivers"},
    before_names{"image_products_before", "image_source_before", "image_receivers_before"};

template <class R>
auto taken(R&& result) {
  if (!result) throw Failure(result.error());
  return std::forward<R>(result).value();
}

Index scales_of(Index nz) {
  return (nz + scale_block - 1) / scale_block;
}

/// Bytes of a row of a snapshot: its scales, then its values, filled up to four bytes.
std::size_t row_bytes(const Problem& p, const ImageSettings& settings) {
  const Index nz = p.grid.points[2];
  if (!settings.compressed) return static_cast<std::size_t>(nz) * (p.double_precision ? 8 : 4);
  return static_cast<std::size_t>(4 * scales_of(nz) + (nz + 1) / 2 * 4);
}

std::size_t snapshot_plane(const Problem& p, const ImageSettings& settings) {
  return row_bytes(p, settings) * static_cast<std::size_t>(p.grid.points[1]);
}

std::size_t sum_arrays(const ImageSettings& settings) {
  return settings.illumination == ImageSettings::Illumination::both ? 3 : 2;
}

std::size_t sums_plane(const Problem& p, const ImageSettings& settings) {
  return sum_arrays(settings) * static_cast<std::size_t>(p.grid.points[1] * p.grid.points[2]) *
         (p.double_precision ? 8 : 4);
}

/// now − before of a row, to 16 bits.
template <class T>
void pack_row(const T* now, const T* before, Index nz, std::byte* to) {
  auto* const scale = reinterpret_cast<float*>(to);
  auto* const values = reinterpret_cast<std::int16_t*>(to + 4 * scales_of(nz));
  float change[scale_block];
  for (Index begin = 0; begin < nz; begin += scale_block) {
    const Index count = std::min(scale_block, nz - begin);
    float most = 0;
    for (Index i = 0; i < count; ++i) {
      change[i] = static_cast<float>(now[begin + i] - before[begin + i]);
      most = std::max(most, std::abs(change[i]));
    }
    scale[begin / scale_block] = most;
    const float up = most > 0 && std::isfinite(most_stored / most) ? most_stored / most : 0;
    for (Index i = 0; i < count; ++i) values[begin + i] = static_cast<std::int16_t>(std::lrint(change[i] * up));
  }
}

template <class T>
void unpack_row(const std::byte* from, Index nz, T* out) {
  const auto* const scale = reinterpret_cast<const float*>(from);
  const auto* const values = reinterpret_cast<const std::int16_t*>(from + 4 * scales_of(nz));
  for (Index begin = 0; begin < nz; begin += scale_block) {
    const Index end = std::min(begin + scale_block, nz);
    const float down = scale[begin / scale_block] / most_stored;
    for (Index i = begin; i < end; ++i) out[i] = static_cast<T>(static_cast<float>(values[i]) * down);
  }
}

Bytes in_pages(Bytes bytes) {
  return (bytes + page - 1) / page * page;
}

std::unique_ptr<DiskWindows> windows_of(const char* name, const std::vector<Bytes>& sizes, Bytes budget,
                                        const Problem& problem) {
  DiskWindowsOptions options;
  options.name = name;
  options.file = std::filesystem::path(problem.scratch.empty() ? temporary_folder().string() : problem.scratch) / name;
  Bytes all = 0, largest = 0;
  for (const Bytes size : sizes) {
    all += in_pages(size);
    largest = std::max(largest, in_pages(size));
  }
  options.budget = std::max(std::min(budget, all), 3 * largest);
  options.reserve = options.budget < all;  // what stays in memory takes no room on the disk
  return taken(DiskWindows::create(sizes, options));
}

}  // namespace

ImagePlan plan_image(const Problem& problem, const ImageSettings& settings, Bytes budget, int ranks) {
  ImagePlan plan;
  const auto planes = static_cast<Bytes>((problem.grid.points[0] + ranks - 1) / ranks);
  const Bytes snapshot = snapshot_plane(problem, settings), sums = sums_plane(problem, settings);
  plan.snapshots = problem.steps / settings.every;
  plan.one = planes * snapshot;
  plan.sums = planes * sums * (settings.adds ? 2 : 1);
  const Bytes all = plan.all() + plan.all() / 64 + (Bytes{1} << 20);  // windows are filled up to pages
  plan.windows = all;
  if (settings.smooth > 0) plan.smooth = static_cast<Bytes>(problem.grid.cells()) * (problem.density ? 8 : 4);
  if (budget > 0) {
    budget -= std::min(plan.smooth, budget / 2);
    const Bytes march = march_bytes(problem, ranks), least = std::min(all, 16 * (snapshot + sums) + march / 8);
    plan.windows = budget >= march + least ? std::min(all, budget - march) : std::min(all, budget / 4);
    plan.march = budget - plan.windows + plan.smooth;  // which has it among its media
  }
  plan.disk = plan.windows < all ? plan.all() : 0;
  return plan;
}

std::string image_text(const Problem& problem, const ImageSettings& settings, const ImagePlan& plan) {
  return fmt::format("{} fields a shot are kept for the image, every {} {}, {} each at {} bits, {}", plan.snapshots,
                     settings.every, settings.every == 1 ? "step" : "steps", format_bytes(plan.one),
                     settings.compressed        ? 16
                     : problem.double_precision ? 64
                                                : 32,
                     plan.disk == 0 ? "in memory"
                                    : fmt::format("{} of {} in memory, the rest on the disk",
                                                  format_bytes(plan.windows), format_bytes(plan.all())));
}

Imaging::Imaging(const Problem& problem, const ImageSettings& settings, const ImagePlan& plan, const March& march)
    : problem_(problem), settings_(settings), planes_(march.planes()), count_(problem.steps / settings.every),
      plane_bytes_(snapshot_plane(problem, settings)) {
  const std::size_t sums = sums_plane(problem, settings);
  const Bytes budget = plan.windows > 0 ? plan.windows : plan.all();
  const Bytes fits = std::min<Bytes>(piece_target, budget / 16);
  const Index block = march.block() > 0 ? march.block() : planes_.end;
  const auto most = std::clamp<Index>(static_cast<Index>(fits / std::max(plane_bytes_, sums)), 1, block);
  for (Index x = planes_.begin; x < planes_.end;) {
    const Index end = std::min({planes_.end, x + most, (x / block + 1) * block});
    pieces_.push_back({x, end});
    x = end;
  }
  std::vector<Bytes> of_sums, of_snapshots;
  for (const Interval& piece : pieces_) of_sums.push_back(static_cast<Bytes>(piece.size()) * sums);
  if (settings_.adds) of_sums.insert(of_sums.end(), of_sums.begin(), of_sums.end());
  for (Index n = 0; n < count_; ++n)
    for (const Interval& piece : pieces_) of_snapshots.push_back(static_cast<Bytes>(piece.size()) * plane_bytes_);
  Bytes all_sums = 0;
  for (const Bytes size : of_sums) all_sums += in_pages(size);
  const Bytes own = std::min(all_sums, std::max<Bytes>(budget / 4, budget > all_sums + budget / 2 ? all_sums : 0));
  sums_ = windows_of("image", of_sums, own, problem);
  snapshots_ = windows_of("snapshots", of_snapshots, budget > own ? budget - own : 0, problem);
  brightest_.assign(static_cast<std::size_t>(planes_.size()), -1.0);
  for (std::size_t a = 0; a < 3; ++a) {
    const auto margin = [&](std::size_t face) -> Index {
      const Face& f = problem.faces[face];
      if (problem.grid.points[a] == 1) return 0;
      return f.absorbs() ? f.width : f.kind == FaceKind::impedance ? 1 : 0;
    };
    inside_[a] = {margin(2 * a), problem.grid.points[a] - margin(2 * a + 1)};
  }
}

Imaging::~Imaging() = default;

std::size_t Imaging::arrays() const {
  return sum_arrays(settings_);
}
std::size_t Imaging::plane_cells() const {
  return static_cast<std::size_t>(problem_.grid.points[1] * problem_.grid.points[2]);
}
std::size_t Imaging::piece_of(Index x) const {
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), x,
                                      [](Index plane, const Interval& piece) { return plane < piece.begin; });
  return static_cast<std::size_t>(after - pieces_.begin()) - 1;
}

void Imaging::begin_shot() {
  const auto pieces = static_cast<Index>(pieces_.size());
  std::vector<Visit> visits;
  visits.reserve(static_cast<std::size_t>(2 * count_ * pieces));
  for (Index n = 0; n < count_; ++n)
    for (Index i = 0; i < pieces; ++i) visits.push_back({n * pieces + i, Access::write});
  for (Index n = count_; n-- > 0;)
    for (Index i = 0; i < pieces; ++i) visits.push_back({n * pieces + i, Access::read});
  order_ = Tour();
  if (!visits.empty()) order_ = snapshots_->announce(std::move(visits));
}

Index Imaging::next_backward(Index l) const {
  const Index k = (problem_.steps - l) / settings_.every * settings_.every;
  return k > 0 ? problem_.steps + 1 - k : problem_.steps;
}

template <class T>
void Imaging::keep_plane(const March::PlaneView& view, std::byte* to) const {
  const Index ny = problem_.grid.points[1], nz = problem_.grid.points[2];
  const std::size_t row = row_bytes(problem_, settings_);
  for (Index y = 0; y < ny; ++y, to += row) {
    const T* const now = static_cast<const T*>(view.now) + y * view.stride_y;
    const T* const before = static_cast<const T*>(view.before) + y * view.stride_y;
    if (settings_.compressed) {
      pack_row(now, before, nz, to);
    } else {
      T* const out = reinterpret_cast<T*>(to);
      for (Index z = 0; z < nz; ++z) out[z] = now[z] - before[z];
    }
  }
}

class Imaging::Keeper final : public March::PlaneVisitor {
 public:
  Keeper(Imaging& of, Index snapshot) : of_(of), snapshot_(snapshot) {}
  [[nodiscard]] std::span<const Interval> pieces() const override { return of_.pieces_; }
  void open(std::size_t piece) override {
    begin_ = of_.pieces_[piece].begin;
    lease_ = taken(of_.order_.acquire(snapshot_ * static_cast<Index>(of_.pieces_.size()) + static_cast<Index>(piece),
                                      Access::write));
    to_ = lease_.writable().data();
  }
  void close(std::size_t) override { lease_.release(); }
  void plane(Index x, const March::PlaneView& view) override {
    std::byte* const to = to_ + static_cast<std::size_t>(x - begin_) * of_.plane_bytes_;
    if (of_.problem_.double_precision)
      of_.keep_plane<double>(view, to);
    else
      of_.keep_plane<float>(view, to);
  }

 private:
  Imaging& of_;
  Index snapshot_, begin_ = 0;
  Lease lease_;
  std::byte* to_ = nullptr;
};

void Imaging::keep(Team& team, March& march) {
  const Index k = march.steps_done();
  if (k == 0 || k % settings_.every != 0 || k / settings_.every > count_) return;
  Keeper keeper(*this, k / settings_.every - 1);
  march.visit(team, keeper);
}

template <class T>
void Imaging::correlate_plane(const March::PlaneView& view, const std::byte* kept, T* sums) const {
  const Index ny = problem_.grid.points[1], nz = problem_.grid.points[2];
  const std::size_t row = row_bytes(problem_, settings_), cells = plane_cells();
  std::vector<T> change(static_cast<std::size_t>(nz));
  for (Index y = 0; y < ny; ++y, kept += row) {
    const T* v = reinterpret_cast<const T*>(kept);
    if (settings_.compressed) {
      unpack_row(kept, nz, change.data());
      v = change.data();
    }
    const T* const now = static_cast<const T*>(view.now) + y * view.stride_y;
    const T* const before = static_cast<const T*>(view.before) + y * view.stride_y;
    T* const product = sums + y * nz;
    T* const source = product + cells;
    // Both are of the moment half-way between two levels.
    const T sign = settings_.kind == ImageSettings::Kind::gradient ? T(-1) : T(1), half = sign < 0 ? T(1) : T(0.5);
    for (Index z = 0; z < nz; ++z) {
      product[z] += v[z] * (half * (now[z] + sign * before[z]));
      source[z] += v[z] * v[z];
    }
    const auto cells_of_row = static_cast<std::size_t>(nz);
    if (sign < 0 && !problem_.relaxations.empty())
      add_relaxing<T>(view, y * view.stride_y, {v, cells_of_row}, {product, cells_of_row});
    if (arrays() < 3) continue;
    T* const receivers = source + cells;
    for (Index z = 0; z < nz; ++z) {
      const T back = half * (now[z] + sign * before[z]);
      receivers[z] += back * back;
    }
  }
}

/// What attenuation adds to the gradient's products of a row, which begins `row` values behind the plane's first.
template <class T>
void Imaging::add_relaxing(const March::PlaneView& view, Index row, std::span<const T> v, std::span<T> products) const {
  const T* const now = static_cast<const T*>(view.now) + row;
  const T* const before = static_cast<const T*>(view.before) + row;
  const T sigma = static_cast<T>(relaxation_damping(problem_.relaxations, problem_.dt));
  for (std::size_t z = 0; z < v.size(); ++z) products[z] += v[z] * (sigma * (now[z] + before[z]));
  for (std::size_t l = 0; l < problem_.relaxations.size(); ++l) {
    const RelaxationStep step = relaxation_step(problem_.relaxations[l], problem_.dt);
    const T half = static_cast<T>(0.5 * step.pull), memory = static_cast<T>(0.5 * step.pull / step.add);
    const T* const m = static_cast<const T*>(view.memory[l]) + row;
    for (std::size_t z = 0; z < v.size(); ++z) products[z] += v[z] * (half * now[z] - memory * m[z]);
  }
}

class Imaging::Correlator final : public March::PlaneVisitor {
 public:
  Correlator(Imaging& of, Index snapshot) : of_(of), snapshot_(snapshot) {}
  [[nodiscard]] std::span<const Interval> pieces() const override { return of_.pieces_; }
  void open(std::size_t piece) override {
    begin_ = of_.pieces_[piece].begin;
    kept_ = taken(of_.order_.acquire(snapshot_ * static_cast<Index>(of_.pieces_.size()) + static_cast<Index>(piece),
                                     Access::read));
    sums_ = taken(of_.sums_->acquire(static_cast<Index>(piece), Access::update));
    to_ = sums_.writable().data();
  }
  void close(std::size_t) override {
    kept_.release();
    sums_.release();
  }
  void plane(Index x, const March::PlaneView& view) override {
    const auto n = static_cast<std::size_t>(x - begin_);
    const std::byte* const from = kept_.bytes().data() + n * of_.plane_bytes_;
    std::byte* const to = to_ + n * sums_plane(of_.problem_, of_.settings_);
    if (of_.problem_.double_precision)
      of_.correlate_plane<double>(view, from, reinterpret_cast<double*>(to));
    else
      of_.correlate_plane<float>(view, from, reinterpret_cast<float*>(to));
  }

 private:
  Imaging& of_;
  Index snapshot_, begin_ = 0;
  Lease kept_, sums_;
  std::byte* to_ = nullptr;
};

void Imaging::correlate(Team& team, March& march) {
  const Index k = problem_.steps + 1 - march.steps_done();
  if (march.steps_done() == 0 || k % settings_.every != 0) return;
  Correlator correlator(*this, k / settings_.every - 1);
  march.visit(team, correlator);
  std::fill(brightest_.begin(), brightest_.end(), -1.0);
}

/// call(values of float or double, as the access has them) for what is stored of a plane, one array behind the other.
template <class Call>
void Imaging::with_stored(Index x, Sum which, Access access, Call&& call) const {
  const std::size_t piece = piece_of(x), plane = sums_plane(problem_, settings_);
  Lease lease = taken(sums_->acquire(window_of(static_cast<Index>(piece), which), access));
  const std::size_t at = static_cast<std::size_t>(x - pieces_[piece].begin) * plane;
  // What is only read is given as constant by the callers.
  std::byte* const bytes =
      (access == Access::read ? const_cast<std::byte*>(lease.bytes().data()) : lease.writable().data()) + at;
  if (problem_.double_precision)
    call(reinterpret_cast<double*>(bytes));
  else
    call(reinterpret_cast<float*>(bytes));
}

/// call(values of float or double) for the sums of a plane over all shots, one array behind the other.
template <class Call>
void Imaging::with_sums(Index x, Call&& call) const {
  with_stored(x, Sum::shot, Access::read, [&]<class T>(const T* own) {
    if (!settings_.adds) {
      call(own);
      return;
    }
    std::vector<T> all(arrays() * plane_cells());
    with_stored(x, Sum::before, Access::read, [&](const auto* before) {
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<T>(before[i]) + own[i];
    });
    call(static_cast<const T*>(all.data()));
  });
}

std::vector<std::byte> Imaging::take_shot(Index x) {
  std::vector<std::byte> out(sums_plane(problem_, settings_));
  with_stored(x, Sum::shot, Access::update, [&](auto* own) {
    std::memcpy(out.data(), own, out.size());
    std::memset(own, 0, out.size());
  });
  brightest_[static_cast<std::size_t>(x - planes_.begin)] = -1;
  return out;
}

void Imaging::add_shot(Index x, std::span<const std::byte> products) {
  with_stored(x, Sum::before, Access::update, [&]<class T>(T* all) {
    const auto* const shot = reinterpret_cast<const T*>(products.data());
    for (std::size_t i = 0; i < products.size() / sizeof(T); ++i) all[i] += shot[i];
  });
  brightest_[static_cast<std::size_t>(x - planes_.begin)] = -1;
}

void Imaging::add_shot_of(Imaging& from, int threads) {
  constexpr Index chunk = Index{1} << 15;
  for (Index x = planes_.begin; x < planes_.end; ++x)
    from.with_stored(x, Sum::shot, Access::update, [&]<class T>(T* shot) {
      with_stored(x, Sum::before, Access::update, [&]<class U>(U* all) {
        if constexpr (std::is_same_v<T, U>)  // of one case
          in_chunks(threads, {0, static_cast<Index>(arrays() * plane_cells())}, chunk, [&](Interval some, int) {
            for (Index i = some.begin; i < some.end; ++i) {
              all[i] += shot[i];
              shot[i] = 0;
            }
          });
      });
    });
  std::fill(brightest_.begin(), brightest_.end(), -1.0);
  std::fill(from.brightest_.begin(), from.brightest_.end(), -1.0);
}

void Imaging::raw_plane(Index x, std::vector<double>& out) const {
  const Index nz = problem_.grid.points[2];
  const Grid& g = problem_.grid;
  out.assign(plane_cells(), 0.0);
  if (x < inside_[0].begin || x >= inside_[0].end) return;
  std::vector<double> speed(static_cast<std::size_t>(nz));
  const bool gradient = settings_.kind == ImageSettings::Kind::gradient;
  with_sums(x, [&](const auto* sums) {
    for (Index y = inside_[1].begin; y < inside_[1].end; ++y) {
      if (gradient) problem_.velocity->row(g.at(0, x), g.at(1, y), g.origin[2], g.spacing[2], speed);
      for (Index z = inside_[2].begin; z < inside_[2].end; ++z) {
        const auto at = static_cast<std::size_t>(y * nz + z);
        const double c = gradient ? speed[static_cast<std::size_t>(z)] : 1;
        // c is that of high frequency.
        const double factor = gradient ? 2 * problem_.stiffening / (c * c * c * problem_.dt * problem_.dt) : 1;
        out[at] = static_cast<double>(settings_.every) * factor * static_cast<double>(sums[at]);
      }
    }
  });
}

/// Illumination of cell i of a plane: of the source, or the root of it times that of the receivers.
template <class T>
double Imaging::light_at(const T* sums, std::size_t i) const {
  const std::size_t cells = plane_cells();
  const auto source = static_cast<double>(sums[cells + i]);
  return arrays() == 3 ? std::sqrt(source * static_cast<double>(sums[2 * cells + i])) : source;
}

/// The image of a plane over its illumination; `floor` comes to that, and keeps dark places from infinity.
void Imaging::finished_plane(Index x, double floor, std::vector<double>& out) const {
  raw_plane(x, out);
  if (settings_.illumination == ImageSettings::Illumination::none) return;
  const std::size_t cells = plane_cells();
  const auto every = static_cast<double>(settings_.every);
  with_sums(x, [&](const auto* sums) {
    for (std::size_t i = 0; i < cells; ++i) {
      const double over = every * light_at(sums, i) + floor;
      out[i] = over > 0 ? out[i] / over : 0;
    }
  });
}

double Imaging::brightest(Communicator& cluster) const {
  const std::size_t cells = plane_cells();
  double most = 0;
  for (Index x = planes_.begin; x < planes_.end; ++x) {
    double& own = brightest_[static_cast<std::size_t>(x - planes_.begin)];
    if (own < 0) {
      own = 0;
      with_sums(x, [&](const auto* sums) {
        for (std::size_t i = 0; i < cells; ++i) own = std::max(own, light_at(sums, i));
      });
    }
    most = std::max(most, own);
  }
  return static_cast<double>(settings_.every) * cluster.maximum(most);
}

/// The finished planes of other ranks beside this one's.
void Imaging::fetch_edges(double floor, Communicator& cluster, std::vector<double>& low,
                          std::vector<double>& high) const {
  if (cluster.size() == 1) return;
  std::vector<double> first, last;
  finished_plane(planes_.begin, floor, first);
  finished_plane(planes_.end - 1, floor, last);
  const bool lower = cluster.rank() > 0, upper = cluster.rank() + 1 < cluster.size();
  if (lower) low.resize(plane_cells());
  if (upper) high.resize(plane_cells());
  const auto out = [](bool there, const std::vector<double>& values) {
    return there ? std::as_bytes(std::span(values)) : std::span<const std::byte>();
  };
  cluster.start_exchange(out(lower, first), out(upper, last), std::as_writable_bytes(std::span(low)),
                         std::as_writable_bytes(std::span(high)));
  cluster.finish_exchange();
}

void Imaging::read(Shown what, const March::Cut& cut, Communicator& cluster, std::vector<float>& out) const {
  const Index nz = problem_.grid.points[2];
  const auto append = [&](const auto& value_at) {
    for (Index j = 0; j < cut.count[1]; ++j)
      for (Index l = 0; l < cut.count[2]; ++l)
        out.push_back(static_cast<float>(value_at(cut.first[1] + j * cut.step[1], cut.first[2] + l * cut.step[2])));
  };
  const auto each_plane = [&](const auto& call) {
    for (Index i = 0; i < cut.count[0]; ++i)
      if (const Index x = cut.first[0] + i * cut.step[0]; x >= planes_.begin && x < planes_.end) call(x);
  };
  if (what == Shown::illumination) {
    const double factor = static_cast<double>(settings_.every) / problem_.dt;
    each_plane([&](Index x) {
      with_sums(x, [&](const auto* sums) {
        append([&](Index y, Index z) {
          return factor * static_cast<double>(sums[plane_cells() + static_cast<std::size_t>(y * nz + z)]);
        });
      });
    });
    return;
  }
  const double floor = settings_.stabilisation * brightest(cluster);
  std::vector<double> low, high, planes[3];
  if (!settings_.laplacian) {
    each_plane([&](Index x) {
      finished_plane(x, floor, planes[1]);
      append([&](Index y, Index z) { return planes[1][static_cast<std::size_t>(y * nz + z)]; });
    });
    return;
  }
  fetch_edges(floor, cluster, low, high);
  const auto plane = [&](Index x, std::vector<double>& to) {
    if (x < 0 || x >= problem_.grid.points[0])
      to.clear();
    else if (x < planes_.begin)
      to = low;
    else if (x >= planes_.end)
      to = high;
    else
      finished_plane(x, floor, to);
  };
  Vec3 weight = problem_.grid.stencil_spacing();
  for (double& h : weight) h = problem_.grid.finest() * problem_.grid.finest() / (h * h);
  Index held = -2;  // of planes[1]
  each_plane([&](Index x) {
    if (x == held + 1) {
      std::swap(planes[0], planes[1]);
      std::swap(planes[1], planes[2]);
    } else {
      plane(x - 1, planes[0]);
      plane(x, planes[1]);
    }
    plane(x + 1, planes[2]);
    held = x;
    append([&](Index y, Index z) {
      const std::array<Index, 3> at{x, y, z};
      for (std::size_t a = 0; a < 3; ++a)
        if (at[a] < inside_[a].begin || at[a] >= inside_[a].end) return 0.0;
      const auto here = static_cast<std::size_t>(y * nz + z);
      const double centre = planes[1][here];
      double sum = 0;
      for (std::size_t a = 0; a < 3; ++a)
        for (const int side : {-1, 1}) {
          const Index beside = at[a] + side;
          if (beside < inside_[a].begin || beside >= inside_[a].end) continue;  // goes on even
          const double value = a == 0   ? planes[1 + side][here]
                               : a == 1 ? planes[1][static_cast<std::size_t>(beside * nz + z)]
                                        : planes[1][static_cast<std::size_t>(y * nz + beside)];
          sum += weight[a] * (centre - value);
        }
      return sum;
    });
  });
}

void Imaging::save(CheckpointWriter& writer) const {
  const std::size_t cells = plane_cells();
  for (const Sum which : {Sum::shot, Sum::before}) {
    if (which == Sum::before && !settings_.adds) break;
    for (Index x = planes_.begin; x < planes_.end; ++x)
      with_stored(x, which, Access::read, [&]<class T>(const T* sums) {
        for (std::size_t n = 0; n < arrays(); ++n)
          writer.piece<T>((which == Sum::shot ? sum_names : before_names)[n], problem_.grid.cells(),
                          x * static_cast<Index>(cells), std::span<const T>(sums + n * cells, cells));
      });
  }
}

void Imaging::load(CheckpointReader& reader) {
  const std::size_t cells = plane_cells();
  const auto load_sums = [&](Sum which, const std::array<const char*, 3>& names) {
    for (Index x = planes_.begin; x < planes_.end; ++x)
      with_stored(x, which, Access::update, [&]<class T>(T* sums) {
        for (std::size_t n = 0; n < arrays(); ++n)
          reader.range<T>(names[n], x * static_cast<Index>(cells), std::span<T>(sums + n * cells, cells));
      });
  };
  load_sums(Sum::shot, sum_names);
  // Earlier versions kept one sum over all shots, to which this one's goes on to be added.
  if (settings_.adds && reader.length(before_names[0]) >= 0) load_sums(Sum::before, before_names);
  std::fill(brightest_.begin(), brightest_.end(), -1.0);
}

}  // namespace conoid::acoustic_fd
