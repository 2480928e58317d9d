// SPDX-License-Identifier: BSD-3-Clause
// The face of HDF5.
#include "engine/io/hdf5_file.hpp"

#if CONOID_HAVE_HDF5

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <new>

#include <fmt/format.h>
#include <sys/mman.h>

#include "engine/io/ordered_file.hpp"

namespace conoid::h5 {
namespace {

/// Address space that nobody uses, only kept from others. Pages that are never touched take no memory.
class KeptRoom {
 public:
  explicit KeptRoom(std::size_t bytes) : bytes_(bytes) {}
  void take() noexcept {
    if (place_ != nullptr) return;
    void* const got = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got != MAP_FAILED) place_ = got;
  }
  void give() noexcept {
    if (place_ != nullptr) ::munmap(std::exchange(place_, nullptr), bytes_);
  }
  [[nodiscard]] bool kept() const noexcept { return place_ != nullptr; }

 private:
  std::size_t bytes_;
  void* place_ = nullptr;
};

/// What one frame's calls take at most: chunk caches of 1 MiB, conversions, metadata; and what closing takes.
constexpr std::size_t room_to_work = std::size_t{16} << 20;
constexpr std::size_t room_to_close = std::size_t{4} << 20;

/// All behind the mutex.
struct Library {
  std::recursive_mutex mutex;
  int depth = 0;
  bool has_room = true;
  KeptRoom work{room_to_work};
  KeptRoom close{room_to_close};
};
Library& library() {
  static Library only;
  return only;
}

[[noreturn]] void fail(std::string text) {
  // What failed for lack of memory is no damaged file.
  KeptRoom some(std::size_t{1} << 20);
  some.take();
  if (!some.kept()) throw std::bad_alloc();
  some.give();
  throw Failure(make_error(ErrorCode::file, std::move(text), "The results file may be damaged or not one of Conoid."));
}

hid_t checked(hid_t id, const std::string& what) {
  if (id < 0) fail("HDF5: cannot " + what);
  return id;
}

void checked_status(herr_t code, const std::string& what) {
  if (code < 0) fail("HDF5: cannot " + what);
}

Handle access_properties() {
  Handle fapl(checked(H5Pcreate(H5P_FILE_ACCESS), "make properties"));
  // Classic format: files of killed writers open again.
  H5Pset_libver_bounds(fapl.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
  H5Pset_fclose_degree(fapl.get(), H5F_CLOSE_STRONG);
  use_ordered_file(fapl.get());
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(fapl.get(), false, true);
#endif
  return fapl;
}

void prepare_library() {
  static const bool once = [] {
#if !H5_VERSION_GE(1, 10, 7)
    // Instead of the call above. Not where it can be helped: another thread may be reading the environment, and would end the
    // program. Never overrides a person.
    ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
#endif
    // The library ends the program when it has no memory to start with; so it is seen to first that there is some.
    void* const volatile room = ::operator new (std::size_t{24} << 20);
    ::operator delete(room);
    // Files are closed by their owners; a sweep at the end of the process would only meet what a lack of memory left.
    H5dont_atexit();
    H5open();
    library().close.take();
    library().work.take();
    return true;
  }();
  static_cast<void>(once);
  thread_local const bool quiet =
      H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;  // each thread has errors of its own
  static_cast<void>(quiet);
}

}  // namespace

Lock::Lock() {
  Library& it = library();
  std::unique_lock held(it.mutex);
  prepare_library();
  if (it.depth++ == 0) {
    it.has_room = it.work.kept();
    it.work.give();
    if (!it.has_room) it.close.give();
  }
  held.release();
}

Lock::~Lock() {
  Library& it = library();
  if (--it.depth == 0) {
    it.close.take();
    it.work.take();
  }
  it.mutex.unlock();
}

void Lock::require_room() const {
  if (!library().has_room) throw std::bad_alloc();
}

void Handle::reset() {
  if (id_ < 0) return;
  const hid_t id = std::exchange(id_, -1);
  switch (H5Iget_type(id)) {
    case H5I_FILE: H5Fclose(id); break;
    case H5I_GROUP: H5Gclose(id); break;
    case H5I_DATASET: H5Dclose(id); break;
    case H5I_DATASPACE: H5Sclose(id); break;
    case H5I_DATATYPE: H5Tclose(id); break;
    case H5I_ATTR: H5Aclose(id); break;
    case H5I_GENPROP_LST: H5Pclose(id); break;
    default: break;
  }
}

Shape Array::shape() const {
  const Handle space(checked(H5Dget_space(id_.get()), "read an array's size"));
  const int rank = H5Sget_simple_extent_ndims(space.get());
  Shape out(static_cast<std::size_t>(std::max(rank, 0)));
  if (!out.empty()) H5Sget_simple_extent_dims(space.get(), out.data(), nullptr);
  return out;
}

Bytes Array::row_bytes() const {
  const Shape s = shape();
  Bytes out = H5Tget_size(memory_type_);
  for (std::size_t i = 1; i < s.size(); ++i) out *= s[i];
  return out;
}

Index Array::chunk_rows() const {
  const Handle dcpl(checked(H5Dget_create_plist(id_.get()), "read an array's chunks"));
  Shape chunk(shape().size(), 1);
  const int rank = H5Pget_layout(dcpl.get()) == H5D_CHUNKED
                       ? H5Pget_chunk(dcpl.get(), static_cast<int>(chunk.size()), chunk.data())
                       : 0;
  return rank > 0 ? std::max<Index>(static_cast<Index>(chunk[0]), 1) : 1;
}

void Array::write_rows(Index row, Index rows, const void* data) {
  if (rows <= 0) return;
  Shape extent = shape();
  const auto end = static_cast<hsize_t>(row + rows);
  if (extent[0] < end) {
    extent[0] = end;
    checked_status(H5Dset_extent(id_.get(), extent.data()), "extend an array");
  }
  Shape start(extent.size(), 0);
  Shape count = extent;
  start[0] = static_cast<hsize_t>(row);
  count[0] = static_cast<hsize_t>(rows);
  const Handle file_space(checked(H5Dget_space(id_.get()), "write an array"));
  const Handle memory_space(checked(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), "write"));
  checked_status(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
                 "select rows");
  checked_status(H5Dwrite(id_.get(), memory_type_, memory_space.get(), file_space.get(), H5P_DEFAULT, data),
                 "write an array");
}

