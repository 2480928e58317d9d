// SPDX-License-Identifier: BSD-3-Clause
// What is done at nodes, and with whole vectors: conjugate gradients of the mass, pressure on sides, sums of vectors, dot products.
//
// Conjugate gradients take four kernels an iteration: over zones M_v p and p·M_v p (zone_body.hpp), over nodes what meets there and both
// updates, over zones the preconditioner and r·z, over nodes the next direction. Sums of the ones over zones are added by all blocks of the
// next, in the same order; nothing waits for the host.
#include "engine/team/kernel.hpp"
#include "engine/team/peers.hpp"

#include "engine/solvers/hydro_fem/cuda/zone_body.hpp"

namespace conoid::hydro_fem {

/// P (-F·1 + what else pushes) of a node.
template <int D>
__device__ __forceinline__ void first_residual(const NodeArguments& a, long long node, double* sum) {
  meet<D>(a, node, sum);
  for (int c = 0; c < D; ++c) {
    sum[c] = -sum[c];
    if (a.extra != nullptr) sum[c] += a.extra[c * a.nodes + node];
  }
  keep_free<D>(a, node, sum);
}

/// r = P (-F·1 + what else pushes), of which y = D r is kept; a = 0.
template <int D>
__device__ __forceinline__ void begin_nodes(const NodeArguments& a) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long node = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; node < a.nodes; node += stride) {
    double sum[D];
    first_residual<D>(a, node, sum);
    const double d = a.diagonal[node];
    for (int c = 0; c < D; ++c) {
      a.y[node * D + c] = d * sum[c];
      a.a[c * a.nodes + node] = 0;
    }
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) a.numbers->zone_done = a.numbers->node_done = a.numbers->iterations = 0;
}
template <int D>
__global__ void begin_solve(NodeArguments a) {
  begin_nodes<D>(a);
}

/// After so many iterations: whether the solve has ended, decided by all blocks alike, and the direction of the next one.
template <int D>
__global__ void turn_direction(NodeArguments a) {
  SolveNumbers& n = *a.numbers;
  if (n.zone_done != 0) return;
  const bool first = a.iteration == 0, tells = blockIdx.x == 0 && threadIdx.x == 0;
  const double gamma = sum_of(a.zone_partial, a.zone_partials);
  const double target = first ? a.tolerance2 * gamma : n.target;
  const double beta = first ? 0.0 : gamma / n.gamma[(a.iteration + 1) % 2];
  const bool done = !(gamma > target) || a.iteration == a.most_iterations;
  if (tells) {
    n.gamma[a.iteration % 2] = gamma;
    if (first) n.target = target;
    n.iterations = a.iteration;
    if (done) n.node_done = 1;
  }
  if (done)
    last_pass<D>(a);
  else
    direction_pass<D>(a, first, beta);
}
/// Along the direction that turn_direction has left after `iteration` iterations.
template <int D>
__global__ void advance_solve(NodeArguments a) {
  const SolveNumbers& n = *a.numbers;
  if (n.zone_done != 0) return;
  advance_pass<D>(a, n.gamma[a.iteration % 2] / sum_of(a.zone_partial, a.zone_partials));
}

/// The same of a part of the zones.
template <int D>
__global__ void begin_shared_solve(const __grid_constant__ SharedNodeArguments shared) {
  const NodeArguments& a = shared.node;
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; at < a.nodes * D; at += stride)
    a.p[at] = shared.s[at] = 0;
  begin_nodes<D>(a);
}

/// u, r times the preconditioner, from its terms.
template <int D>
__global__ void precondition_shared(const __grid_constant__ SharedNodeArguments shared) {
  over_components<D>(shared.node, [&](long long at, long long node, int, double sum) {
    shared.u[at] = shared.node.diagonal[node] * sum;
  });
}

/// One iteration's pass over nodes of a part, from M u as it meets there.
template <int D>
__device__ __forceinline__ void shared_pass(const SharedNodeArguments& shared, double alpha, double beta) {
  const NodeArguments& a = shared.node;
  over_components<D>(a, [&](long long at, long long node, int c, double sum) {
    const double p = shared.u[at] + beta * a.p[at], s = a.diagonal[node] * sum + beta * shared.s[at];
    a.p[at] = p;
    shared.s[at] = s;
    a.y[at] -= alpha * s;
    a.a[c * a.nodes + node] += alpha * p;
  });
}

