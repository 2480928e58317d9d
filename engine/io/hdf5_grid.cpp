// SPDX-License-Identifier: BSD-3-Clause
// Arrays of HDF5 files that others wrote.
#include "engine/io/hdf5_grid.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/core/atomic_file.hpp"
#include "engine/io/hdf5_file.hpp"

namespace conoid {
namespace fs = std::filesystem;

#if !CONOID_HAVE_HDF5

Result<Hdf5Grid> read_hdf5_grid(const fs::path& path, const std::string&, const std::string&) {
  return make_error(ErrorCode::resources, "this build of Conoid has no HDF5: it cannot read this file",
                    "Build with HDF5 (Debian: libhdf5-dev).", {path.string(), 0, ""});
}

#else

namespace {

using h5::Handle;

class GridReader {
 public:
  GridReader(const fs::path& path, std::string array, std::string preferred)
      : path_(path), array_(std::move(array)), preferred_(std::move(preferred)) {}

  /// At most `most` values: fewer along the slowest axes.
  Hdf5Grid read(hsize_t most) const {
    Hdf5Grid out;
    const Handle file = opened();
    out.name = array_.empty() ? only_array(file.get()) : array_;
    const Handle array = open(file.get(), out.name);
    const Handle type = valid(H5Dget_type(array.get())), space = valid(H5Dget_space(array.get())),
                 created = valid(H5Dget_create_plist(array.get()));
    const H5T_class_t kind = H5Tget_class(type.get());
    const std::size_t size = H5Tget_size(type.get());
    if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || size < 1 || size > 16)
      fail(fmt::format("the array {} holds no numbers", out.name), "Name an array of floats or whole numbers.");
    if (H5Pget_external_count(created.get()) != 0 || H5Pget_layout(created.get()) == H5D_VIRTUAL)
      fail(fmt::format("the values of the array {} lie in other files", out.name),
           "Write them to one file (h5repack).");
    hsize_t extent[H5S_MAX_RANK]{};
    const int axes = H5Sget_simple_extent_ndims(space.get());
    if (axes < 1 || axes > 8 || H5Sget_simple_extent_dims(space.get(), extent, nullptr) != axes)
      fail(fmt::format("the array {} has {} axes; 1 to 8 were expected", out.name, axes), "Name another array.");
    double count = 1;
    for (int a = 0; a < axes; ++a) {
      out.shape.push_back(static_cast<Index>(std::min<hsize_t>(extent[a], 1'000'000'000'000)));
      count *= static_cast<double>(extent[a]);
    }
    std::error_code error;
    const auto bytes = static_cast<double>(fs::file_size(path_, error));
    if (error) throw Failure(system_error("read", path_.string(), error.value()));
    constexpr double packed = 1032;  // at most so many bytes from one (RFC 1951)
    if (count < 1 || count > 4e9 || count * static_cast<double>(size) > packed * bytes)
      fail(fmt::format("the array {} announces {:.0f} values, the file has {:.0f} bytes", out.name, count, bytes),
           "Supply the whole file.");
    out.spacing = numbers(array.get(), "spacing");
    out.origin = numbers(array.get(), "origin");
    out.axes = text(array.get(), "axes");
    out.unit = text(array.get(), "unit");
    hsize_t start[H5S_MAX_RANK]{};
    auto values = static_cast<hsize_t>(count);
    for (int a = 0; a < axes && values > most; ++a) {
      const hsize_t inner = values / extent[a];
      extent[a] = std::max<hsize_t>(1, most / inner);
      values = extent[a] * inner;
    }
    out.values.resize(values);
    const Handle memory = valid(H5Screate_simple(axes, extent, nullptr));
    if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, extent, nullptr) < 0 ||
        H5Dread(array.get(), H5T_NATIVE_FLOAT, memory.get(), space.get(), H5P_DEFAULT, out.values.data()) < 0)
      fail(fmt::format("the values of the array {} cannot be read: damaged, or packed by a filter that is not here",
                       out.name),
           "Write the array plain or packed by gzip (h5repack -f GZIP=6).");
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    throw Failure(make_error(ErrorCode::invalid_input, what, hint, {path_.string(), 0, ""}));
  }
  [[nodiscard]] Handle valid(hid_t id) const {
    if (id < 0) fail("the HDF5 file is damaged", "Supply the whole file.");
    return Handle(id);
  }
  [[nodiscard]] Handle opened() const {
    const Handle access = valid(H5Pcreate(H5P_FILE_ACCESS));
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access.get(), false, true);
#endif
    H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
    const hid_t id = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access.get());
    if (id < 0) fail("no HDF5 file, or a damaged one", "Check that the file is HDF5 and complete.");
    return Handle(id);
  }
  [[nodiscard]] std::string only_array(hid_t file) const {
    const Handle root = valid(H5Gopen2(file, "/", H5P_DEFAULT));
    std::string found, all;
    std::size_t count = 0;
    for (const std::string& name : h5::names_in(root.get())) {
      if (!h5::exists(root.get(), name)) continue;
      const Handle object(H5Oopen(root.get(), name.c_str(), H5P_DEFAULT));
      if (!object.valid() || H5Iget_type(object.get()) != H5I_DATASET) continue;
      if (name == preferred_) return "/" + name;
      if (++count <= 20) all += (all.empty() ? "/" : ", /") + name.substr(0, 60);
      found = "/" + name;
    }
    if (count != 1)
      fail(count == 0 ? "no array in the root group of the HDF5 file" : fmt::format("several arrays: {}", all),
           fmt::format("Name one: \"{}:/path/of/array\"; or call it \"{}\".", path_.filename().string(), preferred_));
    return found;
  }
  /// Group by group, so that no link leads elsewhere.
  [[nodiscard]] Handle open(hid_t file, const std::string& array) const {
    Handle here = valid(H5Gopen2(file, "/", H5P_DEFAULT));
    bool any = false;
    for (std::size_t at = 0; at < array.size();) {
      const std::size_t end = std::min(array.find('/', at), array.size());
      const std::string name = array.substr(at, end - at);
      at = end + 1;
      if (name.empty()) continue;
      any = true;
      if (H5Iget_type(here.get()) != H5I_GROUP || !h5::exists(here.get(), name)) {
        std::string there;
        if (H5Iget_type(here.get()) == H5I_GROUP)
          for (const std::string& other : h5::names_in(here.get()))
            if (there.size() < 200) there += (there.empty() ? "" : ", ") + other.substr(0, 60);
        fail(fmt::format("no array {} in the HDF5 file: \"{}\" is missing beside {}", array.substr(0, 200),
                         name.substr(0, 60), there.empty() ? "nothing" : there),
             "Name an array of the file (h5ls -r lists them); links to other places are not followed.");
      }
      here = valid(H5Oopen(here.get(), name.c_str(), H5P_DEFAULT));
    }
    if (!any || H5Iget_type(here.get()) != H5I_DATASET)
      fail(fmt::format("{} is a group of the HDF5 file, no array", array.substr(0, 200)),
           "Name an array in it (h5ls -r lists them).");
    return here;
  }
  [[nodiscard]] std::vector<double> numbers(hid_t array, const char* name) const {
    if (!h5::has_attribute(array, name)) return {};
    const Handle attribute = valid(H5Aopen(array, name, H5P_DEFAULT)), space = valid(H5Aget_space(attribute.get())),
                 type = valid(H5Aget_type(attribute.get()));
    const hssize_t count = H5Sget_simple_extent_npoints(space.get());
    const H5T_class_t kind = H5Tget_class(type.get());
    std::vector<double> out(static_cast<std::size_t>(std::clamp<hssize_t>(count, 0, 16)));
    if (count < 1 || count > 16 || (kind != H5T_FLOAT && kind != H5T_INTEGER) ||
        H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, out.data()) < 0)
      fail(fmt::format("the attribute \"{}\" is no list of numbers", name), "Write numbers, slowest axis first.");
    return out;
  }
  [[nodiscard]] std::string text(hid_t array, const char* name) const {
    if (!h5::has_attribute(array, name)) return {};
    const Handle attribute = valid(H5Aopen(array, name, H5P_DEFAULT)), space = valid(H5Aget_space(attribute.get())),
                 type = valid(H5Aget_type(attribute.get()));
    const std::size_t size = H5Tget_size(type.get());
    if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1 || size > 4096)
      fail(fmt::format("the attribute \"{}\" is no short text", name), "Write one text.");
    std::string out;
    if (H5Tis_variable_str(type.get()) > 0) {  // as h5py writes a str
      const Handle as(valid(H5Tcopy(type.get())));
      char* from = nullptr;
      if (H5Aread(attribute.get(), as.get(), static_cast<void*>(&from)) < 0)
        fail(fmt::format("the attribute \"{}\" cannot be read", name), "Write one text.");
      if (from) out.assign(from, ::strnlen(from, 4096));
      H5Dvlen_reclaim(as.get(), space.get(), H5P_DEFAULT, static_cast<void*>(&from));
    } else {
      out.resize(size);
      if (H5Aread(attribute.get(), type.get(), out.data()) < 0)
        fail(fmt::format("the attribute \"{}\" cannot be read", name), "Write one text.");
      out.resize(::strnlen(out.data(), size));
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
  }
  fs::path path_;
  std::string array_, preferred_;
};

