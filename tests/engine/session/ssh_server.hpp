// SPDX-License-Identifier: BSD-3-Clause
// A real OpenSSH server on a port of the loopback, with keys of its own, that ends with the object.
#pragma once

#include <QProcess>
#include <QStandardPaths>

#include <fstream>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/engine/session/rod.hpp"

namespace rod {

class SshServer {
 public:
  explicit SshServer(const fs::path& folder) : folder_(folder) {
    program_ = QStandardPaths::findExecutable("sshd");
    if (program_.isEmpty())
      program_ = QStandardPaths::findExecutable("sshd", {"/usr/sbin", "/sbin", "/usr/local/sbin"});
    if (program_.isEmpty() || QStandardPaths::findExecutable("ssh").isEmpty()) {
      missing_ = "there is no OpenSSH client and server here; Debian: apt install openssh-server";
      return;
    }
    // As root the server parts with its rights in this folder, which the system's own service would make.
    if (::geteuid() == 0) {
      std::error_code ignored;
      fs::create_directory("/run/sshd", ignored);
    }
    for (const char* key : {"host", "user"})
      if (QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", path(key)}) != 0)
        missing_ = "ssh-keygen failed";
    fs::copy_file(folder_ / "user.pub", folder_ / "authorized");
    port_ = free_port();
    std::ofstream(folder_ / "sshd_config")
        << "Port " << port_ << "\nListenAddress 127.0.0.1\nHostKey " << (folder_ / "host").string()
        << "\nAuthorizedKeysFile " << (folder_ / "authorized").string()
        << "\nPidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
           "KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n";
    std::string host_key = text_of(folder_ / "host.pub");
    std::ofstream(folder_ / "known") << "[127.0.0.1]:" << port_ << " " << host_key;
    server_.setProcessChannelMode(QProcess::MergedChannels);
    server_.start(program_, {"-D", "-e", "-f", path("sshd_config")});
    QByteArray said;
    const bool listens = server_.waitForStarted() && eventually([&] {
                           server_.waitForReadyRead(20);
                           said += server_.readAll();
                           return said.contains("Server listening") || server_.state() == QProcess::NotRunning;
                         });
    if (!listens || server_.state() == QProcess::NotRunning)
      missing_ = "the OpenSSH server cannot start here: " + said.toStdString();
  }
  ~SshServer() {
    server_.kill();
    server_.waitForFinished();
  }

  /// Empty, or why there is none.
  [[nodiscard]] const std::string& missing() const { return missing_; }
  /// The client's words up to the host, for a launcher's line.
  [[nodiscard]] std::string client(int port = 0) const {
    const passwd* me = ::getpwuid(::geteuid());
    return "ssh -F /dev/null -p " + std::to_string(port > 0 ? port : port_) + " -i '" + (folder_ / "user").string() +
           "' -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=yes -o 'UserKnownHostsFile=" +
           (folder_ / "known").string() + "' " + (me ? me->pw_name : "root") + "@127.0.0.1";
  }

  /// A port of the loopback that is free now; nobody else is likely to take it in the next instant.
  [[nodiscard]] static int free_port() {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&at), size) == 0 &&
                       ::getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size) == 0;
    ::close(fd);
    return bound ? ntohs(at.sin_port) : 0;
  }

 private:
  [[nodiscard]] QString path(const char* name) const { return QString::fromStdString((folder_ / name).string()); }
  fs::path folder_;
  QString program_;
  QProcess server_;
  int port_ = 0;
  std::string missing_;
};

}  // namespace rod
