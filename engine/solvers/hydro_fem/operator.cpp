// SPDX-License-Identifier: BSD-3-Clause
// Set-up of masses and constraints, and the two mass solves.
#include "engine/solvers/hydro_fem/operator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

std::size_t u(Index i) { return static_cast<std::size_t>(i); }

class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class BatchPhase final : public Phase {
 public:
  BatchPhase(const char* name, Index items, const std::function<void(Interval)>& body)
      : name_(name), items_(items), body_(body) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Index items() const override { return items_; }
  void run(CpuWorker& worker, Interval items) override {
    const Index grain = std::max<Index>(1, items.size() / (8 * worker.threads()));
    worker.for_each(items, grain, [&](Interval chunk, int) { body_(chunk); });
  }

 private:
  const char* name_;
  Index items_;
  const std::function<void(Interval)>& body_;
};

constexpr Index node_grain = 2048;  // nodes a chunk: sums of dot products are formed chunk by chunk in a fixed order

}  // namespace

double* Operator::allocate(Index count) {
  const std::size_t bytes = (u(count) * sizeof(double) + 63) / 64 * 64;
  auto* p = static_cast<double*>(std::aligned_alloc(64, std::max<std::size_t>(bytes, 64)));
  if (p == nullptr) throw std::bad_alloc();
  std::memset(p, 0, bytes);
  blocks_.emplace_back(p, [](double* q) { std::free(q); });
  return p;
}

Operator::Operator(const Setup& setup, const ZoneKernels& kernels, Team& team)
    : mesh_(setup.mesh),
      tables_(setup.k),
      space_(setup.mesh, setup.k),
      kernels_(kernels),
      team_(team),
      workers_(team.threads()),
      materials_(setup.materials),
      boundaries_(setup.boundaries),
      gravity_(setup.gravity),
      axisymmetric_(setup.axisymmetric),
      mass_tolerance_(setup.mass_tolerance),
      mass_iterations_(setup.mass_iterations),
      energy_source_(setup.energy_source) {
  const int dim = space_.dim;
  number_batches(setup.mesh);
  auto pow_dim = [&](int n) { return static_cast<int>(std::lround(std::pow(n, dim))); };
  data_.tables = &tables_;
  data_.dim = dim;
  data_.axisymmetric = axisymmetric_;
  data_.nodes = space_.nodes;
  data_.zone_nodes = space_.zone_nodes;
  data_.zone_energies = pow_dim(tables_.l2);
  data_.zone_points = pow_dim(tables_.q);
  data_.batch_map = batch_map_.data();
  data_.lane_zone = lane_zone_.data();
  data_.material = batch_material_.data();
  data_.viscosity = setup.viscosity;
  data_.vorticity_switch = setup.vorticity_switch;
  const Index W = kernels_.lanes;
  const Index points = batch_count_ * data_.zone_points * W;
  data_.S = allocate(points * dim * dim);
  if (axisymmetric_) data_.hoop = allocate(points);
  data_.node_terms = allocate(batch_count_ * dim * space_.zone_nodes * W);
  batch_step_.assign(u(batch_count_), 0);

  initial_.x = space_.x0;
  initial_.v.assign(space_.x0.size(), 0);
  initial_.e.assign(u(space_.zones * data_.zone_energies), 0);
  if (setup.velocity)
    for (Index i = 0; i < space_.nodes; ++i) {
      Vec3 p{};
      for (int d = 0; d < dim; ++d) p[u(d)] = space_.x0[u(d * space_.nodes + i)];
      const Vec3 value = setup.velocity(p);
      for (int d = 0; d < dim; ++d) initial_.v[u(d * space_.nodes + i)] = value[u(d)];
    }
  set_masses(setup);
  set_constraints(setup);
  deposit_point_energy(setup);
  rhs_.resize(initial_.v.size());
  r_ = z_ = p_ = q_ = rhs_;
}

