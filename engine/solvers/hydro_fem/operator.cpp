// SPDX-License-Identifier: BSD-3-Clause
// Applying the operator: stress, forces, the two mass solves, energies.
#include "engine/solvers/hydro_fem/operator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

namespace conoid::hydro_fem {
namespace {

std::size_t u(Index i) {
  return static_cast<std::size_t>(i);
}

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
  BatchPhase(const char* name, Index items, const std::function<void(Interval)>& body, Work batch)
      : name_(name), items_(items), body_(body), batch_(batch) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return items_; }
  [[nodiscard]] Work work(Interval items) const override {
    const auto n = static_cast<double>(items.size());
    return {n * batch_.flops, n * batch_.bytes};
  }
  void run(CpuWorker& worker, Interval items) override {
    const Index grain = std::max<Index>(1, items.size() / (8 * worker.threads()));
    worker.for_each(items, grain, [&](Interval chunk, int) { body_(chunk); });
  }

 private:
  const char* name_;
  Index items_;
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
  BatchPhase phase(name, batch_count_, body, {kernels_.lanes * zone.flops, kernels_.lanes * zone.bytes});
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
  return {1.0 * dim * dim * (tensor_flops(dim, k + 1, 2.0 * k) + 2 * points) + tensor_flops(dim, 2.0 * k, k) + 2 * energies * energies,
          8.0 * (1.0 * dim * dim * points + 1.0 * dim * data_.zone_nodes + energies * (energies + 1))};
}

Work Operator::mass_work(int components) const {
  if (corner_) return {};
  const int dim = space_.dim, k = tables_.k;
  const double points = data_.zone_points, varying = 1 - uniform_share_;
  return {components * (varying * (tensor_flops(dim, k + 1, 2.0 * k) + tensor_flops(dim, 2.0 * k, k + 1) + points) +
                        uniform_share_ * (tensor_flops(dim, k + 1, k + 1) + data_.zone_nodes)),
          varying * 8.0 * points + components * 20.0 * data_.zone_nodes};
}

double Operator::update(const State& state) {
  {
    const Stopwatch watch(times_.update, times_.corner_wall);
    run_phase("corner force", [&](Interval batches) {
      kernels_.update(data_, state.x.data(), state.v.data(), state.e.data(), batch_step_.data(), batches);
      if (corner_) kernels_.corner.force(data_, batches);
    }, update_work());
  }
  times_.update_points += space_.zones * data_.zone_points;
  const auto smallest = std::min_element(batch_step_.begin(), batch_step_.end());
  limiting_batch_ = smallest - batch_step_.begin();
  return *smallest;
}

double Operator::node_sums(const std::function<double(Interval)>& body) {
  workers_.for_each({0, space_.nodes}, node_grain,
                    [&](Interval nodes, int) { partial_[u(nodes.begin / node_grain)] = body(nodes); });
  double sum = 0;
  for (const double p : partial_) sum += p;
  return sum;
}

/// out = factor × Σ of what meets at each node; returns out·with (a fixed order of sums).
double Operator::sum_node_terms(int components, double* out, double factor, const double* with) {
  const Index stride = space_.zone_nodes * kernels_.lanes;
  const Index* begin = space_.meet_begin.data();
  const int* place = meet_place_.data();
  return node_sums([&](Interval nodes) {
    double dot = 0;
    for (int c = 0; c < components; ++c) {
      const double* terms = data_.node_terms + c * stride;
      double* to = out + c * space_.nodes;
      Index m = begin[nodes.begin];
      for (Index i = nodes.begin; i < nodes.end; ++i) {
        double sum = 0;
        for (const Index end = begin[i + 1]; m < end; ++m) sum += terms[place[m]];
        to[i] = factor * sum;
        if (with) dot += with[c * space_.nodes + i] * to[i];
      }
    }
    return dot;
  });
}

/// Takes from a field what walls do not leave free, at the nodes of an interval.
void Operator::project(double* field, Interval nodes) const {
  const int dim = space_.dim;
  const auto first = std::lower_bound(constraints_.begin(), constraints_.end(), nodes.begin,
                                      [](const Constraint& c, Index node) { return c.node < node; });
  for (auto c = first; c != constraints_.end() && c->node < nodes.end; ++c) {
    double in[3];
    for (int d = 0; d < dim; ++d) in[d] = field[d * space_.nodes + c->node];
    for (int i = 0; i < dim; ++i) {
      double sum = 0;
      for (int j = 0; j < dim; ++j) sum += c->projector[u(i * dim + j)] * in[j];
      field[i * space_.nodes + c->node] = sum;
    }
  }
}

