// SPDX-License-Identifier: BSD-3-Clause
// Frames made in code: a spherical wave on a grid, a sphere of quadrilaterals, cubes.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "engine/run/run_reader.hpp"

namespace conoid::sample {

inline FieldInfo pressure() {
  FieldInfo info;
  info.name = "pressure";
  info.unit = "Pa";
  info.label = "Pressure";
  return info;
}

/// cos(k(r − t)) in a moving shell about (0.4, 0.45, 0.4), on a grid of n × (n−8) × (n−16) points in the unit cube.
inline std::shared_ptr<const Frame> wave(double t, Index n = 41) {
  auto frame = std::make_shared<Frame>();
  frame->value = t;
  ImageGeometry grid;
  grid.points = {n, n - 8, n - 16};
  const double h = 1.0 / static_cast<double>(n - 1);
  grid.spacing = {h, h, h};
  std::vector<float> values;
  for (Index z = 0; z < grid.points[2]; ++z)
    for (Index y = 0; y < grid.points[1]; ++y)
      for (Index x = 0; x < grid.points[0]; ++x) {
        const double r = std::hypot(static_cast<double>(x) * h - 0.4, static_cast<double>(y) * h - 0.45,
                                    static_cast<double>(z) * h - 0.4);
        const double shell = std::exp(-std::pow((r - t) / 0.15, 2));
        values.push_back(static_cast<float>(2e-3 * std::cos(31.4 * (r - t)) * shell));
      }
  frame->parts.push_back({"volume", grid, {make_field(pressure(), std::move(values))}});
  return frame;
}

/// A unit sphere; the field is z as (re, 0.5 im) pairs when complex.
inline std::shared_ptr<Frame> sphere(int around = 24, int down = 12, bool is_complex = false) {
  auto frame = std::make_shared<Frame>();
  frame->axis = FrameAxis::frequency;
  frame->value = 1e9;
  auto points = std::make_shared<std::vector<double>>();
  auto connectivity = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  auto types = std::make_shared<std::vector<std::uint8_t>>();
  std::vector<float> values;
  const double pi = 3.14159265358979323846;
  for (int j = 0; j <= down; ++j)
    for (int i = 0; i < around; ++i) {
      const double theta = pi * j / down;
      const double phi = 2 * pi * i / around;
      points->insert(points->end(),
                     {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)});
      values.push_back(static_cast<float>(std::cos(theta)));
      if (is_complex) values.push_back(static_cast<float>(0.5 * std::cos(theta)));
    }
  for (int j = 0; j < down; ++j)
    for (int i = 0; i < around; ++i) {
      const int next = (i + 1) % around;
      for (const int node : {j * around + i, (j + 1) * around + i, (j + 1) * around + next, j * around + next})
        connectivity->push_back(node);
      offsets->push_back(static_cast<Index>(connectivity->size()));
      types->push_back(9);
    }
  FieldInfo info = pressure();
  info.is_complex = is_complex;
  frame->parts.push_back(
      {"surface", MeshGeometry{points, connectivity, offsets, types}, {make_field(info, std::move(values))}});
  return frame;
}

/// A row of `count` unit cubes along x as hexahedra; the field is x.
inline std::shared_ptr<Frame> cubes(int count) {
  auto frame = std::make_shared<Frame>();
  auto points = std::make_shared<std::vector<double>>();
  auto connectivity = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  auto types = std::make_shared<std::vector<std::uint8_t>>();
  std::vector<float> values;
  for (int i = 0; i <= count; ++i)
    for (const std::array<double, 2>& yz : {std::array<double, 2>{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
      points->insert(points->end(), {static_cast<double>(i), yz[0], yz[1]});
      values.push_back(static_cast<float>(i));
    }
  for (int i = 0; i < count; ++i) {
    const Index a = 4 * i;
    for (const Index node : {a, a + 4, a + 5, a + 1, a + 3, a + 7, a + 6, a + 2}) connectivity->push_back(node);
    offsets->push_back(static_cast<Index>(connectivity->size()));
    types->push_back(12);
  }
  frame->parts.push_back(
      {"volume", MeshGeometry{points, connectivity, offsets, types}, {make_field(pressure(), std::move(values))}});
  return frame;
}

/// A plate of 4 × 1 squares, 4 m long along x, in the plane z = 0; at its nodes the pressure x and the velocity (1, 0, 0).
inline std::shared_ptr<Frame> plate() {
  auto frame = std::make_shared<Frame>();
  auto points = std::make_shared<std::vector<double>>();
  auto connectivity = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  auto types = std::make_shared<std::vector<std::uint8_t>>(4, std::uint8_t{9});
  std::vector<float> values, along;
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 5; ++x) {
      points->insert(points->end(), {static_cast<double>(x), static_cast<double>(y), 0});
      values.push_back(static_cast<float>(x));
      along.insert(along.end(), {1, 0, 0});
    }
  for (Index x = 0; x < 4; ++x) {
    for (const Index node : {x, x + 1, x + 6, x + 5}) connectivity->push_back(node);
    offsets->push_back(static_cast<Index>(connectivity->size()));
  }
  FieldInfo velocity;
  velocity.name = "velocity";
  velocity.unit = "m/s";
  velocity.components = 3;
  frame->parts.push_back({"plate",
                          MeshGeometry{points, connectivity, offsets, types},
                          {make_field(pressure(), std::move(values)), make_field(velocity, std::move(along))}});
  return frame;
}

}  // namespace conoid::sample