void Operator::number_batches(const ZoneMesh& mesh) {
  // Zones of one material stand together; unused lanes repeat the last zone and are read but never summed.
  const Index W = kernels_.lanes;
  std::map<int, std::vector<Index>> by_region;
  for (Index z = 0; z < space_.zones; ++z) by_region[mesh.region[u(z)]].push_back(z);
  std::vector<Index> place(u(space_.zones));  // batch*W + lane
  for (const auto& [region, zones] : by_region) {
    for (std::size_t i = 0; i < zones.size(); i += u(W)) {
      for (Index l = 0; l < W; ++l) {
        const std::size_t at = std::min(i + u(l), zones.size() - 1);
        if (i + u(l) < zones.size()) place[u(zones[at])] = batch_count_ * W + l;
        lane_zone_.push_back(zones[at]);
      }
      batch_material_.push_back(materials_.at(u(region)).get());
      ++batch_count_;
    }
  }
  verify(space_.nodes * space_.dim < (Index{1} << 31), "a rank holds fewer than 2^31 velocity unknowns");
  batch_map_.resize(u(batch_count_ * space_.zone_nodes * W));
  for (Index b = 0; b < batch_count_; ++b)
    for (int i = 0; i < space_.zone_nodes; ++i)
      for (Index l = 0; l < W; ++l)
        batch_map_[u((b * space_.zone_nodes + i) * W + l)] =
            static_cast<int>(space_.map[u(lane_zone_[u(b * W + l)] * space_.zone_nodes + i)]);
  meet_place_.resize(space_.meet.size());
  for (std::size_t i = 0; i < space_.meet.size(); ++i) {
    const Index zone = space_.meet[i] / space_.zone_nodes;
    const Index local = space_.meet[i] % space_.zone_nodes;
    const Index batch = place[u(zone)] / W;
    const Index lane = place[u(zone)] % W;
    meet_place_[i] = (batch * space_.dim * space_.zone_nodes + local) * W + lane;
  }
}

