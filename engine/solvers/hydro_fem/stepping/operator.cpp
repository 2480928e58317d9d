// SPDX-License-Identifier: BSD-3-Clause
// Applying the operator: stress, forces, the two mass solves, energies.
#include "engine/solvers/hydro_fem/stepping/operator.hpp"

#include "engine/linalg/conjugate_gradients.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/team/section_threads.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <exception>
#include <limits>
#include <numeric>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

/// Adds the processor time of all threads, for shares that a loaded machine does not falsify, and wall time.
class Stopwatch {
 public:
  Stopwatch(double& sum, double& wall) : sum_(sum), wall_(wall) {}
  ~Stopwatch() {
    sum_ += now() - start_;
    wall_ += std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  static double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
  double& sum_;
  double& wall_;
  double start_ = now();
  Clock::time_point begin_ = Clock::now();
};

class BatchPhase final : public Phase {
 public:
  BatchPhase(const char* name, Interval batches, const std::function<void(Interval)>& body, Work batch)
      : name_(name), batches_(batches), body_(body), batch_(batch) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return batches_.size(); }
  [[nodiscard]] Work work(Interval items) const override {
    const auto n = static_cast<double>(items.size());
    return {n * batch_.flops, n * batch_.bytes};
  }
  void run(CpuWorker& worker, Interval items) override {
    const Index grain = std::max<Index>(1, items.size() / (8 * worker.threads()));
    worker.for_each(items, grain, [&](Interval chunk, int) {
      body_({batches_.begin + chunk.begin, batches_.begin + chunk.end});
    });
  }

 private:
  const char* name_;
  Interval batches_;
  const std::function<void(Interval)>& body_;
  Work batch_;
};

/// Operations that carry a tensor of n values a direction to q, one direction after the other (as many the other way).
double tensor_flops(int dim, double n, double q) {
  double sum = 0;
  for (int d = 0; d < dim; ++d) sum += 2 * std::pow(n, dim - d) * std::pow(q, d + 1);
  return sum;
}

}  // namespace

void Operator::run_phase(const char* name, const std::function<void(Interval)>& body, Work zone) {
  run_phase(name, own_batches_, body, zone);
}

void Operator::run_phase(const char* name, Interval items, const std::function<void(Interval)>& body, Work zone) {
  if (items.empty()) return;
  BatchPhase phase(name, items, body, {kernels_.lanes * zone.flops, kernels_.lanes * zone.bytes});
  team_.run(phase);
}

/// Gradients of x and v, e, then the stress: counted in zone_stress.hpp with viscosity, a root or a quotient as one operation.
Work Operator::update_work() const {
  if (corner_) return {};
  constexpr double point_flops[] = {60, 145, 440};
  const int dim = space_.dim, k = tables_.k;
  const double q = 2.0 * k, points = data_.zone_points;
  return {2.0 * dim * dim * tensor_flops(dim, k + 1, q) + tensor_flops(dim, k, q) + points * point_flops[dim - 1],
          8.0 * (2.0 * dim * data_.zone_nodes + data_.zone_energies + points * (1 + 2.0 * dim * dim))};
}

Work Operator::force_work() const {
  if (corner_) return {};
  const int dim = space_.dim, k = tables_.k;
  return {1.0 * dim * dim * tensor_flops(dim, 2.0 * k, k + 1),
          8.0 * (1.0 * dim * dim * data_.zone_points + 1.0 * dim * data_.zone_nodes)};
}

Work Operator::energy_work() const {
  if (corner_) return {};
  const int dim = space_.dim, k = tables_.k;
  const double points = data_.zone_points, energies = data_.zone_energies;
  return {1.0 * dim * dim * (tensor_flops(dim, k + 1, 2.0 * k) + 2 * points) + tensor_flops(dim, 2.0 * k, k) +
              2 * energies * energies,
          8.0 * (1.0 * dim * dim * points + 1.0 * dim * data_.zone_nodes + energies * (energies + 1))};
}

