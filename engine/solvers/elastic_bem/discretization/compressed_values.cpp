// SPDX-License-Identifier: BSD-3-Clause
// Rows, columns and near blocks.
#include "engine/solvers/elastic_bem/discretization/compressed_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/column_sink.hpp"
#include "engine/solvers/elastic_bem/discretization/near_pairs.hpp"
#include "engine/solvers/elastic_bem/discretization/own_elements.hpp"

namespace conoid::elastic_bem {

namespace {

double reach_of(const Surface& s, Index node) {
  double most = 0;
  for (const Touch& t : s.touches[static_cast<std::size_t>(node)]) {
    const Element& e = s.elements[static_cast<std::size_t>(t.element)];
    for (int k = 0; k < nodes_of(e.shape); ++k)
      most = std::max(most, vec::distance(s.nodes[static_cast<std::size_t>(node)], e.x[static_cast<std::size_t>(k)]));
  }
  return most;
}

}  // namespace

ColumnPoints::ColumnPoints(const Surface& surface, std::span<const EquationColumn> columns, bool points_are_nodes)
    : node(surface.nodes.size()), traction(surface.traction_node.size()) {
  const auto put = [&](Index place) {
    at.push_back(surface.nodes[static_cast<std::size_t>(place)]);
    reach.push_back(reach_of(surface, place));
    node_of.push_back(place);
    return points() - 1;
  };
  if (points_are_nodes)
    for (Index k = 0; k < surface.node_count(); ++k) put(k);
  std::vector<Index> point_of;
  for (const EquationColumn& c : columns) {
    Use& use = (c.traction ? traction : node)[static_cast<std::size_t>(c.node)];
    const Index place = c.traction ? surface.traction_node[static_cast<std::size_t>(c.node)] : c.node;
    if (use.point < 0) use.point = points_are_nodes ? place : put(place);
    use.components |= 1U << c.component;
    (c.traction ? traction_factor : node_factor) = c.factor;
    point_of.push_back(use.point);
  }
  for (std::size_t k = 0; k < columns.size(); ++k)
    entry.push_back(static_cast<Index>(columns[k].component) * points() + point_of[k]);
}

template <class Real>
KernelValues<Real>::KernelValues(const Surface& surface, const FarRules<Real>& rules, const Accuracy& accuracy,
                                 const Harmonic& harmonic, std::span<const std::array<double, 9>> diagonal,
                                 const ColumnPoints& columns)
    : surface_(surface), rules_(rules), accuracy_(accuracy), harmonic_(harmonic), diagonal_(diagonal),
      columns_(columns), medium_(lane_medium<Real>(harmonic)), kernels_(lane_kernels<Real>()) {
  const Factors<Real> factors(harmonic);
  node_factor_ = factors.t * std::complex<Real>(columns.node_factor);
  traction_factor_ = factors.u * std::complex<Real>(columns.traction_factor);
}

template <class Real>
auto KernelValues<Real>::parts(std::span<const Index> columns) const -> std::vector<Piece> {
  std::vector<std::pair<Index, Index>> number;  // point, its number in the block
  std::vector<Index> elements;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    number.emplace_back(columns[k], static_cast<Index>(k));
    const Index place = columns_.node_of[static_cast<std::size_t>(columns[k])];
    for (const Touch& t : surface_.touches[static_cast<std::size_t>(place)]) elements.push_back(t.element);
  }
  std::ranges::sort(number);
  std::ranges::sort(elements);
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  const auto find = [&](const ColumnPoints::Use& use) {
    if (use.point < 0) return Index{-1};
    const auto at = std::ranges::lower_bound(number, std::pair<Index, Index>{use.point, 0});
    return at != number.end() && at->first == use.point ? at->second : Index{-1};
  };
  std::vector<Piece> out;
  for (const Index k : elements) {
    const Element& e = surface_.elements[static_cast<std::size_t>(k)];
    Piece part;
    part.element = k;
    bool any = false;
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
      part.node[a] = find(columns_.node[static_cast<std::size_t>(e.node[a])]);
      part.traction[a] = find(columns_.traction[static_cast<std::size_t>(e.traction[a])]);
      part.with_u = part.with_u || part.traction[a] >= 0;
      any = any || part.node[a] >= 0 || part.traction[a] >= 0;
    }
    if (any) out.push_back(part);
  }
  return out;
}

