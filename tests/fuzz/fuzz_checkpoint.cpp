// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: the checkpoint reader on damaged folders (manifest, index, pieces).
//
// Input: one byte that says what the rest stands for. 0: text of a manifest. 1: text of an index. 2: a manifest's body,
// which is wrapped with a right checksum so that the fuzzer gets past it. 3: up to the first 0xff byte a manifest's
// body, then the bytes of rank-0.bin, opened as a folder.
// links: conoid_io
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/core/hash.hpp"
#include "engine/core/json.hpp"
#include "engine/io/checkpoint_format.hpp"
#include "engine/io/checkpoint_store.hpp"
#include "scratch.hpp"

namespace {

std::string wrapped(std::string_view body) {
  conoid::Json outer;
  outer["body"] = std::string(body);
  outer["crc32c"] = conoid::crc32c(std::as_bytes(std::span(body.data(), body.size())));
  return conoid::compact_json(outer);
}

void read_all(const conoid::CheckpointReader& reader, const conoid::checkpoint_format::Manifest& manifest) {
  for (const auto& piece : manifest.pieces) {
    try {
      std::vector<char> some(static_cast<std::size_t>(std::min<conoid::Index>(piece.count, 64)));
      reader.range<char>(piece.name, piece.begin, some);
    } catch (const conoid::Failure&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace conoid;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] & 3) {
    case 0: static_cast<void>(checkpoint_format::parse_manifest(text, "manifest")); break;
    case 1: static_cast<void>(checkpoint_format::parse_index(text, 0, "index")); break;
    case 2: static_cast<void>(checkpoint_format::parse_manifest(wrapped(text), "manifest")); break;
    default: {
      const std::size_t cut = std::min(text.find('\xff'), text.size());
      const std::string manifest = wrapped(text.substr(0, cut));
      fuzz::written("manifest.json", manifest);
      fuzz::written("rank-0.bin", text.substr(std::min(cut + 1, text.size())));
      auto reader = CheckpointStore::open_folder(fuzz::scratch());
      const auto parsed = checkpoint_format::parse_manifest(manifest, "manifest");
      if (reader.ok() && !parsed.ok()) std::abort();
      if (reader.ok()) read_all(**reader, *parsed);
    }
  }
  return 0;
}
