// SPDX-License-Identifier: BSD-3-Clause
// The iteration.
#include "engine/solvers/maxwell_fem/solving/truncation.hpp"

#include "engine/team/parallel_for.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace conoid::maxwell_fem {
namespace {

class Watch {
 public:
  explicit Watch(double& to) : to_(to), begin_(std::chrono::steady_clock::now()) {}
  ~Watch() { to_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  double& to_;
  std::chrono::steady_clock::time_point begin_;
};

double norm_of(std::span<const Complex> x) {
  double sum = 0;
  for (const Complex& v : x) sum += std::norm(v);
  return std::sqrt(sum);
}

}  // namespace

Interval Truncation::mine(Index count) const {
  if (cluster_ == nullptr) return {0, count};
  const Index rank = cluster_->rank(), size = cluster_->size();
  return {count * rank / size, count * (rank + 1) / size};
}

void Truncation::add_up(std::vector<Complex>& values) const {
  if (cluster_ != nullptr && cluster_->size() > 1)
    cluster_->sum(std::span(reinterpret_cast<double*>(values.data()), 2 * values.size()));
}

/// An error when a stop was asked for; the product under way is then lost.
Status Truncation::still_wanted() {
  if (!options_.stop.stop_requested()) return {};
  product_.reset();
  return stop_error();
}

Status Truncation::solve_block(Product& p) {
  const Watch watch(times_.solve);
  const Index n = system_->outer_length(), length = system_->currents_length(), all = system_->unknowns();
  const bool together = system_->shares_factors();
  const Interval own = together ? Interval{0, p.count} : mine(p.count);
  const Index c = own.begin + p.solved, some = std::min(options_.block, own.end - c);
  p.solved += options_.block;
  if (some > 0) {
    solved_ += some;
    fields_.resize(static_cast<std::size_t>(all * some));
    const std::span<Complex> u(fields_);
    if (Status s = system_->respond(p.in.subspan(c * n, some * n), some, u); !s) return s;
    // All ranks have solved together: each finds the currents of some columns.
    const Interval part = together ? mine(some) : Interval{0, some};
    if (part.size() > 0)
      if (Status s = system_->currents(u.subspan(part.begin * all, part.size() * all), part.size(), {},
                                       std::span(p.f).subspan((c + part.begin) * length, part.size() * length));
          !s)
        return s;
  }
  const Index ranks = cluster_ == nullptr || together ? 1 : cluster_->size();
  if (p.solved >= (p.count + ranks - 1) / ranks) {
    add_up(p.f);
    p.solved = p.count;
  }
  return {};
}

void Truncation::radiate_part(Team& team, Product& p) {
  const Watch watch(times_.radiate);
  const Index faces = system_->domain().outer.faces();
  // One to two seconds at 20 to 50 Gflop/s a thread (each part packs the currents anew, 0.1 s a hundred columns); all ranks
  // make as many parts. Devices look for a stop themselves.
  const double seconds = radiation_->pairs() * static_cast<double>(p.count * 32 + 200) / (4e10 * team.threads());
  const Index parts = radiation_->divisible(options_.loop) ? std::clamp<Index>(static_cast<Index>(seconds), 1, 256) : 1;
  const Interval own = mine(faces);
  const bool rows_of_its_own = options_.loop == RadiationLoop::compressed;
  const Interval part = rows_of_its_own ? Interval{0, faces}
                                        : Interval{own.begin + own.size() * p.radiated / parts,
                                                   own.begin + own.size() * (p.radiated + 1) / parts};
  radiation_->apply(team, p.f, p.count, p.out, options_.loop, part);
  if (++p.radiated == parts) {
    add_up(p.out);
    p.radiated = faces;
  }
}

Status Truncation::start(Team& team, std::vector<Incident> waves) {
  waves_ = std::move(waves);
  const auto count = static_cast<Index>(waves_.size());
  const Index n = system_->outer_length();
  std::vector<Complex> psi0(static_cast<std::size_t>(n * count), 0);
  if (system_->form() == FieldForm::total) {
    system_->incident(waves_, psi0);
  } else {
    const Index length = system_->currents_length(), all = system_->unknowns();
    std::vector<Complex> f(static_cast<std::size_t>(length * count)),
        u(static_cast<std::size_t>(all * std::min(count, options_.block)));
    for (Index c = 0; c < count; c += options_.block) {
      const Index some = std::min(options_.block, count - c);
      const auto part = std::span(waves_).subspan(c, some);
      if (Status s = system_->respond_to_sources(part, std::span(u).first(all * some)); !s) return s;
      if (Status s = system_->currents(u, some, part, std::span(f).subspan(c * length, some * length)); !s) return s;
    }
    radiation_->apply(team, f, count, psi0, options_.loop);
    if (options_.loop == RadiationLoop::compressed) add_up(psi0);
  }
  if (Status s = still_wanted(); !s) return s;
  iterations_ = applications_ = 0;
  diverged_ = false;
  last_ratio_ = 0;
  steps_.assign(waves_.size(), 0);
  residual_.assign(waves_.size(), 1);
  active_.clear();
  product_.reset();
  gcr_.reset();
  if (options_.method == TruncationMethod::gmres) {
    BlockGcr::Options o;
    o.tolerance = options_.tolerance;
    o.longest = options_.longest;
    o.memory = options_.memory;
    o.threads = threads_ = team.threads();
    o.stop = options_.stop;
    gcr_ = std::make_unique<BlockGcr>(n, psi0, o);
    active_.assign(gcr_->active().begin(), gcr_->active().end());
    for (Index c = 0; c < count; ++c) residual_[c] = gcr_->residual(c);
    if (Status s = still_wanted(); !s) return s;
  } else {
    psi_ = psi0;
    delta_ = std::move(psi0);
    norms_.assign(waves_.size(), 0);
    for (Index c = 0; c < count; ++c) {
      norms_[c] = norm_of(std::span(delta_).subspan(c * n, n));
      active_.push_back(c);
    }
  }
  return {};
}

BlockGcr::State Truncation::state(Bytes most) const {
  BlockGcr::State out;
  if (gcr_) {
    out = gcr_->state(most);
  } else {
    out.data = psi_;
    out.data.insert(out.data.end(), delta_.begin(), delta_.end());
    for (std::size_t c = 0; c < waves_.size(); ++c)
      out.marks.insert(out.marks.end(), {residual_[c], norms_[c], static_cast<double>(steps_[c])});
    for (Index c : active_) out.marks.push_back(static_cast<double>(c));
  }
  out.marks.insert(out.marks.end(),
                   {last_ratio_, static_cast<double>(iterations_), static_cast<double>(applications_)});
  return out;
}

bool Truncation::restore(const BlockGcr::State& given) {
  BlockGcr::State s = given;
  const std::size_t columns = waves_.size();
  if (s.marks.size() < 3) return false;
  const double last[3] = {s.marks[s.marks.size() - 3], s.marks[s.marks.size() - 2], s.marks.back()};
  s.marks.resize(s.marks.size() - 3);
  if (gcr_) {
    if (!gcr_->restore(s)) return false;
    active_.assign(gcr_->active().begin(), gcr_->active().end());
    for (std::size_t c = 0; c < columns; ++c) {
      residual_[c] = gcr_->residual(static_cast<Index>(c));
      steps_[c] = gcr_->steps_of(static_cast<Index>(c));
    }
  } else {
    if (s.marks.size() < 3 * columns) return false;
    const std::size_t running = s.marks.size() - 3 * columns,
                      length = static_cast<std::size_t>(system_->outer_length());
    if (running > columns || s.data.size() != (columns + running) * length) return false;
    psi_.assign(s.data.begin(), s.data.begin() + static_cast<std::ptrdiff_t>(columns * length));
    delta_.assign(s.data.begin() + static_cast<std::ptrdiff_t>(columns * length), s.data.end());
    for (std::size_t c = 0; c < columns; ++c) {
      residual_[c] = s.marks[3 * c];
      norms_[c] = s.marks[3 * c + 1];
      steps_[c] = static_cast<Index>(s.marks[3 * c + 2]);
    }
    active_.clear();
    for (std::size_t a = 0; a < running; ++a) active_.push_back(static_cast<Index>(s.marks[3 * columns + a]));
  }
  product_.reset();
  last_ratio_ = last[0];
  iterations_ = static_cast<Index>(last[1]);
  applications_ = static_cast<Index>(last[2]);
  return true;
}

Status Truncation::step(Team& team) {
  for (;;) {
    auto whole = piece(team);
    if (!whole) return whole.error();
    if (*whole) return {};
  }
}

Result<bool> Truncation::piece(Team& team) {
  if (active_.empty()) return true;
  const Index n = system_->outer_length();
  if (!product_) {
    product_ = std::make_unique<Product>();
    product_->in = gcr_ ? gcr_->next() : std::span<const Complex>(delta_);
    product_->count = static_cast<Index>(product_->in.size()) / n;
    product_->f = std::move(currents_);
    product_->f.resize(static_cast<std::size_t>(system_->currents_length() * product_->count));
    // Ranks add up what each of them has found of it.
    if (cluster_ != nullptr && cluster_->size() > 1) std::fill(product_->f.begin(), product_->f.end(), Complex(0));
    product_->out.assign(product_->in.size(), 0);
  }
  Product& p = *product_;
  if (p.solved < p.count) {
    if (Status s = solve_block(p); !s) {
      product_.reset();
      return s.error();
    }
    if (p.solved < p.count) return false;
  }
  radiate_part(team, p);
  if (Status s = still_wanted(); !s) return s.error();
  if (p.radiated < system_->domain().outer.faces()) return false;
  const std::unique_ptr<Product> done = std::move(product_);
  currents_ = std::move(done->f);
  if (Status s = take(std::move(done->out)); !s) return s.error();
  applications_ += done->count;
  return true;
}

Status Truncation::take(std::vector<Complex> product) {
  const Index n = system_->outer_length();
  if (gcr_) {
    const auto v = gcr_->next();
    parallel_for(threads_, {0, static_cast<Index>(product.size())}, 16384,
                 [&](Index i) { product[i] = v[i] - product[i]; });
    if (gcr_->take(std::move(product)); gcr_->steps() == iterations_) return stop_error();  // as if it had not begun
    ++iterations_;
    for (Index c : active_) {
      if (c == 0) last_ratio_ = gcr_->residual(0) / std::max(residual_[0], 1e-300);
      residual_[c] = gcr_->residual(c);
      steps_[c] = iterations_;
    }
    active_.assign(gcr_->active().begin(), gcr_->active().end());
    return {};
  }
  ++iterations_;
  delta_ = std::move(product);
  std::vector<Index> going;
  std::vector<Complex> rest;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const Index c = active_[a];
    const auto d = std::span(delta_).subspan(static_cast<Index>(a) * n, n);
    const auto psi = std::span(psi_).subspan(c * n, n);
    for (Index i = 0; i < n; ++i) psi[i] += d[i];
    const double size = norm_of(d);
    if (c == 0) last_ratio_ = norms_[c] > 0 ? size / norms_[c] : 0;
    const double before = residual_[c];
    residual_[c] = size / std::max(norm_of(psi), 1e-300);
    norms_[c] = size;
    steps_[c] = iterations_;
    if (!std::isfinite(size) || (iterations_ >= 10 && residual_[c] > 0.5 && residual_[c] > 0.999 * before))
      diverged_ = true;
    if (residual_[c] <= options_.tolerance || iterations_ >= options_.longest) continue;
    going.push_back(c);
    rest.insert(rest.end(), d.begin(), d.end());
  }
  active_ = std::move(going);
  delta_ = std::move(rest);
  if (diverged_) active_.clear();
  return {};
}

double Truncation::largest_residual() const {
  double out = 0;
  for (double r : residual_) out = std::isfinite(r) ? std::max(out, r) : HUGE_VAL;
  return out;
}

Status Truncation::fields(std::span<const Complex> psi, Index first, Index count, std::vector<Complex>& u,
                          std::vector<Complex>& f) {
  const Index n = system_->outer_length(), all = system_->unknowns();
  u.assign(static_cast<std::size_t>(all * count), 0);
  f.assign(static_cast<std::size_t>(system_->currents_length() * count), 0);
  const auto waves = std::span(waves_).subspan(first, count);
  if (Status s = system_->respond(psi.subspan(first * n, count * n), count, u); !s) return s;
  if (system_->form() != FieldForm::total) {
    std::vector<Complex> more(u.size());
    if (Status s = system_->respond_to_sources(waves, more); !s) return s;
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += more[i];
  }
  return system_->currents(u, count, waves, f);
}

}  // namespace conoid::maxwell_fem
