// SPDX-License-Identifier: BSD-3-Clause
// Where values of dynamic pairs go: into the columns of the targets. For the assembly only.
#pragma once

#include <atomic>
#include <numbers>

#include "engine/solvers/elastic_bem/discretization/assembly.hpp"

namespace conoid::elastic_bem {

/// Number of component (i, j) among the six of u*.
inline constexpr std::array<std::array<std::size_t, 3>, 3> symmetric{{{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}};

/// += that other workers may do at the same moment when `shared`.
template <class Real>
void accumulate(std::complex<Real>& to, std::complex<Real> value, bool shared) {
  if (!shared) {
    to += value;
    return;
  }
  auto& parts = reinterpret_cast<Real(&)[2]>(to);
  std::atomic_ref<Real>(parts[0]).fetch_add(value.real(), std::memory_order_relaxed);
  std::atomic_ref<Real>(parts[1]).fetch_add(value.imag(), std::memory_order_relaxed);
}

/// Values for a matrix that the host does not hold (its columns are addresses of a device), kept by row; a row belongs to one thread at a
/// time.
template <class Real>
struct Patches {
  struct One {
    std::complex<Real>* to;
    std::complex<Real> value;
  };
  std::vector<std::vector<One>> rows;
  void add(Index row, std::complex<Real>* to, std::complex<Real> value) {
    rows[static_cast<std::size_t>(row)].push_back({to, value});
  }
};

template <class Real>
bool needs(const std::array<Target<Real>, 3>& t) {
  return t[0].column != nullptr || t[1].column != nullptr || t[2].column != nullptr;
}

/// u* without 1/(4πμ*), t* without 1/4π.
template <class Real>
struct Factors {
  std::complex<Real> u, t;
  explicit Factors(const Harmonic& h)
      : u(1.0 / (4 * std::numbers::pi * h.mu)), t(static_cast<Real>(1 / (4 * std::numbers::pi))) {}
};

/// By hand: std::complex looks for infinities.
template <class Real>
std::complex<Real> product(std::complex<Real> a, Real re, Real im) {
  return {a.real() * re - a.imag() * im, a.real() * im + a.imag() * re};
}

/// Values of dynamic pairs go to the columns.
template <class Real>
struct ColumnSink {
  static constexpr Part part = Part::dynamic;
  static constexpr bool scalar = false;
  const Surface& surface;
  const Targets<Real>& targets;
  Factors<Real> factors;
  Index m;
  std::vector<char> use_u, use_any;
  bool sole;                                      ///< assemble_pairs() sets what nobody else has a part in
  bool shared;                                    ///< several workers may meet at nodes
  Patches<Real>* patches = nullptr;               ///< takes the values of single rows instead of the columns
  std::vector<std::array<Target<Real>, 3>> h, g;  ///< the targets, scales times factors

  ColumnSink(const Surface& s, const Targets<Real>& t, const Harmonic& harmonic, Index rows, bool several_workers)
      : surface(s), targets(t), factors(harmonic), m(rows), sole(one_owner(s)), shared(several_workers && !sole),
        h(t.h), g(t.g) {
    for (Index k = 0; k < s.active; ++k) {
      const Element& e = s.elements[static_cast<std::size_t>(k)];
      bool u = false, any = false;
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
        u = u || needs(targets.g[static_cast<std::size_t>(e.traction[a])]);
        any = any || needs(targets.h[static_cast<std::size_t>(e.node[a])]);
      }
      use_u.push_back(u ? 1 : 0);
      use_any.push_back(u || any ? 1 : 0);
    }
    for (auto& node : h)
      for (Target<Real>& v : node) v.scale *= factors.t;
    for (auto& node : g)
      for (Target<Real>& v : node) v.scale *= factors.u;
  }
  [[nodiscard]] bool wants(Index k) const { return use_any[static_cast<std::size_t>(k)] != 0; }
  [[nodiscard]] bool with_u(Index k) const { return use_u[static_cast<std::size_t>(k)] != 0; }

  /// Where the values of an element go.
  void prepare(Index k, std::vector<LanePut<Real>>& entries) const {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    entries.clear();
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
      const auto& hn = h[static_cast<std::size_t>(e.node[a])];
      const auto& gn = g[static_cast<std::size_t>(e.traction[a])];
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < 3; ++i) {
          if (hn[j].column != nullptr)
            entries.push_back(
                {a * lane_values + lane_t + 2 * (3 * i + j), hn[j].scale, hn[j].column + static_cast<Index>(i) * m});
          if (gn[j].column != nullptr)
            entries.push_back(
                {a * lane_values + 2 * symmetric[i][j], gn[j].scale, gn[j].column + static_cast<Index>(i) * m});
        }
    }
  }
  /// The `valid` ones of the `width` rows of a block; `mode`: how to set the rows of a sole owner, zeros where not valid.
  void block(const LaneKernels<Real>& kernels, Index k, const std::vector<LanePut<Real>>& entries, Index row,
             unsigned valid, Index width, PutMode mode, Real* v) {
    const auto lanes = static_cast<std::size_t>(kernels.lanes);
    if (valid == 0 && !sole) return;
    if (!shared && width == kernels.lanes) {
      if (valid != (1U << lanes) - 1)
        for (std::size_t q = 0;
             q < static_cast<std::size_t>(surface.elements[static_cast<std::size_t>(k)].nodes * lane_values); ++q)
          for (std::size_t l = 0; l < lanes; ++l)
            if ((valid >> l & 1U) == 0) v[q * lanes + l] = 0;
      kernels.put(v, entries.data(), entries.size(), row, sole ? mode : PutMode::add);
      return;
    }
    for (const LanePut<Real>& p : entries)
      for (std::size_t l = 0; l < static_cast<std::size_t>(width); ++l) {
        std::complex<Real>& to = p.column[row + static_cast<Index>(l)];
        if ((valid >> l & 1U) == 0) {
          if (sole) to = 0;
          continue;
        }
        const std::complex<Real> value = product(p.scale, v[p.value * lanes + l], v[(p.value + 1) * lanes + l]);
        if (sole)
          to = value;
        else
          accumulate(to, value, shared);
      }
  }
  void single(Index k, Index row, const Real* v) { one(k, row, v, true, true, -1); }
  void one(Index k, Index row, const Real* v, bool put_t, bool put_u, int only) {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
      const bool take_t = put_t && (only < 0 || a != static_cast<std::size_t>(only));
      const Real* at = v + a * lane_values;
      const auto& hn = h[static_cast<std::size_t>(e.node[a])];
      const auto& gn = g[static_cast<std::size_t>(e.traction[a])];
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < 3; ++i) {
          if (take_t && hn[j].column != nullptr) {
            const Real* p = at + lane_t + 2 * (3 * i + j);
            put(hn[j].column + static_cast<Index>(i) * m + row, row, product(hn[j].scale, p[0], p[1]));
          }
          if (put_u && gn[j].column != nullptr) {
            const Real* p = at + 2 * symmetric[i][j];
            put(gn[j].column + static_cast<Index>(i) * m + row, row, product(gn[j].scale, p[0], p[1]));
          }
        }
    }
  }
  /// A 3 × 3 block of H at (row, node).
  void diagonal(Index node, Index row, const std::complex<Real>* block9) {
    const auto& hn = targets.h[static_cast<std::size_t>(node)];
    for (std::size_t j = 0; j < 3; ++j)
      if (hn[j].column != nullptr)
        for (std::size_t i = 0; i < 3; ++i)
          put(hn[j].column + static_cast<Index>(i) * m + row, row, hn[j].scale * block9[3 * i + j]);
  }

 private:
  void put(std::complex<Real>* to, Index row, std::complex<Real> value) {
    if (patches != nullptr)
      patches->add(row, to, value);
    else
      accumulate(*to, value, shared);
  }
};

}  // namespace conoid::elastic_bem
