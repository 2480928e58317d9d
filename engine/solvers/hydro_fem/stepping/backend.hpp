// SPDX-License-Identifier: BSD-3-Clause
// Where the steps of a march are computed, with the states they go between: on the processors, or on a device (device_backend.hpp).
#pragma once

#include "engine/solvers/hydro_fem/stepping/operator.hpp"

#include <initializer_list>
#include <memory>
#include <string>

namespace conoid::hydro_fem {

/// Three states and the rates of a stage. A backend owns its storage; only the march says what is computed, and only numbers and,
/// when somebody looks, states come out of it. From one thread.
class Backend {
 public:
  enum class Row { state, next, stage, rate };
  enum class Part { x, v, e };
  /// One vector: of a state, or of the rates, whose parts are dx/dt (the velocity that moves nodes and does work), dv/dt and de/dt.
  struct Ref {
    Row row = Row::state;
    Part part = Part::x;
  };
  /// out = base + factor × the rates' part `direction`.
  struct Sum {
    Ref out, base;
    Part direction = Part::x;
  };

  virtual ~Backend() = default;
  /// The three of Operator, of one of the states; rates go to the rates' row.
  [[nodiscard]] virtual double update(Row state, double t) = 0;
  virtual void acceleration(Row state, const StageTime& when) = 0;
  virtual void energy_rate(Row state, Ref velocity, double t) = 0;
  /// The rates' energy gets what burns on between two times, on average.
  virtual void heat(double from, double to) = 0;
  virtual void add(double factor, std::initializer_list<Sum> sums) = 0;
  virtual void copy(Ref to, Ref from) = 0;
  /// What was next is the state, and the other way round.
  virtual void accept() = 0;

  [[nodiscard]] virtual Energies energies() = 0;
  /// On the host, as far as this rank holds it; valid until the next call that changes it.
  [[nodiscard]] virtual const State& state() const = 0;
  virtual void set_state(State state) = 0;  ///< as far as this rank holds it

  /// Of the last update, which was of this state.
  [[nodiscard]] virtual Operator::Limit limit(Row state) = 0;
  [[nodiscard]] virtual Index outside() const = 0;
  [[nodiscard]] virtual Operator::Limit first_outside(Row state) = 0;
  /// Where nodes of a zone lie in one of the states, on average. Collective.
  [[nodiscard]] virtual Vec3 centre(Row state, Index zone) const = 0;

  [[nodiscard]] virtual KernelTimes times() const = 0;
  /// What computes: "avx512", or the name of a device.
  [[nodiscard]] virtual std::string name() const = 0;
};

/// On the threads of the operator's team. The operator must outlive it.
[[nodiscard]] std::unique_ptr<Backend> host_backend(Operator& op);

/// Mean of the positions (dim × nodes) of a zone's nodes.
[[nodiscard]] Vec3 zone_centre(const Space& space, const PagedVector& x, Index zone);

}  // namespace conoid::hydro_fem
