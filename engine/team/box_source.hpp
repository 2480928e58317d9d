// SPDX-License-Identifier: BSD-3-Clause
// What a kernel has to know of an array whose boxes it asks for (box_copies.hpp); Device::box_source() makes it.
#pragma once

namespace conoid {

/// As the backend has it: of CUDA a CUtensorMap, of an emulated device a BoxedArray.
struct alignas(128) BoxSource {
  unsigned char bytes[128] = {};
};

/// Numbers of single precision, in rows of planes, and the boxes that are taken out of them: some values of some rows of one plane.
struct BoxedArray {
  const float* first = nullptr;   ///< on 16 bytes
  long long size[3] = {1, 1, 1};  ///< values of a row, rows of a plane, planes; what lies beyond is taken for zero
  long long row_stride = 0, plane_stride = 0;  ///< in values: multiples of 4 below 2^38
  int values = 4, rows = 1;                    ///< of a box: at most 256 each, whole fours of values
};

}  // namespace conoid
