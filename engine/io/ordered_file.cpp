// SPDX-License-Identifier: BSD-3-Clause
// The ordered file driver.
#include "engine/io/ordered_file.hpp"

#if CONOID_HAVE_HDF5

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "engine/core/types.hpp"
#include "engine/io/system_write.hpp"

namespace conoid::h5 {
namespace {

constexpr haddr_t largest_address = static_cast<haddr_t>(std::numeric_limits<off_t>::max()) - 1;

// HDF5 allocates nothing itself for a driver: it sees the first member only.
struct OrderedFile {
  H5FD_t head{};
  int fd = -1;
  bool writable = false;
  dev_t device = 0;
  ino_t inode = 0;
  haddr_t end_of_addresses = 0;
  haddr_t size = 0;     ///< of the file as the system has it
  haddr_t flushed = 0;  ///< end of what the last flush made part of the file
  std::string name;
  std::map<haddr_t, std::vector<std::byte>> pending;  ///< metadata by address, not overlapping
  std::optional<Error> failure;

  ~OrderedFile() {
    if (fd >= 0) ::close(fd);
  }

  bool put(haddr_t address, std::span<const std::byte> data) {
    if (failure) return false;
    if (const int code = write_fully(fd, data, static_cast<std::int64_t>(address)); code != 0) {
      failure = system_error("write", name, code);
      return false;
    }
    size = std::max(size, address + data.size());
    return true;
  }

  // Keeps a block; where it overlaps older ones, the union becomes one block.
  void hold(haddr_t address, std::span<const std::byte> data) {
    const auto same = pending.find(address);
    if (same != pending.end() && same->second.size() == data.size()) {
      std::copy(data.begin(), data.end(), same->second.begin());
      return;
    }
    haddr_t begin = address;
    haddr_t end = address + data.size();
    auto first = pending.lower_bound(address);
    if (first != pending.begin()) {
      const auto before = std::prev(first);
      if (before->first + before->second.size() > address) first = before;
    }
    auto last = first;
    for (; last != pending.end() && last->first < end; ++last) {
      begin = std::min(begin, last->first);
      end = std::max(end, last->first + last->second.size());
    }
    std::vector<std::byte> block(end - begin);
    for (auto it = first; it != last; ++it)
      std::copy(it->second.begin(), it->second.end(), block.begin() + static_cast<std::ptrdiff_t>(it->first - begin));
    std::copy(data.begin(), data.end(), block.begin() + static_cast<std::ptrdiff_t>(address - begin));
    pending.erase(first, last);
    pending[begin] = std::move(block);
  }

  // A finished state refers to a block by way of the blocks of lower rank.
  static int rank_of(haddr_t address, const std::vector<std::byte>& block) {
    if (address == 0) return 0;
    if (block.size() > 8) {
      if (std::memcmp(block.data(), "HEAP", 4) == 0) return 1;
      // Level: byte 5 of a version 1 B-tree node, 0 for leaves.
      if (std::memcmp(block.data(), "TREE", 4) == 0) return 2 + 255 - std::to_integer<int>(block[5]);
      if (std::memcmp(block.data(), "SNOD", 4) == 0) return 300;
    }
    return 301;
  }

