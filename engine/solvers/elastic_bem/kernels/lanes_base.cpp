// SPDX-License-Identifier: BSD-3-Clause
// Lane kernels on registers of 16 bytes.
#define CONOID_BYTES 16
#include "engine/solvers/elastic_bem/kernels/lanes_body.hpp"

namespace conoid::elastic_bem {

extern const LaneKernels<double> lane_kernels_double_base;
extern const LaneKernels<float> lane_kernels_single_base;
const LaneKernels<double> lane_kernels_double_base{CONOID_BYTES / 8,  far_any<double>, near_any<double>,
                                                   put_block<double>, streams_done,    peak_loop<double>};
const LaneKernels<float> lane_kernels_single_base{CONOID_BYTES / 4, far_any<float>, near_any<float>,
                                                  put_block<float>, streams_done,   peak_loop<float>};

}  // namespace conoid::elastic_bem
