#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the wheel of the Python package (python/), which is pure Python and calls the installed command `conoid`.
#   packaging/wheel.sh [FOLDER]          into FOLDER (default: build/packages)
#   packaging/wheel.sh --test FOLDER     and tries it from FOLDER, outside this tree: it imports, is typed, and checks a case
# Needs Debian's python3-pip, python3-setuptools and python3-wheel (packaging/setup.sh --package); downloads nothing.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
test=no
if [ "${1:-}" = --test ]; then test=yes; shift; fi
out=${1:-$root/build/packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -f "$out"/conoid-*.whl
python=/usr/bin/python3
[ -x $python ] || python=python3
# Setuptools writes beside its sources: those are a copy.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$root/python/." "$copy/"
cp "$root/LICENSE" "$copy/"
$python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --no-index --wheel-dir "$out" "$copy"
ls "$out"/conoid-*-py3-none-any.whl
[ $test = yes ] || exit 0
$python -m zipfile -l "$out"/conoid-*.whl | grep 'conoid/py.typed' > /dev/null || { echo "wheel.sh: py.typed is not in the wheel" >&2; exit 1; }
$python -m zipfile -l "$out"/conoid-*.whl | grep 'dist-info/LICENSE' > /dev/null || { echo "wheel.sh: the licence is not in the wheel" >&2; exit 1; }
rm -rf "$out/site"
$python -m pip install --quiet --disable-pip-version-check --no-deps --no-index --no-warn-script-location --target "$out/site" "$out"/conoid-*.whl
cd "$copy" && rm -rf conoid
PYTHONPATH=$out/site $python - <<'PYTHON'
import conoid
from conoid.units import m

assert "site" in conoid.__file__, conoid.__file__
assert conoid.version()["version"] == conoid.__version__, "the package and the program differ in their versions"
case = conoid.Case("acoustic-fd", grid={"points": [21, 21, 21], "spacing": 10 * m})
case.excitation.initial = {"kind": "pulse", "centre": [100, 100, 100], "width": 30}
case.parameters = {"order": 4, "steps": 10}
case.check().require()
print(f"conoid {conoid.__version__} from its wheel has checked a case")
PYTHON
