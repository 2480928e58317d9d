// SPDX-License-Identifier: BSD-3-Clause
// The command `conoid`.
#include <cstdio>

#include "conoid/config.hpp"

int main() {
  std::puts("conoid " CONOID_VERSION);
  return 0;
}
