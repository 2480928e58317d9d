// SPDX-License-Identifier: BSD-3-Clause
// Which processing units the threads of a team run on: those that feed a device on one near it, the others on the rest.
//
// By hwloc where it was built in. Without it nothing is bound: places are empty, and binding does nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace conoid {

/// Processing units (hardware threads), by the system's numbers.
using Places = std::vector<int>;

/// Which part of the processing units of a thread is meant, where several processes of a run may use the same.
struct PlaceShare {
  int part = 0, parts = 1;
};

/// True if this build can bind threads.
[[nodiscard]] bool can_bind();
/// Those that the calling thread may use now. One of each core comes first, second threads of cores after them. Of several processes that
/// share them each has a part: neighbouring cores with their second threads; none where there are fewer cores than processes.
[[nodiscard]] Places places_of_this_thread(PlaceShare share = {});
/// Those nearest to the device at a PCI address ("0000:3b:00.0"); empty if that is not known.
[[nodiscard]] Places places_near(const std::string& bus);
/// Lets the calling thread run on these only. False if the system refuses; no places: does nothing.
bool bind_this_thread(std::span<const int> places);

/// What a worker of a team asks for.
struct PlaceWish {
  int threads = 1;
  bool device = false;  ///< one thread feeds a device
  Places near;          ///< a device's; empty: all are alike
};
/// One list a worker: of a processor one place a thread, of a device the one of the thread that feeds it. Empty lists if
/// there are fewer places than threads: then nothing should be bound. Devices choose first, among the places near them.
[[nodiscard]] std::vector<Places> plan_places(const Places& all, std::span<const PlaceWish> workers);

}  // namespace conoid
