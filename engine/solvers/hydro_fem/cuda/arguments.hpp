// SPDX-License-Identifier: BSD-3-Clause
// What host and device share: arguments of the kernels and where things lie. Zones are the items; values "per zone" are laid out
// [zone][…][point], so that threads beside each other read numbers beside each other.
#pragma once

#if defined(__CUDACC__)
#define CONOID_HYDRO_BOTH __host__ __device__  // host code plans with what kernels use
#else
#define CONOID_HYDRO_BOTH
#endif

namespace conoid::hydro_fem {

/// The largest order that has kernels of its own; higher ones run on the general kernels.
constexpr int largest_own_order = 4;

/// One-dimensional tables in one row: B and G (points × nodes), L (points × energies), M and C (nodes × nodes), weights, P (modes × nodes).
struct TableLayout {
  int B, G, L, M, C, w, P, end;
};
CONOID_HYDRO_BOTH constexpr TableLayout table_layout(int k) {
  const int n = k + 1, q = 2 * k;
  const int M = 2 * q * n + q * k, C = M + n * n, w = C + n * n, P = w + q;
  return {0, q * n, 2 * q * n, M, C, w, P, P + k * n};
}
constexpr int most_zones_a_block = 64;
constexpr int own_tables = table_layout(largest_own_order).end;

CONOID_HYDRO_BOTH constexpr int whole_power(int base, int exponent) {
  return exponent <= 0 ? 1 : base * whole_power(base, exponent - 1);
}

/// Doubles that a zone takes of the block's memory in the update: arrays that are read at the points lie in `late`, which the
/// transposed sums use again; stress lies over what is dead at the points.
struct UpdateLayout {
  int u, energy, first, energy_first, early;  ///< [2 dim][nodes]; …; all of them
  int second, energy_second, late;
  int stress, hoop, zone;  ///< `stress` begins at 0, `late` ones at `early_or_stress`
  int early_or_stress, back_first, back_second;
};
CONOID_HYDRO_BOTH constexpr int larger(int a, int b) {
  return a > b ? a : b;
}
CONOID_HYDRO_BOTH constexpr UpdateLayout update_layout(int dim, int k) {
  const int n = k + 1, q = 2 * k, f = 2 * dim, nn = whole_power(n, dim), qq = whole_power(q, dim),
            ee = whole_power(k, dim);
  UpdateLayout s{};
  s.stress = dim * dim * qq;
  s.hoop = dim < 3 ? qq : 0;
  if (dim == 1) {
    s.u = f * nn;
    s.energy = ee;
    s.late = s.u + s.energy;
  } else if (dim == 2) {
    s.u = f * nn;
    s.energy = ee;
    s.early = s.u + s.energy;
    s.second = 2 * f * n * q;  // of the two stages only one is stored
    s.energy_second = k * q;
    s.back_second = 2 * dim * n * q;
    s.late = larger(s.second + s.energy_second, s.back_second);
  } else {
    s.u = f * nn;
    s.energy = ee;
    s.first = 2 * f * n * n * q;
    s.energy_first = k * k * q;
    s.early = s.u + s.energy + s.first + s.energy_first;
    s.second = 3 * f * n * q * q;
    s.energy_second = k * q * q;
    s.back_second = 3 * dim * n * q * q;
    s.back_first = 2 * dim * n * n * q;
    s.late = larger(s.second + s.energy_second, s.back_second + s.back_first);
  }
  s.early_or_stress = larger(s.early, s.stress + s.hoop);
  s.zone = s.early_or_stress + s.late;
  return s;
}
/// The same of the energy rate: velocities, their stages, power at the points and its sums.
struct EnergyLayout {
  int u, first, second, power, back_second, back_first, load, zone;
};
CONOID_HYDRO_BOTH constexpr EnergyLayout energy_layout(int dim, int k) {
  const int n = k + 1, q = 2 * k, nn = whole_power(n, dim), qq = whole_power(q, dim), ee = whole_power(k, dim);
  EnergyLayout s{};
  s.u = dim * nn;
  s.first = dim > 2 ? 2 * dim * n * n * q : 0;
  s.second = dim == 1 ? 0 : dim == 2 ? 2 * dim * n * q : 3 * dim * n * q * q;
  s.power = qq;
  s.back_second = dim == 1 ? 0 : dim == 2 ? k * q : k * q * q;
  s.back_first = dim > 2 ? k * k * q : 0;
  s.load = ee;
  s.zone = s.u + s.first + s.second + s.power + s.back_second + s.back_first + s.load;
  return s;
}
/// Of the mass: the field, and two arrays that the stages take turns in.
struct MassLayout {
  int u, turn, zone;
};
CONOID_HYDRO_BOTH constexpr MassLayout mass_layout(int dim, int k, bool uniform) {
  const int n = k + 1, q = uniform ? n : 2 * k;
  MassLayout s{};
  s.u = dim * whole_power(n, dim);
  s.turn = dim * (uniform ? whole_power(n, dim) : whole_power(q, dim));
  s.zone = s.u + 2 * s.turn;
  return s;
}

/// A material in numbers: stiffened gas, or a table whose axes and values lie at `at`: densities, energies, p, c; or products of an
/// explosive, with ω in `gamma` and density, A, B, R1, R2 at `at`.
struct MaterialArguments {
  int kind;  ///< 0 stiffened gas, 1 table, 2 products of an explosive
  int densities, energies;
  int limited;  ///< points outside the table are counted
  double gamma, p_infinity;
  long long at;
};

struct ZoneArguments {
  double own[own_tables];  ///< tables of orders up to largest_own_order, for kernels whose loops are unrolled
  const double* tables;    ///< the same of any order, in the device's memory
  int k, turns, viscosity, vorticity_switch;
  double rough_from, rough_to, steep_from, steep_to;  ///< Smoothness; rough_to 0: viscosity does not vanish
  int zones, zones_a_block;
  long long nodes;
  const int* list;             ///< of zones to be worked on; null: all
  const int* map;              ///< [zone][node] → node
  const double* mass;          ///< [zone][point] w ρ0 |J0| (r0)
  const double* J0inv;         ///< [zone][dim²][point]
  const double* widths;        ///< likewise; null if all zones are cubes
  const unsigned char* cubes;  ///< [zone]
  const double* burn;          ///< [zone][2][point]: arrival and rate; null where nothing burns
  double time;                 ///< of the update
  const double* Meinv;         ///< [zone][energy][energy]
  const double* uniform;       ///< [zone] ρ0 |J0| where it is constant, else 0
  const double* heft;          ///< [zone][node]: ZoneData::heft of the others; null if there are none
  const int* material;         ///< [zone]
  const MaterialArguments* materials;
  const double* material_tables;
  const double *x, *v, *e;
  double* S;      ///< [zone][dim²][point]
  double* hoop;   ///< [zone][point]
  double* terms;  ///< [zone][node][component]
  double* de;
  double* partial;  ///< one a block
  int* outside;
  double* scratch;  ///< the blocks' memory where it is not shared memory; null
  long long scratch_block;
};

/// Numbers that stay on the device between the kernels of a solve; none is read and written by the same kernel.
struct SolveNumbers {
  double gamma[2];  ///< r·z of this iteration and the one before
  double target;
  int zone_done,
      node_done;  ///< the end, as passes over nodes see it that the next pass over zones has told, and as they find it
  int iterations, unused;
  double alpha[2];  ///< likewise, of a solve that several devices share
  double step;
  double sum[3];
};

struct MassArguments {
  ZoneArguments zone;
  const double* plain;    ///< the field, [component][node]; null: `field`
  const double* field;    ///< [node][component]
  SolveNumbers* numbers;  ///< of a solve that may have ended; null: nothing is asked
};

struct NodeArguments {
  long long nodes;
  int iteration, most_iterations;
  double tolerance2;
  int zone_partials;  ///< of the pass over zones before
  const int* meet_begin;
  const int* place;         ///< of what meets at a node, in terms of component 0
  const int* constraint;    ///< [node]: number of its projector, or -1
  const double* projector;  ///< [number][dim²]
  const double* diagonal;
  const double* terms;
  const double* extra;  ///< added to the right-hand side; null
  const double* zone_partial;
  double *y, *p;  ///< [node][component]: D r, and the direction
  double* a;      ///< [component][node]
  SolveNumbers* numbers;
};

/// Parts of the zones that devices of one process share a solve of.
constexpr int most_parts = 16;
/// Who is told that a part has packed (engine/team/peers.hpp).
struct PeerCall {
  int peers;  ///< 0: nobody
  unsigned long long value;
  unsigned* blocks;  ///< that are done; 0 between launches
  unsigned long long* number[most_parts];
};
/// Of a part of the zones, whose nodes meet zones of others: terms that go there in a row, `dim` numbers each.
struct PackArguments {
  int dim, count;
  const int* place;  ///< in terms of component 0; below 0: not a term
  const double* terms;
  double* out;
  PeerCall call;
};
/// The same, with what the blocks left of r·u and u·M u in two numbers at the beginning of what goes to each other part.
struct PackSumsArguments {
  PackArguments pack;
  int leads, inverse_partials, mass_partials;
  const int* lead;  ///< where they go, in numbers of `pack.out`
  const double *inverse_partial, *mass_partial;
  double* own;  ///< the two, kept here
};
/// What other parts have packed, once they have called.
struct TakeArguments {
  int sides;
  unsigned long long value;
  struct Side {
    const unsigned long long* number;
    const double* from;  ///< in the other's memory
    double* to;
    long long count;
  } side[most_parts];
};
/// Conjugate gradients with one round of sums an iteration (Chronopoulos and Gear): u, r times the preconditioner, and M u are given at the
/// nodes one after the other, and p = u + β p, s = D M u + β s, a += α p, y -= α s.
struct SharedNodeArguments {
  NodeArguments node;
  double alpha, beta;
  double *u, *s;  ///< [node][component]
};

/// The same where devices decide: r·u and u·M u of each part, in the order in which all of them add.
struct PeerNodeArguments {
  SharedNodeArguments shared;  ///< α and β unused
  int parts;
  const double* sums[most_parts];
};

/// A solve in one kernel.
struct SolveArguments {
  MassArguments mass;
  NodeArguments node;
};

/// Pressure on sides. `node` and `weight` of a side's nodes and points; the loads of a node are added in the order of `begin`.
struct PressureArguments {
  int dim, k, turns, sides, side_nodes, side_points, loaded;
  long long nodes;
  const double* tables;
  const int* node;         ///< [side][node of the side]
  const double* pressure;  ///< [boundary] now
  const int* boundary;     ///< [side]
  const double* sign;      ///< [side] of its normal
  const double* x;
  double* terms;           ///< [side][component][node of the side]
  const int* loaded_node;  ///< [loaded]
  const int* begin;        ///< [loaded + 1]
  const int* place;        ///< in terms of component 0
  const double* weight;    ///< body force, component by component; null
  double* extra;
};

struct SumArguments {
  int count;  ///< of sums
  double factor;
  struct One {
    double* out;
    const double* base;
    const double* direction;
    long long size;
  } one[3];
};

struct DotArguments {
  const double *a, *b;
  long long size;
  double* partial;
};
/// Adds (or takes the least of) what the blocks of another kernel left.
struct TotalArguments {
  const double* partial;
  int count, least;
  double* out;
};

}  // namespace conoid::hydro_fem
