// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/acoustic_bem/discretization/tile_exchange.hpp"

#include <algorithm>
#include <cstring>

#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"

namespace conoid::acoustic_bem {
namespace {

/// Before the values of a part of a block.
struct Header {
  Interval rows, cols;
  std::uint64_t bytes = 0;  ///< of the values, filled up to whole words
};

bool meet(Interval a, Interval b) {
  return a.begin < b.end && b.begin < a.end;
}

Interval slices_of(std::span<const Index> cuts, std::size_t rank) {
  return {cuts[rank], cuts[rank + 1]};
}

/// Column 0 is not sent: M_0 is gathered.
Index first_sent(const Extents& e, std::size_t entry) {
  return std::max<Index>(e.first[entry], 1);
}

std::size_t values_sent(const Extents& e, std::size_t entry) {
  return static_cast<std::size_t>(std::max<Index>(Index{e.last[entry]} - first_sent(e, entry) + 1, 0));
}

}  // namespace

std::vector<int> ranks_of_tiles(std::span<const TilePair> tiles, std::span<const Index> cuts) {
  const std::size_t ranks = cuts.size() - 1;
  std::vector<int> out(tiles.size(), -1);
  std::vector<double> load(ranks, 0);
  const auto concerned = [&](const TilePair& t, std::size_t r) {
    return meet(t.rows, slices_of(cuts, r)) || meet(t.cols, slices_of(cuts, r));
  };
  const auto give = [&](std::size_t k, std::size_t r) {
    const TilePair& t = tiles[k];
    out[k] = static_cast<int>(r);
    load[r] += static_cast<double>(t.rows.size()) * static_cast<double>(t.cols.size()) * (t.rows == t.cols ? 1 : 2);
  };
  // Those of one rank alone come first: the others even the loads out.
  for (const bool shared : {false, true})
    for (std::size_t k = 0; k < tiles.size(); ++k) {
      std::size_t count = 0, best = ranks;
      for (std::size_t r = 0; r < ranks; ++r) {
        if (!concerned(tiles[k], r)) continue;
        ++count;
        if (best == ranks || load[r] < load[best]) best = r;
      }
      if (count > 0 && (count > 1) == shared) give(k, best);
    }
  return out;
}

template <class Real>
struct TileExchange<Real>::Mail {
  std::mutex mutex;
  std::vector<std::vector<std::byte>> put;  ///< parts, each behind its header
  std::vector<std::byte> out, in;
};

template <class Real>
TileExchange<Real>::TileExchange(const Extents& extents, std::vector<Index> cuts, Communicator& cluster)
    : extents_(extents), cuts_(std::move(cuts)), cluster_(cluster), mail_(cuts_.size() - 1) {}

template <class Real>
TileExchange<Real>::~TileExchange() = default;

template <class Real>
const Real* TileExchange<Real>::Column::at(Index i, Index k) const {
  return values + offset[static_cast<std::size_t>(i - rows.begin)] + (k - first_sent(*extents, extents->entry(i, j)));
}

template <class Real>
void TileExchange<Real>::put(Block& block) {
  for (std::size_t r = 0; r < mail_.size(); ++r) {
    const Interval theirs = slices_of(cuts_, r),
                   cols{std::max(block.cols.begin, theirs.begin), std::min(block.cols.end, theirs.end)};
    if (static_cast<int>(r) == cluster_.rank() || cols.empty()) continue;
    std::size_t count = 0;
    const auto each = [&](auto&& body) {
      for (Index j = cols.begin; j < cols.end; ++j)
        for (Index i = block.rows.begin; i < block.rows.end; ++i) {
          const std::size_t e = extents_.entry(i, j);
          if (const std::size_t n = values_sent(extents_, e); n > 0) body(i, j, e, n);
        }
    };
    each([&](Index, Index, std::size_t, std::size_t n) { count += n; });
    if (count == 0) continue;
    Header header{block.rows, cols, (count * sizeof(Real) + 7) / 8 * 8};
    std::vector<std::byte> part(sizeof header + header.bytes);
    std::memcpy(part.data(), &header, sizeof header);
    Real* to = reinterpret_cast<Real*>(part.data() + sizeof header);
    each([&](Index i, Index j, std::size_t e, std::size_t n) {
      const double* from = block.at(i, j) + (first_sent(extents_, e) - extents_.first[e]);
      to = std::transform(from, from + n, to, [](double v) { return static_cast<Real>(v); });
    });
    const std::scoped_lock lock(mail_[r].mutex);
    mail_[r].put.push_back(std::move(part));
  }
}

template <class Real>
void TileExchange<Real>::take_in(Team& team, const Take& take) {
  if (!under_way_) return;
  cluster_.finish_exchange();
  under_way_ = false;
  std::vector<const std::byte*> parts;
  std::size_t bytes = 0;
  for (const Mail& m : mail_) {
    bytes += m.in.size();
    for (std::size_t at = 0; at < m.in.size();) {
      Header header;
      std::memcpy(&header, m.in.data() + at, sizeof header);
      parts.push_back(m.in.data() + at);
      at += sizeof header + header.bytes;
    }
  }
  constexpr double bytes_a_second = 1e9;
  for_range(team, "tiles of others", static_cast<Index>(parts.size()), 1, static_cast<double>(bytes) / bytes_a_second,
            [&](Interval some) {
              std::vector<std::size_t> offset;
              for (Index p = some.begin; p < some.end; ++p) {
                Header header;
                const std::byte* part = parts[static_cast<std::size_t>(p)];
                std::memcpy(&header, part, sizeof header);
                const Real* values = reinterpret_cast<const Real*>(part + sizeof header);
                offset.assign(static_cast<std::size_t>(header.rows.size()), 0);
                for (Index j = header.cols.begin; j < header.cols.end; ++j) {
                  std::size_t at = 0;
                  for (Index i = header.rows.begin; i < header.rows.end; ++i) {
                    offset[static_cast<std::size_t>(i - header.rows.begin)] = at;
                    at += values_sent(extents_, extents_.entry(i, j));
                  }
                  take({j, header.rows, offset, values, &extents_});
                  values += at;
                }
              }
            });
}

template <class Real>
void TileExchange<Real>::pass(Team& team, const Take& take) {
  take_in(team, take);
  const std::size_t ranks = mail_.size();
  std::vector<std::uint64_t> lengths(ranks, 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    Mail& m = mail_[r];
    m.out.clear();
    for (const auto& part : m.put) m.out.insert(m.out.end(), part.begin(), part.end());
    m.put.clear();
    lengths[r] = m.out.size();
  }
  const std::vector<std::uint64_t> all = cluster_.all_gather_values(std::span<const std::uint64_t>(lengths));
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (std::size_t r = 0; r < ranks; ++r) {
    Mail& m = mail_[r];
    m.in.resize(all[r * ranks + static_cast<std::size_t>(cluster_.rank())]);
    if (!m.out.empty()) out.push_back({static_cast<int>(r), m.out});
    if (!m.in.empty()) in.push_back({static_cast<int>(r), m.in});
  }
  cluster_.start_exchange(out, in);
  under_way_ = true;
}

template class TileExchange<float>;
template class TileExchange<double>;

}  // namespace conoid::acoustic_bem
