// SPDX-License-Identifier: BSD-3-Clause
// The fast kernels on vectors of CONOID_WIDE_BYTES bytes whose intrinsics are CONOID_WIDE(name), included into an unnamed
// namespace by the file of each instruction set and order. The radius is a template parameter, so loops over i vanish.
//
// What limits them: orders 2 and 8 take 10 and 26 cycles a vector of 16 from the first two caches of a Zen 4 (which passes 64-byte vectors
// in two halves: one load, one sum and one fma of such a vector a cycle), where loads alone would take 6 and 15, and all instructions of
// order 8 without waiting for each other 20. So rows are taken two at a time, of neighbouring planes, which share their x neighbours, with
// 64-byte vectors z neighbours come out of registers by shifts instead of loads that cross cache lines, and addresses are kept in few
// registers (Strides). y is an outer loop over blocks of two rows and `chunk_of` cells along z: the 2s+1 rows of a block stay in the first
// cache, and what comes next lies beside them, in the same page or the next: along x every row would be in a page of its own (a third
// slower at order 2 step by step, a tenth in tiles). What comes from memory is asked for by the tile (Ahead).

inline __attribute__((always_inline)) float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline __attribute__((always_inline)) double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

#include "engine/solvers/acoustic_fd/kernels/patch_loops.inl"

using WideFloat = float __attribute__((vector_size(CONOID_WIDE_BYTES), may_alias));
using WideDouble = double __attribute__((vector_size(CONOID_WIDE_BYTES), may_alias));
template <class T>
struct WideType;
template <>
struct WideType<float> {
  using type = WideFloat;
};
template <>
struct WideType<double> {
  using type = WideDouble;
};
template <class T>
using WideOf = typename WideType<T>::type;

#define CONOID_INLINE inline __attribute__((always_inline))
#if defined(__GNUC__) && !defined(__clang__)
// GCC would turn multiples of a stride into sums, each in a register of its own.
#define CONOID_KEEP_MULTIPLES __attribute__((noinline, optimize("no-tree-slsr")))
#else
#define CONOID_KEEP_MULTIPLES __attribute__((noinline))
#endif

CONOID_INLINE WideFloat wide_all(float v) {
  return CONOID_WIDE(set1_ps)(v);
}
CONOID_INLINE WideDouble wide_all(double v) {
  return CONOID_WIDE(set1_pd)(v);
}
CONOID_INLINE WideFloat wide_fma(WideFloat a, WideFloat b, WideFloat c) {
  return CONOID_WIDE(fmadd_ps)(a, b, c);
}
CONOID_INLINE WideDouble wide_fma(WideDouble a, WideDouble b, WideDouble c) {
  return CONOID_WIDE(fmadd_pd)(a, b, c);
}
CONOID_INLINE WideFloat wide_fms(WideFloat a, WideFloat b, WideFloat c) {
  return CONOID_WIDE(fmsub_ps)(a, b, c);
}
CONOID_INLINE WideDouble wide_fms(WideDouble a, WideDouble b, WideDouble c) {
  return CONOID_WIDE(fmsub_pd)(a, b, c);
}
CONOID_INLINE WideFloat wide_fnma(WideFloat a, WideFloat b, WideFloat c) {
  return CONOID_WIDE(fnmadd_ps)(a, b, c);
}
CONOID_INLINE WideDouble wide_fnma(WideDouble a, WideDouble b, WideDouble c) {
  return CONOID_WIDE(fnmadd_pd)(a, b, c);
}
template <class T>
CONOID_INLINE WideOf<T> wide_load(const T* p) {  // aligned
  return *reinterpret_cast<const WideOf<T>*>(p);
}
template <class T>
CONOID_INLINE WideOf<T> wide_load_any(const T* p) {
  WideOf<T> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

#if CONOID_WIDE_BYTES == 64
/// Lanes n … of `low` followed by the first n of `high`.
template <int n>
CONOID_INLINE WideFloat wide_shift(WideFloat low, WideFloat high) {
  // The masked form: the plain one reads an undefined register, of which the compiler warns.
  return _mm512_castsi512_ps(_mm512_maskz_alignr_epi32(0xffff, _mm512_castps_si512(high), _mm512_castps_si512(low), n));
}
template <int n>
CONOID_INLINE WideDouble wide_shift(WideDouble low, WideDouble high) {
  return _mm512_castsi512_pd(_mm512_maskz_alignr_epi64(0xff, _mm512_castpd_si512(high), _mm512_castpd_si512(low), n));
}
#endif

/// Multiples of a stride in bytes up to `Most` times, as the processor's addresses take them: ±1, ±2, ±4 by the scale of one register, ±3, ±6,
/// ±5 and 7 by others. The compiler must not see that one follows from another, or it adds them up anew for every vector.
struct Strides {
  std::ptrdiff_t one, minus, three, minus_three, five, minus_five, seven;
  template <int Most>
  CONOID_INLINE void set(std::ptrdiff_t bytes) {
    one = bytes;
    minus = -bytes;
    three = 3 * bytes;
    minus_three = -3 * bytes;
    five = 5 * bytes;
    minus_five = -5 * bytes;
    seven = 7 * bytes;
    hide<Most>();
  }
  /// Once a vector too, or the compiler keeps each multiple in a register of its own, of which there are not enough.
  template <int Most>
  CONOID_INLINE void hide() {
    __asm__("" : "+r"(one), "+r"(minus));
    if constexpr (Most >= 3) __asm__("" : "+r"(three), "+r"(minus_three));
    if constexpr (Most >= 5) __asm__("" : "+r"(five), "+r"(minus_five));
    if constexpr (Most >= 7) __asm__("" : "+r"(seven));
  }
  template <int n>
  [[nodiscard]] CONOID_INLINE std::ptrdiff_t times() const {
    if constexpr (n == 3 || n == 6)
      return n / 3 * three;
    else if constexpr (n == -3 || n == -6)
      return n / -3 * minus_three;
    else if constexpr (n == 7)
      return seven;
    else if constexpr (n == 5)
      return five;
    else if constexpr (n == -5)
      return minus_five;
    else if constexpr (n > 0)
      return n * one;
    else
      return -n * minus;
  }
};
template <class T>
CONOID_INLINE const T* beside(const T* p, std::ptrdiff_t bytes) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(p) + bytes);
}

