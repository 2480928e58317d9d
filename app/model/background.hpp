// SPDX-License-Identifier: BSD-3-Clause
// Work away from the thread of the interface whose result comes back to it.
#pragma once

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <type_traits>
#include <utility>

namespace conoid::app {

/// work() runs on a thread of the pool, then done(owner, result) on the thread of the interface; not if the owner has gone. work owns what it
/// uses: it may run when the owner has gone, and does not throw. done looks whether its result is still wanted.
template <class Owner, class Work, class Done>
void in_background(Owner* owner, Work work, Done done, QThreadPool* pool = QThreadPool::globalInstance()) {
  pool->start([self = QPointer<Owner>(owner), work = std::move(work), done = std::move(done)]() mutable {
    auto result = std::make_shared<std::invoke_result_t<Work&>>(work());
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, result, done = std::move(done)] {
          if (self) done(*self, std::move(*result));
        },
        Qt::QueuedConnection);
  });
}

}  // namespace conoid::app
