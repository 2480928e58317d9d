# SPDX-License-Identifier: BSD-3-Clause
"""Units and quantities: `10 * m`, `2 * km / s`, `[0, 0, -1.2] * km`.

A quantity keeps its number and its unit as they were written, and goes into the case as such text ("10 m"), so that the program
reads exactly what was typed. Dimensions are checked here as soon as a value is put into a case. The table follows that of the
program (engine/core/units.cpp), and so does the rule that angles, levels and bytes are dimensions of their own. Exact by
definition: SI brochure, 9th edition; international yard and pound of 1959.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union, overload

import numpy as np

from .errors import InvalidInput

Dimension = tuple[int, ...]  # exponents of m, kg, s, A, K, mol, cd, rad, dB, B
_names = ("m", "kg", "s", "A", "K", "mol", "cd", "rad", "dB", "B")
_plain: Dimension = (0,) * len(_names)


def _dimension(**exponents: int) -> Dimension:
    return tuple(exponents.get(name, 0) for name in _names)


def _compound(text: str) -> bool:
    return bool(re.search(r"[*/ ]", text))


@dataclass(frozen=True)
class Unit:
    """A unit: its text, its size in SI base units, its dimension. Products, quotients and whole powers are units again."""

    text: str
    factor: float
    dimension: Dimension

    __array_ufunc__ = None  # so that `array * m` comes here, and not element by element

    @overload
    def __mul__(self, other: Unit) -> Unit: ...
    @overload
    def __mul__(self, other: float) -> Quantity: ...
    def __mul__(self, other: Unit | float) -> Unit | Quantity:
        if not isinstance(other, Unit):
            return Quantity(float(other), self)
        text = "*".join(t for t in (self.text, f"({other.text})" if "/" in other.text else other.text) if t != "1")
        dimension = tuple(a + b for a, b in zip(self.dimension, other.dimension))
        return Unit(text or "1", self.factor * other.factor, dimension)

    @overload
    def __rmul__(self, other: float) -> Quantity: ...
    @overload
    def __rmul__(self, other: Sequence[Any] | np.ndarray[Any, Any]) -> list[Any]: ...
    def __rmul__(self, other: Any) -> Any:
        if isinstance(other, (list, tuple, np.ndarray)) and np.ndim(other) > 0:
            return [self.__rmul__(item) for item in other]
        return Quantity(float(other), self)

    def __call__(self, *values: float) -> list[Quantity]:
        """A list of quantities: `m(0, 0, -200)`, the same as `[0, 0, -200] * m`."""
        return [Quantity(float(value), self) for value in values]

    def __truediv__(self, other: Unit) -> Unit:
        under = f"({other.text})" if _compound(other.text) else other.text
        dimension = tuple(a - b for a, b in zip(self.dimension, other.dimension))
        return Unit(self.text if under == "1" else f"{self.text}/{under}", self.factor / other.factor, dimension)

    def __rtruediv__(self, other: float) -> Quantity:
        return Quantity(float(other), Unit("1", 1.0, _plain) / self)

    def __pow__(self, power: int) -> Unit:
        text = f"({self.text})^{power}" if _compound(self.text) or "^" in self.text else f"{self.text}^{power}"
        return Unit(text, self.factor**power, tuple(power * d for d in self.dimension))

    def __str__(self) -> str:
        return self.text


Number = Union[int, float]


@dataclass(frozen=True)
class Quantity:
    """A number with a unit. `si` is its value in SI base units (angles in rad, levels in dB)."""

    magnitude: float
    unit: Unit

    __array_ufunc__ = None

    @property
    def si(self) -> float:
        return self.magnitude * self.unit.factor

    def to(self, unit: Unit | str) -> float:
        """The number in another unit of the same dimension."""
        other = parse_unit(unit) if isinstance(unit, str) else unit
        if other.dimension != self.unit.dimension:
            raise InvalidInput(f"'{self}' cannot be given in {other}: it measures something else")
        return self.magnitude * (self.unit.factor / other.factor)

    def __mul__(self, other: Number | Unit | Quantity) -> Quantity:
        if isinstance(other, Quantity):
            return Quantity(self.magnitude * other.magnitude, self.unit * other.unit)
        if isinstance(other, Unit):
            return Quantity(self.magnitude, self.unit * other)
        return Quantity(self.magnitude * other, self.unit)

    def __rmul__(self, other: Number) -> Quantity:
        return Quantity(other * self.magnitude, self.unit)

    def __truediv__(self, other: Number | Unit | Quantity) -> Quantity:
        if isinstance(other, Quantity):
            return Quantity(self.magnitude / other.magnitude, self.unit / other.unit)
        if isinstance(other, Unit):
            return Quantity(self.magnitude, self.unit / other)
        return Quantity(self.magnitude / other, self.unit)

    def __rtruediv__(self, other: Number) -> Quantity:
        return Quantity(other / self.magnitude, Unit("1", 1.0, _plain) / self.unit)

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(self.magnitude + other.to(self.unit), self.unit)

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self.magnitude - other.to(self.unit), self.unit)

    def __neg__(self) -> Quantity:
        return Quantity(-self.magnitude, self.unit)

    def __lt__(self, other: Quantity) -> bool:
        return self.magnitude < other.to(self.unit)

    def __float__(self) -> float:
        """Of plain ratios only: a length is no number."""
        if self.unit.dimension != _plain:
            raise TypeError(f"'{self}' has a unit: use .si or .to(unit)")
        return self.si

    def __str__(self) -> str:
        return f"{self.magnitude!r} {self.unit.text}"


_prefixes = {
    "f": -15, "p": -12, "n": -9, "u": -6, "\u00b5": -6, "\u03bc": -6, "m": -3, "c": -2, "d": -1, "k": 3, "M": 6, "G": 9, "T": 12,
}  # fmt: skip
_binary = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_down, _up, _centi = "fpnu\u00b5\u03bcm", "kMGT", "cd"
_force = _dimension(m=1, kg=1, s=-2)
_pressure = _dimension(m=-1, kg=1, s=-2)
_energy = _dimension(m=2, kg=1, s=-2)
_length, _time, _angle = _dimension(m=1), _dimension(s=1), _dimension(rad=1)
_speed = _dimension(m=1, s=-1)
_table: dict[str, tuple[float, Dimension, str]] = {
    "1": (1, _plain, ""),
    "m": (1, _length, _down + _up + _centi),
    "g": (1e-3, _dimension(kg=1), _down + _up),
    "s": (1, _time, _down),
    "A": (1, _dimension(A=1), _down + _up),
    "K": (1, _dimension(K=1), _down + _up),
    "mol": (1, _dimension(mol=1), _down + _up),
    "cd": (1, _dimension(cd=1), ""),
    "rad": (1, _angle, _down),
    "deg": (math.pi / 180, _angle, ""),
    "\u00b0": (math.pi / 180, _angle, ""),
    "rev": (2 * math.pi, _angle, ""),
    "rpm": (2 * math.pi / 60, _dimension(rad=1, s=-1), ""),
    "dB": (1, _dimension(dB=1), ""),
    "Np": (20 / math.log(10), _dimension(dB=1), ""),
    "B": (1, _dimension(B=1), _up),
    "%": (1e-2, _plain, ""),
    "ppm": (1e-6, _plain, ""),
    "Hz": (1, _dimension(s=-1), _down + _up),
    "N": (1, _force, _down + _up),
    "Pa": (1, _pressure, _down + _up),
    "J": (1, _energy, _down + _up),
    "W": (1, _dimension(m=2, kg=1, s=-3), _down + _up),
    "C": (1, _dimension(s=1, A=1), _down + _up),
    "V": (1, _dimension(m=2, kg=1, s=-3, A=-1), _down + _up),
    "F": (1, _dimension(m=-2, kg=-1, s=4, A=2), _down + _up),
    "ohm": (1, _dimension(m=2, kg=1, s=-3, A=-2), _down + _up),
    "S": (1, _dimension(m=-2, kg=-1, s=3, A=2), _down + _up),
    "H": (1, _dimension(m=2, kg=1, s=-2, A=-2), _down + _up),
    "Wb": (1, _dimension(m=2, kg=1, s=-2, A=-1), _down + _up),
    "T": (1, _dimension(kg=1, s=-2, A=-1), _down + _up),
    "bar": (1e5, _pressure, _down + _up),
    "atm": (101325, _pressure, ""),
    "psi": (4.4482216152605 / 0.00064516, _pressure, ""),
    "in": (0.0254, _length, ""),
    "mil": (2.54e-5, _length, ""),
    "ft": (0.3048, _length, ""),
    "yd": (0.9144, _length, ""),
    "mi": (1609.344, _length, ""),
    "L": (1e-3, _dimension(m=3), _down + _up),
    "t": (1e3, _dimension(kg=1), _up),
    "lb": (0.45359237, _dimension(kg=1), ""),
    "lbf": (4.4482216152605, _force, ""),
    "kgf": (9.80665, _force, ""),
    "min": (60, _time, ""),
    "h": (3600, _time, ""),
    "day": (86400, _time, ""),
    "mph": (0.44704, _speed, ""),
    "kn": (1852 / 3600, _speed, ""),
}


def _symbol(text: str) -> Unit | None:
    if text in _table:
        factor, dimension, _ = _table[text]
        return Unit(text, factor, dimension)
    for front, power in _prefixes.items():
        rest = text[len(front) :]
        if text.startswith(front) and rest in _table and front in _table[rest][2]:
            # The decimal product is the nearest number to the exact one: 1 mm is 1e-3 and not 0.0010000000000000002.
            return Unit(text, _table[rest][0] * 10.0**power if power > 0 else _table[rest][0] / 10.0**-power, _table[rest][1])
    for front, size in _binary.items():
        if text == front + "B":
            return Unit(text, float(size), _table["B"][1])
    return None


_token = re.compile(r"\s*(?:(\^\s*-?\d+)|([*/()·])|([^\s*/()^·]+))")


def parse_unit(text: str) -> Unit:
    """Reads "km/s", "kg/m^3", "J/(kg*K)", "Pa m": symbols with products (a blank is one), quotients, whole powers, parentheses."""
    tokens: list[str] = []
    at = 0
    stripped = text.strip().replace("\u00b2", "^2").replace("\u00b3", "^3")
    while at < len(stripped):
        match = _token.match(stripped, at)
        if match is None:
            raise InvalidInput(f"'{text}' is no unit")
        tokens.append(match.group(match.lastindex or 0).replace(" ", ""))
        at = match.end()
    if not tokens:
        return Unit("1", 1.0, _plain)
    place = 0

    def group() -> Unit:
        nonlocal place
        if place >= len(tokens):
            raise InvalidInput(f"'{text}' is no unit: it ends too early")
        token = tokens[place]
        place += 1
        if token == "(":
            unit = product()
            if place >= len(tokens) or tokens[place] != ")":
                raise InvalidInput(f"'{text}' is no unit: a parenthesis is not closed")
            place += 1
        else:
            found = _symbol(token)
            if found is None:
                raise InvalidInput(f"'{token}' of '{text}' is no unit that is known")
            unit = found
        if place < len(tokens) and tokens[place].startswith("^"):
            unit = unit ** int(tokens[place][1:])
            place += 1
        return unit

    def product() -> Unit:
        nonlocal place
        unit = group()
        while place < len(tokens) and tokens[place] != ")":
            sign = tokens[place]
            if sign in "*/·":
                place += 1
            unit = unit / group() if sign == "/" else unit * group()
        return unit

    unit = product()
    if place != len(tokens):
        raise InvalidInput(f"'{text}' is no unit")
    return Unit(stripped, unit.factor, unit.dimension)


_number = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*)$")


def quantity(text: str) -> Quantity:
    """Reads "2.5 km/s" as the program does; a bare number is a plain ratio."""
    match = _number.match(text)
    if match is None:
        raise InvalidInput(f"'{text}' is no number with a unit")
    return Quantity(float(match.group(1)), parse_unit(match.group(2)))


def _unit(text: str) -> Unit:
    return parse_unit(text)


m, cm, mm, um, km, inch, ft = (_unit(t) for t in ("m", "cm", "mm", "um", "km", "in", "ft"))
s, ms, us, ns, minute, hour = (_unit(t) for t in ("s", "ms", "us", "ns", "min", "h"))
Hz, kHz, MHz, GHz = (_unit(t) for t in ("Hz", "kHz", "MHz", "GHz"))
g, kg, t = (_unit(x) for x in ("g", "kg", "t"))
N, kN, MN = (_unit(x) for x in ("N", "kN", "MN"))
Pa, kPa, MPa, GPa, bar = (_unit(x) for x in ("Pa", "kPa", "MPa", "GPa", "bar"))
J, kJ, MJ, W, kW = (_unit(x) for x in ("J", "kJ", "MJ", "W", "kW"))
V, A, ohm, S, F, H = (_unit(x) for x in ("V", "A", "ohm", "S", "F", "H"))
K, mol = (_unit(x) for x in ("K", "mol"))
rad, deg, dB, percent = (_unit(x) for x in ("rad", "deg", "dB", "%"))
KiB, MiB, GiB = (_unit(x) for x in ("KiB", "MiB", "GiB"))
