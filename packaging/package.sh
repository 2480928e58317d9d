#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes packages of the release build into build/packages; DEBs are the same bytes from the same commit and build.
#   packaging/package.sh [deb|archive|rpm]…     default: all three
#     deb      conoid-headless (command, worker, solvers; no Qt, no VTK), conoid (window and pictures), conoid-cuda (module for
#              NVIDIA devices, where nvcc is here): Debian 12
#     archive  conoid-VERSION-linux-x86_64.run: all libraries inside but glibc and drivers, for any system with glibc 2.36 or newer
#     rpm      the tree of the archive in /opt/conoid
#   CONOID_BUILD=FOLDER       takes the programs of this build folder as they are; else build/release is brought up to date first
#   CONOID_CUDA_BUILD=FOLDER  the same for the module (default: build/cuda, only the module); "no": leaves it out
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD
source packaging/bundle.sh
source packaging/phase.sh
kinds=("$@")
[ ${#kinds[@]} -gt 0 ] || kinds=(deb archive rpm)
for kind in "${kinds[@]}"; do
  case "$kind" in deb | archive | rpm) ;; *) echo "usage: packaging/package.sh [deb|archive|rpm]…" >&2; exit 2 ;; esac
done
want() { [[ " ${kinds[*]} " == *" $1 "* ]]; }
need() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || { echo "package.sh: there is no $program; packaging/setup.sh --package installs it" >&2; exit 1; }
  done
}
need cmake strip
if want deb; then need dpkg-shlibdeps dpkg-deb; fi
if want archive || want rpm; then need patchelf makeself; fi
if want rpm; then need rpmbuild; fi

# One place says the version. What is no release (a commit without the tag vVERSION) sorts before it, by its time.
version=$(sed -n 's/^project(Conoid VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
if epoch=$(git log -1 --format=%ct 2>/dev/null); then
  export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$epoch}
  if [ "$(git tag --points-at HEAD "v$version")" != "v$version" ]; then
    version+="~git$(date -u -d "@$epoch" +%Y%m%d%H%M).$(git rev-parse --short=8 HEAD)"
  fi
else
  export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(stat -c %Y CHANGELOG.md)}
fi
export TZ=UTC LC_ALL=C.UTF-8
umask 022  # files that the packages have as they are made here are read by everybody
architecture=$(dpkg --print-architecture 2>/dev/null || uname -m)
maintainer="The Conoid authors <conoid@localhost>"

programs=(conoid conoid-worker conoid-probe conoid-render conoid-gui)
build=${CONOID_BUILD:-}
if [ -z "$build" ]; then
  build=build/release
  phase "build" packaging/build.sh "${programs[@]}"
fi
for program in "${programs[@]}"; do
  [ -x "$build/bin/$program" ] || { echo "package.sh: $build/bin has no $program; packages are made of a build with window and pictures" >&2; exit 1; }
done

# The module for NVIDIA devices comes from a build of its own, so that the one of the programs needs no CUDA.
cuda=""
build_module() {
  cmake --preset cuda -DCONOID_WITH_TESTS=OFF -DCONOID_WITH_QT=OFF -DCONOID_WITH_VTK=OFF >/dev/null
  cmake --build build/cuda --target conoid_cuda
}
if [ "${CONOID_CUDA_BUILD:-}" = no ]; then
  echo "package.sh: no conoid-cuda, as asked"
elif [ -n "${CONOID_CUDA_BUILD:-}" ]; then
  cuda=$CONOID_CUDA_BUILD/lib/libconoid_cuda.so
  [ -f "$cuda" ] || { echo "package.sh: there is no $cuda" >&2; exit 1; }
elif command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
  phase "module for CUDA" build_module
  cuda=build/cuda/lib/libconoid_cuda.so
else
  echo "package.sh: no conoid-cuda, since there is no nvcc here"
fi

packages=$top/build/packages
work=$top/build/packages.work
stage=$work/stage
rm -rf "$work"
mkdir -p "$packages" "$work"