/// Rows of a group, one above the other along x: they share x neighbours, but each keeps three vectors in registers and three addresses.
template <int Radius>
constexpr int group_of = CONOID_WIDE_BYTES < 64 ? 1 : 2;

/// Cells along z that march along y together; the best of those tried in single precision.
template <class T, int Radius>
constexpr Index chunk_of = (Radius == 1   ? 512
                            : Radius == 2 ? 256
                                          : 128) *
                           4 / static_cast<Index>(sizeof(T));

/// Bytes asked for a vector, so that a chunk asks for a piece.
template <class T, int Radius>
constexpr Index ahead_bytes = Ahead::bytes* CONOID_WIDE_BYTES / (chunk_of<T, Radius> * static_cast<Index>(sizeof(T)));

/// The damping of a group of rows in the layers of x and y.
template <class T, int Group>
struct RowDamping {
  T sigma[Group], less_one[Group], inverse[Group];  ///< σ, σ − 1, 1/(1+σ)
};

/// Axes besides z whose matched layer a patch lies in.
enum class Sides { none, x, y, both };

/// One vector of cells of Group rows from column z on, of which the first `count` count when Part. End: in a layer at an end
/// of z.
template <class T, int Radius, bool Unequal, Cells Kind, int Group, Sides In>
struct Column {
  using Wide = WideOf<T>;
  static constexpr int lanes = sizeof(Wide) / sizeof(T);

  // By value: a store of a vector may alias what is behind a reference, which would be loaded again for every vector.
  Strides sx, sy, a_sx, v_sx;
  const char* ahead;
  const T *sigma_z, *inverse_z;
  static constexpr bool in_x = In == Sides::x || In == Sides::both, in_y = In == Sides::y || In == Sides::both;
  /// Of the layers of x, y and z: of the first row, z = 0, and from row to row of the group.
  T *m1[3], *m2[3];
  Index memory_sx[3];
  T factor_x[Group][7], factor_y[7];
  const T* factors_z;
  Index core1, to_high;
  T curvature[Radius + 1], slopes[Radius + 1];
  RowWeights<T> w;
  RowDamping<T, Group> damping;
  Wide before[Group], here[Group], after[Group];