/// HDF5 trusts the headers of a file and may divide by a zero in them, take all memory, or worse: a copy of this process looks first, with
/// little memory. What it found wrong, if anything; then this process does not look.
std::optional<Error> found_wrong(const GridReader& reader, const fs::path& path) {
  constexpr hsize_t most_values = hsize_t{1} << 24;
  constexpr unsigned seconds = 60;
  constexpr rlim_t memory = rlim_t{256} << 20;  // chunks, and four bytes a value
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("read", path.string(), errno);
  const pid_t child = ::fork();
  if (child < 0) {
    const int reason = errno;
    ::close(ends[0]), ::close(ends[1]);
    return system_error("look into", path.string(), reason);
  }
  if (child == 0) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) ::signal(signal, SIG_DFL);
    const rlimit none{0, 0}, time{seconds, seconds};
    ::setrlimit(RLIMIT_CORE, &none);
    ::setrlimit(RLIMIT_CPU, &time);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    unsigned long pages = 0;
    if (std::FILE* const statm = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(statm, "%lu", &pages) != 1) pages = 0;
      std::fclose(statm);
    }
    const rlim_t all = static_cast<rlim_t>(pages) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + memory;
    const rlimit space{all, all};
    if (pages > 0) ::setrlimit(RLIMIT_AS, &space);
