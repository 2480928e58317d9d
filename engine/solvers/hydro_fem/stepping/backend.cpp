// SPDX-License-Identifier: BSD-3-Clause
// Steps on the processors: the operator's calls on states in memory.
#include "engine/solvers/hydro_fem/stepping/backend.hpp"

#include "engine/solvers/hydro_fem/discretization/index.hpp"

#include <array>
#include <utility>

namespace conoid::hydro_fem {
namespace {

class HostBackend final : public Backend {
 public:
  explicit HostBackend(Operator& op) : op_(op) {
    State& first = of(Row::state);
    op.copy(op.initial().x, first.x);
    op.copy(op.initial().v, first.v);
    op.copy(op.initial().e, first.e);
    of(Row::rate).v.resize(op.initial().v.size());
  }
  double update(Row state, double t) override { return op_.update(of(state), t); }
  void acceleration(Row state, const StageTime& when) override { op_.acceleration(of(state), of(Row::rate).v, when); }
  void energy_rate(Row state, Ref velocity, double t) override {
    op_.energy_rate(of(state), at(velocity), t, of(Row::rate).e);
  }
  void heat(double from, double to) override {
    if (op_.burns_on()) op_.add_heat(op_.heat(from, to), of(Row::rate).e);
  }
  void add(double factor, std::initializer_list<Sum> sums) override {
    verify(sums.size() <= most_sums, "as many sums at once as a state has parts");
    std::size_t n = 0;
    std::array<Operator::Sum, most_sums> all;
    for (const Sum& s : sums) all[n++] = {&at(s.out), &at(s.base), &at({Row::rate, s.direction})};
    op_.add(factor, std::span(all).first(n));
  }
  void copy(Ref to, Ref from) override { op_.copy(at(from), at(to)); }
  void accept() override { std::swap(of(Row::state), of(Row::next)); }
  Energies energies() override { return op_.energies(of(Row::state)); }
  const State& state() const override { return rows_[0]; }
  void set_state(State state) override { of(Row::state) = std::move(state); }
  Operator::Limit limit(Row state) override { return op_.limit(of(state)); }
  Index outside() const override { return op_.outside(); }
  Operator::Limit first_outside(Row state) override { return op_.first_outside(of(state)); }
  Vec3 centre(Row state, Index zone) const override { return op_.centre(rows_[static_cast<std::size_t>(state)], zone); }
  KernelTimes times() const override { return op_.times(); }
  std::string name() const override { return op_.kernels().name; }

 private:
  static constexpr std::size_t most_sums = 3;
  State& of(Row row) { return rows_[static_cast<std::size_t>(row)]; }
  PagedVector& at(Ref r) {
    State& s = of(r.row);
    return r.part == Part::x ? s.x : r.part == Part::v ? s.v : s.e;
  }
  Operator& op_;
  std::array<State, 4> rows_;  // of several ranks each has its part
};

}  // namespace

std::unique_ptr<Backend> host_backend(Operator& op) {
  return std::make_unique<HostBackend>(op);
}

Vec3 zone_centre(const Space& s, const PagedVector& x, Index zone) {
  Vec3 centre{};
  for (int i = 0; i < s.zone_nodes; ++i)
    for (int d = 0; d < s.dim; ++d)
      centre[u(d)] += x[u(d * s.nodes + s.map[u(zone * s.zone_nodes + i)])] / s.zone_nodes;
  return centre;
}

}  // namespace conoid::hydro_fem
