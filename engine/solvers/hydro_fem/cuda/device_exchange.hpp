// SPDX-License-Identifier: BSD-3-Clause
// The mass solve of zones that lie in several parts: on devices of this process, or on a device of each of several ranks.
#pragma once

#include "engine/solvers/hydro_fem/cuda/device_zones.hpp"

#include <memory>
#include <span>
#include <vector>

namespace conoid::hydro_fem {

/// Conjugate gradients with one round of sums an iteration: with u = the preconditioner times r, γ = r·u and δ = u·M u, which zones know
/// before anything is exchanged, α = γ/(δ - β γ/α_before), β = γ/γ_before (Chronopoulos and Gear, J. Comput. Appl. Math. 25 (1989) 153). What meets
/// between parts is exchanged twice an iteration, of u and of M u; both sums travel with the second, and all parts have the same sums and end
/// together.
class DeviceExchange {
 public:
  virtual ~DeviceExchange() = default;
  /// dv/dt of all parts, whose loads have been queued; waits. Returns the iterations.
  [[nodiscard]] virtual int solve(const StageTime& when) = 0;
};

/// With other ranks, by way of the host; collective. `zones` and what `share` names must outlive it.
[[nodiscard]] std::unique_ptr<DeviceExchange> exchange_with_ranks(Operator& op, const Operator::Share& share,
                                                                  DeviceZones& zones);
/// Among devices of this process; nothing waits for the host but the end of a solve. `calls`: by calls where all reach each other's memory, else by
/// copies.
[[nodiscard]] std::unique_ptr<DeviceExchange> exchange_among_peers(Operator& op,
                                                                   std::span<const std::unique_ptr<DeviceZones>> parts,
                                                                   bool calls);

}  // namespace conoid::hydro_fem
