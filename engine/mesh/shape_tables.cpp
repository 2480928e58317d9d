// SPDX-License-Identifier: BSD-3-Clause
// The tables of edges and faces.
#include "engine/mesh/shape_tables.hpp"

namespace conoid {
namespace {

constexpr std::array<EdgeNodes, 1> line2_edges{{{0, 1, -1}}};
constexpr std::array<EdgeNodes, 1> line3_edges{{{0, 1, 2}}};
constexpr std::array<EdgeNodes, 3> triangle3_edges{{{0, 1, -1}, {1, 2, -1}, {2, 0, -1}}};
constexpr std::array<EdgeNodes, 3> triangle6_edges{{{0, 1, 3}, {1, 2, 4}, {2, 0, 5}}};
constexpr std::array<EdgeNodes, 4> quad4_edges{{{0, 1, -1}, {1, 2, -1}, {2, 3, -1}, {3, 0, -1}}};
constexpr std::array<EdgeNodes, 4> quad8_edges{{{0, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 0, 7}}};
constexpr std::array<EdgeNodes, 6> tet4_edges{{{0, 1, -1}, {1, 2, -1}, {2, 0, -1}, {0, 3, -1}, {1, 3, -1}, {2, 3, -1}}};
constexpr std::array<EdgeNodes, 6> tet10_edges{{{0, 1, 4}, {1, 2, 5}, {2, 0, 6}, {0, 3, 7}, {1, 3, 8}, {2, 3, 9}}};
constexpr std::array<EdgeNodes, 12> hex8_edges{{{0, 1, -1},
                                                {1, 2, -1},
                                                {2, 3, -1},
                                                {3, 0, -1},
                                                {4, 5, -1},
                                                {5, 6, -1},
                                                {6, 7, -1},
                                                {7, 4, -1},
                                                {0, 4, -1},
                                                {1, 5, -1},
                                                {2, 6, -1},
                                                {3, 7, -1}}};
constexpr std::array<EdgeNodes, 12> hex20_edges{{{0, 1, 8},
                                                 {1, 2, 9},
                                                 {2, 3, 10},
                                                 {3, 0, 11},
                                                 {4, 5, 12},
                                                 {5, 6, 13},
                                                 {6, 7, 14},
                                                 {7, 4, 15},
                                                 {0, 4, 16},
                                                 {1, 5, 17},
                                                 {2, 6, 18},
                                                 {3, 7, 19}}};

constexpr std::array<FaceNodes, 4> tet4_faces{{{CellShape::triangle3, {0, 1, 3}},
                                               {CellShape::triangle3, {1, 2, 3}},
                                               {CellShape::triangle3, {2, 0, 3}},
                                               {CellShape::triangle3, {0, 2, 1}}}};
constexpr std::array<FaceNodes, 4> tet10_faces{{{CellShape::triangle6, {0, 1, 3, 4, 8, 7}},
                                                {CellShape::triangle6, {1, 2, 3, 5, 9, 8}},
                                                {CellShape::triangle6, {2, 0, 3, 6, 7, 9}},
                                                {CellShape::triangle6, {0, 2, 1, 6, 5, 4}}}};
constexpr std::array<FaceNodes, 6> hex8_faces{{{CellShape::quad4, {0, 4, 7, 3}},
                                               {CellShape::quad4, {1, 2, 6, 5}},
                                               {CellShape::quad4, {0, 1, 5, 4}},
                                               {CellShape::quad4, {3, 7, 6, 2}},
                                               {CellShape::quad4, {0, 3, 2, 1}},
                                               {CellShape::quad4, {4, 5, 6, 7}}}};
constexpr std::array<FaceNodes, 6> hex20_faces{{{CellShape::quad8, {0, 4, 7, 3, 16, 15, 19, 11}},
                                                {CellShape::quad8, {1, 2, 6, 5, 9, 18, 13, 17}},
                                                {CellShape::quad8, {0, 1, 5, 4, 8, 17, 12, 16}},
                                                {CellShape::quad8, {3, 7, 6, 2, 19, 14, 18, 10}},
                                                {CellShape::quad8, {0, 3, 2, 1, 11, 10, 9, 8}},
                                                {CellShape::quad8, {4, 5, 6, 7, 12, 13, 14, 15}}}};
constexpr std::array<FaceNodes, 6> hex27_faces{{{CellShape::quad9, {0, 4, 7, 3, 16, 15, 19, 11, 20}},
                                                {CellShape::quad9, {1, 2, 6, 5, 9, 18, 13, 17, 21}},
                                                {CellShape::quad9, {0, 1, 5, 4, 8, 17, 12, 16, 22}},
                                                {CellShape::quad9, {3, 7, 6, 2, 19, 14, 18, 10, 23}},
                                                {CellShape::quad9, {0, 3, 2, 1, 11, 10, 9, 8, 24}},
                                                {CellShape::quad9, {4, 5, 6, 7, 12, 13, 14, 15, 25}}}};

constexpr std::array<std::int8_t, 1> turned_vertex{0};
constexpr std::array<std::int8_t, 3> turned_line{1, 0, 2};
constexpr std::array<std::int8_t, 6> turned_triangle{0, 2, 1, 5, 4, 3};
constexpr std::array<std::int8_t, 3> turned_triangle3{0, 2, 1};
constexpr std::array<std::int8_t, 4> turned_quad4{0, 3, 2, 1};
constexpr std::array<std::int8_t, 9> turned_quad{0, 3, 2, 1, 7, 6, 5, 4, 8};
// Corners 1 and 2 of a tet change places; edges (0,1)<->(2,0), (1,3)<->(2,3).
constexpr std::array<std::int8_t, 10> turned_tet{0, 2, 1, 3, 6, 5, 4, 7, 9, 8};
// A hex is mirrored in its local x = y plane: corners 1<->3, 5<->7.
constexpr std::array<std::int8_t, 27> turned_hex{0,  3,  2,  1,  4,  7,  6,  5,  11, 10, 9,  8,  15, 14,
                                                 13, 12, 16, 19, 18, 17, 22, 23, 20, 21, 24, 25, 26};

}  // namespace

std::span<const EdgeNodes> edges_of(CellShape shape) {
  switch (shape) {
    case CellShape::vertex: return {};
    case CellShape::line2: return line2_edges;
    case CellShape::line3: return line3_edges;
    case CellShape::triangle3: return triangle3_edges;
    case CellShape::triangle6: return triangle6_edges;
    case CellShape::quad4: return quad4_edges;
    case CellShape::quad8:
    case CellShape::quad9: return quad8_edges;
    case CellShape::tet4: return tet4_edges;
    case CellShape::tet10: return tet10_edges;
    case CellShape::hex8: return hex8_edges;
    case CellShape::hex20:
    case CellShape::hex27: return hex20_edges;
  }
  return {};
}

std::span<const FaceNodes> faces_of(CellShape shape) {
  switch (shape) {
    case CellShape::tet4: return tet4_faces;
    case CellShape::tet10: return tet10_faces;
    case CellShape::hex8: return hex8_faces;
    case CellShape::hex20: return hex20_faces;
    case CellShape::hex27: return hex27_faces;
    default: return {};
  }
}

std::span<const std::int8_t> turned_order(CellShape shape) {
  switch (shape) {
    case CellShape::vertex: return turned_vertex;
    case CellShape::line2:
    case CellShape::line3: return turned_line;
    case CellShape::triangle3: return turned_triangle3;
    case CellShape::triangle6: return turned_triangle;
    case CellShape::quad4: return turned_quad4;
    case CellShape::quad8:
    case CellShape::quad9: return turned_quad;
    case CellShape::tet4:
    case CellShape::tet10: return turned_tet;
    case CellShape::hex8:
    case CellShape::hex20:
    case CellShape::hex27: return turned_hex;
  }
  return turned_vertex;
}

CellShape straight(CellShape shape) {
  switch (shape) {
    case CellShape::line3: return CellShape::line2;
    case CellShape::triangle6: return CellShape::triangle3;
    case CellShape::quad8:
    case CellShape::quad9: return CellShape::quad4;
    case CellShape::tet10: return CellShape::tet4;
    case CellShape::hex20:
    case CellShape::hex27: return CellShape::hex8;
    default: return shape;
  }
}

}  // namespace conoid