/// Values of one node of an element at a row: what(column number, row component, column component, value).
template <class Real, class What>
void each_value(const Element& e, std::size_t a, Index node, Index traction, const ColumnPoints& columns,
                std::complex<Real> node_factor, std::complex<Real> traction_factor, const Real* v, std::size_t step,
                const What& what) {
  const unsigned h = node >= 0 ? columns.node[static_cast<std::size_t>(e.node[a])].components : 0,
                 g = traction >= 0 ? columns.traction[static_cast<std::size_t>(e.traction[a])].components : 0;
  for (std::size_t j = 0; j < 3; ++j)
    for (std::size_t i = 0; i < 3; ++i) {
      if ((h >> j & 1U) != 0) {
        const Real* p = v + (lane_t + 2 * (3 * i + j)) * step;
        what(node, i, j, product(node_factor, p[0], p[step]));
      }
      if ((g >> j & 1U) != 0) {
        const Real* p = v + 2 * symmetric[i][j] * step;
        what(traction, i, j, product(traction_factor, p[0], p[step]));
      }
    }
}

template <class Real>
class KernelValues<Real>::FarBlock final : public CrossBlock {
 public:
  FarBlock(const KernelValues& of, std::span<const Index> rows, std::span<const Index> columns)
      : of_(of), rows_(rows), columns_(static_cast<Index>(columns.size())), parts_(of.parts(columns)),
        touched_(columns.size()) {
    Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (std::vector<Real>& x : x_) x.reserve(rows.size() + 16);
    for (const Index n : rows) {
      const Vec3 p = vec::sub(of.surface_.nodes[static_cast<std::size_t>(n)], of.rules_.origin());
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], p[d]);
        high[d] = std::max(high[d], p[d]);
        x_[d].push_back(static_cast<Real>(p[d]));
      }
    }
    for (std::vector<Real>& x : x_) x.resize((x.size() + 15) / 16 * 16, x.back());
    for (const Piece& part : parts_) {
      const Element& e = of.surface_.elements[static_cast<std::size_t>(part.element)];
      const Vec3 c = rule_centre(of.rules_, e);
      double apart = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        const double gap = std::max({0.0, low[d] - c[d], c[d] - high[d]});
        apart += gap * gap;
      }
      const auto classes = of.rules_.classes(part.element);
      std::size_t level = 0;
      while (level + 1 < classes.size() && apart < classes[level].distance2) ++level;
      rule_.push_back(&classes[level]);
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
        for (const Index point : {part.node[a], part.traction[a]}) {
          if (point < 0) continue;
          auto& list = touched_[static_cast<std::size_t>(point)];
          const Where where{rule_.size() - 1, a};
          if (list.empty() || list.back().part != where.part || list.back().local != a) list.push_back(where);
        }
    }
  }

  void rows(Index point, Complex* out) override {
    const Index n = 3 * columns_;
    std::fill(out, out + 3 * n, Complex(0));
    const auto r = static_cast<std::size_t>(point);
    const Real at[3] = {x_[0][r], x_[1][r], x_[2][r]};
    double done = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const Piece& part = parts_[k];
      LanePoints<Real> points = rule_[k]->points;
      done += points.count;
      points.count = rule_[k]->padded;
      of_.kernels_.near(of_.medium_, points, at, Part::dynamic, part.with_u, values_->v);
      const Element& e = of_.surface_.elements[static_cast<std::size_t>(part.element)];
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
        each_value(e, a, part.node[a], part.traction[a], of_.columns_, of_.node_factor_, of_.traction_factor_,
                   values_->v + a * lane_values, 1,
                   [&](Index column, std::size_t i, std::size_t j, std::complex<Real> v) {
                     out[static_cast<Index>(i) * n + 3 * column + static_cast<Index>(j)] += Complex(v);
                   });
    }
    of_.far_.fetch_add(done);
  }

  void columns(Index point, Complex* out) override {
    const auto m = static_cast<Index>(rows_.size());
    std::fill(out, out + 9 * m, Complex(0));
    const auto lanes = static_cast<Index>(of_.kernels_.lanes);
    double done = 0;
    for (const Where& where : touched_[static_cast<std::size_t>(point)]) {
      const Piece& part = parts_[where.part];
      const Element& e = of_.surface_.elements[static_cast<std::size_t>(part.element)];
      const LanePoints<Real> points = of_one_node(rule_[where.part]->points, where.local);
      const Index node = part.node[where.local] == point ? point : -1,
                  traction = part.traction[where.local] == point ? point : -1;
      for (Index r = 0; r < m; r += lanes) {
        of_.kernels_.far(of_.medium_, points, x_[0].data() + r, x_[1].data() + r, x_[2].data() + r, Part::dynamic,
                         traction >= 0, values_->v);
        for (Index l = 0; l < std::min(lanes, m - r); ++l)
          each_value(e, where.local, node, traction, of_.columns_, of_.node_factor_, of_.traction_factor_,
                     values_->v + l, static_cast<std::size_t>(lanes),
                     [&](Index, std::size_t i, std::size_t j, std::complex<Real> v) {
                       out[static_cast<Index>(j) * 3 * m + 3 * (r + l) + static_cast<Index>(i)] += Complex(v);
                     });
      }
      done += static_cast<double>(points.count) * static_cast<double>(m);
    }
    of_.far_.fetch_add(done);
  }

 private:
  struct Where {
    std::size_t part, local;
  };
  /// The points with normals and weights times the field function of one node.
  LanePoints<Real> of_one_node(LanePoints<Real> p, std::size_t node) {
    if (p.nodes == 1) return p;
    const auto n = static_cast<std::size_t>(p.count);
    weighted_.resize(4 * n);
    const Real* const from[] = {p.nx, p.ny, p.nz, p.w};
    for (std::size_t v = 0; v < 4; ++v)
      for (std::size_t q = 0; q < n; ++q) weighted_[v * n + q] = from[v][q] * p.shape[node * p.stride + q];
    p.nx = weighted_.data();
    p.ny = p.nx + n;
    p.nz = p.ny + n;
    p.w = p.nz + n;
    p.nodes = 1;
    return p;
  }
  const KernelValues& of_;
  std::span<const Index> rows_;
  Index columns_;
  std::vector<Piece> parts_;
  std::vector<const typename FarRules<Real>::Class*> rule_;
  std::vector<std::vector<Where>> touched_;  ///< of each column point
  std::array<std::vector<Real>, 3> x_;
  std::vector<Real> weighted_;
  std::unique_ptr<Block<Real>> values_ = std::make_unique<Block<Real>>();
};