  /// Row n of the group, or beside it.
  template <int n>
  [[nodiscard]] CONOID_INLINE static auto row(auto* p, const Strides& s) {
    using P = decltype(p);
    if constexpr (n == 0)
      return p;
    else
      return const_cast<P>(beside<T>(p, s.template times<n>()));
  }

  /// The memory of one layer takes the step (memory_cell) in all rows of the group before any is stored, so that factors are loaded once;
  /// what it adds to L of each row.
  template <bool Part>
  CONOID_INLINE void remember(int axis, Index at, const Wide (&f)[Group], const Wide (&slope)[Group], auto&& factor,
                              Index count, Wide (&extra)[Group]) {
    Wide n1[Group], n2[Group];
#pragma GCC unroll 8
    for (int g = 0; g < Group; ++g) {
      const Wide old1 = wide_load(m1[axis] + g * memory_sx[axis] + at),
                 old2 = wide_load(m2[axis] + g * memory_sx[axis] + at);
      n2[g] = wide_fma(factor(g, 0), old2, wide_fma(factor(g, 1), f[g], factor(g, 2) * slope[g]));
      n1[g] = wide_fma(factor(g, 0), old1, (n2[g] + old2) + wide_fma(factor(g, 3), f[g], factor(g, 4) * slope[g]));
      extra[g] = (n1[g] + old1) + wide_fma(factor(g, 5), f[g], factor(g, 6) * slope[g]);
    }
#pragma GCC unroll 8
    for (int g = 0; g < Group; ++g) {
      store<Part>(m1[axis] + g * memory_sx[axis] + at, n1[g], count);
      store<Part>(m2[axis] + g * memory_sx[axis] + at, n2[g], count);
    }
  }

  template <bool Part>
  CONOID_INLINE static void store(T* to, const Wide& value, Index count) {
    if constexpr (Part) {
      T lane[lanes];
      __builtin_memcpy(lane, &value, sizeof value);
      for (Index j = 0; j < count; ++j) to[j] = lane[j];
    } else {
      *reinterpret_cast<Wide*>(to) = value;
    }
  }

  /// Row g, whose stencil gave L.
  template <bool End, bool Part, int g>
  CONOID_INLINE void finish(Wide L, Wide extra_x, Wide extra_y, Wide extra_z, T* o, const T* a, const T* v, Index z,
                            Index count) {
    if constexpr (Kind == Cells::dense || Kind == Cells::damped) L = wide_fnma(wide_load(row<g>(v, v_sx)), here[g], L);
    const Wide a_here = wide_load(row<g>(a, a_sx)), old = wide_load(row<g>(o, sx));
    Wide result;
    if constexpr (Kind == Cells::layered || ((Kind == Cells::plain || Kind == Cells::dense) && !End)) {
      result = wide_fma(a_here, L, wide_fms(wide_all(T(2)), here[g], old));
      if constexpr (in_x) result = wide_fma(a_here, extra_x, result);
      if constexpr (in_y) result = wide_fma(a_here, extra_y, result);
      if constexpr (Kind == Cells::layered && End) result = wide_fma(a_here, extra_z, result);
    } else if constexpr (Kind == Cells::plain || Kind == Cells::dense) {  // no σ of x and y: one inverse for all rows
      const Wide sigma = wide_load(sigma_z + z);
      result = wide_fma(a_here, L, wide_fma(sigma - wide_all(T(1)), old, here[g] + here[g])) * wide_load(inverse_z + z);
    } else if constexpr (!End) {
      result = wide_fma(a_here, L, wide_fma(wide_all(damping.less_one[g]), old, here[g] + here[g])) *
               wide_all(damping.inverse[g]);
    } else {
      const Wide sigma = wide_all(damping.sigma[g]) + wide_load(sigma_z + z);
      const Wide r = wide_all(T(1)) / (wide_all(T(1)) + sigma);
      result = wide_fma(a_here, L, wide_fma(sigma - wide_all(T(1)), old, here[g] + here[g])) * r;
    }
    store<Part>(row<g>(o, sx), result, count);
  }