void Array::shrink(Index rows) {
  Shape extent = shape();
  if (extent[0] <= static_cast<hsize_t>(rows)) return;
  extent[0] = static_cast<hsize_t>(rows);
  checked_status(H5Dset_extent(id_.get(), extent.data()), "shorten an array");
}

void Array::read_rows(Index row, Index rows, void* out) const {
  if (rows <= 0) return;
  Shape count = shape();
  if (count.empty() || row < 0 || static_cast<hsize_t>(row) > count[0] ||
      static_cast<hsize_t>(rows) > count[0] - static_cast<hsize_t>(row))
    fail(fmt::format("an array has {} rows, expected {} to {}", count.empty() ? 0 : count[0], row, row + rows));
  Shape start(count.size(), 0);
  start[0] = static_cast<hsize_t>(row);
  count[0] = static_cast<hsize_t>(rows);
  const Handle file_space(checked(H5Dget_space(id_.get()), "read an array"));
  const Handle memory_space(checked(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), "read"));
  checked_status(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
                 "select rows");
  checked_status(H5Dread(id_.get(), memory_type_, memory_space.get(), file_space.get(), H5P_DEFAULT, out),
                 "read an array");
}

Handle create_file(const std::filesystem::path& path) {
  const Handle fapl = access_properties();
  const Handle fcpl(checked(H5Pcreate(H5P_FILE_CREATE), "make properties"));
  // 64 links a symbol node instead of 8: none is split when an array joins a group later.
  H5Pset_sym_k(fcpl.get(), 16, 32);
  errno = 0;
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_EXCL, fcpl.get(), fapl.get());
  if (id < 0) throw Failure(system_error("create", path.string(), errno != 0 ? errno : EIO));
  return Handle(id);
}

Handle open_file(const std::filesystem::path& path, bool to_write) {
  const Handle fapl = access_properties();
  errno = 0;
  const hid_t id = H5Fopen(path.c_str(), to_write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, fapl.get());
  if (id < 0) {
    if (errno == ENOENT || errno == EACCES || errno == EROFS) throw Failure(system_error("open", path.string(), errno));
    fail(fmt::format("expected an HDF5 file, found something else or a damaged one in '{}'", path.string()));
  }
  forget_tail(id);
  return Handle(id);
}

