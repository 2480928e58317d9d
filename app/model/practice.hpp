// SPDX-License-Identifier: BSD-3-Clause
// Drawing for practice: a driver compiles its programs when they are drawn with first, some tenths of a second without a GPU.
#pragma once

#include <functional>

class QObject;

namespace conoid::app {

/// Draws a small field and a chart once, on a thread and in a context of its own: where the driver keeps what it has compiled, as Mesa does,
/// the window's own first pictures find it. `done` is called in the thread of the interface, unless the owner has gone by then; at once where
/// it has been done before. From the window's thread.
void practise_drawing(QObject* owner, std::function<void()> done = {});

}  // namespace conoid::app
