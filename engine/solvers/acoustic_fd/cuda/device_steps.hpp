// SPDX-License-Identifier: BSD-3-Clause
// The march on devices: the levels lie there, the host's field is filled from them when somebody looks.
//
// A grid that fits in the device's budget stays there. A larger one is streamed: the host keeps the levels, a window of planes
// slides over them once a sweep of T steps as in streamed_march.hpp; planes travel from and to its locked memory while the device
// computes, so that the rate is kept when T ≥ R · max(12 B/B_in, 8 B/B_out) for R cell updates a second. One that is too large for the host as well rests on the disk, in windows
// of a plane, which are leased while they are copied (host_planes.hpp). All give the same bits. Several devices of one rank share the rows of y; each computes s T rows of its neighbours along, in panels where one device would, and takes them from these
// once a band, device to device.
// Of several ranks each has one device for its planes of x, in panels too; once a band s T planes travel by locked memory of the host, shared
// with the neighbour or sent in a message as those of processors are, while the device computes what they do not reach.
//
// Either precision; order, spacings, medium, density, layers, images, sources and receivers as on the host. The memory of
// matched layers comes and goes with the planes of a window, that of the layers of x stays there; of several devices each has that of its rows.
#pragma once

#include "engine/cluster/communicator.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_plan.hpp"
#include "engine/solvers/acoustic_fd/stepping/field.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/team/device.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace conoid {
class Team;
class Windows;
}  // namespace conoid

namespace conoid::acoustic_fd {

class DeviceSteps {
 public:
  virtual ~DeviceSteps() = default;
  /// Of several ranks that all march on devices: what they arrange once. Collective.
  virtual void connect(Communicator&) {}
  /// Takes over the host's levels k and k−1 and its medium, after they were set. `silent`: all that updates change is zero.
  virtual void take(Index k, bool silent) = 0;
  /// Where keeps_levels(): takes over a field of zeros at step 0, and makes the medium itself, by so many threads: the host's arrays are not looked at.
  virtual void take_silence(int threads) { (void)threads; }
  /// Updates k … k+count−1, after Field::begin_band(). Of several ranks: also what these exchange before.
  virtual void advance(Index k, Index count, Communicator& cluster) = 0;
  /// Fills the host's levels k and k−1 with their images.
  virtual void bring_back(Index k) = 0;
  /// Levels and maps rest on devices alone: pressures(), map() and peak() need none of the host's, which are looked at after bring_back() only.
  [[nodiscard]] virtual bool keeps_levels() const { return false; }
  /// Where keeps_levels(): Field::append_pressure() of all planes. Fetches no more than these nodes.
  virtual void pressures(Index k, const March::Cut& nodes, int threads, std::vector<float>& out) {
    (void)k, (void)nodes, (void)threads, (void)out;
  }
  /// The same of Field::append_map().
  virtual void map(int which, const March::Cut& nodes, int threads, std::vector<float>& out) {
    (void)which, (void)nodes, (void)threads, (void)out;
  }
  /// Where keeps_levels(): the largest Field::plane_peak().
  virtual double peak(Index k, int threads) { return (void)k, (void)threads, 0; }
  /// Energies between levels k−1 and k of the host's planes, [plane][kinetic, potential], with the bits of Field::plane_energy(); false: the host's levels
  /// are those of now.
  virtual bool plane_energies(Index k, std::vector<double>& sums) = 0;
  /// Steps that are worth taking together; of several ranks: between two exchanges, no more than the host's field holds planes for.
  [[nodiscard]] virtual Index band() const = 0;
  [[nodiscard]] virtual Bytes bytes() const = 0;
  /// Steps for which a value is read and written once.
  [[nodiscard]] virtual Index levels() const { return 1; }
  /// Bytes that travelled with a window so far, to the device and back.
  [[nodiscard]] virtual std::pair<Bytes, Bytes> streamed() const { return {}; }
  /// Planes come and go once a band.
  [[nodiscard]] virtual bool streams() const { return false; }
  /// "2 emulated devices", "NVIDIA H200, window of 80 planes".
  [[nodiscard]] virtual std::string text() const = 0;
};

/// Of a grid whose planes rest on a disk: the host's level of their windows is all that it has of them, and they pass through a device once a sweep, disk, host, device
/// and back.
template <class T>
class DiskSteps {
 public:
  virtual ~DiskSteps() = default;
  /// Both levels of the planes behind the faces of x, which no window has, from any window of the host's field that holds them (`local`: there).
  virtual void keep_beyond(Index global, Index local) = 0;
  [[nodiscard]] virtual DeviceSteps& steps() = 0;
};
/// The device that would take such a march, and how.
struct DiskDevice {
  Device device;
  DevicePlan plan;
};
/// Nothing when the team has no device. Throws Failure(resources) when it has too little memory.
[[nodiscard]] std::optional<DiskDevice> device_over_disk(const Problem& problem, const Team& team);
/// `host`: a field that slides over the planes (Slab::moves), window i of `windows` is plane i as Field::keep_plane() writes it, best in locked memory (window_memory_of()).
/// Both must outlive the steps.
template <class T>
[[nodiscard]] std::unique_ptr<DiskSteps<T>> make_disk_steps(const Problem& problem, Field<T>& host,
                                                            const DiskDevice& device, Windows& windows);
extern template std::unique_ptr<DiskSteps<float>> make_disk_steps<float>(const Problem&, Field<float>&,
                                                                         const DiskDevice&, Windows&);
extern template std::unique_ptr<DiskSteps<double>> make_disk_steps<double>(const Problem&, Field<double>&,
                                                                           const DiskDevice&, Windows&);

/// Null when the team has no devices, or when the slab of one of several ranks does not fit (a warning says it). Throws Failure(resources) when they have too little memory.
template <class T>
[[nodiscard]] std::unique_ptr<DeviceSteps> make_device_steps(const Problem& problem, Field<T>& host, const Team& team,
                                                             const Communicator& cluster);
extern template std::unique_ptr<DeviceSteps> make_device_steps<float>(const Problem&, Field<float>&, const Team&,
                                                                      const Communicator&);
extern template std::unique_ptr<DeviceSteps> make_device_steps<double>(const Problem&, Field<double>&, const Team&,
                                                                       const Communicator&);

}  // namespace conoid::acoustic_fd
