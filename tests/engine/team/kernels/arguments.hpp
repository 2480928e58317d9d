// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of the device tests take.
#pragma once

namespace conoid::device_test {

struct ScaleArguments {
  const float* x;
  float* y;
  float factor;
  int count;
};
struct SumArguments {  // one sum a block
  const double* x;
  double* sums;
  int count;
};
struct RingArguments {
  float* sums;  // one a thread
  unsigned cluster;
  int steps;
};
struct VoteArguments {
  unsigned* out;
};

}  // namespace conoid::device_test