double Operator::update(const State& state, double t) {
  data_.time = t;
  {
    const Stopwatch watch(times_.update, times_.corner_wall);
    run_phase(
        "corner force",
        [&](Interval batches) {
          kernels_.update(data_, state.x.data(), state.v.data(), state.e.data(), batch_step_.data(), batches);
          if (corner_) kernels_.corner.force(data_, batches);
        },
        update_work());
  }
  times_.update_points += own_batches_.size() == batch_count_
                              ? space_.zones * data_.zone_points
                              : own_batches_.size() * kernels_.lanes * data_.zone_points;
  const auto first = batch_step_.begin() + own_batches_.begin, last = batch_step_.begin() + own_batches_.end;
  const auto smallest = std::min_element(first, last);
  limiting_batch_ = smallest - batch_step_.begin();
  const double step = smallest == last ? std::numeric_limits<double>::infinity() : *smallest;
  return ranks_ ? least_of_ranks(step) : step;
}

template <int components>
void Operator::sum_terms_of(Interval nodes, double factor, double* out, Index stride) const {
  const Index terms_stride = space_.zone_nodes * kernels_.lanes;
  const Index* begin = space_.meet_begin.data();
  const int* place = meet_place_.data();
  const double* terms = data_.node_terms;
  Index m = begin[nodes.begin];
  for (Index i = nodes.begin; i < nodes.end; ++i, ++out) {
    double sum[components] = {};
    for (const Index end = begin[i + 1]; m < end; ++m)
      for (int c = 0; c < components; ++c) sum[c] += terms[place[m] + c * terms_stride];
    for (int c = 0; c < components; ++c) out[c * stride] = factor * sum[c];
  }
}

void Operator::sum_node_terms(int components, Interval nodes, double factor, double* out, Index stride) const {
  if (components == 1) return sum_terms_of<1>(nodes, factor, out, stride);
  if (components == 2) return sum_terms_of<2>(nodes, factor, out, stride);
  sum_terms_of<3>(nodes, factor, out, stride);
}

void Operator::project(double* field, Index stride, Interval nodes) const {
  const int dim = space_.dim;
  const auto first = std::lower_bound(constraints_.begin(), constraints_.end(), nodes.begin,
                                      [](const Constraint& c, Index node) { return c.node < node; });
  for (auto c = first; c != constraints_.end() && c->node < nodes.end; ++c) {
    double* at = field + (c->node - nodes.begin);
    double in[3];
    for (int d = 0; d < dim; ++d) in[d] = at[d * stride];
    for (int i = 0; i < dim; ++i) {
      double sum = 0;
      for (int j = 0; j < dim; ++j) sum += c->projector[u(i * dim + j)] * in[j];
      at[i * stride] = sum;
    }
  }
}

double Operator::multiply_mass(const double* p, int components, double* y) {
  workers_.for_each(own_batches_, batch_grain_, [&](Interval batches, int) {
    batch_sums_[u(batches.begin / batch_grain_)] = kernels_.mass(data_, p, components, batches);
  });
  if (ranks_) exchange_terms_and_sums(components, batch_sums_, own_batch_chunks());
  over_nodes([&](Interval nodes) { sum_node_terms(components, nodes, 1, y + nodes.begin, space_.nodes); });
  return std::accumulate(batch_sums_.begin(), batch_sums_.end(), 0.0);
}

void Operator::multiply_mass(const PagedVector& p, int components, PagedVector& y) {
  y.resize(p.size());
  multiply_mass(p.data(), components, y.data());
}

void Operator::precondition(const PagedVector& r, int components, PagedVector& z) {
  verify(!ranks_, "asked of an operator of one rank");
  z = r;
  const auto scale = [&](Interval nodes) {
    for (int c = 0; c < components; ++c)
      for (Index i = nodes.begin; i < nodes.end; ++i) z[u(c * space_.nodes + i)] *= diagonal_[u(i)];
  };
  over_nodes(scale);
  workers_.for_each(own_batches_, batch_grain_,
                    [&](Interval batches, int) { (void)kernels_.inverse(data_, z.data(), components, batches); });
  over_nodes([&](Interval nodes) {
    sum_node_terms(components, nodes, 1, z.data() + nodes.begin, space_.nodes);
    scale(nodes);
  });
}