/// a += u, at the end of a solve.
template <int D>
__device__ __forceinline__ void last_shared_pass(const SharedNodeArguments& shared) {
  const NodeArguments& a = shared.node;
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; at < a.nodes * D; at += stride)
    a.a[at % D * a.nodes + at / D] += shared.u[at];
}
template <int D>
__global__ void end_shared(const __grid_constant__ SharedNodeArguments shared) {
  last_shared_pass<D>(shared);
}

template <int D>
__global__ void go_on_shared(const __grid_constant__ SharedNodeArguments shared) {
  shared_pass<D>(shared, shared.alpha, shared.beta);
}

/// The same where nobody but devices knows the sums: all blocks of all of them add those of the parts alike, and see alike when the
/// solve has ended. Passes after that change nothing, so that their sums stay, and those that follow see it too.
template <int D>
__global__ void go_on_among_peers(const __grid_constant__ PeerNodeArguments peers) {
  const NodeArguments& a = peers.shared.node;
  SolveNumbers& n = *a.numbers;
  const bool tells = blockIdx.x == 0 && threadIdx.x == 0;
  double gamma = 0, delta = 0;
  for (int part = 0; part < peers.parts; ++part) {
    gamma += peers.sums[part][0];
    delta += peers.sums[part][1];
  }
  const int now = a.iteration % 2, before = 1 - now;
  const double target = a.iteration == 0 ? a.tolerance2 * gamma : n.target;
  if (!(gamma > target)) {
    if (a.iteration == n.iterations) last_shared_pass<D>(peers.shared);  // once
    if (tells) n.zone_done = 1;
    return;
  }
  const double beta = a.iteration > 0 ? gamma / n.gamma[before] : 0.0;
  const double alpha = gamma / (a.iteration > 0 ? delta - beta * gamma / n.alpha[before] : delta);
  if (tells) {
    if (a.iteration == 0) n.target = target;
    n.gamma[now] = gamma;
    n.alpha[now] = alpha;
    n.iterations = a.iteration + 1;
  }
  shared_pass<D>(peers.shared, alpha, beta);
}

/// By all threads of all blocks, once what they have packed is written.
__device__ __forceinline__ void tell_peers(const PeerCall& call) {
  if (call.peers == 0) return;
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence_system();
  if (atomicAdd(call.blocks, 1U) + 1 != gridDim.x) return;
  __threadfence_system();
  *call.blocks = 0;
  for (int i = 0; i < call.peers; ++i) raise_peer(call.number[i], call.value);
}
__device__ __forceinline__ void pack(const PackArguments& a) {
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < a.count * a.dim; i += stride)
    if (const int place = a.place[i / a.dim]; place >= 0)
      a.out[i] = a.terms[static_cast<long long>(a.dim) * place + i % a.dim];
}
__global__ void pack_terms(const __grid_constant__ PackArguments a) {
  pack(a);
  tell_peers(a.call);
}
__global__ void pack_terms_and_sums(const __grid_constant__ PackSumsArguments a) {
  if (blockIdx.x == 0) {
    const double gamma = sum_of(a.inverse_partial, a.inverse_partials), delta = sum_of(a.mass_partial, a.mass_partials);
    if (threadIdx.x == 0) {
      a.own[0] = gamma;
      a.own[1] = delta;
    }
    for (int i = static_cast<int>(threadIdx.x); i < a.leads; i += static_cast<int>(blockDim.x)) {
      a.pack.out[a.lead[i]] = gamma;
      a.pack.out[a.lead[i] + 1] = delta;
    }
  }
  pack(a.pack);
  tell_peers(a.pack.call);
}
__global__ void take_from_peers(const __grid_constant__ TakeArguments a) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (int s = 0; s < a.sides; ++s) {
    const TakeArguments::Side& side = a.side[s];
    if (threadIdx.x == 0) await_peer(side.number, a.value);
    __syncthreads();
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < side.count; i += stride)
      side.to[i] = side.from[i];
  }
}

