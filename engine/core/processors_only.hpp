// SPDX-License-Identifier: BSD-3-Clause
// hwloc asks every plugin that is installed for devices when MPI looks at the machine: that of OpenCL starts whatever OpenCL
// implementation there is, with a thread for every processor (pocl ends the program where a limit of address space forbids
// one), that of OpenGL connects to displays. A run asks nothing of either.
#pragma once

#include <cstdlib>

namespace conoid {

/// To be called before MPI is started: keeps hwloc to processors, memory and the PCI bus, unless HWLOC_COMPONENTS is set.
/// No other thread may change the environment meanwhile.
inline void keep_hwloc_to_processors() noexcept {
  setenv("HWLOC_COMPONENTS", "-opencl,-gl,-cuda,-nvml,-rsmi,-levelzero", 0);
}

}  // namespace conoid
