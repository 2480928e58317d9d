// SPDX-License-Identifier: BSD-3-Clause
// Where the meshes for the tests of readers lie.
#pragma once

#include <string>

inline const std::string data = CONOID_TEST_DATA "/mesh/";