/// One thread's view of a solve: its part of the passes of conjugate_gradients(). Every thread adds the chunks' sums by itself, in the
/// same order.
struct Operator::MassSolve {
  Operator& op;
  PagedVector& a;
  Together& all;
  int thread;
  std::exception_ptr& failure;  ///< of an exchange: the threads come to the end of the solve together
  const int dim = op.space_.dim;
  const Index n = op.space_.nodes;
  // Chunks of this rank's own nodes add to the sums; the others have them from the ranks whose own they are.
  const Index begin = op.own_nodes_.begin, own = op.own_nodes_.size(), others = static_cast<Index>(op.ghosts_.size());
  int last_pass = 1;

  int pass() { return last_pass = (last_pass + 1) % 3; }

  template <class Body>
  void on_one_thread(const Body& body) {
    if (thread == 0 && !failure) try {
        body();
      } catch (...) {
        failure = std::current_exception();
      }
  }
  template <class Body>
  void exchange(const Body& body) {
    if (!op.ranks_) return;
    on_one_thread(body);
    all.wait();
  }
  /// Of chunks; no number after a failure, which ends the iterations of all threads.
  double sum_of(const std::vector<double>& sums) const {
    return failure ? std::numeric_limits<double>::quiet_NaN() : std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  /// body(nodes) over all that this rank holds.
  template <class Body>
  void over_all(const Body& body) {
    all.for_own(thread, pass(), own, op.node_grain_, [&](Interval some) {
      body({begin + some.begin, begin + some.end});
    });
    for (Index g = thread; g < others; g += all.threads()) body(op.ghosts_[u(g)]);
    all.wait();
  }
  /// body(k, i, P Σ of the zones' terms) for the components k of nodes i.
  template <class Body>
  void over_sums(const Body& body) {
    over_all([&](Interval nodes) {
      std::array<double, 3 * largest_node_grain> sums;
      op.sum_node_terms(dim, nodes, 1, sums.data(), op.node_grain_);
      op.project(sums.data(), op.node_grain_, nodes);
      for (int c = 0; c < dim; ++c) {
        const double* sum = sums.data() + c * op.node_grain_ - nodes.begin;
        for (Index i = nodes.begin; i < nodes.end; ++i) body(u(c * n + i), u(i), sum[i]);
      }
    });
  }
  /// kernel(batches) by chunks of `count` batches from `first` on, of which `left_out` are passed over behind the first `lead`.
  template <class ZoneKernel>
  void chunks_of_zones(const ZoneKernel& kernel, Index first, Index count, Index lead, Index left_out) {
    all.for_own(thread, pass(), count, op.batch_grain_, [&](Interval some) {
      const Index shift = first + (some.begin < lead ? 0 : left_out);
      const Interval batches{shift + some.begin, shift + some.end};
      op.batch_sums_[u(batches.begin / op.batch_grain_)] = kernel(batches);
    });
  }
  /// Terms of the zones where they meet; returns the sum of what the kernel does of chunks. Terms that other ranks need come first: they
  /// are under way while the rest is computed.
  template <class ZoneKernel>
  double over_zones(const ZoneKernel& kernel) {
    const Interval inner = op.inner_batches_, mine = op.own_batches_;
    chunks_of_zones(kernel, mine.begin, mine.size() - inner.size(), inner.begin - mine.begin, inner.size());
    if (!inner.empty()) {
      all.wait();
      on_one_thread([&] { op.start_terms(dim); });
      chunks_of_zones(kernel, inner.begin, inner.size(), inner.size(), 0);
    }
    all.wait();
    exchange([&] { op.exchange_terms_and_sums(dim, op.batch_sums_, op.own_batch_chunks(), !inner.empty()); });
    return sum_of(op.batch_sums_);
  }
  /// Terms of the preconditioner; returns r·z. z lies in the free directions as r does, so the zones know it before z is summed.
  double precondition() {
    return over_zones([&](Interval batches) { return op.kernels_.inverse(op.data_, op.y_.data(), dim, batches); });
  }

  /// r = P rhs, a = 0, p = z; returns r·z. Of r only y = D r is kept.
  double start() {
    over_all([&](Interval nodes) {
      op.project(op.rhs_.data() + nodes.begin, n, nodes);
      for (int c = 0; c < dim; ++c)
        for (Index i = nodes.begin; i < nodes.end; ++i) {
          const std::size_t k = u(c * n + i);
          a[k] = op.p_[k] = 0;
          op.y_[k] = op.diagonal_[u(i)] * op.rhs_[k];
        }
    });
    const double rz = precondition();
    direction(0);
    return rz;
  }
  /// M p where zones meet; returns p·M p, which is p·(P M p), as p lies in the free directions.
  double product() {
    return over_zones([&](Interval batches) { return op.kernels_.mass(op.data_, op.p_.data(), dim, batches); });
  }
  /// a += alpha p, r -= alpha P M p; returns r·z.
  double update(double alpha) {
    over_sums([&](std::size_t k, std::size_t i, double sum) {
      a[k] += alpha * op.p_[k];
      op.y_[k] -= alpha * op.diagonal_[i] * sum;
    });
    return precondition();
  }
  /// p = z + beta p.
  void direction(double beta) {
    over_sums([&](std::size_t k, std::size_t i, double sum) { op.p_[k] = op.diagonal_[i] * sum + beta * op.p_[k]; });
  }

  /// a += z, which is there when the iterations end: of the residual it takes what is smooth, so that momentum and energy are kept better
  /// than the residual is small (README.md).
  int run() {
    const double tolerance2 = op.mass_tolerance_ * op.mass_tolerance_;
    const ConjugateEnd end = conjugate_gradients(*this, tolerance2, op.mass_iterations_);
    if (!end.converged && end.iterations >= op.mass_iterations_) on_one_thread([&] { throw Failure(op.not_solved()); });
    over_sums([&](std::size_t k, std::size_t i, double sum) { a[k] += op.diagonal_[i] * sum; });
    return static_cast<int>(end.iterations);
  }
};

Error Operator::not_solved() const {
  return make_error(
      ErrorCode::not_converged,
      fmt::format("the velocity solve is not at {:.3g} after {} iterations", mass_tolerance_, mass_iterations_),
      "Density that varies by thousands within zones takes so many: take smaller zones or a lower order there, or a "
      "larger `mass_tolerance`.");
}

/// The solve as the team runs it: items are this rank's batches. All threads stay in it from its start to its end, each with its own zones
/// and nodes; p·(M p) and r·z come from the zones, so that M p and z are used as soon as they are summed at a node and never stored: four
/// passes an iteration.
class Operator::VelocitySolve final : public Section {
 public:
  VelocitySolve(Operator& op, PagedVector& a) : op_(op), a_(a) {}
  [[nodiscard]] std::string_view name() const override { return "velocity solve"; }
  [[nodiscard]] Index items() const override { return op_.own_batches_.size(); }
  void body(Part& part) override {
    threads_.run(part, op_.solve_width_.width(), [&](Together& all, int thread) {
      const int taken = MassSolve{op_, a_, all, thread, failure_}.run();
      if (thread == 0) iterations_ = taken;
    });
  }
  [[nodiscard]] Work work(Interval batches) const override {
    const Work all = op_.solve_work(iterations_);
    const double share = static_cast<double>(batches.size()) / static_cast<double>(std::max<Index>(1, items()));
    return {share * all.flops, share * all.bytes};
  }
  /// After Team::run().
  [[nodiscard]] int iterations() const {
    if (failure_) std::rethrow_exception(failure_);
    return iterations_;
  }

