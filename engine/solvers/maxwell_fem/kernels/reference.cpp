// SPDX-License-Identifier: BSD-3-Clause
// Plain loops.
#include "engine/solvers/maxwell_fem/kernels/reference.hpp"

#include "engine/core/caught.hpp"
#include "engine/core/vec3.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {
constexpr Complex j{0, 1};
}

Coupling coupling(const Vec3& x, const Vec3& from, double k) {
  const Vec3 d = sub(x, from);
  const double r = norm(d), kr = k * r;
  const Vec3 e = scale(1 / r, d);
  const Complex g = std::polar(1 / (4 * std::numbers::pi * r), -kr);
  const Complex alpha = g * Complex(1 - 1 / (kr * kr), -1 / kr), beta = g * Complex(-1 + 3 / (kr * kr), 3 / kr);
  const Complex gamma = -Complex(1 / r, k) * g;
  return {{alpha + beta * (e[0] * e[0]), alpha + beta * (e[1] * e[1]), alpha + beta * (e[2] * e[2]),
           beta * (e[0] * e[1]), beta * (e[0] * e[2]), beta * (e[1] * e[2])},
          {gamma * e[0], gamma * e[1], gamma * e[2]}};
}

Halves halves(const Vec3& x, const Vec3& t1, const Vec3& t2, const Vec3& from, const Vec3& tangent, double k) {
  const Coupling c = coupling(x, from, k);
  const Vec3& a = tangent;
  const Complex3 ga{c.g[0] * a[0] + c.g[3] * a[1] + c.g[4] * a[2], c.g[3] * a[0] + c.g[1] * a[1] + c.g[5] * a[2],
                    c.g[4] * a[0] + c.g[5] * a[1] + c.g[2] * a[2]};
  const Complex3 xa{c.gradient[1] * a[2] - c.gradient[2] * a[1], c.gradient[2] * a[0] - c.gradient[0] * a[2],
                    c.gradient[0] * a[1] - c.gradient[1] * a[0]};
  const auto on = [](const Vec3& t, const Complex3& v) { return t[0] * v[0] + t[1] * v[1] + t[2] * v[2]; };
  const Complex big_a = -j * k * on(t1, ga) - on(t2, xa), big_b = -j * k * on(t2, ga) + on(t1, xa);
  return {big_a + j * big_b, big_a - j * big_b};
}

namespace {

/// One sample point of S' on one of S, right-hand sides [first, last).
void radiate(const Complex* from, Complex* to, const Coupling& c, double k2, Index first, Index last) {
  for (Index r = first; r < last; ++r) {
    const Complex *current = from + 6 * r, *m = current + 3;
    Complex *e = to + 6 * r, *curl = e + 3;
    const auto times = [&](const Complex* a, int row) {
      return row == 0   ? c.g[0] * a[0] + c.g[3] * a[1] + c.g[4] * a[2]
             : row == 1 ? c.g[3] * a[0] + c.g[1] * a[1] + c.g[5] * a[2]
                        : c.g[4] * a[0] + c.g[5] * a[1] + c.g[2] * a[2];
    };
    for (int d = 0; d < 3; ++d) {
      const int p = (d + 1) % 3, q = (d + 2) % 3;
      e[d] += times(current, d) - (c.gradient[p] * m[q] - c.gradient[q] * m[p]);
      curl[d] += (c.gradient[p] * current[q] - c.gradient[q] * current[p]) - k2 * times(m, d);
    }
  }
}

}  // namespace

void paper_loops(PaperLoop which, const PaperArrays& currents, PaperArrays& rad, Interval elements, double k,
                 int threads) {
  const Index rhs = currents.rhs, samples = rad.samples, inner = currents.elements * currents.samples;
  const double k2 = k * k;
  if (which == PaperLoop::inner_surface) {
    const Index length = elements.size() * samples * rhs * 6;
    std::vector<std::vector<Complex>> copies(static_cast<std::size_t>(threads));
    Caught caught;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (Index t = 0; t < threads; ++t)
      caught.run([&] { copies[t].assign(static_cast<std::size_t>(length), 0); });  // first touch
    caught.rethrow();
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
      for (Index t = 0; t < threads; ++t)
        for (Index element = t * currents.elements / threads; element < (t + 1) * currents.elements / threads;
             ++element)
          for (Index q = element * currents.samples; q < (element + 1) * currents.samples; ++q)
            for (Index p = elements.begin * samples; p < elements.end * samples; ++p)
              radiate(currents.at(q, 0), copies[t].data() + (p - elements.begin * samples) * rhs * 6,
                      coupling(rad.points[p], currents.points[q], k), k2, 0, rhs);
      Complex* to = rad.values.data() + elements.begin * samples * rhs * 6;
#pragma omp for schedule(static)
      for (Index i = 0; i < length; ++i)
        for (const auto& copy : copies) to[i] += copy[i];
    }
    return;
  }
  if (which == PaperLoop::outer_surface) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (Index element = elements.begin; element < elements.end; ++element)
      for (Index q = 0; q < inner; ++q)
        for (Index p = element * samples; p < (element + 1) * samples; ++p)
          radiate(currents.at(q, 0), rad.at(p, 0), coupling(rad.points[p], currents.points[q], k), k2, 0, rhs);
    return;
  }
  for (Index q = 0; q < inner; ++q)
    for (Index p = elements.begin * samples; p < elements.end * samples; ++p) {
      const Coupling c = coupling(rad.points[p], currents.points[q], k);
#pragma omp parallel for num_threads(threads) schedule(static)
      for (Index block = 0; block < threads; ++block)
        radiate(currents.at(q, 0), rad.at(p, 0), c, k2, block * rhs / threads, (block + 1) * rhs / threads);
    }
}

}  // namespace conoid::maxwell_fem
