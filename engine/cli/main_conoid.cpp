// SPDX-License-Identifier: BSD-3-Clause
// The command `conoid`.
#include "engine/cli/command_line.hpp"

int main(int argc, char** argv) { return conoid::cli::run_command_line(argc, argv); }