#endif
    ::signal(SIGALRM, SIG_DFL);
    ::alarm(5 * seconds);
    int code = 0;
    try {
      static_cast<void>(reader.read(most_values));
    } catch (const Failure& failure) {
      std::string said = failure.error().text.substr(0, 2000) + '\0' + failure.error().hint.substr(0, 1000);
      code = ::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 1 : 2;
    } catch (...) {
      code = 2;
    }
    ::_exit(code);
  }
  ::close(ends[1]);
  std::string said(4096, '\0');
  const ssize_t got = ::read(ends[0], said.data(), said.size());
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return system_error("look into", path.string(), errno);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1 && got > 0) {
    said.resize(static_cast<std::size_t>(got));
    const std::size_t cut = std::min(said.find('\0'), said.size() - 1);
    return make_error(ErrorCode::invalid_input, said.substr(0, cut), said.substr(cut + 1), {path.string(), 0, ""});
  }
  return make_error(ErrorCode::file, "the HDF5 file is damaged: the library cannot bear it", "Supply the whole file.",
                    {path.string(), 0, ""});
}

}  // namespace

Result<Hdf5Grid> read_hdf5_grid(const fs::path& path, const std::string& array, const std::string& preferred) {
  if (const Status plain = expect_plain_file(path); !plain) return plain.error();
  const h5::Lock held;
  try {
    held.require_room();
    const GridReader reader(path, array, preferred);
    if (auto wrong = found_wrong(reader, path)) return std::move(*wrong);
    return reader.read(hsize_t{1} << 40);
  } catch (...) {
    return current_exception_as_error();
  }
}

#endif  // CONOID_HAVE_HDF5

}  // namespace conoid