void Operator::set_masses(const Setup& setup) {
  const int dim = space_.dim;
  const Tables& t = tables_;
  const Index W = kernels_.lanes;
  const int QQ = data_.zone_points;
  const int EE = data_.zone_energies;
  double* mass = allocate(batch_count_ * QQ * W);
  double* J0inv = allocate(batch_count_ * QQ * dim * dim * W);
  double* Meinv = allocate(batch_count_ * EE * EE * W);
  data_.mass = mass;
  data_.J0inv = J0inv;
  data_.Meinv = Meinv;
  const Matrix l2_from_h1 = lagrange(t.h1_nodes, t.l2_nodes);

  // Tensor tables of one zone, written out (set-up only).
  auto tensor = [&](const Matrix& m, int row, int col, int axis_rows, int axis_cols, int derivative_axis, const Matrix& d) {
    double w = 1;
    for (int a = 0; a < dim; ++a) {
      const Matrix& use = a == derivative_axis ? d : m;
      w *= use(row % axis_rows, col % axis_cols);
      row /= axis_rows;
      col /= axis_cols;
    }
    return w;
  };
  double volume = 0;
  for (Index b = 0; b < batch_count_; ++b)
    for (Index l = 0; l < W; ++l) {
      const Index zone = lane_zone_[u(b * W + l)];
      const bool counts = l == 0 || zone != lane_zone_[u(b * W + l - 1)];
      const Index* map = &space_.map[u(zone * space_.zone_nodes)];
      const int region = mesh_.region[u(zone)];
      // ρ0 and e0 interpolated at the L2 nodes.
      std::vector<double> rho(u(EE));
      for (int j = 0; j < EE; ++j) {
        Vec3 p{};
        for (int i = 0; i < space_.zone_nodes; ++i) {
          const double w = tensor(l2_from_h1, j, i, t.l2, t.h1, -1, l2_from_h1);
          for (int d = 0; d < dim; ++d) p[u(d)] += w * space_.x0[u(d * space_.nodes + map[i])];
        }
        rho[u(j)] = setup.density(p, region);
        if (!(rho[u(j)] > 0))
          throw Failure(make_error(ErrorCode::invalid_input,
                                   fmt::format("the density is {} at ({}, {}, {})", rho[u(j)], p[0], p[1], p[2]),
                                   "Give every region a density above zero."));
        initial_.e[u(zone * EE + j)] = setup.energy ? setup.energy(p, region) : 0;
      }
      std::vector<double> Me(u(EE * EE), 0);
      for (int q = 0; q < QQ; ++q) {
        double J[9] = {};
        double radius = 0;
        for (int i = 0; i < space_.zone_nodes; ++i)
          for (int d = 0; d < dim; ++d) {
            const double x = space_.x0[u(d * space_.nodes + map[i])];
            for (int m = 0; m < dim; ++m) J[d * dim + m] += tensor(t.B, q, i, t.q, t.h1, m, t.G) * x;
            if (d == 1 && axisymmetric_) radius += tensor(t.B, q, i, t.q, t.h1, -1, t.G) * x;
          }
        Matrix Jm{dim, dim, std::vector<double>(J, J + dim * dim)};
        double det = J[0];
        if (dim == 2) det = J[0] * J[3] - J[1] * J[2];
        if (dim == 3)
          det = J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) + J[2] * (J[3] * J[7] - J[4] * J[6]);
        if (!(det > 0)) {
          throw Failure(make_error(
              ErrorCode::invalid_input,
              fmt::format("zone {} is tangled: its Jacobian is {:.3g} at a quadrature point near ({:.4g}, {:.4g})", zone, det,
                          space_.x0[u(map[0])], dim > 1 ? space_.x0[u(space_.nodes + map[0])] : 0.0),
              "Check the order of the zone's corners and the curvature of its sides."));
        }
        const Matrix inv = inverse(Jm);
        double w = 1;
        double rho_q = 0;
        int rest = q;
        for (int d = 0; d < dim; ++d) {
          w *= t.rule.weights[u(rest % t.q)];
          rest /= t.q;
        }
        for (int j = 0; j < EE; ++j) rho_q += tensor(t.L, q, j, t.q, t.l2, -1, t.L) * rho[u(j)];
        const double geometric = axisymmetric_ ? w * det * radius : w * det;
        const double m = geometric * rho_q;
        if (counts) volume += w * det;
        mass[(b * QQ + q) * W + l] = m;
        for (int i = 0; i < dim * dim; ++i) J0inv[((b * QQ + q) * dim * dim + i) * W + l] = inv.a[u(i)];
        for (int i = 0; i < EE; ++i) {
          const double Li = m * tensor(t.L, q, i, t.q, t.l2, -1, t.L);
          for (int j = 0; j < EE; ++j) Me[u(i * EE + j)] += Li * tensor(t.L, q, j, t.q, t.l2, -1, t.L);
        }
      }
      const Matrix inv = inverse(Matrix{EE, EE, Me});
      for (int i = 0; i < EE * EE; ++i) Meinv[(b * EE * EE + i) * W + l] = inv.a[u(i)];
    }
  data_.h0 = std::pow(volume / static_cast<double>(space_.zones), 1.0 / dim) / t.k;

  // Diagonal of M_v.
  diagonal_.assign(u(space_.nodes), 0);
  std::vector<double> terms(u(batch_count_ * space_.zone_nodes * W), 0);
  for (Index b = 0; b < batch_count_; ++b)
    for (int i = 0; i < space_.zone_nodes; ++i)
      for (int q = 0; q < QQ; ++q) {
        const double w = tensor(t.B, q, i, t.q, t.h1, -1, t.B);
        for (Index l = 0; l < W; ++l) terms[u((b * space_.zone_nodes + i) * W + l)] += mass[(b * QQ + q) * W + l] * w * w;
      }
  for (Index node = 0; node < space_.nodes; ++node)
    for (Index m = space_.meet_begin[u(node)]; m < space_.meet_begin[u(node + 1)]; ++m) {
      const Index place = meet_place_[u(m)];
      const Index batch = place / (space_.dim * space_.zone_nodes * W);
      diagonal_[u(node)] += terms[u(place - batch * (space_.dim - 1) * space_.zone_nodes * W)];
    }
  for (double& d : diagonal_) d = 1 / d;
}

