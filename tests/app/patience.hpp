// SPDX-License-Identifier: BSD-3-Clause
// What a test of the window waits for comes within a minute or not at all: Qt's five seconds are short on a busy machine.
#pragma once

#include <QTest>

#undef QTRY_VERIFY
#undef QTRY_COMPARE
#define QTRY_VERIFY(condition) QTRY_VERIFY_WITH_TIMEOUT((condition), 60000)
#define QTRY_COMPARE(value, expected) QTRY_COMPARE_WITH_TIMEOUT((value), expected, 60000)
