#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the packages of build/packages (packaging/package.sh) in clean roots of Debian and uses them. As root; wants debootstrap
# and, for deb, the mirror of this machine.
#   packaging/test_package.sh [deb|archive|rpm]…     default: all three
#     deb      apt installs conoid-headless, then conoid, with what they depend on: a run, a check against exact numbers, a picture, the
#              window, and conoid-cuda where it was made; then all are purged, and nothing of them is left
#     archive  in a root with nothing but Debian's smallest set: a run, a picture, the window without a display, two ranks; moved
#              elsewhere, the same
#     rpm      listed, unpacked by rpm2cpio, run
#   CONOID_SUITE=trixie  in roots of Debian 13 instead of 12, for which archive and RPM are made as well (the DEBs are Debian 12's)
#   CONOID_NO_NETWORK=1  says that there is no mirror: what needs one is left out and said to be; nothing else is
# Exit status 77: no root can be made here (not root, no right to mount, no mirror), nothing was tested.
# The clean root is kept packed in build/packages.roots, one a suite, architecture and month.
set -euo pipefail
cd "$(dirname "$0")/.."
kinds=("$@")
[ ${#kinds[@]} -gt 0 ] || kinds=(deb archive rpm)
for kind in "${kinds[@]}"; do
  case "$kind" in deb | archive | rpm) ;; *) echo "usage: packaging/test_package.sh [deb|archive|rpm]…" >&2; exit 2 ;; esac
done
fail() { echo "test_package.sh: $*" >&2; exit 1; }
no_root() { echo "test_package.sh: $*" >&2; exit 77; }
[ "$(id -u)" -eq 0 ] || no_root "a root for the packages can be made by root only"
unshare --mount --propagation private sh -ec 'mount -t tmpfs none /mnt; mkdir /mnt/a /mnt/b; mount -t proc none /mnt/a; mount -t sysfs -o ro none /mnt/b' 2>/dev/null ||
  no_root "mounts of its own are not allowed here"
# Mounts of the roots are this process's own and go with it.
[ "${CONOID_PACKAGE_NAMESPACE:-}" = 1 ] || CONOID_PACKAGE_NAMESPACE=1 exec unshare --mount --propagation private "$0" "${kinds[@]}"
begin_all=$SECONDS
phase() {
  local name=$1 begin=$SECONDS
  shift
  "$@" || fail "$name"
  printf '== %s: %d s\n' "$name" $((SECONDS - begin))
}
packages=$PWD/build/packages
newest() {
  local file
  file=$(ls -t "$packages"/$1 2>/dev/null | head -n 1)
  [ -n "$file" ] || fail "there is no $1 in $packages; packaging/package.sh makes it"
  printf '%s\n' "$file"
}

