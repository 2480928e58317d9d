// SPDX-License-Identifier: BSD-3-Clause
// A thin C++ face of the HDF5 C API: handles that close themselves, failures thrown as Failure(file). Internal to io.
#pragma once

#include "conoid/config.hpp"

#if CONOID_HAVE_HDF5

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid::h5 {

/// Every use of HDF5 holds one of these, one thread at a time; a thread may hold several.
///
/// The library leaves its structures broken where it finds no memory in the middle of a call, and then crashes. So the process keeps
/// address space for it between calls, which the outermost lock gives free for its time and takes back at its end.
class [[nodiscard]] Lock {
 public:
  Lock();
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  /// Throws std::bad_alloc where there is too little room for calls that take more memory. Closing works without.
  void require_room() const;
};

/// Owns one identifier of any kind.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, -1);
    }
    return *this;
  }
  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  void reset();

 private:
  hid_t id_ = -1;
};

using Shape = std::vector<hsize_t>;

/// A growing array: the first dimension is unlimited.
class Array {
 public:
  Array() = default;
  Array(Handle id, hid_t memory_type) : id_(std::move(id)), memory_type_(memory_type) {}
  [[nodiscard]] hid_t id() const { return id_.get(); }
  [[nodiscard]] bool valid() const { return id_.valid(); }
  [[nodiscard]] Shape shape() const;
  /// Writes whole rows from `row` on, growing the array when needed; `data` holds rows × (product of the other extents).
  void write_rows(Index row, Index rows, const void* data);
  /// Cuts the array to its first rows.
  void shrink(Index rows);
  /// Reads whole rows; the caller has checked that they exist.
  void read_rows(Index row, Index rows, void* out) const;
  /// Bytes per row in memory.
  [[nodiscard]] Bytes row_bytes() const;
  /// Rows that share a chunk.
  [[nodiscard]] Index chunk_rows() const;

 private:
  Handle id_;
  hid_t memory_type_ = -1;
};

/// Classic format through the ordered driver, no file locking. All throw Failure(file), or std::bad_alloc where there is no memory.
[[nodiscard]] Handle create_file(const std::filesystem::path& path);
[[nodiscard]] Handle open_file(const std::filesystem::path& path, bool to_write);
/// Hands everything to the system, in the driver's order; throws the first failed write since the file was opened.
void flush(const Handle& file);

/// With room for the names of about 60 members: links made later change this group's blocks in place.
[[nodiscard]] Handle create_group(hid_t parent, const std::string& name);
[[nodiscard]] Handle open_group(hid_t parent, const std::string& name);
[[nodiscard]] bool exists(hid_t parent, const std::string& name);
[[nodiscard]] std::vector<std::string> names_in(hid_t group);

/// `type` is both the file's and the memory's type; `row` the extents after the first; `chunk_rows` rows a chunk and,
/// for images, `chunk_inner` to cut rows further (empty: whole rows).
[[nodiscard]] Array create_array(hid_t group, const std::string& name, hid_t type, const Shape& row, Index chunk_rows,
                                 const Shape& chunk_inner = {});
[[nodiscard]] Array open_array(hid_t group, const std::string& name, hid_t memory_type);

void set_attribute(hid_t object, const std::string& name, std::string_view text);
void set_attribute(hid_t object, const std::string& name, std::span<const std::int64_t> values, bool scalar = false);
void set_attribute(hid_t object, const std::string& name, std::span<const double> values);
[[nodiscard]] bool has_attribute(hid_t object, const std::string& name);
[[nodiscard]] std::string text_attribute(hid_t object, const std::string& name);
[[nodiscard]] std::vector<std::int64_t> integer_attribute(hid_t object, const std::string& name, std::size_t count);
[[nodiscard]] std::vector<double> real_attribute(hid_t object, const std::string& name, std::size_t count);
/// Replaces the value of a scalar integer attribute in place.
void update_attribute(hid_t object, const std::string& name, std::int64_t value);

}  // namespace conoid::h5

#endif  // CONOID_HAVE_HDF5