void Operator::set_constraints(const Setup& setup) {
  const int dim = space_.dim;
  const Tables& t = tables_;
  std::map<Index, std::vector<Vec3>> normals;
  for (const auto& face : mesh_.faces) {
    const BoundaryCondition& bc = setup.boundaries.at(u(face.boundary));
    if (bc.kind != BoundaryCondition::Kind::wall && bc.kind != BoundaryCondition::Kind::piston) continue;
    const int axis = face.side / 2;
    const int end = face.side % 2 ? t.k : 0;
    Vec3 n = bc.normal;
    if (n == Vec3{}) {
      // The face's own normal from its corners.
      const Index* corner = &mesh_.zones[u(face.zone * (1 << dim))];
      auto vertex = [&](int c) {
        Vec3 p{};
        for (int d = 0; d < dim; ++d) p[u(d)] = mesh_.vertices[u(corner[c] * dim + d)];
        return p;
      };
      const int base = face.side % 2 ? 1 << axis : 0;
      Vec3 a{};
      Vec3 b{};
      int found = 0;
      for (int d = 0; d < dim; ++d) {
        if (d == axis) continue;
        const Vec3 p = vertex(base);
        const Vec3 q = vertex(base | 1 << d);
        Vec3& out = found++ == 0 ? a : b;
        for (int i = 0; i < 3; ++i) out[u(i)] = q[u(i)] - p[u(i)];
      }
      if (dim == 1) n = {1, 0, 0};
      if (dim == 2) n = {a[1], -a[0], 0};
      if (dim == 3) n = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    }
    const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (double& c : n) c /= length;
    for (int local = 0; local < space_.zone_nodes; ++local) {
      int rest = local;
      for (int d = 0; d < axis; ++d) rest /= t.h1;
      if (rest % t.h1 != end) continue;
      const Index node = space_.map[u(face.zone * space_.zone_nodes + local)];
      normals[node].push_back(n);
      if (bc.kind == BoundaryCondition::Kind::piston)
        for (int d = 0; d < dim; ++d) initial_.v[u(d * space_.nodes + node)] = bc.value * n[u(d)];
    }
  }
  for (const auto& [node, list] : normals) {
    // Projector onto what the walls through this node leave free, by Gram–Schmidt.
    std::vector<Vec3> basis;
    for (Vec3 n : list) {
      for (const Vec3& b : basis) {
        const double along = n[0] * b[0] + n[1] * b[1] + n[2] * b[2];
        for (int i = 0; i < 3; ++i) n[u(i)] -= along * b[u(i)];
      }
      const double left = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      if (left < 1e-6) continue;
      for (double& c : n) c /= left;
      basis.push_back(n);
    }
    Constraint c{node, {}};
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < dim; ++j) {
        double value = i == j ? 1 : 0;
        for (const Vec3& b : basis) value -= b[u(i)] * b[u(j)];
        c.projector[u(i * dim + j)] = std::abs(value) < 1e-15 ? 0 : value;
      }
    constraints_.push_back(c);
  }
}

void Operator::deposit_point_energy(const Setup& setup) {
  if (setup.point_energy <= 0) return;
  const int dim = space_.dim;
  const int corners = 1 << dim;
  const int EE = data_.zone_energies;
  double best = 1e300;
  auto distance = [&](Index vertex) {
    double d2 = 0;
    for (int d = 0; d < dim; ++d) {
      const double delta = mesh_.vertices[u(vertex * dim + d)] - setup.point[u(d)];
      d2 += delta * delta;
    }
    return std::sqrt(d2);
  };
  for (const Index v : mesh_.zones) best = std::min(best, distance(v));
  std::vector<double> hot(initial_.e.size(), 0);
  for (Index zone = 0; zone < space_.zones; ++zone)
    for (int c = 0; c < corners; ++c) {
      if (distance(mesh_.zones[u(zone * corners + c)]) > best + 1e-12) continue;
      for (int j = 0; j < EE; ++j) {
        double w = 1;
        int rest = j;
        for (int d = 0; d < dim; ++d) {
          const double xi = tables_.l2_nodes[u(rest % tables_.l2)];
          rest /= tables_.l2;
          w *= std::pow((c >> d & 1) ? xi : 1 - xi, tables_.k - 1);
        }
        hot[u(zone * EE + j)] += w;
      }
    }
  // The integral of e over the volume with unit weight is the energy given (times density, in real units: ρ0 = 1 there).
  State probe{initial_.x, std::vector<double>(initial_.v.size(), 0), hot};
  const double factor = setup.point_energy / energies(probe).internal;
  for (std::size_t i = 0; i < hot.size(); ++i) initial_.e[i] += factor * hot[i];
}