  template <bool End, bool Part>
  CONOID_INLINE void cells(const T* u, T* o, const T* a, const T* v, Index z, Index count) {
    if constexpr (Radius > 1) {
      sx.template hide<Radius + Group - 1>();
      sy.template hide<Radius>();
    }
    const T* u1 = Group > 1 ? row<1>(u, sx) : u;
    __asm__("" : "+r"(u1));
#if CONOID_WIDE_BYTES == 64
    after[0] = wide_load(u + lanes);
    if constexpr (Group > 1) after[1] = wide_load(u1 + lanes);
#else
    here[0] = wide_load(u);
    if constexpr (Group > 1) here[1] = wide_load(u1);
#endif
    if (ahead) {
      constexpr Index bytes = ahead_bytes<T, Radius>;
#pragma GCC unroll 8
      for (Index i = 0; i < bytes; i += 64) __builtin_prefetch(ahead + i, 0, 2);  // into the second cache
      ahead += bytes;
    }
    Wide L[Group];
    L[0] = wide_all(w.centre) * here[0];
    if constexpr (Group > 1) L[1] = wide_all(w.centre) * here[1];
    Wide below = here[0], above = here[Group - 1];
    constexpr bool in_z = Kind == Cells::layered && End;
    [[maybe_unused]] Wide f[3][Group], slope[3][Group]{};  // of the axes whose layers these cells lie in
    if constexpr (in_x || in_y || in_z)
#pragma GCC unroll 8
      for (int g = 0; g < Group; ++g) f[0][g] = f[1][g] = f[2][g] = wide_all(curvature[0]) * here[g];
    const auto add = [&]<int i>() __attribute__((always_inline)) {
      const Wide low = wide_load(row<-i>(u, sx)), high = wide_load(row<Group - 1 + i>(u, sx));
      const auto one = [&]<int g>(const Wide& l, const Wide& h, const T* p) __attribute__((always_inline)) {
        const Wide x = l + h;
        const Wide y_low = wide_load(row<-i>(p, sy)), y_high = wide_load(row<i>(p, sy)), y = y_low + y_high;
#if CONOID_WIDE_BYTES == 64
        const Wide z_low = wide_shift<lanes - i>(before[g], here[g]), z_high = wide_shift<i>(here[g], after[g]);
#else
        const Wide z_low = wide_load_any(p - i), z_high = wide_load_any(p + i);
#endif
        const Wide z_pair = z_low + z_high;
        const auto remembered = [&](int axis, const Wide& pair, const Wide& difference) __attribute__((always_inline)) {
          f[axis][g] = wide_fma(wide_all(curvature[i]), pair, f[axis][g]);
          slope[axis][g] = wide_fma(wide_all(slopes[i]), difference, slope[axis][g]);
        };
        if constexpr (in_x) remembered(0, x, h - l);
        if constexpr (in_y) remembered(1, y, y_high - y_low);
        if constexpr (in_z) remembered(2, z_pair, z_high - z_low);
        if constexpr (Unequal) {
          L[g] = wide_fma(wide_all(w.x[i]), x, L[g]);
          L[g] = wide_fma(wide_all(w.y[i]), y, L[g]);
          L[g] = wide_fma(wide_all(w.z[i]), z_pair, L[g]);
        } else {
          L[g] = wide_fma(wide_all(w.equal[i]), (x + y) + z_pair, L[g]);
        }
      };
      if constexpr (Group == 1) {
        one.template operator()<0>(low, high, u);
      } else {
        one.template operator()<0>(low, above, u);
        one.template operator()<1>(below, high, u1);
        below = low;
        above = high;
      }
    };
    add.template operator()<1>();
    if constexpr (Radius >= 2) add.template operator()<2>();
    if constexpr (Radius >= 3) add.template operator()<3>();
    if constexpr (Radius >= 4) add.template operator()<4>();
    if constexpr (Radius >= 5) add.template operator()<5>();
    if constexpr (Radius >= 6) add.template operator()<6>();
    Wide extra[3][Group]{};
    if constexpr (in_x)
      remember<Part>(
          0, z, f[0], slope[0], [&](int g, int n) __attribute__((always_inline)) { return wide_all(factor_x[g][n]); },
          count, extra[0]);
    if constexpr (in_y)
      remember<Part>(
          1, z, f[1], slope[1], [&](int, int n) __attribute__((always_inline)) { return wide_all(factor_y[n]); }, count,
          extra[1]);
    if constexpr (in_z) {
      constexpr Index block = PatchLayers<T>::block;
      const T* const factors = factors_z + z / block * (7 * block) + z % block;
      Wide c[7];
#pragma GCC unroll 8
      for (int n = 0; n < 7; ++n) c[n] = wide_load(factors + n * block);
      // Whole vectors: the factors of cells beyond a row are zero.
      remember<false>(
          2, z + (z >= core1 ? to_high : 0), f[2],
          slope[2], [&](int, int n) __attribute__((always_inline)) { return c[n]; }, 0, extra[2]);
    }
    finish<End, Part, 0>(L[0], extra[0][0], extra[1][0], extra[2][0], o, a, v, z, count);
    if constexpr (Group > 1) finish<End, Part, 1>(L[1], extra[0][1], extra[1][1], extra[2][1], o, a, v, z, count);
#if CONOID_WIDE_BYTES == 64
#pragma GCC unroll 8
    for (int g = 0; g < Group; ++g) {
      before[g] = here[g];
      here[g] = after[g];
    }
#endif
  }