void flush(const Handle& file) {
  const herr_t code = H5Fflush(file.get(), H5F_SCOPE_GLOBAL);
  if (const auto failure = write_failure(file.get())) throw Failure(*failure);
  checked_status(code, "flush a file");
}

Handle create_group(hid_t parent, const std::string& name) {
  const Handle gcpl(checked(H5Pcreate(H5P_GROUP_CREATE), "make properties"));
  H5Pset_local_heap_size_hint(gcpl.get(), 4096);
  return Handle(
      checked(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, gcpl.get(), H5P_DEFAULT), "create group " + name));
}

Handle open_group(hid_t parent, const std::string& name) {
  if (!exists(parent, name)) fail("expected a group '" + name + "'");
  return Handle(checked(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), "open group " + name));
}

bool exists(hid_t parent, const std::string& name) {
  if (H5Lexists(parent, name.c_str(), H5P_DEFAULT) <= 0) return false;
  // A link to another name or another file is none that we made.
  H5L_info_t link{};
  return H5Lget_info(parent, name.c_str(), &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
}

std::vector<std::string> names_in(hid_t group) {
  std::vector<std::string> out;
  H5G_info_t info{};
  if (H5Gget_info(group, &info) < 0) return out;
  for (hsize_t i = 0; i < info.nlinks && i < 100000; ++i) {
    char name[1024];
    const ssize_t n = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    if (n > 0 && static_cast<std::size_t>(n) < sizeof name) out.emplace_back(name, static_cast<std::size_t>(n));
  }
  return out;
}

Array create_array(hid_t group, const std::string& name, hid_t type, const Shape& row, Index chunk_rows,
                   const Shape& chunk_inner) {
  Shape extent{0}, most{H5S_UNLIMITED}, chunk{static_cast<hsize_t>(std::max<Index>(chunk_rows, 1))};
  extent.insert(extent.end(), row.begin(), row.end());
  most.insert(most.end(), row.begin(), row.end());
  const Shape& inner = chunk_inner.empty() ? row : chunk_inner;
  chunk.insert(chunk.end(), inner.begin(), inner.end());
  const Handle space(
      checked(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), most.data()), "make " + name));
  const Handle dcpl(checked(H5Pcreate(H5P_DATASET_CREATE), "make properties"));
  checked_status(H5Pset_chunk(dcpl.get(), static_cast<int>(chunk.size()), chunk.data()), "choose chunks for " + name);
  // Every row is written before a step points to it: filling first would write everything twice.
  H5Pset_fill_time(dcpl.get(), H5D_FILL_TIME_NEVER);
  const Handle dapl(checked(H5Pcreate(H5P_DATASET_ACCESS), "make properties"));
  H5Pset_chunk_cache(dapl.get(), 0, 0, 0);
  return {Handle(checked(H5Dcreate2(group, name.c_str(), type, space.get(), H5P_DEFAULT, dcpl.get(), dapl.get()),
                         "create array " + name)),
          type};
}

namespace {

/// The library trusts what a file says of an array, and crashes on layouts that a damaged header made up. Ours are chunks of plain
/// numbers without filters; nothing else is read.
void expect_plain_chunks(hid_t array, const std::string& name) {
  const auto wrong = [&](const char* what) { fail(fmt::format("the array '{}' has {}", name, what)); };
  const Handle type(checked(H5Dget_type(array), "read the type of " + name));
  const auto kind = H5Tget_class(type.get());
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || H5Tget_size(type.get()) > 8) wrong("no plain numbers");
  const Handle space(checked(H5Dget_space(array), "read the size of " + name));
  const Handle dcpl(checked(H5Dget_create_plist(array), "read the chunks of " + name));
  constexpr int most = 5;
  std::array<hsize_t, most> chunk{};
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 1 || rank > most || H5Pget_layout(dcpl.get()) != H5D_CHUNKED ||
      H5Pget_chunk(dcpl.get(), most, chunk.data()) != rank)
    wrong("no chunks of its own shape");
  hsize_t entries = 1;
  for (int i = 0; i < rank; ++i) {
    const hsize_t n = chunk[static_cast<std::size_t>(i)];
    if (n == 0 || n > (hsize_t{1} << 32) / entries) wrong("chunks of no sensible size");
    entries *= n;
  }
  if (H5Pget_nfilters(dcpl.get()) != 0) wrong("filters");
}

}  // namespace

