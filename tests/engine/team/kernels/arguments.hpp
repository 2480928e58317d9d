// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of the device tests take.
#pragma once

#include "engine/team/box_source.hpp"

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
struct BoxArguments {
  BoxSource source;
  float* sums;       // [box][value of a box]: of its rows, over all steps
  int values, rows;  // of a box
  int steps;
};
struct VoteArguments {
  unsigned* out;
};

}  // namespace conoid::device_test
