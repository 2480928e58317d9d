// SPDX-License-Identifier: BSD-3-Clause
// conoid-render: pictures without a display.
int main() { return 0; }
