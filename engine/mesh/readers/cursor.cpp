// SPDX-License-Identifier: BSD-3-Clause
// The messages of the cursor, off the fast path.
#include "engine/mesh/readers/cursor.hpp"

#include "engine/core/units.hpp"

namespace conoid::readers {

namespace {
constexpr std::string_view damaged = "The file is damaged or was cut off; save or copy it again.";
}

void Cursor::fail_at(std::size_t position, std::string text, std::string hint) const {
  Place place;
  place.file = file_;
  if (binary_) {
    text = fmt::format("at byte {}: {}", position, text);
  } else {
    // Counting only when something is wrong keeps reading fast.
    place.line = 1 + static_cast<long>(std::count(begin_, begin_ + position, '\n'));
  }
  throw Failure(make_error(ErrorCode::invalid_input, std::move(text),
                           hint.empty() ? std::string(damaged) : std::move(hint), std::move(place)));
}

void Cursor::fail_expected(std::string_view what) const {
  Cursor here = *this;
  if (here.binary_) fail(fmt::format("expected {}", what));
  here.skip_space();
  if (here.at_end()) here.fail(fmt::format("expected {}, found the end of the file", what));
  const std::size_t position = here.position();
  here.fail_at(position, fmt::format("expected {}, found {}", what, quoted(here.word())));
}

void Cursor::check_unit(double scale) const {
  if (!(std::isfinite(scale) && scale > 0))
    fail(fmt::format("expected a positive length unit, found {}", scale), "Correct the mesh's unit in the case.");
}

void Cursor::fail_count(std::uint64_t count, std::uint64_t bytes_each, std::string_view what) const {
  fail(fmt::format("expected {} x {}, which take at least {} bytes each; found {} bytes to the end of the file", count,
                   what, bytes_each, remaining()));
}

void Cursor::fail_memory(std::uint64_t count, std::uint64_t bytes_each, std::string_view what) const {
  Place place;
  place.file = file_;
  throw Failure(make_error(ErrorCode::resources,
                           fmt::format("{} x {} of {} bytes do not fit the memory limit of {} ({} taken already)",
                                       count, what, bytes_each, format_bytes(limit_), format_bytes(used_)),
                           "Raise the limit with --memory host=…, or use a coarser mesh.", place));
}

bool Cursor::is_tiny(const char* from, const char* stop) {
  // Out of range and a negative exponent: too small, not too large.
  for (const char* p = from; p + 1 < stop; ++p)
    if ((*p == 'e' || *p == 'E') && p[1] == '-') return true;
  return false;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string out = "'";
  for (const char c : text.substr(0, longest)) {
    if (c >= 32 && c < 127)
      out += c;
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  out += text.size() > longest ? "…'" : "'";
  return out;
}

void resolve_tags(Cursor& in, const std::vector<Index>& tags, std::vector<Index>& connectivity,
                  const std::function<void(Index)>& twice, const std::function<void(std::size_t)>& unknown) {
  Index highest = 0;
  for (const Index t : tags) highest = std::max(highest, t);
  const auto count = static_cast<Index>(tags.size());
  // Numbers are nearly dense in practice: a table. A few huge ones must not make it huge.
  if (highest <= 4 * count + 1024) {
    in.take_memory(static_cast<std::uint64_t>(highest) + 1, sizeof(Index), "node numbers");
    std::vector<Index> at(static_cast<std::size_t>(highest) + 1, -1);
    for (Index i = 0; i < count; ++i) {
      Index& slot = at[static_cast<std::size_t>(tags[static_cast<std::size_t>(i)])];
      if (slot >= 0) twice(tags[static_cast<std::size_t>(i)]);
      slot = i;
    }
    for (std::size_t k = 0; k < connectivity.size(); ++k) {
      const Index t = connectivity[k];
      if (t < 0 || t > highest || at[static_cast<std::size_t>(t)] < 0) unknown(k);
      connectivity[k] = at[static_cast<std::size_t>(t)];
    }
    return;
  }
  in.take_memory(tags.size(), 2 * sizeof(Index), "node numbers");
  std::vector<std::pair<Index, Index>> sorted;
  sorted.reserve(tags.size());
  for (Index i = 0; i < count; ++i) sorted.emplace_back(tags[static_cast<std::size_t>(i)], i);
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].first == sorted[i - 1].first) twice(sorted[i].first);
  for (std::size_t k = 0; k < connectivity.size(); ++k) {
    const auto it = std::lower_bound(sorted.begin(), sorted.end(), std::pair{connectivity[k], Index{-1}});
    if (it == sorted.end() || it->first != connectivity[k]) unknown(k);
    connectivity[k] = it->second;
  }
}

void drop_unused_points(std::vector<double>& points, std::vector<Index>& connectivity) {
  const std::size_t count = points.size() / 3;
  std::vector<char> used(count, 0);
  for (const Index n : connectivity) used[static_cast<std::size_t>(n)] = 1;
  if (std::find(used.begin(), used.end(), 0) == used.end()) return;
  std::vector<Index> now(count, -1);
  Index next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (used[i] == 0) continue;
    for (std::size_t a = 0; a < 3; ++a) points[static_cast<std::size_t>(3 * next) + a] = points[3 * i + a];
    now[i] = next++;
  }
  points.resize(static_cast<std::size_t>(3 * next));
  for (Index& n : connectivity) n = now[static_cast<std::size_t>(n)];
}

}  // namespace conoid::readers