  CONOID_INLINE void begin(const T* u) {
#if CONOID_WIDE_BYTES == 64
#pragma GCC unroll 8
    for (int g = 0; g < Group; ++g) {
      const T* p = beside(u, g * sx.one);
      before[g] = wide_load(p - lanes);
      here[g] = wide_load(p);
    }
#else
    (void)u;
#endif
  }
};

/// Cells along z: all of them, those of the core, whole vectors in the layers at both ends, the last cells.
enum class Along { all, core, end, part };

/// Group planes from x on, all y, cells z0 ≤ z < z1 of one kind, or of all.
template <class T, int Radius, bool Unequal, Cells Kind, int Group, Sides In, Along Here>
CONOID_KEEP_MULTIPLES void march_y(const Patch<T>& t, Index x, Index z0, Index core0, Index core1, Index z1,
                                   Ahead* ahead) {
  constexpr Index lanes = sizeof(WideOf<T>) / sizeof(T);
  constexpr bool layered = Kind == Cells::layered && (In != Sides::none || Here != Along::core);
  const Index corner = x * t.stride_x + z0;
  const T* u_row = t.u + corner;
  T* o_row = t.o + corner;
  const T* a_row = t.a + x * t.a_stride_x + z0;
  const T* v_row = Kind == Cells::plain || Kind == Cells::layered ? u_row : t.v + x * t.v_stride_x + z0;
  Column<T, Radius, Unequal, Kind, Group, In> column;
  constexpr std::ptrdiff_t size = sizeof(T);
  column.sx.template set<Radius + Group - 1>(t.stride_x * size);
  column.sy.template set<Radius>(t.stride_y * size);
  column.a_sx.template set<1>(t.a_stride_x * size);
  column.v_sx.template set<1>(t.v_stride_x * size);
  column.sigma_z = t.sigma_z;
  column.inverse_z = t.inverse_z;
  if constexpr (layered) {
    column.factors_z = t.layers->factors_z;
    column.core1 = t.core1;
    column.to_high = t.layers->to_high;
    for (int i = 0; i <= Radius; ++i) {
      column.curvature[i] = t.layers->curvature[i];
      column.slopes[i] = t.layers->slope[i];
    }
    if constexpr (column.in_x)
      for (int g = 0; g < Group; ++g)
        for (int n = 0; n < 7; ++n) column.factor_x[g][n] = t.layers->factor_x[n][x + g];
  }
  column.w = *t.weights;
  for (Index y = 0; y < t.ny; ++y) {
    if constexpr (Kind == Cells::damped)
#pragma GCC unroll 8
      for (int g = 0; g < Group; ++g) {
        const T sigma = t.sigma_x[x + g] + t.sigma_y[y];
        column.damping.sigma[g] = sigma;
        column.damping.less_one[g] = sigma - T(1);
        column.damping.inverse[g] = T(1) / (T(1) + sigma);
      }
    if constexpr (layered) {
      const auto rows = [&](int axis, const LayerRows<T>& of) __attribute__((always_inline)) {
        column.m1[axis] = of.m1 + x * of.stride_x + y * of.stride_y;
        column.m2[axis] = of.m2 + x * of.stride_x + y * of.stride_y;
        column.memory_sx[axis] = of.stride_x;
      };
      if constexpr (column.in_x) rows(0, t.layers->x);
      if constexpr (column.in_y) rows(1, t.layers->y);
      rows(2, t.layers->z);
      if constexpr (column.in_y)
        for (int n = 0; n < 7; ++n) column.factor_y[n] = t.layers->factor_y[n][y];
    }
    const char* const piece = ahead ? static_cast<const char*>(ahead->take()) : nullptr;
    column.ahead = piece;
    const T* u = u_row;
    T* o = o_row;
    const T* a = a_row;
    const T* v = v_row;
    column.begin(u);
    Index z = z0;
    const auto pass = [&]<bool End, bool Part>(Index stop) __attribute__((always_inline)) {
      for (const T* const end = u + (stop - z); u < end;) {
        column.template cells<End, Part>(u, o, a, v, z, stop - z);
        z += lanes;
        u += lanes;
        o += lanes;
        a += lanes;
        v += lanes;
      }
    };
    if constexpr (Here == Along::all) {
      const Index last = z1 / lanes * lanes;
      pass.template operator()<true, false>(core0);
      pass.template operator()<false, false>(core1);
      pass.template operator()<true, false>(last);
      pass.template operator()<true, true>(z1);  // σ_z = 0 gives the bits of a plain cell
    } else {
      pass.template operator()<Here != Along::core, Here == Along::part>(z1);
      if (piece)  // what a short row left
        for (; column.ahead < piece + Ahead::bytes; column.ahead += 64) __builtin_prefetch(column.ahead, 0, 2);
    }
    u_row += t.stride_y;
    o_row += t.stride_y;
    a_row += t.a_stride_y;
    v_row += t.v_stride_y;
  }
}