void Operator::run_phase(const char* name, const std::function<void(Interval)>& body) {
  BatchPhase phase(name, batch_count_, body);
  team_.run(phase);
}

double Operator::update(const State& state) {
  {
    const Stopwatch watch(times_.update);
    run_phase("corner force", [&](Interval batches) {
      kernels_.update(data_, state.x.data(), state.v.data(), state.e.data(), batch_step_.data(), batches);
    });
  }
  times_.update_points += space_.zones * data_.zone_points;
  const auto smallest = std::min_element(batch_step_.begin(), batch_step_.end());
  limiting_zone_ = lane_zone_[u((smallest - batch_step_.begin()) * kernels_.lanes)];
  return *smallest;
}

void Operator::sum_node_terms(int components, double* out, double factor) const {
  const Index stride = space_.zone_nodes * kernels_.lanes;
  workers_.for_each({0, space_.nodes}, node_grain, [&](Interval nodes, int) {
    for (int c = 0; c < components; ++c) {
      const double* terms = data_.node_terms + c * stride;
      for (Index i = nodes.begin; i < nodes.end; ++i) {
        double sum = 0;
        for (Index m = space_.meet_begin[u(i)]; m < space_.meet_begin[u(i + 1)]; ++m) sum += terms[meet_place_[u(m)]];
        out[c * space_.nodes + i] = factor * sum;
      }
    }
  });
}

void Operator::project(double* field) const {
  const int dim = space_.dim;
  for (const Constraint& c : constraints_) {
    double in[3];
    for (int d = 0; d < dim; ++d) in[d] = field[d * space_.nodes + c.node];
    for (int i = 0; i < dim; ++i) {
      double sum = 0;
      for (int j = 0; j < dim; ++j) sum += c.projector[u(i * dim + j)] * in[j];
      field[i * space_.nodes + c.node] = sum;
    }
  }
}

void Operator::multiply_mass(const std::vector<double>& p, int components, std::vector<double>& y) {
  run_phase("velocity mass", [&](Interval batches) { kernels_.mass(data_, p.data(), components, batches); });
  y.resize(p.size());
  sum_node_terms(components, y.data(), 1);
}

