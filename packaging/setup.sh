#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what Conoid needs on Debian 12 (and later): compiler, libraries, the programs its tests call.
# Safe to run again: packages that are there already are left alone.
#   packaging/setup.sh            everything: engine, window, tests
#   packaging/setup.sh --engine   a cluster node: no Qt Gui, no VTK
#   packaging/setup.sh --gate     what .ci/run wants besides: the formatter, clang-tidy, mypy, what executes notebooks, and what --docs
#                                 installs
#   packaging/setup.sh --docs     what makes the documentation (packaging/docs.sh)
#   packaging/setup.sh --package  what packaging/package.sh and its test want besides: makers of packages, shells and readers of
#                                 manual pages
set -euo pipefail

engine=(g++ cmake ninja-build ccache pkg-config git ca-certificates
  libeigen3-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libcli11-dev libmuparser-dev
  libhdf5-dev
  libboost-context-dev
  libmumps-dev
  libopenblas-openmp-dev
  libzstd-dev
  libhwloc-dev
  zlib1g-dev libopenmpi-dev openmpi-bin)
tests=(qt6-base-dev openssh-client
  python3-numpy python3-h5py python3-pytest)
# The test of a session through ssh wants a server. Where services are started as they are installed, that is the owner's
# decision, and the test is skipped without it.
[ -d /run/systemd/system ] || tests+=(openssh-server)
window=(libvtk9-dev libqt6opengl6-dev qt6-svg-dev libegl-dev libgl-dev libglew-dev
  libgl1-mesa-dri libegl1 fonts-inter fonts-dejavu-core xvfb xauth gmsh)

docs=(python3-sphinx python3-myst-parser python3-sphinx-rtd-theme python3-numpy python3-h5py doxygen)
gate=(clang-format-14 clang-tidy-14 mypy python3-matplotlib python3-nbclient python3-ipykernel "${docs[@]}")
# The test of a job in a queue starts a Slurm of its own; see above.
[ -d /run/systemd/system ] || gate+=(slurm-wlm munge)
package=(zsh fish man-db mandoc
  python3-pip python3-setuptools python3-wheel python3-matplotlib
  dpkg-dev debootstrap lintian makeself patchelf rpm rpm2cpio cpio)

case "${1:-}" in
  "") wanted=("${engine[@]}" "${tests[@]}" "${window[@]}") ;;
  --engine) wanted=("${engine[@]}") ;;
  --gate) wanted=("${gate[@]}") ;;
  --docs) wanted=("${docs[@]}") ;;
  --package) wanted=("${package[@]}") ;;
  *) echo "usage: packaging/setup.sh [--engine|--gate|--docs|--package]" >&2; exit 2 ;;
esac

if ! command -v apt-get >/dev/null; then
  echo "setup.sh: this script knows Debian's packages only. Install the equivalents of:" >&2
  printf '  %s\n' "${wanted[@]}" >&2
  exit 1
fi

# One question for all: forty of them take a second.
installed=$(dpkg-query -W -f '${Package} ${Status}\n' "${wanted[@]}" 2>/dev/null | sed -n 's/ install ok installed$//p') || true
missing=()
for package in "${wanted[@]}"; do
  grep -qxF -- "$package" <<< "$installed" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup.sh: all packages are installed."
  exit 0
fi

echo "setup.sh: installing ${#missing[@]} packages: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup.sh: run as root, or install sudo." >&2; exit 1; }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" >/dev/null
echo "setup.sh: done."