Array open_array(hid_t group, const std::string& name, hid_t memory_type) {
  if (!exists(group, name)) fail("expected an array '" + name + "'");
  const Handle dapl(checked(H5Pcreate(H5P_DATASET_ACCESS), "make properties"));
  H5Pset_chunk_cache(dapl.get(), 0, 0, 0);
  Handle array(checked(H5Dopen2(group, name.c_str(), dapl.get()), "open array " + name));
  expect_plain_chunks(array.get(), name);
  return {std::move(array), memory_type};
}

namespace {

void write_attribute(hid_t object, const std::string& name, hid_t type, const Handle& space, const void* data) {
  const Handle attribute(checked(H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                                 "create attribute " + name));
  checked_status(H5Awrite(attribute.get(), type, data), "write attribute " + name);
}

Handle simple_space(std::size_t count, bool scalar) {
  const hsize_t n = count;
  return Handle(checked(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, nullptr), "make a dataspace"));
}

Handle open_attribute(hid_t object, const std::string& name) {
  if (!has_attribute(object, name)) fail("expected an attribute '" + name + "'");
  return Handle(checked(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open attribute " + name));
}

void expect_count(const Handle& attribute, const std::string& name, std::size_t count) {
  const Handle space(checked(H5Aget_space(attribute.get()), "read attribute " + name));
  const hssize_t found = H5Sget_simple_extent_npoints(space.get());
  if (found != static_cast<hssize_t>(count))
    fail(fmt::format("attribute '{}' holds {} values, expected {}", name, found, count));
}

}  // namespace

void set_attribute(hid_t object, const std::string& name, std::string_view text) {
  const Handle type(checked(H5Tcopy(H5T_C_S1), "make a string type"));
  H5Tset_size(type.get(), std::max<std::size_t>(text.size(), 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  H5Tset_cset(type.get(), ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8);
  std::string padded(text);
  padded.resize(std::max<std::size_t>(text.size(), 1));
  write_attribute(object, name, type.get(), simple_space(1, true), padded.data());
}

void set_attribute(hid_t object, const std::string& name, std::span<const std::int64_t> values, bool scalar) {
  write_attribute(object, name, H5T_NATIVE_INT64, simple_space(values.size(), scalar), values.data());
}

void set_attribute(hid_t object, const std::string& name, std::span<const double> values) {
  write_attribute(object, name, H5T_NATIVE_DOUBLE, simple_space(values.size(), false), values.data());
}

bool has_attribute(hid_t object, const std::string& name) {
  return H5Aexists(object, name.c_str()) > 0;
}

std::string text_attribute(hid_t object, const std::string& name) {
  const Handle attribute = open_attribute(object, name);
  expect_count(attribute, name, 1);
  const Handle type(checked(H5Aget_type(attribute.get()), "read attribute " + name));
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0 || H5Tget_size(type.get()) > 65536)
    fail("attribute '" + name + "' is not a short text");
  std::string out(H5Tget_size(type.get()), '\0');
  checked_status(H5Aread(attribute.get(), type.get(), out.data()), "read attribute " + name);
  while (!out.empty() && out.back() == '\0') out.pop_back();
  return out;
}

std::vector<std::int64_t> integer_attribute(hid_t object, const std::string& name, std::size_t count) {
  const Handle attribute = open_attribute(object, name);
  expect_count(attribute, name, count);
  std::vector<std::int64_t> out(count);
  checked_status(H5Aread(attribute.get(), H5T_NATIVE_INT64, out.data()), "read attribute " + name);
  return out;
}

std::vector<double> real_attribute(hid_t object, const std::string& name, std::size_t count) {
  const Handle attribute = open_attribute(object, name);
  expect_count(attribute, name, count);
  std::vector<double> out(count);
  checked_status(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, out.data()), "read attribute " + name);
  return out;
}

void update_attribute(hid_t object, const std::string& name, std::int64_t value) {
  const Handle attribute = open_attribute(object, name);
  expect_count(attribute, name, 1);
  checked_status(H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value), "write attribute " + name);
}

}  // namespace conoid::h5

#endif  // CONOID_HAVE_HDF5
