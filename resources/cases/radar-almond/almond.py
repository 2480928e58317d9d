#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Writes almond.msh: the surface of the NASA almond in triangles of second order, in millimetres, every node on the formula of
# A. C. Woo, H. T. G. Wang, M. J. Schuh, M. L. Sanders, IEEE Antennas Propag. Mag. 35 (1993) 84.
#   python3 almond.py [EDGE] > almond.msh      wanted edge in millimetres, default 12
import math
import sys

LENGTH = 252.374  # 9.936 in
BLUNT, TIP = -0.416667, 0.583333  # in lengths


def half_breadth(t):
    """y of the outline at x = t lengths; half the height is a third of it."""
    if t < 0:
        return LENGTH * 0.193333 * math.sqrt(max(0, 1 - (t / BLUNT) ** 2))
    return LENGTH * 4.83345 * max(0, math.sqrt(1 - (t / 2.08335) ** 2) - 0.96)


def outline(fine=20000):
    """Lengths along the outline in the plane z = 0 at many places t. Dense at the blunt end, where breadth goes with a root."""
    places = [BLUNT * math.cos(0.5 * math.pi * i / fine) for i in range(fine)]
    places += [TIP * i / fine for i in range(fine + 1)]
    way = [0.0]
    for a, b in zip(places, places[1:]):
        way.append(way[-1] + math.hypot(LENGTH * (b - a), half_breadth(b) - half_breadth(a)))
    return places, way


PLACES, WAY = outline()


def on_surface(s, psi):
    """The point at the length s along the outline, psi around."""
    low, high = 0, len(WAY) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if WAY[middle] <= s else (low, middle)
    share = (s - WAY[low]) / (WAY[high] - WAY[low])
    t = PLACES[low] + share * (PLACES[high] - PLACES[low])
    b = half_breadth(t)
    return LENGTH * t, b * math.cos(psi), b / 3 * math.sin(psi)


def almond(edge):
    """Nodes, and triangles of six nodes: corners, then middles of their edges 01, 12, 20."""
    widest = WAY[PLACES.index(0.0)]  # curvature jumps there: no triangle crosses that ring
    rear, front = (max(2, round(part / edge)) for part in (widest, WAY[-1] - widest))
    lengths = [widest * i / rear for i in range(rear)]
    lengths += [widest + (WAY[-1] - widest) * i / front for i in range(front + 1)]
    nodes, triangles, middles = [], [], {}

    def node(s, psi):
        nodes.append(on_surface(s, psi))
        return len(nodes)

    rings = []  # (number of the node, s, psi); poles have one node
    for s in lengths:
        a = on_surface(s, 0)[1]
        if s in (lengths[0], lengths[-1]):
            rings.append([(node(s, 0), s, None)])
            continue
        h = (a - a / 3) ** 2 / (a + a / 3) ** 2
        around = math.pi * (a + a / 3) * (1 + 3 * h / (10 + math.sqrt(4 - 3 * h)))  # of an ellipse (Ramanujan)
        count = 4 * max(2, round(around / edge / 4))  # quarters alike, eight or more
        rings.append([(node(s, 2 * math.pi * i / count), s, 2 * math.pi * i / count) for i in range(count)])

    def middle(a, b):
        key = (min(a[0], b[0]), max(a[0], b[0]))
        if key not in middles:
            p = a[2] if a[2] is not None else b[2]
            q = b[2] if b[2] is not None else p
            if abs(p - q) > math.pi:
                p, q = min(p, q) + 2 * math.pi, max(p, q)
            middles[key] = node((a[1] + b[1]) / 2, (p + q) / 2)
        return middles[key]

    def add(a, b, c):
        triangles.append((a[0], b[0], c[0], middle(a, b), middle(b, c), middle(c, a)))

    for lower, upper in zip(rings, rings[1:]):
        m, n = (len(r) if len(r) > 1 else 0 for r in (lower, upper))
        i = j = 0
        while i < m or j < n:
            a, b = lower[i % len(lower)], upper[j % len(upper)]
            if j >= n or (i < m and (2 * i + 1) * n <= (2 * j + 1) * m):
                i += 1
                add(a, lower[i % m], b)
            else:
                j += 1
                add(a, upper[j % n], b)
    return nodes, triangles


def main():
    nodes, triangles = almond(float(sys.argv[1]) if len(sys.argv) > 1 else 12)
    print("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"almond\"\n$EndPhysicalNames")
    print(f"$Nodes\n{len(nodes)}")
    for number, (x, y, z) in enumerate(nodes, 1):
        print(f"{number} {x:.5f} {y:.5f} {z:.5f}")
    print(f"$EndNodes\n$Elements\n{len(triangles)}")
    for number, corners in enumerate(triangles, 1):
        print(number, "9 2 1 1", *corners)
    print("$EndElements")


main()
