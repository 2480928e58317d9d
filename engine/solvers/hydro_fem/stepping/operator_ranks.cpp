// SPDX-License-Identifier: BSD-3-Clause
// The operator on one of several ranks. Each computes the products of its own batches of zones. What other ranks' zones add at a node
// comes as it stands in their zones, before anything is summed, and every rank that holds the node sums it in the order of a single
// rank: so copies of a node move alike, bit for bit, and never have to be compared.
#include "engine/solvers/hydro_fem/stepping/operator_ranks.hpp"

#include "engine/cluster/rank_share.hpp"
#include "engine/io/checkpoint.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/stepping/backend.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

/// The other ranks add zero, so that a chunk's sum keeps its bits.
void leave_own(std::vector<double>& sums, Interval own) {
  std::fill(sums.begin(), sums.begin() + own.begin, 0.0);
  std::fill(sums.begin() + std::max(own.begin, own.end), sums.end(), 0.0);
}

}  // namespace

Operator::~Operator() = default;

/// Whole chunks of batches, as many a rank as can be.
Interval Operator::batches_of(int rank, int ranks) const {
  const Index chunks = (batch_count_ + batch_grain_ - 1) / batch_grain_;
  if (chunks < ranks)
    throw Failure(make_error(ErrorCode::resources,
                             fmt::format("{} ranks for {} zones, which are computed in {} groups of up to {}: some of "
                                         "the ranks would have none",
                                         ranks, space_.zones, chunks, batch_grain_ * kernels_.lanes),
                             fmt::format("Take {} ranks or fewer (mpirun -n {}), or more zones.", chunks, chunks)));
  const Interval share = rank_share(chunks, rank, ranks);
  return {std::min(batch_count_, share.begin * batch_grain_), std::min(batch_count_, share.end * batch_grain_)};
}

void Operator::share_among(Communicator& cluster) {
  const int ranks = cluster.size();
  const Index W = kernels_.lanes;
  ranks_ = std::make_unique<Ranks>();
  ranks_->cluster = &cluster;
  ranks_->rank_of_zone.assign(u(space_.zones), 0);
  for (int r = 0; r < ranks; ++r) {
    const Interval batches = batches_of(r, ranks);
    if (r == cluster.rank()) own_batches_ = batches;
    for (Index i = batches.begin * W; i < batches.end * W; ++i) ranks_->rank_of_zone[u(lane_zone_[u(i)])] = r;
  }
  share_nodes();
}

bool Operator::holds(Index node) const {
  return !ranks_ || ranks_->held[u(node)] != 0;
}
bool Operator::owns(Index zone) const {
  return !ranks_ || ranks_->rank_of_zone[u(zone)] == ranks_->cluster->rank();
}
bool Operator::meets_held_nodes(Index zone) const {
  const auto begin = space_.map.begin() + zone * space_.zone_nodes;
  return std::any_of(begin, begin + space_.zone_nodes, [&](Index node) { return holds(node); });
}
bool Operator::leads() const {
  return !ranks_ || ranks_->cluster->leads();
}

