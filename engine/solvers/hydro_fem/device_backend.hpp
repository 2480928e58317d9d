// SPDX-License-Identifier: BSD-3-Clause
// Steps on one device: states, stress, forces, the mass solve and the energy rate live there; numbers come back, and states when somebody
// looks.
#pragma once

#include "engine/solvers/hydro_fem/backend.hpp"
#include "engine/team/device.hpp"

#include <memory>
#include <string>

namespace conoid::hydro_fem {

/// Bytes of a device that a march of these sizes takes.
struct DeviceNeeds {
  double zones = 0, nodes = 0;
  int dim = 2, k = 2;
  int turns = 0;  ///< Setup::turns
  bool viscosity = true, rk4 = false;
  bool cubes = true;     ///< zones are cubes at the start: no widths are kept
  bool burns = false;    ///< an explosive's arrival times are kept
  int driven_walls = 0;  ///< pistons of changing speed
  bool shared = false;   ///< of one of several ranks
};
[[nodiscard]] Bytes device_bytes(const DeviceNeeds& needs);

inline constexpr const char* device_refuses_matrices = "the matrices of the corner force are formed on processors only";
inline constexpr const char* device_refuses_power =
    "power fed in per volume is a formula that only processors evaluate";
/// Why a device cannot compute this set-up, as the end of a sentence; empty where it can.
[[nodiscard]] std::string device_objection(const Setup& setup);

struct DeviceOptions {
  bool own_orders = true;  ///< false: the general kernels at every order, for comparison
  enum class Solves {
    fastest,
    launches,
    at_once
  } solves = Solves::fastest;    ///< a kernel an iteration and pass, or one in all
  bool memory_of_blocks = true;  ///< false: zones' scratch in device memory at every order, for comparison
  int worker = -1;               ///< of the team, which samples of its work are told of; -1: none
};

/// On a device, from the operator's initial state; the operator must outlive it. Of an operator that several ranks share, this rank's part,
/// and every call that computes or looks is collective. What cannot be computed there (device_objection) is a bug of
/// the caller. Throws Failure (resources) where memory is refused or, later, when the device fails.
[[nodiscard]] std::unique_ptr<Backend> device_backend(Operator& op, Device device, DeviceOptions options = {});

/// Where a run's steps go: the first device of the team (of each rank's, if all ranks have one that can) unless something speaks against it, which is told in `told`.
struct Placed {
  std::unique_ptr<Backend> backend;
  std::string told;      ///< a sentence for the log; empty: nothing to say
  bool warning = false;  ///< it was to be a device, and is not
};
/// Collective where ranks share the operator.
[[nodiscard]] Placed place_march(const Setup& setup, Operator& op, bool rk4);

/// Quadrature points from which on `auto` takes a device (HydroFem::estimate() says so; one that is named is obeyed): an H100 is as fast as 16 threads with
/// 12,000, twice as fast with 33,000 (README.md).
inline constexpr double points_worth_a_device = 2e4;

}  // namespace conoid::hydro_fem