double Operator::multiply_mass(const double* p, int components, double* y) {
  run_phase("velocity mass", [&](Interval batches) { kernels_.mass(data_, p, components, batches); }, mass_work(components));
  return sum_node_terms(components, y, 1, p);
}

void Operator::multiply_mass(const std::vector<double>& p, int components, std::vector<double>& y) {
  y.resize(p.size());
  multiply_mass(p.data(), components, y.data());
}

int Operator::solve_mass(std::vector<double>& a) {
  // Conjugate gradients with the inverse diagonal on all components at once: P M P a = P rhs, from zero. A start vector
  // made of earlier accelerations saves one iteration in eight and puts the noise of the tolerance into gas at rest,
  // where the viscosity hangs on the sign of a velocity gradient: measured on the triple point, kinetic energy then
  // moves by 1e-3 at a tolerance of 1e-8; from zero it stands to 1e-9.
  const int dim = space_.dim;
  const Index n = space_.nodes;
  const auto over = [&](Interval nodes, const auto& body) {
    for (int c = 0; c < dim; ++c)
      for (Index i = nodes.begin; i < nodes.end; ++i) body(u(c * n + i), diagonal_[u(i)]);
  };
  double rz = node_sums([&](Interval nodes) {
    double s = 0;
    project(rhs_.data(), nodes);
    over(nodes, [&](std::size_t k, double d) {
      a[k] = 0;
      r_[k] = rhs_[k];
      p_[k] = d * r_[k];
      s += p_[k] * r_[k];
    });
    return s;
  });
  const double target = mass_tolerance_ * mass_tolerance_ * rz;
  int iteration = 0;
  while (rz > target && iteration < mass_iterations_) {
    ++iteration;
    // p lies in the free directions, so p·(P M p) = p·(M p).
    const double alpha = rz / multiply_mass(p_.data(), dim, q_.data());
    const double next = node_sums([&](Interval nodes) {
      double s = 0;
      project(q_.data(), nodes);
      over(nodes, [&](std::size_t k, double d) {
        a[k] += alpha * p_[k];
        r_[k] -= alpha * q_[k];
        s += d * r_[k] * r_[k];
      });
      return s;
    });
    const double beta = next / rz;
    rz = next;
    if (rz <= target) break;
    workers_.for_each({0, n}, node_grain, [&](Interval nodes, int) {
      over(nodes, [&](std::size_t k, double d) { p_[k] = d * r_[k] + beta * p_[k]; });
    });
  }
  return iteration;
}

void Operator::acceleration(const State& state, std::vector<double>& a) {
  {
    const Stopwatch watch(times_.force, times_.corner_wall);
    run_phase("force sum", [&](Interval batches) {
      corner_ ? kernels_.corner.times_one(data_, batches) : kernels_.force(data_, batches);
    }, force_work());
    sum_node_terms(space_.dim, rhs_.data(), -1, nullptr);
    add_boundary_pressure(state, rhs_);
    if (!weight_.empty()) add(rhs_, rhs_, 1, weight_);
  }
  const Stopwatch watch(times_.velocity_solve, times_.solve_wall);
  a.resize(rhs_.size());
  times_.iterations += solve_mass(a);
  ++times_.solves;
}

void Operator::energy_rate(const State& state, const std::vector<double>& v, double t, std::vector<double>& de) {
  const Stopwatch watch(times_.energy_solve, times_.corner_wall);
  de.resize(state.e.size());
  run_phase("energy", [&](Interval batches) {
    if (!corner_) return kernels_.force_transposed(data_, v.data(), de.data(), batches);
    kernels_.corner.transposed_times(data_, v.data(), power_, batches);
    kernels_.corner.energy_inverse(data_, power_, de.data(), batches);
  }, energy_work());
  if (!energy_sources_.empty()) add_energy_source(state, t, de);
}

void Operator::add(std::vector<double>& out, const std::vector<double>& base, double factor,
                   const std::vector<double>& direction) const {
  out.resize(base.size());
  workers_.for_each({0, static_cast<Index>(base.size())}, 4 * node_grain, [&](Interval some, int) {
    for (Index i = some.begin; i < some.end; ++i) out[u(i)] = base[u(i)] + factor * direction[u(i)];
  });
}

Energies Operator::energies(const State& state) {
  Energies out;
  for (std::size_t i = 0; i < state.e.size(); ++i) out.internal += energy_weights_[i] * state.e[i];
  std::vector<double> Mv(state.v.size());
  out.kinetic = 0.5 * multiply_mass(state.v.data(), space_.dim, Mv.data());
  for (std::size_t i = 0; i < weight_.size(); ++i) out.potential -= weight_[i] * state.x[i];
  return out;
}

}  // namespace conoid::hydro_fem