 private:
  Operator& op_;
  PagedVector& a_;
  SectionThreads threads_;
  int iterations_ = 0;
  std::exception_ptr failure_;
};

int Operator::solve_mass(PagedVector& a) {
  // Conjugate gradients with a sum of zone inverses on all components at once: P M P a = P rhs, from zero. A start vector
  // made of earlier accelerations saves one iteration in eight and puts the noise of the tolerance into gas at rest,
  // where the viscosity hangs on the sign of a velocity gradient.
  VelocitySolve solve(*this, a);
  const auto began = std::chrono::steady_clock::now();
  team_.run(solve);
  const int iterations = solve.iterations();
  solve_width_.took(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 1 + iterations);
  return iterations;
}

/// F·1 of the zones, and of other ranks' zones at the nodes of this rank. What others need comes first: it is under way while the rest is
/// computed.
void Operator::sum_forces() {
  const auto forces = [&](Interval batches) {
    if (batches.empty()) return;
    corner_ ? kernels_.corner.times_one(data_, batches) : kernels_.force(data_, batches);
  };
  // Several workers share zones by borders that follow the times of passes over all zones.
  if (!ranks_ || inner_batches_.empty() || team_.workers().size() > 1) {
    run_phase("force sum", forces, force_work());
    if (ranks_) exchange_terms(space_.dim);
    return;
  }
  const Interval mine = own_batches_, inner = inner_batches_;
  const Index lead = inner.begin - mine.begin;
  run_phase(
      "force sum", {0, mine.size() - inner.size()},
      [&](Interval some) {
        forces({mine.begin + some.begin, mine.begin + std::min(some.end, lead)});
        forces({inner.end + std::max(some.begin, lead) - lead, inner.end + some.end - lead});
      },
      force_work());
  start_terms(space_.dim);
  run_phase("force sum", inner, forces, force_work());
  finish_terms(space_.dim);
}

void Operator::acceleration(const State& state, PagedVector& a, const StageTime& when) {
  {
    const Stopwatch watch(times_.force, times_.corner_wall);
    sum_forces();
    over_nodes([&](Interval nodes) { sum_node_terms(space_.dim, nodes, -1, rhs_.data() + nodes.begin, space_.nodes); });
    add_boundary_pressure(ranks_ ? loaded_positions(state) : state.x, when, rhs_);
    if (!weight_.empty()) {
      const Sum weight{&rhs_, &rhs_, &weight_};
      add(1, {&weight, 1});
    }
    // What a driven wall is accelerated by is known: its share of M_v a goes to the other side.
    for (const DrivenWall& wall : driven_) {
      const Sum momentum{&rhs_, &rhs_, &wall.momentum};
      add(-wall_acceleration(wall, when), {&momentum, 1});
    }
  }
  int iterations = 0;
  {
    const Stopwatch watch(times_.velocity_solve, times_.solve_wall);
    a.resize(rhs_.size());
    iterations = solve_mass(a);
    for (const DrivenWall& wall : driven_) {
      const Sum pushed{&a, &a, &wall.velocity};
      add(wall_acceleration(wall, when), {&pushed, 1});
    }
  }
  times_.iterations += iterations;
  ++times_.solves;
}

/// Of the products in the zones, the sums at the nodes and the vectors of conjugate gradients, of which seven are read or written.
Work Operator::solve_work(int iterations) const {
  const int dim = space_.dim, k = tables_.k;
  const double points = data_.zone_points, zone_nodes = data_.zone_nodes, nodes = static_cast<double>(space_.nodes);
  const double zones = static_cast<double>(kernels_.lanes * batch_count_), plain = kernels_.lanes * uniform_batches_,
               others = zones - plain;
  const double flops = (plain + zones) * (2.0 * dim * std::pow(k + 1, dim + 1) + 3 * zone_nodes) +
                       others * (2 * tensor_flops(dim, k + 1, 2.0 * k) + 3 * points + 2 * zone_nodes);
  const double bytes =
      8 * (others * (points + zone_nodes) + 2 * plain + 6.0 * dim * zones * zone_nodes + nodes * (7.0 * dim + 2));
  const double share =  // of this rank
      static_cast<double>(own_batches_.size()) / static_cast<double>(std::max<Index>(1, batch_count_));
  return {share * (iterations * dim * (flops + 10 * nodes)), share * (iterations * bytes)};
}

void Operator::energy_rate(const State& state, const PagedVector& v, double t, PagedVector& de) {
  const Stopwatch watch(times_.energy_solve, times_.corner_wall);
  de.resize(state.e.size());
  run_phase(
      "energy",
      [&](Interval batches) {
        if (!corner_) return kernels_.force_transposed(data_, v.data(), de.data(), batches);
        kernels_.corner.transposed_times(data_, v.data(), power_, batches);
        kernels_.corner.energy_inverse(data_, power_, de.data(), batches);
      },
      energy_work());
  if (!energy_sources_.empty()) add_energy_source(state, t, de);
}

void Operator::add(double factor, std::span<const Sum> sums) const {
  Index whole = 0;
  for (const Sum& s : sums) {
    s.out->resize(s.base->size());
    whole += static_cast<Index>(s.base->size());
  }
  if (ranks_) return add_pieces(factor, sums);
  workers_.for_each({0, whole}, std::max<Index>(node_grain_, whole / (4 * workers_.threads()) + 1),
                    [&](Interval some, int) {
                      Index first = 0;  // of this sum among all
                      for (const Sum& s : sums) {
                        const auto size = static_cast<Index>(s.base->size());
                        const Index begin = std::clamp<Index>(some.begin - first, 0, size),
                                    end = std::clamp<Index>(some.end - first, 0, size);
                        double* out = s.out->data();
                        const double *base = s.base->data(), *direction = s.direction->data();
                        for (Index i = begin; i < end; ++i) out[i] = base[i] + factor * direction[i];
                        first += size;
                      }
                    });
}

void Operator::copy(const PagedVector& from, PagedVector& to) const {
  to.resize(from.size());
  if (ranks_) {
    for (const Interval& piece : pieces_of(from.size()))
      std::copy(from.begin() + piece.begin, from.begin() + piece.end, to.begin() + piece.begin);
    return;
  }
  workers_.for_each({0, static_cast<Index>(from.size())}, largest_node_grain * 8, [&](Interval some, int) {
    std::copy(from.begin() + some.begin, from.begin() + some.end, to.begin() + some.begin);
  });
}

/// By chunks of batches and of nodes, as products are summed.
Energies Operator::energies(const State& state) {
  const Index W = kernels_.lanes, each = data_.zone_energies, n = space_.nodes;
  const std::size_t node_chunks = u((n + node_grain_ - 1) / node_grain_);
  const auto of_zone = [&](Index zone) {
    double sum = 0;
    for (Index i = zone * each; i < (zone + 1) * each; ++i) sum += energy_weights_[u(i)] * state.e[u(i)];
    return sum;
  };
  std::vector<double> internal(batch_sums_.size(), 0), weights(weight_.empty() ? 0 : node_chunks, 0);
  workers_.for_each(own_batches_, batch_grain_, [&](Interval batches, int) {
    const std::size_t chunk = u(batches.begin / batch_grain_);
    batch_sums_[chunk] = kernels_.mass(data_, state.v.data(), space_.dim, batches);
    for (Index lane = batches.begin * W; lane < batches.end * W; ++lane)
      if (lane % W == 0 || lane_zone_[u(lane)] != lane_zone_[u(lane - 1)])  // not the repetition in an unused lane
        internal[chunk] += of_zone(lane_zone_[u(lane)]);
  });
  if (!weights.empty())
    workers_.for_each(own_nodes_, node_grain_, [&](Interval nodes, int) {
      double sum = 0;
      for (int d = 0; d < space_.dim; ++d)
        for (Index i = d * n + nodes.begin; i < d * n + nodes.end; ++i) sum += weight_[u(i)] * state.x[u(i)];
      weights[u(nodes.begin / node_grain_)] = sum;
    });
  if (ranks_) {
    share_sums(internal, own_batch_chunks());
    share_sums(batch_sums_, own_batch_chunks());
    if (!weights.empty()) share_sums(weights, own_node_chunks());
  }
  const auto total = [](const std::vector<double>& sums) { return std::accumulate(sums.begin(), sums.end(), 0.0); };
  return {total(internal), 0.5 * total(batch_sums_), weights.empty() ? 0 : -total(weights)};
}

}  // namespace conoid::hydro_fem