void Operator::share_nodes() {
  Ranks& all = *ranks_;
  const Index ranks = all.cluster->size(), me = all.cluster->rank();
  const auto rank_at = [&](Index m) { return all.rank_of_zone[u(space_.meet[u(m)] / space_.zone_nodes)]; };
  // Nodes are numbered by the first zones that have them, and so are batches: a node belongs about where its first batch does, in
  // whole chunks.
  std::vector<Index> first(u(ranks + 1), 0);
  for (Index node = 0; node < space_.nodes; ++node) {
    int least = static_cast<int>(ranks - 1);
    for (Index m = space_.meet_begin[u(node)]; m < space_.meet_begin[u(node + 1)]; ++m)
      least = std::min(least, rank_at(m));
    ++first[u(least + 1)];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  for (Index r = 1; r < ranks; ++r)
    first[u(r)] = std::min(space_.nodes, (first[u(r)] + node_grain_ / 2) / node_grain_ * node_grain_);
  for (Index r = 0; r < ranks; ++r) all.nodes.push_back({first[u(r)], first[u(r + 1)]});
  own_nodes_ = all.nodes[u(me)];

  all.held.assign(u(space_.nodes), 0);
  std::vector<Halo::Side> sides(u(ranks));
  for (Index r = 0; r < ranks; ++r) sides[u(r)].rank = static_cast<int>(r);
  std::vector<int> holders;
  int owner = 0;
  for (Index node = 0; node < space_.nodes; ++node) {
    while (node >= all.nodes[u(owner)].end) ++owner;
    const Interval places{space_.meet_begin[u(node)], space_.meet_begin[u(node + 1)]};
    holders.assign(1, owner);
    for (Index m = places.begin; m < places.end; ++m) holders.push_back(rank_at(m));
    std::sort(holders.begin(), holders.end());
    holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
    all.held[u(node)] = std::find(holders.begin(), holders.end(), me) != holders.end();
    if (holders.size() == 1) continue;
    for (Index m = places.begin; m < places.end; ++m) {
      const int from = rank_at(m);
      for (const int to : holders) {
        if (to == from) continue;
        if (from == me) sides[u(to)].to.push_back(m);
        if (to == me) sides[u(from)].from.push_back(m);
      }
    }
  }
  all.halo = Halo(*all.cluster, std::move(sides));
  for (const auto& face : mesh_.faces) {
    if (!boundaries_[u(face.boundary)].presses()) continue;
    const Index* map = &space_.map[u(face.zone * space_.zone_nodes)];
    all.loaded.insert(all.loaded.end(), map, map + space_.zone_nodes);
  }
  std::sort(all.loaded.begin(), all.loaded.end());
  all.loaded.erase(std::unique(all.loaded.begin(), all.loaded.end()), all.loaded.end());
  if (!all.loaded.empty()) all.positions.resize(space_.x0.size());
  list_pieces();
}

/// What this rank's vectors hold, in intervals short enough to share out among threads.
void Operator::list_pieces() {
  Ranks& all = *ranks_;
  ghosts_.clear();
  for (Index node = 0; node < space_.nodes; ++node) {
    if (!holds(node) || (node >= own_nodes_.begin && node < own_nodes_.end)) continue;
    if (!ghosts_.empty() && ghosts_.back().end == node && ghosts_.back().size() < node_grain_)
      ++ghosts_.back().end;
    else
      ghosts_.push_back({node, node + 1});
  }
  for (int c = 0; c < space_.dim; ++c) {
    const Index offset = c * space_.nodes;
    for (Index n = own_nodes_.begin; n < own_nodes_.end; n += node_grain_)
      all.of_nodes.push_back({offset + n, offset + std::min(own_nodes_.end, n + node_grain_)});
    for (const Interval& g : ghosts_) all.of_nodes.push_back({offset + g.begin, offset + g.end});
  }
  for (Index zone = 0; zone < space_.zones; ++zone) {
    if (all.rank_of_zone[u(zone)] != all.cluster->rank()) continue;
    const Index begin = zone * data_.zone_energies, end = begin + data_.zone_energies;
    if (!all.of_zones.empty() && all.of_zones.back().end == begin && all.of_zones.back().size() < largest_node_grain)
      all.of_zones.back().end = end;
    else
      all.of_zones.push_back({begin, end});
  }
}

std::optional<Operator::Share> Operator::share() const {
  if (!ranks_) return std::nullopt;
  return Share{ranks_->cluster, &ranks_->halo, own_nodes_, ghosts_, ranks_->rank_of_zone};
}

void Operator::find_inner_batches() {
  const Index batch_terms = space_.dim * space_.zone_nodes * kernels_.lanes;
  std::vector<char> needed(u((batch_count_ + batch_grain_ - 1) / batch_grain_), 0);
  for (const Halo::Side& side : ranks_->halo.sides())
    for (const Index meeting : side.to) needed[u(meet_place_[u(meeting)] / batch_terms / batch_grain_)] = 1;
  const Interval chunks = own_batch_chunks();
  Interval longest, row{chunks.begin, chunks.begin};
  for (Index chunk = chunks.begin; chunk < chunks.end; ++chunk) {
    if (needed[u(chunk)])
      row = {chunk + 1, chunk + 1};
    else
      row.end = chunk + 1;
    if (row.size() > longest.size()) longest = row;
  }
  inner_batches_ = {longest.begin * batch_grain_, std::min(batch_count_, longest.end * batch_grain_)};
  if (longest.empty()) inner_batches_ = {own_batches_.end, own_batches_.end};
}

void Operator::start_terms(int components) const {
  const Index stride = space_.zone_nodes * kernels_.lanes;
  const double* terms = data_.node_terms;
  ranks_->halo.start_values(components,
                            [&](Index meeting, int c) { return terms[meet_place_[u(meeting)] + c * stride]; });
}

void Operator::finish_terms(int components) const {
  const Index stride = space_.zone_nodes * kernels_.lanes;
  double* terms = data_.node_terms;
  ranks_->halo.finish_values(
      components, [&](Index meeting, int c, double value) { terms[meet_place_[u(meeting)] + c * stride] = value; });
}

void Operator::exchange_terms(int components) const {
  start_terms(components);
  finish_terms(components);
}

void Operator::exchange_terms_and_sums(int components, std::vector<double>& sums, Interval own, bool started) const {
  leave_own(sums, own);
  ranks_->cluster->start_sum(std::span(sums));
  if (!started) start_terms(components);
  finish_terms(components);
  ranks_->cluster->finish_sum();
}

void Operator::share_sums(std::vector<double>& sums, Interval own) const {
  leave_own(sums, own);
  ranks_->cluster->sum(std::span(sums));
}

const PagedVector& Operator::loaded_positions(const State& state) const {
  const Ranks& all = *ranks_;
  if (all.loaded.empty()) return state.x;
  // A side at which ranks meet has nodes that one of them does not hold.
  const Index count = static_cast<Index>(all.loaded.size());
  all.at_loaded.assign(u(count * space_.dim), 0);
  for (Index i = 0; i < count; ++i) {
    const Index node = all.loaded[u(i)];
    if (node < own_nodes_.begin || node >= own_nodes_.end) continue;
    for (int d = 0; d < space_.dim; ++d) all.at_loaded[u(d * count + i)] = state.x[u(d * space_.nodes + node)];
  }
  all.cluster->sum(std::span(all.at_loaded));
  for (Index i = 0; i < count; ++i)
    for (int d = 0; d < space_.dim; ++d)
      all.positions[u(d * space_.nodes + all.loaded[u(i)])] = all.at_loaded[u(d * count + i)];
  return all.positions;
}

const std::vector<Interval>& Operator::pieces_of(std::size_t size) const {
  return size == u(space_.nodes * space_.dim) ? ranks_->of_nodes : ranks_->of_zones;
}

void Operator::add_pieces(double factor, std::span<const Sum> sums) const {
  for (const Sum& s : sums) {
    const auto& pieces = pieces_of(s.base->size());
    double* out = s.out->data();
    const double *base = s.base->data(), *direction = s.direction->data();
    workers_.for_each({0, static_cast<Index>(pieces.size())}, 32, [&](Interval some, int) {
      for (Index p = some.begin; p < some.end; ++p)
        for (Index i = pieces[u(p)].begin; i < pieces[u(p)].end; ++i) out[i] = base[i] + factor * direction[i];
    });
  }
}

void Operator::gather_zones(Interval zones, std::size_t bytes, const std::function<void(Index, std::byte*)>& give,
                            const std::function<void(Index, const std::byte*)>& take) const {
  constexpr std::size_t at_once = std::size_t{2} << 20;  // bytes of all ranks
  const int ranks = ranks_ ? ranks_->cluster->size() : 1, me = ranks_ ? ranks_->cluster->rank() : 0;
  const auto some = std::max<Index>(64, static_cast<Index>(at_once / std::max<std::size_t>(bytes, 1)) / ranks);
  const auto rank_of = [&](Index zone) { return ranks_ ? ranks_->rank_of_zone[u(zone)] : 0; };
  std::vector<Index> left(u(ranks), 0), next(u(ranks), zones.begin);  // zones of each rank that have not come yet
  for (Index zone = zones.begin; zone < zones.end; ++zone) ++left[u(rank_of(zone))];
  // The next ones of a rank.
  const auto listed = [&](int rank) {
    std::vector<Index> out;
    for (Index& zone = next[u(rank)]; static_cast<Index>(out.size()) < std::min(some, left[u(rank)]); ++zone)
      if (rank_of(zone) == rank) out.push_back(zone);
    return out;
  };
  while (*std::max_element(left.begin(), left.end()) > 0) {
    std::vector<std::vector<Index>> lists(u(ranks));
    for (int r = 0; r < ranks; ++r)
      if (r == me || leads()) lists[u(r)] = listed(r);
    for (Index& count : left) count -= std::min(some, count);
    const std::vector<Index>& mine = lists[u(me)];
    std::vector<std::byte> told(mine.size() * bytes);
    workers_.for_each({0, static_cast<Index>(mine.size())}, 16, [&](Interval part, int) {
      for (Index i = part.begin; i < part.end; ++i) give(mine[u(i)], told.data() + u(i) * bytes);
    });
    if (ranks_) told = ranks_->cluster->gather(told, 0);
    if (!leads()) continue;
    const std::byte* from = told.data();
    for (const auto& list : lists)
      for (const Index zone : list) take(zone, std::exchange(from, from + bytes));
  }
}

std::array<double, 2> Operator::sum_zones(const std::function<std::array<double, 2>(Index, Index)>& of) const {
  const Index W = kernels_.lanes;
  std::array<std::vector<double>, 2> sums;
  for (auto& each : sums) each.assign(batch_sums_.size(), 0);
  for (Index b = own_batches_.begin; b < own_batches_.end; ++b)
    for (Index l = 0; l < W; ++l) {
      if (l > 0 && lane_zone_[u(b * W + l)] == lane_zone_[u(b * W + l - 1)]) continue;
      const std::array<double, 2> here = of(b, l);
      for (std::size_t i = 0; i < 2; ++i) sums[i][u(b / batch_grain_)] += here[i];
    }
  std::array<double, 2> out{};
  for (std::size_t i = 0; i < 2; ++i) {
    if (ranks_) share_sums(sums[i], own_batch_chunks());
    out[i] = std::accumulate(sums[i].begin(), sums[i].end(), 0.0);
  }
  return out;
}

namespace {
constexpr const char *position_array = "position", *velocity_array = "velocity", *energy_array = "energy";
}  // namespace

void Operator::write(CheckpointWriter& writer, const State& state) const {
  const auto piece = [&](const char* name, const PagedVector& of, Interval some) {
    writer.piece<double>(name, static_cast<Index>(of.size()), some.begin,
                         std::span<const double>(of.data() + some.begin, u(some.size())));
  };
  for (int d = 0; d < space_.dim; ++d) {
    const Interval own{d * space_.nodes + own_nodes_.begin, d * space_.nodes + own_nodes_.end};
    if (own.empty()) continue;
    piece(position_array, state.x, own);
    piece(velocity_array, state.v, own);
  }
  const Index energies = data_.zone_energies;
  for (Index zone = 0, end = 0; zone < space_.zones; zone = end) {
    for (end = zone + 1; end < space_.zones && owns(end) == owns(zone); ++end) {
    }
    if (owns(zone)) piece(energy_array, state.e, {zone * energies, end * energies});
  }
}

State Operator::read(const CheckpointReader& reader) const {
  State out;
  for (PagedVector* field : {&out.x, &out.v}) field->resize(u(space_.nodes * space_.dim));
  out.e.resize(u(space_.zones * data_.zone_energies));
  const auto read = [&](const char* name, PagedVector& to) {
    const auto range = [&](Interval some) {
      reader.range<double>(name, some.begin, std::span<double>(to.data() + some.begin, u(some.size())));
    };
    if (!ranks_) return range({0, static_cast<Index>(to.size())});
    for (const Interval& some : pieces_of(to.size())) range(some);
  };
  read(position_array, out.x);
  read(velocity_array, out.v);
  read(energy_array, out.e);
  return out;
}

Vec3 Operator::centre(const State& state, Index zone) const {
  Vec3 out{};
  if (owns(zone)) out = zone_centre(space_, state.x, zone);
  return ranks_ ? ranks_->cluster->from_root(out, ranks_->rank_of_zone[u(zone)]) : out;
}

/// What a rank has said.
Operator::Limit Operator::told_by(int rank, Limit said) const {
  Communicator& cluster = *ranks_->cluster;
  said.zone = cluster.from_root(said.zone, rank);
  said.reason.resize(cluster.from_root(said.reason.size(), rank));
  cluster.broadcast(std::as_writable_bytes(std::span(said.reason)), rank);
  return said;
}

/// What a rank alone may find wrong, the first rank's, is thrown by all.
void Operator::look_on_all_ranks(const std::function<void()>& look) const {
  std::optional<Error> wrong;
  try {
    look();
  } catch (const Failure& failure) {
    wrong = failure.error();
  }
  if (ranks_) {
    Communicator& cluster = *ranks_->cluster;
    const auto first = static_cast<int>(cluster.minimum(wrong ? cluster.rank() : cluster.size()));
    if (first < cluster.size()) {
      if (!wrong) wrong = Error{};
      wrong->code = cluster.from_root(wrong->code, first);
      for (std::string* said : {&wrong->text, &wrong->hint}) {
        said->resize(cluster.from_root(said->size(), first));
        cluster.broadcast(std::as_writable_bytes(std::span(*said)), first);
      }
    }
  }
  if (wrong) throw Failure(*wrong);
}

double Operator::least_of_ranks(double step) {
  ranks_->own_step = step;
  return ranks_->step = ranks_->cluster->minimum(step);
}

/// The least that a rank has; batch_count_: none has one.
Index Operator::first_of_ranks(Index batch) const {
  return static_cast<Index>(ranks_->cluster->minimum(static_cast<double>(batch)));
}

Index Operator::outside_of_ranks(Index own) const {
  return static_cast<Index>(ranks_->cluster->sum(static_cast<double>(own)));
}

}  // namespace conoid::hydro_fem