# The documentation, where what makes it is installed: the same bytes from the same commit and build.
make_documentation() {
  if ! /usr/bin/python3 -c 'import sphinx, myst_parser, sphinx_rtd_theme' 2>/dev/null; then
    echo "package.sh: no documentation inside; packaging/setup.sh --docs installs what makes it"
    return
  fi
  CONOID_PROGRAM=$(realpath "$build/bin/conoid") packaging/docs.sh "$work/docs" >/dev/null
  mkdir -p "$(dirname "$1")"
  cp -r "$work/docs/html" "$1"
  rm -rf "$1/.buildinfo" "$1/.doctrees"
  # Of each font the one form that every browser of today takes.
  find "$1/_static/fonts" -type f ! -name '*.woff2' -delete
  # Scripts, styles and fonts of the pages are of these packages.
  local package
  mkdir -p "$(dirname "$1")/licences"
  for package in sphinx-common sphinx-rtd-theme-common libjs-sphinxdoc libjs-jquery libjs-underscore fonts-lato fonts-font-awesome; do
    if [ -f "/usr/share/doc/$package/copyright" ]; then cp -L "/usr/share/doc/$package/copyright" "$(dirname "$1")/licences/$package"; fi
  done
}

# What `cmake --install` leaves, stripped, with licences: the one tree that all packages are made of.
make_stage() {
  DESTDIR=$stage cmake --install "$build" --prefix /usr >/dev/null
  if [ -n "$cuda" ]; then install -D -m 644 "$cuda" "$stage/usr/lib/conoid/libconoid_cuda.so"; else rm -f "$stage/usr/lib/conoid/libconoid_cuda.so"; fi
  chmod 644 "$stage"/usr/lib/conoid/*.so
  strip --strip-unneeded --remove-section=.comment "$stage"/usr/bin/* "$stage"/usr/lib/conoid/*.so
  local doc=$stage/usr/share/doc/conoid
  mkdir -p "$doc/licences"
  # The pages that the window shows without a network.
  make_documentation "$doc/html"
  # Libraries of which headers are compiled into the programs.
  local package
  for package in libeigen3-dev nlohmann-json3-dev libcli11-dev libfmt-dev libspdlog-dev; do
    [ -f "/usr/share/doc/$package/copyright" ] && cp -L "/usr/share/doc/$package/copyright" "$doc/licences/$package"
  done
  find "$stage" -type d -exec chmod 755 {} +
  chmod -R u+w,go+r-w "$stage"
}
phase "tree of the installation" make_stage

# Times of all files are the commit's.
set_times() { find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }

window_files=(usr/bin/conoid-gui usr/bin/conoid-render usr/bin/conoid-probe
  usr/share/applications usr/share/metainfo usr/share/mime usr/share/icons
  usr/share/conoid/icons usr/share/conoid/themes usr/share/conoid/colormaps usr/share/conoid/i18n usr/share/conoid/help usr/share/doc/conoid/html
  usr/share/man/man1/conoid-gui.1 usr/share/man/man1/conoid-render.1 usr/share/man/man1/conoid-probe.1)

copyright_file() {
  cat <<COPYRIGHT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Conoid
Comment: $1

Files: *
Copyright: 2026, the Conoid authors
License: BSD-3-Clause

License: BSD-3-Clause
$(sed -e '1,4d' -e 's/^$/./' -e 's/^/ /' LICENSE)
COPYRIGHT
}

# make_deb NAME DEPENDS-BESIDES RECOMMENDS SUGGESTS SUMMARY DESCRIPTION: from $work/deb/NAME.
make_deb() {
  local name=$1 besides=$2 recommends=$3 suggests=$4 summary=$5 description=$6 root=$work/deb/$1
  local -a binaries=()
  while IFS= read -r file; do binaries+=("-e$file"); done < <(find "$root" -type f \( -path '*/usr/bin/*' -o -name '*.so' \))
  mkdir -p "$work/shlibs/debian"
  printf 'Source: conoid\n\nPackage: %s\nArchitecture: any\n' "$name" >"$work/shlibs/debian/control"
  local libraries
  libraries=$(cd "$work/shlibs" && dpkg-shlibdeps -O "${binaries[@]}" 2>"$work/shlibs/said" | sed -n 's/^shlibs:Depends=//p') ||
    { cat "$work/shlibs/said" >&2; exit 1; }
  [ -n "$libraries" ] || { echo "package.sh: $name depends on no library, which cannot be" >&2; exit 1; }
  find "$root/usr/share/man" -type f -name '*.[0-9]' -exec gzip -9n {} + 2>/dev/null || true
  local doc=$root/usr/share/doc/$name
  mkdir -p "$doc"
  gzip -9nc CHANGELOG.md >"$doc/CHANGELOG.md.gz"
  printf 'conoid (%s) unstable; urgency=medium\n\n  * What users notice is in CHANGELOG.md.gz.\n\n -- %s  %s\n' "$version" "$maintainer" \
    "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
  mkdir -p "$root/DEBIAN"
  {
    printf 'Package: %s\nSource: conoid\nVersion: %s\nArchitecture: %s\nMaintainer: %s\n' "$name" "$version" "$architecture" "$maintainer"
    printf 'Installed-Size: %s\n' "$(du -k -s --apparent-size --exclude=DEBIAN "$root" | cut -f1)"
    printf 'Depends: %s\n' "${besides:+$besides, }$libraries"
    [ -z "$recommends" ] || printf 'Recommends: %s\n' "$recommends"
    [ -z "$suggests" ] || printf 'Suggests: %s\n' "$suggests"
    printf 'Section: science\nPriority: optional\nDescription: %s\n' "$summary"
    printf '%s\n' "$description" | sed -e 's/^$/./' -e 's/^/ /'
  } >"$root/DEBIAN/control"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
  find "$root" -type d -exec chmod 755 {} +
  chmod 644 "$root/DEBIAN"/*
  set_times "$root"
  dpkg-deb --root-owner-group -Zxz --build "$root" "$packages/${name}_${version}_$architecture.deb" >/dev/null
}

make_debs() {
  local deb=$work/deb
  mkdir -p "$deb"
  cp -a "$stage" "$deb/conoid-headless"
  local file
  for file in "${window_files[@]}"; do
    [ -e "$deb/conoid-headless/$file" ] || continue
    mkdir -p "$deb/conoid/$(dirname "$file")"
    mv "$deb/conoid-headless/$file" "$deb/conoid/$file"
  done
  mv "$deb/conoid-headless/usr/share/doc/conoid" "$deb/conoid-headless/usr/share/doc/conoid-headless"
  rm "$deb/conoid-headless/usr/share/doc/conoid-headless/"{LICENSE,CHANGELOG.md}
  local words="The programs contain code of headers of the libraries whose licences lie in /usr/share/doc/conoid-headless/licences."
  copyright_file "$words" >"$deb/conoid-headless/usr/share/doc/conoid-headless/copyright"
  install -D -m 644 <(copyright_file "$words") "$deb/conoid/usr/share/doc/conoid/copyright"
  local about="Conoid computes acoustic, elastic and electromagnetic waves and shocks. A
case, a text file, goes in; a run folder with fields, tables and a summary
comes out."
  if [ -n "$cuda" ]; then
    mkdir -p "$deb/conoid-cuda/usr/lib/conoid"
    mv "$deb/conoid-headless/usr/lib/conoid/libconoid_cuda.so" "$deb/conoid-cuda/usr/lib/conoid/"
    install -D -m 644 <(copyright_file "The module contains NVIDIA's runtime library (libcudart_static), which its licence, the CUDA Toolkit End User License Agreement, attachment A, allows to distribute as part of an application: https://docs.nvidia.com/cuda/eula/") \
      "$deb/conoid-cuda/usr/share/doc/conoid-cuda/copyright"
    make_deb conoid-cuda "conoid-headless (= $version)" "" "nvidia-driver" "module of Conoid for NVIDIA devices" "$about

This package has the module that computes on NVIDIA devices. It needs NVIDIA's driver."
  fi
  make_deb conoid-headless "" "openmpi-bin" "conoid, gmsh, openssh-client" "compute waves and shocks, command and solvers" "$about

This package has the command and the solvers, for workstations without a
display and the nodes of a cluster. The window and pictures are in the package
conoid."
  make_deb conoid "conoid-headless (= $version), libgl1-mesa-dri" "gmsh" "openssh-client" "workbench for waves and shocks" "$about

This package has the window, with forms, live fields and charts, pictures of
runs without a display, and the documentation."
}
if want deb; then phase "DEBs" make_debs; fi
if want archive || want rpm; then
  phase "libraries of the archive" make_bundle
fi
if want archive; then phase "archive" make_archive; fi
if want rpm; then phase "RPM" make_rpm; fi
rm -rf "$work"
ls -l --time-style=+ "$packages" | awk 'NR > 1 {printf "%8.1f MB  %s\n", $5 / 1e6, $NF}'