int Operator::solve_mass(const std::vector<double>& rhs, std::vector<double>& a) {
  // Conjugate gradients with the inverse diagonal on all components at once: P M P a = P rhs.
  const int dim = space_.dim;
  const Index n = space_.nodes;
  const Index chunks = (n + node_grain - 1) / node_grain;
  std::vector<double> partial(u(2 * chunks));
  auto sum = [&](int which) {
    double s = 0;
    for (Index c = 0; c < chunks; ++c) s += partial[u(2 * c + which)];
    return s;
  };
  project(a.data());
  multiply_mass(a, dim, q_);
  for (std::size_t i = 0; i < rhs.size(); ++i) r_[i] = rhs[i] - q_[i];
  project(r_.data());
  auto precondition = [&] {  // z = D^-1 r; returns r·z, and b·D^-1 b the first time
    workers_.for_each({0, n}, node_grain, [&](Interval nodes, int) {
      double rz = 0;
      for (int c = 0; c < dim; ++c)
        for (Index i = nodes.begin; i < nodes.end; ++i) {
          const Index k = c * n + i;
          z_[u(k)] = diagonal_[u(i)] * r_[u(k)];
          rz += z_[u(k)] * r_[u(k)];
        }
      partial[u(2 * (nodes.begin / node_grain))] = rz;
    });
    return sum(0);
  };
  // The tolerance is relative to the right-hand side, so that a good start vector saves iterations.
  double bb = 0;
  p_ = rhs;
  project(p_.data());
  for (int c = 0; c < dim; ++c)
    for (Index i = 0; i < n; ++i) bb += p_[u(c * n + i)] * p_[u(c * n + i)] * diagonal_[u(i)];
  const double target = mass_tolerance_ * mass_tolerance_ * bb;
  double rz = precondition();
  if (!(rz > target)) return 0;
  p_ = z_;
  int iteration = 0;
  while (iteration < mass_iterations_) {
    ++iteration;
    multiply_mass(p_, dim, q_);
    project(q_.data());
    workers_.for_each({0, n}, node_grain, [&](Interval nodes, int) {
      double pq = 0;
      for (int c = 0; c < dim; ++c)
        for (Index i = nodes.begin; i < nodes.end; ++i) pq += p_[u(c * n + i)] * q_[u(c * n + i)];
      partial[u(2 * (nodes.begin / node_grain))] = pq;
    });
    const double alpha = rz / sum(0);
    workers_.for_each({0, n}, node_grain, [&](Interval nodes, int) {
      double next = 0;
      for (int c = 0; c < dim; ++c)
        for (Index i = nodes.begin; i < nodes.end; ++i) {
          const Index k = c * n + i;
          a[u(k)] += alpha * p_[u(k)];
          r_[u(k)] -= alpha * q_[u(k)];
          z_[u(k)] = diagonal_[u(i)] * r_[u(k)];
          next += z_[u(k)] * r_[u(k)];
        }
      partial[u(2 * (nodes.begin / node_grain))] = next;
    });
    const double next = sum(0);
    if (next <= target) break;
    const double beta = next / rz;
    rz = next;
    workers_.for_each({0, n}, node_grain, [&](Interval nodes, int) {
      for (int c = 0; c < dim; ++c)
        for (Index i = nodes.begin; i < nodes.end; ++i) p_[u(c * n + i)] = z_[u(c * n + i)] + beta * p_[u(c * n + i)];
    });
  }
  return iteration;
}

void Operator::add_boundary_pressure(const State& state, std::vector<double>& rhs) const {
  const int dim = space_.dim;
  const Tables& t = tables_;
  for (const auto& face : mesh_.faces) {
    const BoundaryCondition& bc = boundaries_[u(face.boundary)];
    if (bc.kind != BoundaryCondition::Kind::pressure || bc.value == 0) continue;
    const int axis = face.side / 2;
    const double outward = face.side % 2 ? 1 : -1;
    const Index* map = &space_.map[u(face.zone * space_.zone_nodes)];
    // Nodes of the face in tensor order.
    std::vector<Index> nodes;
    for (int local = 0; local < space_.zone_nodes; ++local) {
      int rest = local;
      for (int d = 0; d < axis; ++d) rest /= t.h1;
      if (rest % t.h1 == (face.side % 2 ? t.k : 0)) nodes.push_back(map[local]);
    }
    if (dim == 1) {
      rhs[u(nodes[0])] -= bc.value * outward;
      continue;
    }
    const int points = dim == 2 ? t.q : t.q * t.q;
    for (int q = 0; q < points; ++q) {
      Vec3 a{};
      Vec3 b{};
      double radius = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const int i0 = static_cast<int>(i) % t.h1;
        const int i1 = static_cast<int>(i) / t.h1;
        const double B0 = t.B(q % t.q, i0);
        const double G0 = t.G(q % t.q, i0);
        const double B1 = dim == 3 ? t.B(q / t.q, i1) : 1;
        const double G1 = dim == 3 ? t.G(q / t.q, i1) : 0;
        for (int d = 0; d < dim; ++d) {
          const double x = state.x[u(d * space_.nodes + nodes[i])];
          a[u(d)] += G0 * B1 * x;
          b[u(d)] += B0 * G1 * x;
        }
        radius += B0 * B1 * state.x[u(space_.nodes + nodes[i])];
      }
      // Area vector; the tangents follow the axes in ascending order, which gives +axis for axes 0 and 2, -axis for 1.
      Vec3 n{};
      double sign = outward;
      if (dim == 2) {
        n = {a[1], -a[0], 0};
        if (axis == 1) sign = -sign;
      } else {
        n = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
        if (axis == 1) sign = -sign;
      }
      double w = t.rule.weights[u(q % t.q)];
      if (dim == 3) w *= t.rule.weights[u(q / t.q)];
      if (axisymmetric_) w *= radius;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        double phi = t.B(q % t.q, static_cast<int>(i) % t.h1);
        if (dim == 3) phi *= t.B(q / t.q, static_cast<int>(i) / t.h1);
        for (int d = 0; d < dim; ++d) rhs[u(d * space_.nodes + nodes[i])] -= bc.value * sign * w * phi * n[u(d)];
      }
    }
  }
}

