// SPDX-License-Identifier: BSD-3-Clause
// Steps on devices: states, stress, forces, the mass solve and the energy rate live there; numbers come back, and states when somebody
// looks. Several devices of one process have intervals of the zones each.
#pragma once

#include "engine/solvers/hydro_fem/stepping/backend.hpp"
#include "engine/team/device.hpp"

#include <memory>
#include <string>
#include <vector>

namespace conoid::hydro_fem {

/// Bytes of a device that a march of these sizes takes.
struct DeviceNeeds {
  double zones = 0, nodes = 0;
  int dim = 2, k = 2;
  int turns = 0;  ///< Setup::turns
  bool viscosity = true, rk4 = false;
  bool cubes = true;     ///< zones are cubes at the start: no widths are kept
  bool burns = false;    ///< an explosive's arrival times are kept
  int burning_on = 0;    ///< regions that are heated by what burns on
  int driven_walls = 0;  ///< pistons of changing speed
  bool shared = false;   ///< a part of the zones: of one of several ranks, or devices
};
[[nodiscard]] Bytes device_bytes(const DeviceNeeds& needs);
[[nodiscard]] int regions_burning_on(const Setup& setup);

inline constexpr const char* device_refuses_matrices = "the matrices of the corner force are formed on processors only";
inline constexpr const char* device_refuses_power =
    "power fed in per volume is a formula that only processors evaluate";
/// Beside a device, as the end of a sentence; README.md has the figures.
inline constexpr const char* why_processors_are_idle =
    "what meets at their zones would cross the bus in every iteration of the mass solve";
/// Why a device cannot compute this set-up, as the end of a sentence; empty where it can.
[[nodiscard]] std::string device_objection(const Setup& setup);

struct DeviceOptions {
  bool own_orders = true;  ///< false: the general kernels at every order, for comparison
  enum class Solves {
    fastest,
    launches,
    at_once
  } solves = Solves::fastest;    ///< a kernel an iteration and pass, or one in all
  bool calls = true;             ///< false: several devices copy what meets between them, for comparison
  bool memory_of_blocks = true;  ///< false: zones' scratch in device memory at every order, for comparison
  int stress_zones = 0;  ///< of a block, where they fit; 0: as many as give every thread a point, for comparison
  std::vector<int>
      workers{};  ///< of the team, one a device, which samples of their work are told of; -1, none: nothing is told
};

/// On a device, from the operator's initial state; the operator must outlive it. Of an operator that several ranks share, this rank's part,
/// and every call that computes or looks is collective. What cannot be computed there (device_objection) is a bug of
/// the caller. Throws Failure (resources) where memory is refused or, later, when the device fails.
[[nodiscard]] std::unique_ptr<Backend> device_backend(Operator& op, Device device, const DeviceOptions& options = {});
/// The same on several devices of one kind, at most as many as there are zones and most_devices; of an operator that ranks share one. What
/// meets at nodes of zones of two devices is copied between them, and added on both in the order of one. Sums over nodes and zones are those
/// of the devices' parts, one after the other: their bits depend on how many devices there are.
[[nodiscard]] std::unique_ptr<Backend> device_backend(Operator& op, std::vector<Device> devices,
                                                      const DeviceOptions& options = {});
inline constexpr int most_devices = 16;

/// Where a run's steps go: the devices of the team that are of the kind of the first (of each rank its first, if all ranks have one that
/// can) unless something speaks against it, which is told in `told`.
struct Placed {
  std::unique_ptr<Backend> backend;
  std::string told;      ///< a sentence for the log; empty: nothing to say
  bool warning = false;  ///< it was to be a device, and is not
};
/// Collective where ranks share the operator.
[[nodiscard]] Placed place_march(const Setup& setup, Operator& op, bool rk4);

/// Quadrature points from which on `auto` takes a device where no trial tells how long processors take (HydroFem::estimate(); one that is named is obeyed): an H100 is as fast as 16 threads with
/// 12,000, twice as fast with 33,000 (README.md).
inline constexpr double points_worth_a_device = 2e4;
/// Of `most` devices so many as `auto` takes for so many quadrature points: each further one must make an iteration of the mass solve a tenth
/// faster. An H100 passes over a million points in 20 µs; beside that an iteration costs 10 µs on one device and 70 a device where several
/// exchange (two H200 took 33.1 ms a step of 64³ zones of order 2, one 37.5). The host gives each of P devices 5 + 2 (P - 1) orders of 2.5 µs, one after the other, in which time an iteration cannot be shorter.
[[nodiscard]] int devices_that_pay(double points, int most);
/// Seconds of a run of so many steps, the start of the devices included. Measured on an H200 (132 multiprocessors, mass solves to 1e-8):
/// 0.59 ms a step with 12,096 points in two dimensions, 1.2 with 64,000 in three, 3.4, 10.3 and 23.3 with 2.1, 7.1 and 16.8 million; two
/// are 1.7 times as fast as one.
[[nodiscard]] double seconds_on_devices(double points, int dim, double steps, int devices, int multiprocessors);

}  // namespace conoid::hydro_fem
