// SPDX-License-Identifier: BSD-3-Clause
// Stands in for NVIDIA's driver library (libcuda.so.1) and says that it is as old as CONOID_DRIVER_VERSION (11040: CUDA 11.4; 0:
// none). What a driver says before anything else is all it can do.
#include <stdlib.h>
#include <string.h>

int cuDriverGetVersion(int* version) {
  const char* text = getenv("CONOID_DRIVER_VERSION");
  *version = text ? atoi(text) : 11040;
  return 0;
}

int cuInit(unsigned flags) {
  (void)flags;
  return 0;
}

int cuGetProcAddress(const char* name, void** function, int version, unsigned long long flags) {
  (void)version;
  (void)flags;
  *function = strcmp(name, "cuDriverGetVersion") == 0 ? (void*)cuDriverGetVersion : 0;
  return *function ? 0 : 500;  // CUDA_ERROR_NOT_FOUND
}