template <class Real>
std::unique_ptr<CrossBlock> KernelValues<Real>::far(std::span<const Index> rows, std::span<const Index> columns) const {
  return std::make_unique<FarBlock>(*this, rows, columns);
}

/// What OwnElements asks of a sink, for the rows of a near block.
template <class Real>
class KernelValues<Real>::NearSink {
 public:
  NearSink(const KernelValues& of, std::span<const Piece> parts, std::span<const Index> columns, Index rows,
           Complex* out)
      : of_(of), parts_(parts), columns_(columns), rows_(rows), out_(out) {}
  [[nodiscard]] bool wants(Index element) const { return find(element) != nullptr; }
  [[nodiscard]] bool with_u(Index element) const { return find(element)->with_u; }
  void one(Index element, Index row, const Real* v, bool put_t, bool put_u, int only) {
    put(*find(element), row, v, 1, put_t, put_u, only);
  }
  void put(const Piece& part, Index row, const Real* v, std::size_t step, bool put_t, bool put_u, int only) {
    const Element& e = of_.surface_.elements[static_cast<std::size_t>(part.element)];
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
      each_value(e, a, put_t && only != static_cast<int>(a) ? part.node[a] : -1, put_u ? part.traction[a] : -1,
                 of_.columns_, of_.node_factor_, of_.traction_factor_, v + a * lane_values * step, step,
                 [&](Index column, std::size_t i, std::size_t j, std::complex<Real> value) {
                   at(row, i, column, j) += Complex(value);
                 });
  }
  void diagonal(Index node, Index row, const std::complex<Real>* block9) {
    const ColumnPoints::Use& use = of_.columns_.node[static_cast<std::size_t>(node)];
    if (use.point < 0) return;
    const auto found = std::ranges::find(columns_, use.point);
    if (found == columns_.end()) return;
    for (std::size_t j = 0; j < 3; ++j)
      if ((use.components >> j & 1U) != 0)
        for (std::size_t i = 0; i < 3; ++i)
          at(row, i, found - columns_.begin(), j) += of_.columns_.node_factor * Complex(block9[3 * i + j]);
  }

