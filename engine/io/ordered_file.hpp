// SPDX-License-Identifier: BSD-3-Clause
// A file driver for HDF5 that keeps a classic file readable at every moment, also when the writer dies or the disk fills.
//
// HDF5's own driver writes cached metadata in order of address, and a full disk leaves the library with a cache that it
// can neither write nor drop. This driver
//   - writes raw data at once (nothing refers to it yet),
//   - holds metadata back until a flush and then writes what lies behind the last flushed end of the file first, then
//     lengthens the file, then replaces older blocks: superblock, name heaps, B-tree nodes from the root down, symbol
//     nodes, object headers. So each block refers only to blocks that are in place, after any number of these writes,
//   - after a failed write goes on in memory only: the library closes in peace and the file stays as last flushed.
// Blocks never move into the old part of the file: the driver offers no aggregation, and our files free nothing.
// Kinds of blocks are told by the signatures of the HDF5 File Format Specification, version 1.1 (TREE, SNOD, HEAP).
#pragma once

#include "conoid/config.hpp"

#if CONOID_HAVE_HDF5

#include <optional>

#include <hdf5.h>

#include "engine/core/error.hpp"

namespace conoid::h5 {

/// Makes file-access properties use this driver. Under h5::Lock.
void use_ordered_file(hid_t access_properties);
/// To be called once a file is open: what lies behind the end that the file itself states (left by a killed writer) does
/// not count as part of it.
void forget_tail(hid_t file);
/// The first failed write to an open file that uses this driver.
[[nodiscard]] std::optional<Error> write_failure(hid_t file);
/// Waits until what was flushed is on the disk.
[[nodiscard]] Status sync(hid_t file);

}  // namespace conoid::h5

#endif  // CONOID_HAVE_HDF5
