// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/cuda/device_corner.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "engine/solvers/hydro_fem/discretization/index.hpp"

namespace conoid::hydro_fem {
namespace {

int whole_warps(int count) {
  return (count + 31) / 32 * 32;
}
constexpr Bytes bytes_of(Index doubles) {
  return static_cast<Bytes>(doubles) * sizeof(double);
}

}  // namespace

DeviceCorner::DeviceCorner(Operator& op, DeviceZones& zones) : zones_(zones) {
  const ZoneData& z = op.data();
  const ZoneArguments& there = zones.arguments();
  CornerArguments& a = arguments_.plain;
  a.dim = z.dim;
  a.turns = z.turns;
  a.nodes = z.zone_nodes;
  a.points = z.zone_points;
  a.energies = z.zone_energies;
  a.rows = a.leading = a.dim * a.nodes;
  a.zones = there.zones;
  a.all_nodes = there.nodes;
  columns_ = a.energies > 8 ? 16 : 8;
  a.padded = (a.energies + columns_ - 1) / columns_ * columns_;
  a.S = there.S;
  a.hoop = there.hoop;
  a.map = there.map;
  a.Meinv = there.Meinv;

  const CornerTables tables(op.tables(), a.dim);
  std::vector<double> grad(tables.grad.size()), value(tables.value.size()), basis(u(a.points * a.padded));
  for (int i = 0; i < a.nodes; ++i)
    for (int k = 0; k < a.points; ++k) {
      value[u(k * a.nodes + i)] = tables.value[u(i * a.points + k)];
      for (int m = 0; m < a.dim; ++m)
        grad[u((k * a.dim + m) * a.nodes + i)] = tables.grad[u((i * a.dim + m) * a.points + k)];
    }
  for (int j = 0; j < a.energies; ++j)
    for (int k = 0; k < a.points; ++k) basis[u(k * a.padded + j)] = tables.energy[u(j * a.points + k)];
  if (constant()) std::copy(basis.begin(), basis.end(), arguments_.basis);
  grad_ = put(grad, "derivatives of a zone");
  value_ = put(value, "values of a zone");
  basis_ = put(basis, "energies of a zone");

  const Device& device = zones.device();
  const auto room = [&](Index size, const char* label) { return device.allocate<double>(u(size), label); };
  const Index count = a.zones;
  A_ = room(count * a.points * whole_warps(a.rows), "corner matrices");
  F_ = room(count * a.energies * a.rows, "corner forces");
  force_ = room(count * a.rows, "forces of zones");
  power_ = room(count * a.energies, "powers of zones");
  de_ = room(count * a.energies, "energy rates of zones");
  a.grad = grad_.data();
  a.value = value_.data();
  a.basis = basis_.data();
  a.A = A_.data();
  a.F = F_.data();
  a.force = force_.data();
  a.power = power_.data();
  a.de = de_.data();
  zones.wait();  // what was put came from here

  auto library = dense::DeviceLibrary::open(device);
  if (library)
    library_ = std::move(*library);
  else
    library_missing_ = library.error().text;
}

DeviceBuffer<double> DeviceCorner::put(const std::vector<double>& values, const char* label) const {
  auto out = zones_.device().allocate<double>(values.size(), label);
  zones_.stream().to_device(out, values);
  return out;
}

std::vector<double> DeviceCorner::fetched(const DeviceBuffer<double>& from) const {
  std::vector<double> out(from.size());
  zones_.stream().to_host(out, from);
  zones_.stream().synchronize();
  return out;
}

LaunchShape DeviceCorner::shape(int items, Bytes shared) const {
  const int threads = std::clamp(whole_warps(items), 32, 1024);
  return {.grid = {static_cast<unsigned>(std::max(1, sizes().zones)), 1, 1},
          .block = {static_cast<unsigned>(threads), 1, 1},
          .shared = shared};
}

Bytes DeviceCorner::whole_bytes() const {
  return bytes_of(Index{sizes().points} * sizes().rows);
}

std::string DeviceCorner::lacks(Product product) const {
  const Bytes most = zones_.info().shared_per_block;
  if (product == Product::library) return library_ ? "" : library_missing_;
  if (product == Product::whole && whole_bytes() > most)
    return fmt::format("A_z takes {} bytes, a block has {}", whole_bytes(), most);
  if (product == Product::whole && !constant())
    return fmt::format("B has {} numbers, {} fit among the constants", sizes().points * sizes().padded, constant_basis);
  const Bytes columns = bytes_of(Index{corner_columns} * whole_warps(sizes().rows));
  if (product != Product::global && columns > most)
    return fmt::format("{} columns of A_z take {} bytes, a block has {}", corner_columns, columns, most);
  return "";
}

void DeviceCorner::matrices(bool padded) {
  CornerArguments& a = arguments_.plain;
  a.leading = padded ? whole_warps(a.rows) : a.rows;
  zones_.stream().launch(zones_.device().kernel<CornerArguments>("hydro-fem/corner-matrix"), shape(256), a);
}

void DeviceCorner::multiply(Product product) {
  const CornerArguments& a = sizes();
  verify(lacks(product).empty(), "a product of corner matrices that the device has room for");
  verify(product == Product::padded || a.leading == a.rows, "A_z lie there as the product takes them");
  const Device& device = zones_.device();
  Stream& stream = zones_.stream();
  if (product == Product::global) {
    stream.launch(device.kernel<CornerArguments>("hydro-fem/corner-2.1"), shape(a.rows), a);
  } else if (product == Product::whole) {
    stream.launch(device.kernel<ConstantCornerArguments>("hydro-fem/corner-2.2"), shape(a.rows, whole_bytes()),
                  arguments_);
  } else if (product == Product::library) {
    library_->multiply_batches(stream, a.A, a.rows, a.points, a.basis, a.energies, a.padded, a.F, a.zones);
  } else {
    const LaunchShape launch = shape(a.rows, bytes_of(Index{std::min(corner_columns, a.points)} * a.leading));
    const std::string name = fmt::format("hydro-fem/corner-2.3<{}{}>", columns_, constant() ? ",constant" : "");
    if (constant())
      stream.launch(device.kernel<ConstantCornerArguments>(name), launch, arguments_);
    else
      stream.launch(device.kernel<CornerArguments>(name), launch, a);
  }
}

void DeviceCorner::times_one() {
  zones_.stream().launch(zones_.device().kernel<CornerArguments>("hydro-fem/corner-3"), shape(sizes().rows), sizes());
}

void DeviceCorner::transposed_times(Backend::Ref velocity) {
  arguments_.plain.v = zones_.address(velocity);
  zones_.stream().launch(zones_.device().kernel<CornerArguments>("hydro-fem/corner-5"),
                         shape(std::min(256, 32 * sizes().energies), bytes_of(sizes().rows)), sizes());
}

void DeviceCorner::energy_inverse() {
  zones_.stream().launch(zones_.device().kernel<CornerArguments>("hydro-fem/corner-6"), shape(sizes().energies),
                         sizes());
}

double DeviceCorner::operations() const {
  const CornerArguments& a = sizes();
  return 2.0 * a.rows * a.points * a.energies * a.zones;
}
double DeviceCorner::bytes() const {
  const CornerArguments& a = sizes();
  return 8.0 * a.rows * (static_cast<double>(a.points) + a.energies) * a.zones;
}

}  // namespace conoid::hydro_fem
