// SPDX-License-Identifier: BSD-3-Clause
// Text forms of the checkpoint's index and manifest, and their checks.
#include "engine/io/checkpoint_format.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>

#include <fmt/format.h>

#include "engine/core/hash.hpp"
#include "engine/core/json.hpp"

namespace conoid::checkpoint_format {
namespace {

Error damaged(const std::string& file, std::string what) {
  return make_error(ErrorCode::file, std::move(what),
                    "The checkpoint is damaged; an older one is used if there is one.", {file, 0, {}});
}

std::uint32_t crc_of(std::string_view text) {
  return crc32c(std::as_bytes(std::span(text.data(), text.size())));
}

// [name, entry, global, begin, count, offset, crc]: arrays keep a manifest of many pieces small.
Json to_json(const Piece& p) {
  return Json::array({p.name, p.entry, p.global, p.begin, p.count, p.offset, p.crc});
}

// Unsigned 64 bits or nothing: JSON numbers may be negative, fractions or huge.
std::uint64_t count_at(const Json& j, std::size_t position) {
  const Json& v = j.at(position);
  if (!v.is_number_unsigned()) throw std::out_of_range("not a count");
  return v.get<std::uint64_t>();
}

Index index_at(const Json& j, std::size_t position) {
  const std::uint64_t v = count_at(j, position);
  if (v > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) throw std::out_of_range("too large");
  return static_cast<Index>(v);
}

// Throws JSON or out_of_range errors on anything that is not a piece.
Piece piece_from(const Json& j, int rank) {
  if (!j.is_array() || j.size() < 7) throw std::out_of_range("not a piece");
  Piece p;
  p.name = j.at(0).get<std::string>();
  p.entry = count_at(j, 1);
  p.global = index_at(j, 2);
  p.begin = index_at(j, 3);
  p.count = index_at(j, 4);
  p.offset = count_at(j, 5);
  const std::uint64_t crc = count_at(j, 6);
  if (crc > 0xffffffffu || p.entry == 0 || p.entry > (1u << 20)) throw std::out_of_range("entry");
  p.crc = static_cast<std::uint32_t>(crc);
  p.rank = rank;
  if (p.begin > p.global || p.count > p.global - p.begin) throw std::out_of_range("range");
  if (static_cast<std::uint64_t>(p.count) > std::numeric_limits<std::int64_t>::max() / p.entry)
    throw std::out_of_range("bytes");
  return p;
}

bool fits(const Piece& p, Bytes file_size) {
  const Bytes bytes = static_cast<Bytes>(p.count) * p.entry;
  return p.offset >= head.size() && p.offset <= file_size && bytes <= file_size - p.offset;
}

}  // namespace

std::string index_text(const std::vector<Piece>& pieces) {
  Json out = Json::array();
  for (const auto& p : pieces) out.push_back(to_json(p));
  return compact_json(out);
}

Result<std::vector<Piece>> parse_index(std::string_view text, int rank, const std::string& file) {
  const Json j = read_json(text);
  if (!j.is_array()) return damaged(file, "expected the index of the pieces, found no JSON array");
  std::vector<Piece> out;
  try {
    for (const auto& p : j) out.push_back(piece_from(p, rank));
  } catch (const std::exception&) {
    return damaged(file, fmt::format("piece {} of the index is not one", out.size()));
  }
  return out;
}

std::string manifest_text(const Manifest& manifest) {
  Json body;
  body["conoid_checkpoint"] = version;
  body["step"] = manifest.step;
  body["ranks"] = manifest.ranks;
  body["bytes"] = manifest.sizes;
  auto& pieces = body["pieces"] = Json::array();
  for (const auto& p : manifest.pieces) {
    Json entry = to_json(p);
    entry.push_back(p.rank);
    pieces.push_back(std::move(entry));
  }
  const std::string text = compact_json(body);
  Json out;
  out["crc32c"] = crc_of(text);
  out["body"] = text;
  return compact_json(out) + "\n";
}

Status check_coverage(std::vector<Piece> pieces, const std::string& file) {
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.name, a.begin, a.count) < std::tie(b.name, b.begin, b.count);
  });
  for (std::size_t i = 0; i < pieces.size();) {
    const Piece& first = pieces[i];
    Index covered = 0;
    for (; i < pieces.size() && pieces[i].name == first.name; ++i) {
      const Piece& p = pieces[i];
      if (p.entry != first.entry || p.global != first.global)
        return damaged(file, fmt::format("array '{}': its pieces do not agree on its size", p.name));
      if (p.begin != covered)
        return damaged(file, fmt::format("array '{}': entries {} to {} are {}", p.name, std::min(covered, p.begin),
                                         std::max(covered, p.begin), p.begin > covered ? "missing" : "there twice"));
      covered = p.begin + p.count;
    }
    if (covered != first.global)
      return damaged(file, fmt::format("array '{}': entries {} to {} are missing", first.name, covered, first.global));
  }
  return {};
}

Result<Manifest> parse_manifest(std::string_view text, const std::string& file) {
  if (text.size() > text_limit) return damaged(file, "the manifest is too large");
  const Json outer = read_json(text);
  if (!outer.is_object() || !outer.contains("crc32c") || !outer.contains("body") || !outer["body"].is_string() ||
      !outer["crc32c"].is_number_unsigned())
    return damaged(file, "expected a manifest, found something else");
  const std::string& body_text = outer["body"].get_ref<const std::string&>();
  if (outer["crc32c"].get<std::uint64_t>() != crc_of(body_text))
    return damaged(file, "the manifest's checksum does not match");
  const Json body = read_json(body_text);
  Manifest out;
  try {
    const int found = body.at("conoid_checkpoint").get<int>();
    if (found != version)
      return make_error(
          ErrorCode::file,
          fmt::format("checkpoint format {} is not known to this version (it reads format {})", found, version),
          "Continue the run with the version of Conoid that wrote it.", {file, 0, {}});
    out.step = body.at("step").get<Index>();
    out.ranks = body.at("ranks").get<int>();
    if (out.step < 0 || out.ranks < 1 || out.ranks > (1 << 20)) throw std::out_of_range("ranks");
    const Json& sizes = body.at("bytes");
    for (std::size_t r = 0; r < sizes.size(); ++r) out.sizes.push_back(count_at(sizes, r));
    if (out.sizes.size() != static_cast<std::size_t>(out.ranks)) throw std::out_of_range("sizes");
    for (const auto& entry : body.at("pieces")) {
      const std::uint64_t rank = count_at(entry, 7);
      if (rank >= out.sizes.size()) throw std::out_of_range("rank");
      Piece p = piece_from(entry, static_cast<int>(rank));
      if (!fits(p, out.sizes[rank])) throw std::out_of_range("offset");
      out.pieces.push_back(std::move(p));
    }
  } catch (const std::exception&) {
    return damaged(file, "the manifest's body is not well-formed");
  }
  if (const Status covered = check_coverage(out.pieces, file); !covered) return covered.error();
  return out;
}

}  // namespace conoid::checkpoint_format
