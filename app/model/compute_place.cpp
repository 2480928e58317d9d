// SPDX-License-Identifier: BSD-3-Clause
// Places and what they answer.
#include "app/model/compute_place.hpp"
#include "app/model/names.hpp"

#include <utility>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTimer>

#include "engine/core/units.hpp"
#include "engine/session/process/process_session.hpp"

namespace conoid::app {
namespace {

const QString own_process = "process";

Result<Launcher> launcher_of(const QString& place) {
  return place == own_process ? Result<Launcher>(local_launcher()) : parse_launcher(place.toStdString());
}

/// A session that could not begin.
class FailedSession final : public SessionPort {
 public:
  explicit FailedSession(Error error) : error_(std::move(error)) {}
  void send(Command) override {}
  SessionState state() const override { return SessionState::failed; }
  std::vector<SessionEvent> take_events() override {
    if (std::exchange(told_, true)) return {};
    return {StateEvent{SessionState::failed, error_}};
  }
  std::shared_ptr<const Frame> take_frame() override { return nullptr; }
  void want_frames(FrameRequest, double) override {}
  bool wait(std::chrono::milliseconds) override { return true; }
  std::filesystem::path folder() const override { return {}; }

 private:
  Error error_;
  bool told_ = false;
};

}  // namespace

bool is_inside(const QString& place) {
  return place.trimmed().isEmpty();
}

bool is_far(const QString& place) {
  return place.trimmed().section(' ', 0, 0).section('/', -1) == "ssh";
}

QString words_of_place(const QString& place) {
  if (is_inside(place)) return QObject::tr("In this window");
  if (place == own_process) return QObject::tr("In a process of its own");
  if (is_far(place)) {
    const auto launcher = launcher_of(place);
    // The first word that is no option names the host.
    if (launcher)
      for (std::size_t i = 1; i < launcher->command.size(); ++i)
        if (!launcher->command[i].starts_with('-'))
          return QObject::tr("On %1 by ssh").arg(QString::fromStdString(launcher->command[i]));
  }
  return place;
}

StartSession start_at(std::function<QString()> place, StartSession inside) {
  return
      [place = std::move(place), inside = std::move(inside)](SessionOptions options) -> std::unique_ptr<SessionPort> {
        const QString where = place().trimmed();
        if (is_inside(where)) return inside(std::move(options));
        auto launcher = launcher_of(where);
        if (!launcher) return std::make_unique<FailedSession>(launcher.error());
        return start_session_in_process(std::move(options), std::move(launcher).value());
      };
}

FarEnd far_end_from(const QByteArray& json) {
  FarEnd out;
  const QJsonObject object = QJsonDocument::fromJson(json).object();
  if (!object["devices"].isArray()) {
    out.trouble = QObject::tr("The answer cannot be read. Is the same version of Conoid installed there?");
    return out;
  }
  out.host = object["host"].toString();
  for (const auto& value : object["devices"].toArray()) {
    const QJsonObject device = value.toObject();
    QStringList words;
    words << (device.contains("model") ? device["model"].toString() : device["processor"].toString());
    if (device.contains("cores")) words << QObject::tr("%1 cores").arg(device["cores"].toInt());
    words << QString::fromStdString(format_bytes(static_cast<Bytes>(device["memory"].toDouble())));
    words.removeAll(QString());
    out.devices.push_back({device["name"].toString(), words.join(", ")});
  }
  const QJsonObject backends = object["backends"].toObject();
  for (const auto& value : backends)
    if (const QString absent = value.toObject()["absent"].toString(); !absent.isEmpty()) out.absent << absent;
  return out;
}

FarEndQuery::~FarEndQuery() {
  give_up();
}

void FarEndQuery::give_up() {
  if (!process_) return;
  process_->disconnect(this);
  process_->kill();
  process_->deleteLater();
  process_ = nullptr;
}

void FarEndQuery::ask(const QString& place, int seconds) {
  give_up();
  const auto fail = [this](const QString& trouble) { emit answered({{}, {}, {}, trouble}); };
  auto launcher = launcher_of(place.trimmed().isEmpty() ? own_process : place.trimmed());
  if (!launcher) return fail(translated(launcher.error().text));
  QStringList words;
  for (const std::string& word : launcher->command) words << QString::fromStdString(word);
  // The command line program lies beside the worker.
  words.last().replace(words.last().lastIndexOf("conoid-worker"), QString("conoid-worker").size(), "conoid");
  words << "devices"
        << "--json";
  process_ = new QProcess(this);
  connect(process_, &QProcess::errorOccurred, this,
          [this, fail, program = words.first()](QProcess::ProcessError error) {
            if (error != QProcess::FailedToStart) return;
            give_up();
            fail(tr("The program %1 could not be started.").arg(program));
          });
  connect(process_, &QProcess::finished, this, [this, fail](int code, QProcess::ExitStatus status) {
    QProcess* done = std::exchange(process_, nullptr);
    done->deleteLater();
    if (status == QProcess::NormalExit && code == 0) return emit answered(far_end_from(done->readAllStandardOutput()));
    const QString said = QString::fromUtf8(done->readAllStandardError()).trimmed().section('\n', -1);
    fail(said.isEmpty() ? tr("The far end ended with exit code %1.").arg(code) : said);
  });
  QTimer::singleShot(1000 * seconds, process_, [this, fail, seconds] {
    give_up();
    fail(tr("No answer within %1 s. A password may be asked for where nobody sees it: set up a key for ssh first.")
             .arg(seconds));
  });
  process_->start(words.first(), words.mid(1));
  process_->closeWriteChannel();
}

}  // namespace conoid::app
