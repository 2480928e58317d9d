// SPDX-License-Identifier: BSD-3-Clause
// Where runs are computed: inside this program, in a process of its own, or behind a launcher line (mpirun, srun, ssh).
#pragma once

#include <functional>
#include <vector>

#include <QObject>
#include <QString>
#include <QStringList>

#include "app/model/run_model.hpp"

class QProcess;

namespace conoid::app {

/// A place as it is kept in the settings: "" is this program, "process" a process of its own beside it, anything else a
/// launcher line as parse_launcher() reads it: "ssh host", "mpirun -n 4".
[[nodiscard]] bool is_inside(const QString& place);
[[nodiscard]] bool is_far(const QString& place);
/// "In this window", "In a process of its own", "On host by ssh", or the launcher line itself.
[[nodiscard]] QString words_of_place(const QString& place);
/// Starts sessions at the place that `place` names at that moment. A line that cannot be read gives a session that has
/// failed with the reason.
[[nodiscard]] StartSession start_at(std::function<QString()> place, StartSession inside);

/// What the far end says of itself.
struct FarEnd {
  struct Device {
    QString id;     ///< "cpu", "cuda:0"
    QString words;  ///< "NVIDIA H200, 140 GiB"
  };
  QString host;
  std::vector<Device> devices;
  QStringList absent;  ///< sentences about backends that have no device
  QString trouble;     ///< empty, or why nothing is known
};

/// Asks the far end for its devices with the command `conoid devices --json`, in the background. Window's thread.
class FarEndQuery : public QObject {
  Q_OBJECT
 public:
  explicit FarEndQuery(QObject* parent = nullptr) : QObject(parent) {}
  ~FarEndQuery() override;
  /// `answered` follows, at the latest after `seconds`. A question that is still open is given up.
  void ask(const QString& place, int seconds = 30);

 signals:
  void answered(const conoid::app::FarEnd& far_end);

 private:
  void give_up();
  QProcess* process_ = nullptr;
};

/// The JSON of `conoid devices --json` in words; public for tests.
[[nodiscard]] FarEnd far_end_from(const QByteArray& json);

}  // namespace conoid::app

Q_DECLARE_METATYPE(conoid::app::FarEnd)
