# SPDX-License-Identifier: BSD-3-Clause
"""Units, keys and files of cases: what is written is what was meant, and what no case has is refused at once."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import plane_wave

import conoid
from conoid.units import GPa, Hz, MHz, deg, g, cm, kg, km, m, mm, ms, parse_unit, quantity, s


def test_quantities_keep_what_was_written() -> None:
    assert str(2 * km / s) == "2.0 km/s"
    assert (2 * km / s).si == 2000
    assert (1 * mm).si == 1e-3
    assert km(0, 0, -1.2) == [0 * km, 0 * km, -1.2 * km]
    assert m(0, 0, -1.2) == [0, 0, -1.2] * m
    assert [str(q) for q in np.array([1.0, 2.0]) * m] == ["1.0 m", "2.0 m"]
    assert (7.8 * g / cm**3).to("kg/m^3") == pytest.approx(7800, rel=1e-15)
    assert (180 * deg).si == pytest.approx(np.pi, rel=1e-15)
    assert quantity("30 GPa").to(GPa) == 30
    assert (1 / (2 * ms)).to(Hz) == pytest.approx(500)
    assert (3 * m + 20 * cm).to(m) == pytest.approx(3.2)
    with pytest.raises(conoid.InvalidInput, match="measures something else"):
        (3 * m).to(s)
    with pytest.raises(conoid.InvalidInput, match="'furlong'"):
        parse_unit("furlong/s")
    with pytest.raises(TypeError, match="has a unit"):
        float(3 * m)


def test_units_are_those_of_the_program(tmp_path: Path) -> None:
    """What is written here is read there as the same number: `check` tells the grid that comes of it."""
    for spacing, nodes in ((1 * m, 41), (100 * cm, 41), (1000 * mm, 41), (1e-3 * km, 41), (2 * m, 21)):
        case = conoid.Case("acoustic-fd", grid={"size": m(40, 40, 40), "spacing": spacing})
        case.excitation.initial = {"kind": "pulse", "centre": [20, 20, 20], "width": 4}
        case.parameters = {"order": 2, "steps": 10}
        assert case.check().require().estimate.details["grid"] == f"{nodes} × {nodes} × {nodes}"


def test_unknown_keys_and_wrong_units_are_refused() -> None:
    case = conoid.Case("acoustic-fd")
    with pytest.raises(conoid.InvalidInput, match="'spacng'; did you mean 'spacing'"):
        case.grid.spacng = 10 * m
    with pytest.raises(AttributeError, match="did you mean 'grid'"):
        case.gird  # noqa: B018
    with pytest.raises(conoid.InvalidInput, match=r"/grid/spacing: found '10.0 kg', expected a number in m"):
        case.grid.spacing = 10 * kg
    with pytest.raises(conoid.InvalidInput, match="/grid/origin"):
        case.grid.origin = kg(0, 0, 1)
    with pytest.raises(conoid.InvalidInput, match="unknown key 'colour'"):
        case.excitation.sources.append(position=[0, 0, 0], colour="red")
    assert "grid" not in case  # nothing was left behind


@pytest.mark.parametrize("solver", ["acoustic-fd", "acoustic-bem"])
def test_a_former_name_is_taken_and_told(solver: str) -> None:
    case = conoid.Case(solver)
    case.parameters.duration = 0.2 * s
    assert case.to_dict()["parameters"] == {"duration": "0.2 s"}
    assert case.parameters.end_time == case.parameters.duration == case["parameters.end_time"] == "0.2 s"
    assert "parameters.end_time" in case
    told = [d.text for d in case.check().diagnostics if d.pointer == "/parameters/duration"]
    assert told == ["'duration' is called 'end_time' now; the former name is still read"]
    with pytest.raises(conoid.InvalidInput, match="expected a number in s"):
        case.parameters.duration = 3 * kg
    # What is set last stands alone, by whichever name.
    case["parameters.end_time"] = 0.3 * s
    assert case.to_dict()["parameters"] == {"end_time": "0.3 s"}
    case["parameters.duration"] = 0.4
    assert case.to_dict()["parameters"] == {"duration": 0.4}
    del case.parameters.end_time
    assert "parameters.duration" not in case
    case.parameters = {"duration": 0.5 * s}
    assert case.parameters.end_time == "0.5 s"
    with pytest.raises(conoid.InvalidInput, match="unknown key 'duration'"):
        case.output.duration = 1


def test_what_lies_below_a_former_name_is_taken_too() -> None:
    case = conoid.Case("acoustic-fd")
    case.materials.velocity.speed = 2 * km / s
    assert case.to_dict()["materials"] == {"velocity": {"speed": "2.0 km/s"}}
    assert case.medium.velocity.speed == case["medium.velocity.speed"] == case["materials.velocity.speed"] == "2.0 km/s"
    with pytest.raises(conoid.InvalidInput, match="expected a number in m/s"):
        case.materials.velocity.speed = 3 * kg
    case["medium.velocity.speed"] = 1500
    assert case.medium.velocity.speed == 1500 and len({"materials", "medium"} & case.to_dict().keys()) == 1
    other = conoid.Case("acoustic-bem")
    other.output.frequencies = [1 * MHz, 2000]  # a list stands for its values
    assert other.to_dict()["output"]["frequencies"] == ["1.0 MHz", 2000]


def test_a_sweep_takes_a_former_name(tmp_path: Path) -> None:
    case = plane_wave()  # has an end_time
    swept = conoid.sweep(case, {"parameters.duration": [10 * ms, 20 * ms]}, tmp_path, threads=1)
    assert not swept.failed
    ends = [p.run.frames[-1].value for p in swept if p.run]
    assert ends == pytest.approx([0.01, 0.02], rel=1e-9)  # 20 and 40 steps


def test_records_and_names() -> None:
    case = conoid.Case("hydro-fem", title="Two gases")
    case.materials.air.gamma = 1.4
    case.materials["heavy gas"] = {"kind": "ideal-gas", "gamma": 5 / 3}
    case.regions.append(material="air", density=1 * kg / m**3, pressure=1)
    case.output.lines.append(name="axis", from_=[0, 0], to=[1, 0])
    assert case.to_dict()["materials"] == {"air": {"gamma": 1.4}, "heavy gas": {"kind": "ideal-gas", "gamma": 5 / 3}}
    assert case.to_dict()["regions"] == [{"material": "air", "density": "1.0 kg/m^3", "pressure": 1}]
    assert case.to_dict()["output"]["lines"][0]["from"] == [0, 0]
    assert case["output.lines.0.from"] == [0, 0]
    case["output.lines.0.to"] = [2, 0]
    assert case.output.lines[0].to == [2, 0]
    del case.regions
    assert "regions" not in case
    other = case.copy()
    other.materials.air.gamma = 1.2
    assert case.materials.air.gamma == 1.4


def test_check_tells_what_is_wrong_where() -> None:
    assert plane_wave().check().ok
    case = plane_wave()
    case.parameters.order = 7
    check = case.check()
    assert not check and check.exit_code == 3
    assert [(d.pointer, d.code) for d in check.errors] == [("/parameters/order", 3)]
    with pytest.raises(conoid.InvalidInput, match="/parameters/order") as wrong:
        check.require()
    assert wrong.value.diagnostics == check.diagnostics


def test_samples_load_with_their_comments_and_files() -> None:
    names = [sample.name for sample in conoid.samples()]
    assert len(names) > 10 and {s.id for s in conoid.solvers()} == {s.solver for s in conoid.samples()}
    for name in names:
        case = conoid.Case.sample(name)
        plain = case.to_dict()
        again = conoid.Case.from_dict(plain, case.folder)
        assert json.loads(again.to_json()) == plain
        for key, value in plain.items():  # every key of every sample is one that the package would take
            again[key] = value
        assert again.to_dict() == plain


def test_a_saved_case_finds_its_files(tmp_path: Path) -> None:
    case = conoid.Case.sample("salt-dome")
    file = case.save(tmp_path / "elsewhere")
    assert file.name == "case.json"
    assert conoid.Case.load(tmp_path / "elsewhere").check().ok


def test_a_program_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONOID_PROGRAM", "/nowhere/conoid")
    with pytest.raises(conoid.ProgramNotFound, match="use_program"):
        conoid.solvers()


def test_comments_keep_lines() -> None:
    from conoid.case import without_comments

    text = '{\n  // one "quoted"\n  "a": "// none", /* two\n lines */ "b": 1}'
    assert json.loads(without_comments(text)) == {"a": "// none", "b": 1}
    assert without_comments(text).count("\n") == text.count("\n")


def test_frequencies_with_units() -> None:
    case = conoid.Case("maxwell-fem")
    case.excitation.frequency = 300 * MHz
    assert case.excitation.frequency == "300.0 MHz"