/// All kinds of cells along z. Each has a function of its own where one loop needs all registers; at order 2 rows that begin three times
/// cost more.
template <class T, int Radius, bool Unequal, Cells Kind, int Group, Sides In>
void planes(const Patch<T>& t, Index x, Index z0, Index z1) {
  constexpr Index lanes = sizeof(WideOf<T>) / sizeof(T);
  const Index last = z1 / lanes * lanes;
  const Index core0 = std::clamp(t.core0, z0, last), core1 = std::clamp(t.core1, core0, last);
  const auto march = [&]<Along Here>(Index from, Index to, Ahead* ahead) {
    if (from < to) march_y<T, Radius, Unequal, Kind, Group, In, Here>(t, x, from, core0, core1, to, ahead);
  };
  if constexpr (Radius == 1) {
    march.template operator()<Along::all>(z0, z1, t.ahead);
  } else {
    Ahead* const elsewhere = core0 < core1 ? nullptr : t.ahead;
    march.template operator()<Along::end>(z0, core0, elsewhere);
    march.template operator()<Along::core>(core0, core1, t.ahead);
    march.template operator()<Along::end>(core1, last, elsewhere);
    march.template operator()<Along::part>(last, z1, nullptr);
  }
}

template <class T, int Radius, bool Unequal, Cells Kind, Sides In = Sides::none>
void update(const Patch<T>& t) {
  constexpr Index chunk = chunk_of<T, Radius>;
  constexpr int group = group_of<Radius>;
  for (Index z = t.z0; z < t.z1;) {
    Index next = (z / chunk + 1) * chunk;
    if (t.z1 - next < chunk / 2) next = t.z1;
    Index x = 0;
    if constexpr (group > 1)
      for (; x + group <= t.nx; x += group) planes<T, Radius, Unequal, Kind, group, In>(t, x, z, next);
    for (; x < t.nx; ++x) planes<T, Radius, Unequal, Kind, 1, In>(t, x, z, next);
    z = next;
  }
}

template <class T, int Radius, bool Unequal>
void update_layered(const Patch<T>& t) {
  constexpr PatchFunction<T> in[2][2]{
      {update<T, Radius, Unequal, Cells::layered, Sides::none>, update<T, Radius, Unequal, Cells::layered, Sides::y>},
      {update<T, Radius, Unequal, Cells::layered, Sides::x>, update<T, Radius, Unequal, Cells::layered, Sides::both>}};
  in[t.layers->x.m1 != nullptr][t.layers->y.m1 != nullptr](t);
}
template <class T, int Radius, bool Unequal>
constexpr PatchFunction<T> layered = update_layered<T, Radius, Unequal>;