/// Terms of a side under pressure at its nodes: ∫ p n w (r), a block a side.
__global__ void press_sides(PressureArguments a) {
  const int side = static_cast<int>(blockIdx.x), id = static_cast<int>(threadIdx.x), T = static_cast<int>(blockDim.x);
  const int N = a.k + 1, Q = 2 * a.k;
  const TableLayout at = table_layout(a.k);
  const double *const B = a.tables + at.B, *const G = a.tables + at.G, *const w = a.tables + at.w;
  const int* const nodes = a.node + static_cast<long long>(side) * a.side_nodes;
  double* const out = a.terms + static_cast<long long>(side) * (a.dim * a.side_nodes);
  const double pressure = a.sign[side] * a.pressure[a.boundary[side]];
  if (a.dim == 1) {
    if (id != 0) return;
    const double radius = a.x[nodes[0]];
    out[0] = pressure * (a.turns == 2 ? radius * radius : a.turns == 1 ? radius : 1.0);
    return;
  }
  double* const area = dynamic_shared<double>();  // [component][point]
  for (int q = id; q < a.side_points; q += T) {
    double s[3] = {}, t[3] = {}, radius = 0;
    for (int i = 0; i < a.side_nodes; ++i) {
      const double B0 = B[q % Q * N + i % N], G0 = G[q % Q * N + i % N];
      const double B1 = a.dim == 3 ? B[q / Q * N + i / N] : 1.0, G1 = a.dim == 3 ? G[q / Q * N + i / N] : 0.0;
      for (int d = 0; d < a.dim; ++d) {
        const double x = a.x[d * a.nodes + nodes[i]];
        s[d] += G0 * B1 * x;
        t[d] += B0 * G1 * x;
        if (d == 1) radius += B0 * B1 * x;
      }
    }
    // The tangents follow the axes in ascending order; `sign` is that of what that makes of the normal.
    double n[3] = {s[1], -s[0], 0.0};
    if (a.dim == 3) {
      n[0] = s[1] * t[2] - s[2] * t[1];
      n[1] = s[2] * t[0] - s[0] * t[2];
      n[2] = s[0] * t[1] - s[1] * t[0];
    }
    double weight = w[q % Q] * (a.dim == 3 ? w[q / Q] : 1.0);
    if (a.turns != 0) weight *= radius;
    for (int d = 0; d < a.dim; ++d) area[d * a.side_points + q] = pressure * weight * n[d];
  }
  __syncthreads();
  for (int j = id; j < a.dim * a.side_nodes; j += T) {
    const int d = j / a.side_nodes, i = j % a.side_nodes;
    double sum = 0;
    for (int q = 0; q < a.side_points; ++q) {
      double phi = B[q % Q * N + i % N];
      if (a.dim == 3) phi *= B[q / Q * N + i / N];
      sum += phi * area[d * a.side_points + q];
    }
    out[j] = sum;
  }
}

/// What pushes beside the stress at the nodes of such sides: body force less pressure.
__global__ void load_nodes(PressureArguments a) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= a.loaded) return;
  const long long node = a.loaded_node[i];
  for (int c = 0; c < a.dim; ++c) {
    double sum = a.weight != nullptr ? a.weight[c * a.nodes + node] : 0.0;
    for (int m = a.begin[i]; m < a.begin[i + 1]; ++m) sum -= a.terms[a.place[m] + c * a.side_nodes];
    a.extra[c * a.nodes + node] = sum;
  }
}

/// The same added to the terms of the sides' zones, which other parts get with them; `extra` is those terms.
__global__ void load_terms(PressureArguments a) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= a.loaded) return;
  for (int c = 0; c < a.dim; ++c) {
    double sum = 0;
    for (int m = a.begin[i]; m < a.begin[i + 1]; ++m) sum += a.terms[a.place[m] + c * a.side_nodes];
    a.extra[static_cast<long long>(a.dim) * a.loaded_node[i] + c] += sum;
  }
}

/// out = base + factor × direction, of several vectors at once.
__global__ void add_vectors(const __grid_constant__ SumArguments a) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long begin = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int k = 0; k < a.count; ++k)
    for (long long i = begin; i < a.one[k].size; i += stride)
      a.one[k].out[i] = a.one[k].base[i] + a.factor * a.one[k].direction[i];
}