 private:
  const Piece* find(Index element) const {
    const auto at = std::ranges::lower_bound(parts_, element, {}, &Piece::element);
    return at != parts_.end() && at->element == element ? &*at : nullptr;
  }
  Complex& at(Index row, std::size_t i, Index column, std::size_t j) {
    return out_[(3 * column + static_cast<Index>(j)) * 3 * rows_ + 3 * row + static_cast<Index>(i)];
  }
  const KernelValues& of_;
  std::span<const Piece> parts_;
  std::span<const Index> columns_;
  Index rows_;
  Complex* out_;
};

/// One element against all rows that do not lie on it.
template <class Real>
void KernelValues<Real>::near_rows(const Piece& part, std::span<const Index> rows, NearSink& sink) const {
  const Element& e = surface_.elements[static_cast<std::size_t>(part.element)];
  const auto classes = rules_.classes(part.element);
  const Vec3 c = rule_centre(rules_, e);
  const auto values = std::make_unique<Block<Real>>();
  PointSet set;
  NearPoints<Real> near_points;
  const auto lanes = static_cast<std::size_t>(kernels_.lanes);
  double far_done = 0, near_done = 0;
  for (std::size_t begin = 0; begin < rows.size(); begin += lanes) {
    Real x[3][16] = {};
    unsigned valid = 0;
    std::size_t finest = 0;
    for (std::size_t l = 0; l < std::min(lanes, rows.size() - begin); ++l) {
      const Index n = rows[begin + l];
      const auto i = static_cast<std::size_t>(n);
      if (std::ranges::any_of(surface_.touches[i], [&](const Touch& t) { return t.element == part.element; })) continue;
      const Vec3 p = vec::sub(surface_.nodes[i], rules_.origin());
      const double d = vec::distance(p, c), d2 = d * d;
      if (d2 < classes.back().distance2) {
        set.clear();
        near_rule(e, surface_.nodes[i], accuracy_.target, rules_.wave_number(), set);
        near_done += set.count();
        kernels_.near(medium_, near_points.fill(set, surface_.nodes[i], kernels_.lanes), nullptr, Part::dynamic,
                      part.with_u, values->v);
        sink.put(part, static_cast<Index>(begin + l), values->v, 1, true, true, -1);
        continue;
      }
      std::size_t level = 0;
      while (level + 1 < classes.size() && d2 < classes[level].distance2) ++level;
      finest = std::max(finest, level);
      valid |= 1U << l;
      for (std::size_t d3 = 0; d3 < 3; ++d3) x[d3][l] = static_cast<Real>(p[d3]);
    }
    if (valid == 0) continue;
    const auto some = static_cast<std::size_t>(std::countr_zero(valid));
    for (std::size_t l = 0; l < lanes; ++l)
      if ((valid >> l & 1U) == 0)
        for (auto& axis : x) axis[l] = axis[some];
    kernels_.far(medium_, classes[finest].points, x[0], x[1], x[2], Part::dynamic, part.with_u, values->v);
    far_done += static_cast<double>(classes[finest].points.count) * std::popcount(valid);
    for (std::size_t l = 0; l < lanes; ++l)
      if ((valid >> l & 1U) != 0) sink.put(part, static_cast<Index>(begin + l), values->v + l, lanes, true, true, -1);
  }
  far_.fetch_add(far_done);
  near_.fetch_add(near_done);
}

template <class Real>
void KernelValues<Real>::near(std::span<const Index> rows, std::span<const Index> columns, Complex* out) const {
  std::fill(out, out + 9 * rows.size() * columns.size(), Complex(0));
  const std::vector<Piece> needed = parts(columns);
  NearSink sink(*this, needed, columns, static_cast<Index>(rows.size()), out);
  for (const Piece& part : needed) near_rows(part, rows, sink);
  OwnElements<Real, NearSink> own(surface_, accuracy_, harmonic_);
  double done = 0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    done += own.put(rows[r], static_cast<Index>(r), diagonal_[static_cast<std::size_t>(rows[r])], sink);
  near_.fetch_add(done);
}

template class KernelValues<double>;
template class KernelValues<float>;

}  // namespace conoid::elastic_bem