  void flush() {
    if (failure || !writable) return;
    std::vector<std::pair<int, haddr_t>> replaced;
    for (const auto& [address, block] : pending) {
      if (address < flushed)
        replaced.emplace_back(rank_of(address, block), address);
      else if (!put(address, block))
        return;
    }
    if (size < end_of_addresses) {
      if (::ftruncate(fd, static_cast<off_t>(end_of_addresses)) != 0) {
        failure = system_error("write", name, errno);
        return;
      }
      size = end_of_addresses;
    }
    std::sort(replaced.begin(), replaced.end());
    for (const auto& [rank, address] : replaced)
      if (!put(address, pending[address])) return;
    pending.clear();
    flushed = end_of_addresses;
  }
};

OrderedFile* self(H5FD_t* file) {
  return reinterpret_cast<OrderedFile*>(file);
}
const OrderedFile* self(const H5FD_t* file) {
  return reinterpret_cast<const OrderedFile*>(file);
}

H5FD_t* driver_open(const char* name, unsigned flags, hid_t, haddr_t) try {
  auto file = std::make_unique<OrderedFile>();
  file->writable = (flags & H5F_ACC_RDWR) != 0;
  int mode = file->writable ? O_RDWR | O_NOFOLLOW : O_RDONLY | O_NONBLOCK;
  if (flags & H5F_ACC_TRUNC) mode |= O_TRUNC;
  if (flags & H5F_ACC_CREAT) mode |= O_CREAT;
  if (flags & H5F_ACC_EXCL) mode |= O_EXCL;
  file->fd = ::open(name, mode | O_CLOEXEC, 0666);
  struct stat info {};
  if (file->fd < 0 || ::fstat(file->fd, &info) != 0 || !S_ISREG(info.st_mode)) return nullptr;
  file->device = info.st_dev;
  file->inode = info.st_ino;
  file->size = static_cast<haddr_t>(info.st_size);
  file->flushed = file->size;
  file->name = name;
  return &file.release()->head;
} catch (...) {
  return nullptr;
}

herr_t driver_close(H5FD_t* file) {
  delete self(file);
  return 0;
}

int driver_compare(const H5FD_t* a, const H5FD_t* b) {
  const auto key = [](const H5FD_t* f) { return std::pair(self(f)->device, self(f)->inode); };
  return key(a) < key(b) ? -1 : key(b) < key(a) ? 1 : 0;
}

herr_t driver_query(const H5FD_t*, unsigned long* flags) {
  if (flags) *flags = H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t driver_get_eoa(const H5FD_t* file, H5FD_mem_t) {
  return self(file)->end_of_addresses;
}

herr_t driver_set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  self(file)->end_of_addresses = address;
  return 0;
}

haddr_t driver_get_eof(const H5FD_t* file, H5FD_mem_t) {
  const OrderedFile& f = *self(file);
  if (f.pending.empty()) return f.size;
  const auto& [address, block] = *f.pending.rbegin();
  return std::max(f.size, address + block.size());
}

herr_t driver_get_handle(H5FD_t* file, hid_t, void** handle) {
  *handle = file;
  return 0;
}

herr_t driver_read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t bytes, void* buffer) {
  const OrderedFile& f = *self(file);
  auto* out = static_cast<std::byte*>(buffer);
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t n =
        ::pread(f.fd, out + done, std::min(bytes - done, std::size_t{1} << 30), static_cast<off_t>(address + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) {
      std::memset(out + done, 0, bytes - done);  // behind the end: not written yet
      break;
    }
    done += static_cast<std::size_t>(n);
  }
  const haddr_t end = address + bytes;
  auto it = f.pending.lower_bound(address);
  if (it != f.pending.begin()) --it;
  for (; it != f.pending.end() && it->first < end; ++it) {
    const haddr_t from = std::max(address, it->first);
    const haddr_t to = std::min<haddr_t>(end, it->first + it->second.size());
    if (from < to) std::memcpy(out + (from - address), it->second.data() + (from - it->first), to - from);
  }
  return 0;
}

herr_t driver_write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, size_t bytes, const void* buffer) try {
  OrderedFile& f = *self(file);
  const std::span data(static_cast<const std::byte*>(buffer), bytes);
  if (type == H5FD_MEM_DRAW)
    f.put(address, data);
  else
    f.hold(address, data);
  return 0;
} catch (...) {
  return -1;  // no memory for a block of metadata
}

herr_t driver_flush(H5FD_t* file, hid_t, hbool_t) try {
  self(file)->flush();
  return 0;
} catch (...) {
  return -1;
}

// The file only grows, in flush(); HDF5 asks for this before it hands over its metadata.
herr_t driver_truncate(H5FD_t*, hid_t, hbool_t) {
  return 0;
}

hid_t driver() {
  static const hid_t id = [] {
    static H5FD_class_t c{};
#if H5_VERSION_GE(1, 13, 0)
    c.version = H5FD_CLASS_VERSION;
    c.value = static_cast<H5FD_class_value_t>(600);  // of the range for drivers in development
#endif
    c.name = "conoid-ordered";
    c.maxaddr = largest_address;
    c.fc_degree = H5F_CLOSE_WEAK;
    c.open = driver_open;
    c.close = driver_close;
    c.cmp = driver_compare;
    c.query = driver_query;
    c.get_eoa = driver_get_eoa;
    c.set_eoa = driver_set_eoa;
    c.get_eof = driver_get_eof;
    c.get_handle = driver_get_handle;
    c.read = driver_read;
    c.write = driver_write;
    c.flush = driver_flush;
    c.truncate = driver_truncate;
    static constexpr H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), c.fl_map);
    return H5FDregister(&c);
  }();
  return id;
}

OrderedFile* file_behind(hid_t file) {
  void* handle = nullptr;
  return H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 ? nullptr : self(static_cast<H5FD_t*>(handle));
}

}  // namespace

void use_ordered_file(hid_t access_properties) {
  if (H5Pset_driver(access_properties, driver(), nullptr) < 0)
    throw Failure(make_error(ErrorCode::internal, "HDF5 does not accept Conoid's file driver",
                             "This build uses an HDF5 that it was not made for; rebuild Conoid."));
}

void forget_tail(hid_t file) {
  if (OrderedFile* f = file_behind(file)) f->flushed = f->end_of_addresses;
}

std::optional<Error> write_failure(hid_t file) {
  const OrderedFile* f = file_behind(file);
  return f ? f->failure : std::nullopt;
}

Status sync(hid_t file) {
  OrderedFile* f = file_behind(file);
  if (!f) return {};
  if (f->failure) return *f->failure;
  if (::fdatasync(f->fd) != 0 && errno != EINVAL) return *(f->failure = system_error("flush", f->name, errno));
  return {};
}

}  // namespace conoid::h5

#endif  // CONOID_HAVE_HDF5