void Operator::acceleration(const State& state, std::vector<double>& a) {
  {
    const Stopwatch watch(times_.force);
    run_phase("force sum", [&](Interval batches) { kernels_.force(data_, batches); });
    sum_node_terms(space_.dim, rhs_.data(), -1);
  }
  add_boundary_pressure(state, rhs_);
  if (gravity_ != Vec3{}) {
    // ρ g tested against the basis is M_v times the constant field g.
    std::vector<double> g(rhs_.size());
    for (int d = 0; d < space_.dim; ++d)
      std::fill_n(g.begin() + d * space_.nodes, space_.nodes, gravity_[u(d)]);
    std::vector<double> weight;
    multiply_mass(g, space_.dim, weight);
    for (std::size_t i = 0; i < rhs_.size(); ++i) rhs_[i] += weight[i];
  }
  const Stopwatch watch(times_.velocity_solve);
  times_.iterations += solve_mass(rhs_, a);
  ++times_.solves;
}

void Operator::energy_rate(const State& state, const std::vector<double>& v, std::vector<double>& de) {
  const Stopwatch watch(times_.energy_solve);
  de.resize(state.e.size());
  run_phase("energy", [&](Interval batches) { kernels_.force_transposed(data_, v.data(), de.data(), batches); });
  if (!energy_source_) return;
  // ∫ source φ_j over the moved zone, then the inverse block.
  const int dim = space_.dim;
  const Tables& t = tables_;
  const Index W = kernels_.lanes;
  const int EE = data_.zone_energies;
  const int QQ = data_.zone_points;
  workers_.for_each({0, batch_count_}, 1, [&](Interval batches, int) {
    std::vector<double> load(u(EE));
    for (Index b = batches.begin; b < batches.end; ++b)
      for (Index l = 0; l < W; ++l) {
        const Index zone = lane_zone_[u(b * W + l)];
        if (l > 0 && zone == lane_zone_[u(b * W + l - 1)]) continue;
        const Index* map = &space_.map[u(zone * space_.zone_nodes)];
        std::fill(load.begin(), load.end(), 0.0);
        for (int q = 0; q < QQ; ++q) {
          Vec3 p{};
          double J[9] = {};
          double w = 1;
          std::array<int, 3> at{};
          int rest = q;
          for (int d = 0; d < dim; ++d) {
            at[u(d)] = rest % t.q;
            rest /= t.q;
            w *= t.rule.weights[u(at[u(d)])];
          }
          for (int i = 0; i < space_.zone_nodes; ++i) {
            double value = 1;
            double grad[3] = {1, 1, 1};
            int r = i;
            for (int d = 0; d < dim; ++d) {
              const int node = r % t.h1;
              r /= t.h1;
              value *= t.B(at[u(d)], node);
              for (int m = 0; m < dim; ++m) grad[m] *= m == d ? t.G(at[u(d)], node) : t.B(at[u(d)], node);
            }
            for (int d = 0; d < dim; ++d) {
              const double x = state.x[u(d * space_.nodes + map[i])];
              p[u(d)] += value * x;
              for (int m = 0; m < dim; ++m) J[d * dim + m] += grad[m] * x;
            }
          }
          double det = J[0];
          if (dim == 2) det = J[0] * J[3] - J[1] * J[2];
          if (dim == 3)
            det = J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
                  J[2] * (J[3] * J[7] - J[4] * J[6]);
          const double f = w * det * energy_source_(p);
          for (int j = 0; j < EE; ++j) {
            double phi = 1;
            int rj = j;
            for (int d = 0; d < dim; ++d) {
              phi *= t.L(at[u(d)], rj % t.l2);
              rj /= t.l2;
            }
            load[u(j)] += f * phi;
          }
        }
        for (int i = 0; i < EE; ++i) {
          double s = 0;
          for (int j = 0; j < EE; ++j) s += data_.Meinv[(b * EE * EE + i * EE + j) * W + l] * load[u(j)];
          de[u(zone * EE + i)] += s;
        }
      }
  });
}

