// SPDX-License-Identifier: BSD-3-Clause
// The blocked LU factorisation, and products, on registers of CONOID_BYTES.
// isas: avx2 avx512
//
// Right-looking over panels of NB columns. The trailing matrix loses L21 U12 in a register kernel over packed blocks (K. Goto,
// R. A. van de Geijn, ACM TOMS 34 (2008) 12): real and imaginary parts apart, 2 registers of rows by NR columns, bound by the
// multiply-adds. The next panel is factorised (recursively, F. G. Gustavson, IBM J. Res. Dev. 41 (1997) 737) by one thread while
// the others update the rest. Everything sits in an unnamed namespace and uses no inline function of the library, so that no
// two instruction sets share a function.
#include <cstdlib>
#include <new>

#include "conoid/config.hpp"
#include "engine/linalg/dense_blocked.hpp"
#include "engine/simd/lanes.hpp"

#if CONOID_HAVE_OPENMP
#include <omp.h>
#endif

namespace conoid::dense::blocked {
namespace {

using simd::load, simd::store;
template <class Real>
using Types = simd::Lanes<Real, CONOID_BYTES>;
using vd = Types<double>::v;
using vf = Types<float>::v;

constexpr int NR = CONOID_BYTES == 64 ? 6 : 2;
constexpr long NC = 96;   // columns of a tile
constexpr long MC = 256;  // rows of a tile
template <class Real>
constexpr int L = CONOID_BYTES / static_cast<int>(sizeof(Real));
template <class Real>
constexpr int MR = 2 * L<Real>;

#if CONOID_BYTES == 64
inline vf low(vf a, vf b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline vf high(vf a, vf b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
inline vd low(vd a, vd b) {
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
inline vd high(vd a, vd b) {
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
inline vf turned(vf a) {
  return __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
}
inline vd turned(vd a) {
  return __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6);
}
#else
inline vf low(vf a, vf b) {
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
inline vf high(vf a, vf b) {
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
inline vd low(vd a, vd b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
inline vd high(vd a, vd b) {
  return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
inline vf turned(vf a) {
  return __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6);
}
inline vd turned(vd a) {
  return __builtin_shufflevector(a, a, 1, 0, 3, 2);
}
#endif

inline long least(long a, long b) {
  return a < b ? a : b;
}

/// C −= A B over k: a holds MR rows (real, then imaginary parts) a step, b NR columns (pairs). C has `rows` × `cols` pairs.
template <class Real>
void micro(long k, const Real* a, const Real* b, Real* c, long ldc, long rows, long cols) {
  using V = typename Types<Real>::v;
  constexpr int l = L<Real>;
  V re[2][NR], im[2][NR];
#pragma GCC unroll 6
  for (int j = 0; j < NR; ++j) re[0][j] = re[1][j] = im[0][j] = im[1][j] = V{};
  for (long p = 0; p < k; ++p, a += 4 * l, b += 2 * NR) {
    const V r0 = load<V>(a), r1 = load<V>(a + l), i0 = load<V>(a + 2 * l), i1 = load<V>(a + 3 * l);
#pragma GCC unroll 6
    for (int j = 0; j < NR; ++j) {
      const V br = b[2 * j] - V{}, bi = b[2 * j + 1] - V{};  // x − 0 is x: a plain broadcast
      re[0][j] += r0 * br;
      re[1][j] += r1 * br;
      im[0][j] += i0 * br;
      im[1][j] += i1 * br;
      re[0][j] -= i0 * bi;
      re[1][j] -= i1 * bi;
      im[0][j] += r0 * bi;
      im[1][j] += r1 * bi;
    }
  }
  if (rows >= 2 * l && cols >= NR) {
#pragma GCC unroll 6
    for (int j = 0; j < NR; ++j)
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        Real* to = c + 2 * (j * ldc + v * l);
        store(to, V(load<V>(to) - low(re[v][j], im[v][j])));
        store(to + l, V(load<V>(to + l) - high(re[v][j], im[v][j])));
      }
    return;
  }
  Real part[NR][4 * l];
#pragma GCC unroll 6
  for (int j = 0; j < NR; ++j)
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      store(&part[j][2 * v * l], low(re[v][j], im[v][j]));
      store(&part[j][(2 * v + 1) * l], high(re[v][j], im[v][j]));
    }
  const long r = least(rows, 2 * l);
  for (long j = 0; j < cols && j < NR; ++j)
    for (long i = 0; i < 2 * r; ++i) c[2 * j * ldc + i] -= part[j][i];
}

/// Rows [0, m) of A (m × k) in slivers of MR.
template <class Real>
void pack_rows(long m, long k, const Real* a, long lda, Real* out) {
  constexpr int l = L<Real>;
  for (long i = 0; i < m; i += MR<Real>) {
    const long rows = least(MR<Real>, m - i);
    for (long p = 0; p < k; ++p, out += 4 * l) {
      const Real* from = a + 2 * (p * lda + i);
      for (long q = 0; q < rows; ++q) {
        out[q] = from[2 * q];
        out[2 * l + q] = from[2 * q + 1];
      }
      for (long q = rows; q < MR<Real>; ++q) out[q] = out[2 * l + q] = 0;
    }
  }
}
/// Columns [0, n) of B (k × n) in slivers of NR.
template <class Real>
void pack_columns(long k, long n, const Real* b, long ldb, Real* out) {
  for (long j = 0; j < n; j += NR, out += 2 * NR * k) {
    const long cols = least(NR, n - j);
    for (long q = 0; q < NR; ++q)
      for (long p = 0; p < k; ++p) {
        out[2 * (p * NR + q)] = q < cols ? b[2 * ((j + q) * ldb + p)] : 0;
        out[2 * (p * NR + q) + 1] = q < cols ? b[2 * ((j + q) * ldb + p) + 1] : 0;
      }
  }
}
template <class Real>
void multiply_packed(long m, long n, long k, const Real* a, const Real* b, Real* c, long ldc) {
  for (long j = 0; j < n; j += NR)
    for (long i = 0; i < m; i += MR<Real>)
      micro(k, a + 2 * i * k, b + 2 * j * k, c + 2 * (j * ldc + i), ldc, m - i, n - j);
}

constexpr long most_panel = 192;
/// Work space of one thread: MC rows and most_panel columns, packed.
template <class Real>
constexpr long work_size = 2 * most_panel*(MC + most_panel + 2 * MR<Real>);

/// C −= A B, small k and n.
template <class Real>
void multiply(long m, long n, long k, const Real* a, long lda, const Real* b, long ldb, Real* c, long ldc, Real* work) {
  Real* packed = work + 2 * most_panel * (MC + MR<Real>);
  pack_columns(k, n, b, ldb, packed);
  for (long i = 0; i < m; i += MC) {
    const long rows = least(MC, m - i);
    pack_rows(rows, k, a + 2 * i, lda, work);
    multiply_packed(rows, n, k, work, packed, c + 2 * i, ldc);
  }
}

/// y −= (re, im) x for n pairs.
template <class Real>
void subtract(long n, Real re, Real im, const Real* x, Real* y) {
  using V = typename Types<Real>::v;
  constexpr int l = L<Real>;
  V turn{};
  for (int q = 0; q < l; ++q) turn[q] = q % 2 == 0 ? -im : im;
  const V straight = V{} + re;
  long i = 0;
  for (; i + l <= 2 * n; i += l) {
    const V v = load<V>(x + i);
    store(y + i, V(load<V>(y + i) - v * straight - turned(v) * turn));
  }
  for (; i < 2 * n; i += 2) {
    y[i] -= re * x[i] - im * x[i + 1];
    y[i + 1] -= re * x[i + 1] + im * x[i];
  }
}

template <class Real>
void exchange(Real* column, long i, long j) {
  struct Number {
    Real part[2];
  } x, y;
  __builtin_memcpy(&x, column + 2 * i, sizeof x);
  __builtin_memcpy(&y, column + 2 * j, sizeof y);
  __builtin_memcpy(column + 2 * i, &y, sizeof y);
  __builtin_memcpy(column + 2 * j, &x, sizeof x);
}
/// Exchanges of rows i and pivots[i], i < k, in each of `cols` columns; the lines of the next column are on their way meanwhile.
template <class Real>
void exchange_rows(long k, long cols, Real* a, long lda, const int* pivots) {
  for (long c = 0; c < cols; ++c) {
    Real* column = a + 2 * c * lda;
    if (c + 1 < cols)
      for (long i = 0; i < k; ++i) __builtin_prefetch(column + 2 * (lda + pivots[i]), 1);
    for (long i = 0; i < k; ++i)
      if (pivots[i] != i) exchange(column, i, pivots[i]);
  }
}

/// B ← L⁻¹ B, L unit lower k × k.
template <class Real>
void solve_lower(long k, long n, const Real* lower, long ldl, Real* b, long ldb, Real* work) {
  if (k <= 16) {
    for (long j = 0; j < n; ++j) {
      Real* y = b + 2 * j * ldb;
      for (long p = 0; p + 1 < k; ++p)
        subtract(k - p - 1, y[2 * p], y[2 * p + 1], lower + 2 * (p * ldl + p + 1), y + 2 * (p + 1));
    }
    return;
  }
  const long half = k / 2 / 8 * 8;
  solve_lower(half, n, lower, ldl, b, ldb, work);
  multiply(k - half, n, half, lower + 2 * half, ldl, b, ldb, b + 2 * half, ldb, work);
  solve_lower(k - half, n, lower + 2 * (half * ldl + half), ldl, b + 2 * half, ldb, work);
}

template <class Real>
Real size_of(const Real* z) {
  return (z[0] < 0 ? -z[0] : z[0]) + (z[1] < 0 ? -z[1] : z[1]);
}

/// Panel of m rows, n columns; pivots relative to its first row, from 0. Returns 0 or the first zero pivot from 1.
template <class Real>
int panel(long m, long n, Real* a, long lda, int* pivots, Real* work) {
  int info = 0;
  if (n <= 8) {
    for (long j = 0; j < n; ++j) {
      Real* column = a + 2 * j * lda;
      long at = j;
      Real most = size_of(column + 2 * j);
      for (long i = j + 1; i < m; ++i)
        if (const Real s = size_of(column + 2 * i); s > most) {
          most = s;
          at = i;
        }
      pivots[j] = static_cast<int>(at);
      if (!(most > 0)) {
        if (info == 0) info = static_cast<int>(j) + 1;
        continue;
      }
      if (at != j)
        for (long c = 0; c < n; ++c) exchange(a + 2 * c * lda, j, at);
      // 1/z with the larger part divided out, so that nothing overflows on the way.
      const Real x = column[2 * j], y = column[2 * j + 1];
      Real re, im;
      if ((x < 0 ? -x : x) >= (y < 0 ? -y : y)) {
        const Real t = y / x, d = x + y * t;
        re = 1 / d;
        im = -t / d;
      } else {
        const Real t = x / y, d = y + x * t;
        re = t / d;
        im = -1 / d;
      }
      for (long i = j + 1; i < m; ++i) {
        const Real p = column[2 * i], q = column[2 * i + 1];
        column[2 * i] = p * re - q * im;
        column[2 * i + 1] = p * im + q * re;
      }
      for (long c = j + 1; c < n; ++c) {
        Real* other = a + 2 * c * lda;
        subtract(m - j - 1, other[2 * j], other[2 * j + 1], column + 2 * (j + 1), other + 2 * (j + 1));
      }
    }
    return info;
  }
  const long left = n < 16 ? 8 : n / 2 / 8 * 8, right = n - left;
  Real *b = a + 2 * left * lda, *d = b + 2 * left;
  info = panel(m, left, a, lda, pivots, work);
  exchange_rows(left, right, b, lda, pivots);
  solve_lower(left, right, a, lda, b, lda, work);
  multiply(m - left, right, left, a + 2 * left, lda, b, lda, d, lda, work);
  const int more = panel(m - left, right, d, lda, pivots + left, work);
  if (info == 0 && more != 0) info = more + static_cast<int>(left);
  for (long i = left; i < n; ++i) {
    pivots[i] += static_cast<int>(left);
    if (pivots[i] != i)
      for (long c = 0; c < left; ++c) exchange(a + 2 * c * lda, i, pivots[i]);
  }
  return info;
}

template <class Real>
Real* take(long count) {
  void* p = std::aligned_alloc(64, (static_cast<unsigned long>(count) * sizeof(Real) + 63) / 64 * 64);
  if (p == nullptr) throw std::bad_alloc();
  return static_cast<Real*>(p);
}

template <class Real>
struct Space {
  Real *rows = nullptr, *columns = nullptr, *work = nullptr;
  Space() = default;
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;
  ~Space() {
    std::free(rows);
    std::free(columns);
    std::free(work);
  }
};

/// Numbers 0, 1, … handed to whoever asks.
inline long draw(long& counter) {
  return __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
}

template <class Real>
int factorise(Real* a, long n, int* pivots, int threads, Wish wish) {
  if (n == 0) return 0;
  const long NB = n <= 384 ? 48 : n <= 1800 ? 96 : n <= 3600 ? 128 : most_panel;
  if (threads < 1 || n < 200) threads = 1;
  Space<Real> space;
  space.rows = take<Real>(2 * (n + 2 * MR<Real>)*NB);
  space.columns = take<Real>(2 * (n + 2 * NC) * NB);
  space.work = take<Real>(threads * work_size<Real>);
  int info = 0, given_up = 0;
  {
    const int found = panel(n, least(NB, n), a, n, pivots, space.work);
    if (found != 0) info = found;
  }
  for (long k0 = 0; k0 < n; k0 += NB) {
    const long kb = least(NB, n - k0), first = k0 + kb, rest = n - first;  // pivots[k0 …] are relative to row k0
    const long blocks = (rest + NC - 1) / NC, row_tiles = (rest + MC - 1) / MC;
    const long next = least(NB, rest), next_blocks = (next + NC - 1) / NC;
    long swaps = 0, packs = 0, early = 0, late = 0;
    Real* const corner = a + 2 * (k0 * n + k0);
    Real* const trailing = a + 2 * (first * n + first);
    const auto tile = [&](long row, long block) {
      if (__atomic_load_n(&given_up, __ATOMIC_RELAXED)) return;
      if (wish.heard && wish.heard(wish.whom)) return __atomic_store_n(&given_up, 1, __ATOMIC_RELAXED);
      const long i = row * MC, j = block * NC;
      multiply_packed(least(MC, rest - i), least(NC, rest - j), kb, space.rows + 2 * i * kb, space.columns + 2 * j * kb,
                      trailing + 2 * (j * n + i), n);
    };
#if CONOID_HAVE_OPENMP
#pragma omp parallel num_threads(threads)
#endif
    {
#if CONOID_HAVE_OPENMP
      const int me = omp_get_thread_num();
#else
      const int me = 0;
#endif
      Real* const work = space.work + me * work_size<Real>;
      // U12 with its rows exchanged.
      for (long t; (t = draw(swaps)) < blocks;) {
        const long j0 = first + t * NC, cols = least(NC, n - j0);
        Real* b = a + 2 * (j0 * n + k0);
        exchange_rows(kb, cols, b, n, pivots + k0);
        solve_lower(kb, cols, corner, n, b, n, work);
        pack_columns(kb, cols, b, n, space.columns + 2 * t * NC * kb);
      }
      for (long t; (t = draw(packs)) < row_tiles;)
        pack_rows(least(MC, rest - t * MC), kb, corner + 2 * (kb + t * MC), n, space.rows + 2 * t * MC * kb);
#if CONOID_HAVE_OPENMP
#pragma omp barrier
#endif
      for (long t; (t = draw(early)) < row_tiles * next_blocks;) tile(t % row_tiles, t / row_tiles);
#if CONOID_HAVE_OPENMP
#pragma omp barrier
#endif
      if (me == 0 && rest > 0 && !__atomic_load_n(&given_up, __ATOMIC_RELAXED)) {
        const int found = panel(rest, next, trailing, n, pivots + first, work);
        if (found != 0 && info == 0) info = static_cast<int>(first) + found;
      }
      for (long t; (t = draw(late)) < row_tiles * (blocks - next_blocks);)
        tile(t % row_tiles, next_blocks + t / row_tiles);
    }
    if (given_up) return -1;
  }
  // The later exchanges of finished columns, all of a column while it is at hand.
  long finished = 0;
#if CONOID_HAVE_OPENMP
#pragma omp parallel num_threads(threads)
#endif
  for (long j; (j = 16 * draw(finished)) < n;)
    for (long c = j; c < least(n, j + 16); ++c)
      for (long k0 = c / NB * NB + NB; k0 < n; k0 += NB)
        exchange_rows(least(NB, n - k0), 1, a + 2 * (c * n + k0), n, pivots + k0);
  for (long k0 = 0; k0 < n; k0 += NB)
    for (long i = k0; i < least(n, k0 + NB); ++i) pivots[i] += static_cast<int>(k0) + 1;
  return info;
}

/// C += A B over k, 2 registers of L/2 numbers each by NR columns. A as it lies, (re, im) side by side: one sum takes A times the real
/// parts of B, one A times the imaginary parts, and they meet at the end. `rows` × `cols` pairs of C are there.
template <class Real>
void micro_plain(long k, const Real* a, const Real* b, Real* c, long ldc, long rows, long cols) {
  using V = typename Types<Real>::v;
  constexpr int l = L<Real>;
  V straight[2][NR], across[2][NR];
#pragma GCC unroll 6
  for (int j = 0; j < NR; ++j) straight[0][j] = straight[1][j] = across[0][j] = across[1][j] = V{};
  for (long p = 0; p < k; ++p, a += 2 * l, b += 2 * NR) {
    const V a0 = load<V>(a), a1 = load<V>(a + l);
#pragma GCC unroll 6
    for (int j = 0; j < NR; ++j) {
      const V br = b[2 * j] - V{}, bi = b[2 * j + 1] - V{};
      straight[0][j] += a0 * br;
      straight[1][j] += a1 * br;
      across[0][j] += a0 * bi;
      across[1][j] += a1 * bi;
    }
  }
  V sign{};
  for (int q = 0; q < l; ++q) sign[q] = q % 2 == 0 ? -1 : 1;
  if (rows >= l && cols >= NR) {
#pragma GCC unroll 6
    for (int j = 0; j < NR; ++j)
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        Real* to = c + 2 * j * ldc + v * l;
        store(to, V(load<V>(to) + (straight[v][j] + turned(across[v][j]) * sign)));
      }
    return;
  }
  Real part[NR][2 * l];
#pragma GCC unroll 6
  for (int j = 0; j < NR; ++j)
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) store(&part[j][v * l], V(straight[v][j] + turned(across[v][j]) * sign));
  const long r = least(rows, l);
  for (long j = 0; j < cols && j < NR; ++j)
    for (long i = 0; i < 2 * r; ++i) c[2 * j * ldc + i] += part[j][i];
}

/// Rows [0, m) of A (m × k) as they lie, in slivers of two registers.
template <class Real>
void pack_plain(long m, long k, const Real* a, long lda, Real* out) {
  using V = typename Types<Real>::v;
  constexpr int l = L<Real>;
  const long slivers = (m + l - 1) / l;
  for (long p = 0; p < k; ++p)
    for (long s = 0; s < slivers; ++s) {
      const Real* from = a + 2 * (p * lda + s * l);
      Real* to = out + 2 * l * (s * k + p);
      // A column ends before the processor has seen that it is read in order: the lines of a later one are asked for here.
      if (p + 6 < k) {
        __builtin_prefetch(from + 12 * lda);
        __builtin_prefetch(from + 12 * lda + l);
      }
      if (m - s * l >= l) {
        store(to, load<V>(from));
        store(to + l, load<V>(from + l));
      } else {
        for (long q = 0; q < 2 * l; ++q) to[q] = q < 2 * (m - s * l) ? from[q] : Real(0);
      }
    }
}

constexpr long product_rows = 128;

template <class Real>
void product(long m, long n, long k, const Real* a, const Real* x, const Real* beta, Real* y, int threads) {
  if (m < 1 || n < 1) return;
  if (threads < 1) threads = 1;
  const bool fresh = beta[0] == 0 && beta[1] == 0, plain = beta[0] == 1 && beta[1] == 0;
  // Tiles of rows and columns; where they are few, also of the sum.
  const long row_tiles = (m + product_rows - 1) / product_rows, blocks = (n + NC - 1) / NC, tiles = row_tiles * blocks;
  const long most = (k + 4 * most_panel - 1) / (4 * most_panel);
  long pieces = least((64 + tiles - 1) / tiles, most);
  if (pieces < 1) pieces = 1;
  constexpr long space = 2 * most_panel * (product_rows + NC + 2 * MR<Real>);
  Space<Real> store_of;
  store_of.work = take<Real>(threads * space);
  if (pieces > 1) store_of.rows = take<Real>(2 * pieces * m * n);
  Real* const parts = store_of.rows;
  long drawn = 0, added = 0;
#if CONOID_HAVE_OPENMP
#pragma omp parallel num_threads(threads)
#endif
  {
#if CONOID_HAVE_OPENMP
    const int me = omp_get_thread_num();
#else
    const int me = 0;
#endif
    Real *const rows_packed = store_of.work + me * space, *const columns_packed =
                                                              rows_packed + 2 * most_panel * (product_rows + MR<Real>);
    for (long t; (t = draw(drawn)) < tiles * pieces;) {
      const long i0 = t % row_tiles * product_rows, rows = least(product_rows, m - i0),
                 j0 = t / row_tiles % blocks * NC, cols = least(NC, n - j0), piece = t / tiles;
      Real* c = (pieces > 1 ? parts + 2 * piece * m * n : y) + 2 * (j0 * m + i0);
      for (long j = 0; j < cols; ++j)
        for (long i = 0; i < rows; ++i) {
          Real* to = c + 2 * (j * m + i);
          if (pieces > 1 || fresh) {
            to[0] = to[1] = 0;
          } else if (!plain) {
            const Real re = to[0], im = to[1];
            to[0] = re * beta[0] - im * beta[1];
            to[1] = re * beta[1] + im * beta[0];
          }
        }
      const long end = k * (piece + 1) / pieces;
      for (long p = k * piece / pieces; p < end; p += most_panel) {
        const long depth = least(most_panel, end - p);
        pack_plain(rows, depth, a + 2 * (p * m + i0), m, rows_packed);
        pack_columns(depth, cols, x + 2 * (j0 * k + p), k, columns_packed);
        for (long j = 0; j < cols; j += NR)
          for (long i = 0; i < rows; i += L<Real>)
            micro_plain(depth, rows_packed + 2 * i * depth, columns_packed + 2 * j * depth, c + 2 * (j * m + i), m,
                        rows - i, cols - j);
      }
    }
    if (pieces > 1) {
#if CONOID_HAVE_OPENMP
#pragma omp barrier
#endif
      for (long t; (t = draw(added)) * 1024 < m * n;)
        for (long i = t * 1024; i < least(m * n, (t + 1) * 1024); ++i) {
          Real re = 0, im = 0;
          if (!fresh) {
            re = y[2 * i] * beta[0] - y[2 * i + 1] * beta[1];
            im = y[2 * i] * beta[1] + y[2 * i + 1] * beta[0];
          }
          for (long s = 0; s < pieces; ++s) {
            re += parts[2 * (s * m * n + i)];
            im += parts[2 * (s * m * n + i) + 1];
          }
          y[2 * i] = re;
          y[2 * i + 1] = im;
        }
    }
  }
}

template <class Real>
void subtract_product(long m, long n, long k, const Real* a, long lda, const Real* b, long ldb, Real* c, long ldc,
                      Real* work) {
  for (long j = 0; j < n; j += NC)
    for (long p = 0; p < k; p += most_panel)
      multiply(m, least(NC, n - j), least(most_panel, k - p), a + 2 * p * lda, lda, b + 2 * (j * ldb + p), ldb,
               c + 2 * j * ldc, ldc, work);
}

}  // namespace

void CONOID_ISA_NAME(multiply)(long m, long n, long k, const float* a, const float* x, const float* beta, float* y,
                               int threads) {
  product(m, n, k, a, x, beta, y, threads);
}
void CONOID_ISA_NAME(multiply)(long m, long n, long k, const double* a, const double* x, const double* beta, double* y,
                               int threads) {
  product(m, n, k, a, x, beta, y, threads);
}
long CONOID_ISA_NAME(work_numbers)() {
  return work_size<double> > work_size<float> ? work_size<double> : work_size<float>;
}
void CONOID_ISA_NAME(subtract_product)(long m, long n, long k, const double* a, long lda, const double* b, long ldb,
                                       double* c, long ldc, double* work) {
  subtract_product(m, n, k, a, lda, b, ldb, c, ldc, work);
}
void CONOID_ISA_NAME(subtract_product)(long m, long n, long k, const float* a, long lda, const float* b, long ldb,
                                       float* c, long ldc, float* work) {
  subtract_product(m, n, k, a, lda, b, ldb, c, ldc, work);
}
int CONOID_ISA_NAME(factorise)(float* a, long n, int* pivots, int threads, Wish wish) {
  return factorise(a, n, pivots, threads, wish);
}
int CONOID_ISA_NAME(factorise)(double* a, long n, int* pivots, int threads, Wish wish) {
  return factorise(a, n, pivots, threads, wish);
}

}  // namespace conoid::dense::blocked