suite=${CONOID_SUITE:-bookworm}
if [ "$suite" != bookworm ] && [[ " ${kinds[*]} " == *" deb "* ]]; then fail "the DEBs are for bookworm, not for $suite: say archive or rpm"; fi
mirror=${CONOID_MIRROR:-$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(RELEASE)' 2>/dev/null | awk -v s="$suite" '$2 == "Debian" && $3 == s {print $1; exit}')}
mirror=${mirror:-http://deb.debian.org/debian}
packed=$PWD/build/packages.roots/$suite-$(dpkg --print-architecture)-$(date -u +%Y%m).tar
work=$(mktemp -d)
cleanup() {
  local point
  for point in proc sys dev; do umount -l "$work/root/$point" 2>/dev/null || true; done
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT

make_packed_root() {
  [ -s "$packed" ] && return
  [ "${CONOID_NO_NETWORK:-}" != 1 ] || fail "CONOID_NO_NETWORK=1, and there is no root in $packed yet"
  command -v debootstrap >/dev/null || fail "there is no debootstrap; packaging/setup.sh --package installs it"
  mkdir -p "$(dirname "$packed")"
  debootstrap --variant=minbase "$suite" "$work/new" "$mirror" >"$work/debootstrap.log" 2>&1 ||
    { tail -n 20 "$work/debootstrap.log" >&2; no_root "debootstrap from $mirror: no root can be made. Without a network, say CONOID_NO_NETWORK=1"; }
  rm -rf "$work"/new/var/cache/apt/archives/*.deb
  tar -C "$work/new" --one-file-system -cf "$packed.part" .
  mv "$packed.part" "$packed"
  rm -rf --one-file-system "$work/new"
}

new_root() {
  local point
  for point in proc sys dev; do umount -l "$work/root/$point" 2>/dev/null || true; done
  rm -rf --one-file-system "$work/root"
  mkdir -p "$work/root"
  tar -C "$work/root" -xf "$packed"
  mount -t proc proc "$work/root/proc"
  mount -t sysfs -o ro sysfs "$work/root/sys"
  mount --rbind /dev "$work/root/dev"
  mkdir -p "$work/root/try"
}
# inside COMMAND: in the root, as root, with the environment of a login, no display and no network names but the resolver's.
inside() {
  chroot "$work/root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 DEBIAN_FRONTEND=noninteractive /bin/sh -ec "cd /try; $1"
}

# is_picture FILE WIDTH HEIGHT: a PNG of that size that is not of one colour, which would pack into next to nothing.
is_picture() {
  local file=$work/root/$1 size
  [ "$(head -c 8 "$file" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || { echo "$1 is no PNG" >&2; return 1; }
  size=$(od -An -j16 -N8 -tu1 "$file" | awk '{print $3 * 256 + $4 "x" $7 * 256 + $8}')
  [ "$size" = "$2x$3" ] || { echo "$1 is $size, not $2x$3" >&2; return 1; }
  [ "$(stat -c %s "$file")" -gt 8000 ] || { echo "$1 is empty" >&2; return 1; }
}

run_sample() {  # run_sample COMMAND: a sample that comes with the package, for a few steps
  inside "rm -rf sample run; $1 new point-source sample >/dev/null; $1 run sample/case.json --set parameters.end_time='0.06 s' --out run --progress none --json >run.json"
  grep -q '"state": *"finished"' "$work/root/try/run/summary.json" || { cat "$work/root/try/run/summary.json" >&2; return 1; }
}
run_mesh_sample() {  # a solver that factorises by MUMPS and so starts MPI
  inside "$1 verify maxwell-fem --quick --only 'small conducting sphere, ka = 0.063' >mesh.txt 2>&1 || { cat mesh.txt; exit 1; }; grep -q '1 of 1 passed' mesh.txt"
}
draw() {
  inside "$1 render run --field pressure --size 640x480 -o picture.png >/dev/null"
  is_picture try/picture.png 640 480
}
complete_words() { inside "$1 completion words ver | grep -q verify"; }
versions_agree() { inside "$1 --version --json" >"$work/parts.json" && grep -q '"MUMPS"' "$work/parts.json"; }

test_deb() {
  local headless window
  headless=$(newest 'conoid-headless_*.deb')
  window=$(newest 'conoid_*.deb')
  new_root
  cp "$headless" "$work/root/try/headless.deb"
  cp "$window" "$work/root/try/window.deb"
  cp -L /etc/resolv.conf "$work/root/etc/resolv.conf"
  printf 'Acquire::Languages "none";\nDpkg::Options {"--force-unsafe-io";};\n' >"$work/root/etc/apt/apt.conf.d/90test"
  if [ "${CONOID_NO_NETWORK:-}" = 1 ]; then
    echo "== SKIPPED: DEBs, since CONOID_NO_NETWORK=1 says that apt has no mirror"
    return
  fi
  phase "apt-get update" inside "apt-get -qq update"
  phase "conoid-headless is installed" inside "apt-get -qq -y install --no-install-recommends ./headless.deb >apt.log 2>&1 || { tail apt.log; exit 1; }"
  phase "no Qt and no VTK come with it" inside "! dpkg-query -W -f '\${Package}\n' | grep -E '^lib(qt[56]|vtk)'"
  phase "a sample is run" run_sample conoid
  phase "exact numbers" inside "conoid verify elastic-bem --quick >verify.txt || { cat verify.txt; exit 1; }; tail -n 1 verify.txt"
  phase "MPI starts without a launcher" run_mesh_sample conoid
  phase "all parts" versions_agree conoid
  phase "completion" complete_words conoid
  phase "conoid and xvfb are installed" inside "apt-get -qq -y install --no-install-recommends ./window.deb xvfb xauth >apt.log 2>&1 || { tail apt.log; exit 1; }"
  phase "a picture" draw conoid
  phase "the window on a display" inside "xvfb-run -a -s '-screen 0 1280x1024x24' conoid-gui sample/case.json --size 1000x700 --screenshot window.png >/dev/null 2>window.log || { cat window.log; exit 1; }"
  phase "its picture" is_picture try/window.png 1000 700
  phase "the documentation, without a network" inside "test -s /usr/share/doc/conoid/html/index.html -a -s /usr/share/doc/conoid/html/searchindex.js && grep -q 'id=\"/grid/spacing\"' /usr/share/doc/conoid/html/reference/keys-acoustic-fd.html"
  phase "desktop, types, pages" inside "test -s /usr/share/applications/conoid.desktop -a -s /usr/share/mime/packages/conoid-mime.xml -a -s /usr/share/icons/hicolor/scalable/apps/conoid.svg -a -s /usr/share/bash-completion/completions/conoid; for page in man1/conoid.1 man1/conoid-run.1 man1/conoid-gui.1 man5/conoid-case.5; do test -s /usr/share/man/\$page.gz; done"
  if ls "$packages"/conoid-cuda_*.deb >/dev/null 2>&1; then
    cp "$(newest 'conoid-cuda_*.deb')" "$work/root/try/cuda.deb"
    phase "conoid-cuda, without a driver" inside "apt-get -qq -y install --no-install-recommends ./cuda.deb >apt.log 2>&1 || { tail apt.log; exit 1; }; conoid devices >devices.txt; grep -q '^cuda ' devices.txt; ! grep -E 'cannot be loaded|another version|no module' devices.txt"
  fi
  phase "all are purged" inside "apt-get -qq -y purge 'conoid*' >apt.log 2>&1; rm -rf /root/.cache/conoid /root/.config/conoid* /root/.local/share/conoid*"
  phase "nothing is left" inside "left=\$(find / -xdev \\( -path /try -o -path /proc -o -path /dev -o -path /var/log -o -path /var/lib/apt -o -path /var/cache/apt -o -path /tmp \\) -prune -o -iname '*conoid*' -print); test -z \"\$left\" || { echo \"\$left\"; exit 1; }; ! grep -qs conoid /usr/share/applications/mimeinfo.cache /usr/share/mime/globs2 /var/lib/dpkg/status"
}

use_folder() {  # use_folder FOLDER: the bundled programs in the root, without any package
  local bin="'$1/bin"
  phase "a sample is run" run_sample "$bin/conoid'"
  phase "MPI starts without a launcher" run_mesh_sample "$bin/conoid'"
  phase "all parts" versions_agree "$bin/conoid'"
  phase "a picture without device and display" draw "$bin/conoid'"
  phase "the window without a display" inside "$bin/conoid-gui' sample/case.json --size 1000x700 --screenshot window.png >/dev/null 2>window.log || { cat window.log; exit 1; }"
  phase "its picture" is_picture try/window.png 1000 700
  phase "the documentation, without a network" inside "test -s '$1/share/doc/conoid/html/index.html'"
  phase "two ranks" inside "$bin/conoid-mpirun' --allow-run-as-root --oversubscribe -n 2 $bin/conoid' run sample/case.json --set parameters.end_time='0.03 s' --out ranks --progress none >ranks.txt 2>&1 || { cat ranks.txt; exit 1; }; grep -q '\"ranks\": *2' ranks/*.json; rm -rf ranks"
  phase "nothing of the system but glibc" inside "for file in '$1'/libexec/conoid*; do LD_LIBRARY_PATH= /lib64/ld-linux-x86-64.so.2 --list \"\$file\"; done | grep '=> /' >loaded.txt; grep -q -F '=> $1/libexec/../lib/libhdf5' loaded.txt; ! grep -v -F '=> $1/' loaded.txt | grep -v -E '/(libc|libm|libdl|libpthread|librt|libresolv)\.so'"
}

test_archive() {
  local run
  run=$(newest 'conoid-*.run')
  new_root
  cp "$run" "$work/root/try/conoid.run"
  phase "the archive unpacks" inside "sh conoid.run --nox11 -- '/opt/conoid here' >unpack.log 2>&1 || { cat unpack.log; exit 1; }; rm conoid.run"
  use_folder "/opt/conoid here"
  inside "mv '/opt/conoid here' /srv/elsewhere"
  phase "moved elsewhere, a sample is run" run_sample /srv/elsewhere/bin/conoid
  phase "moved elsewhere, a picture" draw /srv/elsewhere/bin/conoid
}

test_rpm() {
  local rpm
  rpm=$(newest 'conoid-*.rpm')
  phase "the RPM is listed" bash -c 'rpm -qlp "$0" 2>/dev/null | grep -qx /usr/bin/conoid && rpm -qp --requires "$0" 2>/dev/null | grep -q GLIBC_2.36' "$rpm"
  new_root
  phase "the RPM unpacks" bash -c 'cd "$1" && rpm2cpio "$0" | cpio -idm --quiet' "$rpm" "$work/root"
  phase "a sample is run" run_sample conoid
  phase "a picture" draw conoid
}

phase "clean root of $suite" make_packed_root
for kind in "${kinds[@]}"; do
  printf '\n== %s\n' "$kind"
  "test_$kind"
done
printf '\nThe packages have passed in %d s.\n' $((SECONDS - begin_all))