__global__ void dot_vectors(DotArguments a) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  double sum = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < a.size; i += stride)
    sum += a.a[i] * a.b[i];
  const double all = block_fold<false>(sum);
  if (threadIdx.x == 0) a.partial[blockIdx.x] = all;
}

/// One block.
__global__ void total(TotalArguments a) {
  double value = a.least != 0 ? 1e300 : 0.0;
  for (int i = static_cast<int>(threadIdx.x); i < a.count; i += static_cast<int>(blockDim.x))
    value = a.least != 0 ? fmin(value, a.partial[i]) : value + a.partial[i];
  const double all = a.least != 0 ? block_fold<true>(value) : block_fold<false>(value);
  if (threadIdx.x == 0) *a.out = all;
}

static const RegisterKernel begin_1("hydro-fem/begin<1>", begin_solve<1>);
static const RegisterKernel begin_2("hydro-fem/begin<2>", begin_solve<2>);
static const RegisterKernel begin_3("hydro-fem/begin<3>", begin_solve<3>);
static const RegisterKernel turn_1("hydro-fem/turn<1>", turn_direction<1>);
static const RegisterKernel advance_1("hydro-fem/advance<1>", advance_solve<1>);
static const RegisterKernel turn_2("hydro-fem/turn<2>", turn_direction<2>);
static const RegisterKernel advance_2("hydro-fem/advance<2>", advance_solve<2>);
static const RegisterKernel turn_3("hydro-fem/turn<3>", turn_direction<3>);
static const RegisterKernel advance_3("hydro-fem/advance<3>", advance_solve<3>);
static const RegisterKernel begin_shared_1("hydro-fem/begin-shared<1>", begin_shared_solve<1>);
static const RegisterKernel begin_shared_2("hydro-fem/begin-shared<2>", begin_shared_solve<2>);
static const RegisterKernel begin_shared_3("hydro-fem/begin-shared<3>", begin_shared_solve<3>);
static const RegisterKernel precondition_shared_1("hydro-fem/precondition-shared<1>", precondition_shared<1>);
static const RegisterKernel solve_shared_1("hydro-fem/solve-shared<1>", go_on_shared<1>);
static const RegisterKernel precondition_shared_2("hydro-fem/precondition-shared<2>", precondition_shared<2>);
static const RegisterKernel solve_shared_2("hydro-fem/solve-shared<2>", go_on_shared<2>);
static const RegisterKernel precondition_shared_3("hydro-fem/precondition-shared<3>", precondition_shared<3>);
static const RegisterKernel solve_shared_3("hydro-fem/solve-shared<3>", go_on_shared<3>);
static const RegisterKernel end_shared_1("hydro-fem/end-shared<1>", end_shared<1>);
static const RegisterKernel solve_peers_1("hydro-fem/solve-peers<1>", go_on_among_peers<1>);
static const RegisterKernel end_shared_2("hydro-fem/end-shared<2>", end_shared<2>);
static const RegisterKernel solve_peers_2("hydro-fem/solve-peers<2>", go_on_among_peers<2>);
static const RegisterKernel end_shared_3("hydro-fem/end-shared<3>", end_shared<3>);
static const RegisterKernel solve_peers_3("hydro-fem/solve-peers<3>", go_on_among_peers<3>);
static const RegisterKernel pack_kernel("hydro-fem/pack", pack_terms);
static const RegisterKernel pack_sums_kernel("hydro-fem/pack-sums", pack_terms_and_sums);
static const RegisterKernel take_kernel("hydro-fem/take", take_from_peers);
static const RegisterKernel load_terms_kernel("hydro-fem/load-terms", load_terms);
static const RegisterKernel press_kernel("hydro-fem/press", press_sides);
static const RegisterKernel load_kernel("hydro-fem/load", load_nodes);
static const RegisterKernel add_kernel("hydro-fem/add", add_vectors);
static const RegisterKernel dot_kernel("hydro-fem/dot", dot_vectors);
static const RegisterKernel total_kernel("hydro-fem/total", total);

}  // namespace conoid::hydro_fem