Energies Operator::energies(const State& state) const {
  const int dim = space_.dim;
  const Tables& t = tables_;
  const Index W = kernels_.lanes;
  const int EE = data_.zone_energies;
  const int QQ = data_.zone_points;
  Energies out;
  // Tensor tables once.
  std::vector<double> L(u(QQ * EE));
  std::vector<double> B(u(QQ * space_.zone_nodes));
  for (int q = 0; q < QQ; ++q) {
    for (int j = 0; j < EE; ++j) {
      double w = 1;
      for (int d = 0, a = q, b = j; d < dim; ++d, a /= t.q, b /= t.l2) w *= t.L(a % t.q, b % t.l2);
      L[u(q * EE + j)] = w;
    }
    for (int i = 0; i < space_.zone_nodes; ++i) {
      double w = 1;
      for (int d = 0, a = q, b = i; d < dim; ++d, a /= t.q, b /= t.h1) w *= t.B(a % t.q, b % t.h1);
      B[u(q * space_.zone_nodes + i)] = w;
    }
  }
  std::vector<Energies> parts(u(batch_count_));
  workers_.for_each({0, batch_count_}, 8, [&](Interval batches, int) {
    for (Index b = batches.begin; b < batches.end; ++b) {
      Energies part;
      for (Index l = 0; l < W; ++l) {
        const Index zone = lane_zone_[u(b * W + l)];
        if (l > 0 && zone == lane_zone_[u(b * W + l - 1)]) continue;
        const Index* map = &space_.map[u(zone * space_.zone_nodes)];
        for (int q = 0; q < QQ; ++q) {
          double e = 0;
          for (int j = 0; j < EE; ++j) e += L[u(q * EE + j)] * state.e[u(zone * EE + j)];
          double v2 = 0;
          for (int d = 0; d < dim; ++d) {
            double v = 0;
            for (int i = 0; i < space_.zone_nodes; ++i)
              v += B[u(q * space_.zone_nodes + i)] * state.v[u(d * space_.nodes + map[i])];
            v2 += v * v;
          }
          const double m = data_.mass[(b * QQ + q) * W + l];
          part.internal += m * e;
          part.kinetic += 0.5 * m * v2;
        }
      }
      parts[u(b)] = part;
    }
  });
  for (const Energies& p : parts) {
    out.internal += p.internal;
    out.kinetic += p.kinetic;
  }
  return out;
}

double Operator::total_mass() const {
  double sum = 0;
  const Index W = kernels_.lanes;
  for (Index b = 0; b < batch_count_; ++b)
    for (Index l = 0; l < W; ++l) {
      if (l > 0 && lane_zone_[u(b * W + l)] == lane_zone_[u(b * W + l - 1)]) continue;
      for (int q = 0; q < data_.zone_points; ++q) sum += data_.mass[(b * data_.zone_points + q) * W + l];
    }
  return sum;
}

}  // namespace conoid::hydro_fem
