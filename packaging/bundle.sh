# SPDX-License-Identifier: BSD-3-Clause
# Sourced by package.sh: one folder with the programs and all libraries inside but glibc and drivers, which runs wherever it is put;
# the self-extracting archive and the RPM of it.
#
#   bin/      what is called: scripts that tell the libraries where they lie now
#   libexec/  the programs (RUNPATH $ORIGIN/../lib), Open MPI's mpirun and orted, qt.conf
#   lib/      libraries (RUNPATH $ORIGIN), conoid/ modules for devices, qt6/ plugins, openmpi/ and pmix/ modules, dri/ Mesa's processor
#             renderer, fonts
#   share/    sample cases, manual pages, licences of everything inside

# Of the system: the C library, and what reaches the kernel's drivers by it.
bundle_outside='^(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl|libnsl|libnss_.*|libthread_db)\.so'

# Of one ELF file: the libraries that the loader takes here, as "soname path".
bundle_needs() { ldd "$1" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}'; }

# bundle_take FILE TARGET: a file of the system.
bundle_take() {
  local real
  real=$(readlink -f "$1")
  mkdir -p "$(dirname "$2")"
  cp -L "$real" "$2"
  chmod 755 "$2"
  printf '%s %s\n' "$real" "${2#"$bundle"/}" >>"$work/taken"
}

bundle_libraries() {
  local -a open=("$@")
  local file soname path
  while [ ${#open[@]} -gt 0 ]; do
    local -a next=()
    for file in "${open[@]}"; do
      while read -r soname path; do
        [[ $soname =~ $bundle_outside ]] && continue
        [ -e "$bundle/lib/$soname" ] && continue
        case "$soname" in
          # OpenBLAS has both inside; a second copy would come with threads of its own.
          libblas.so.3 | liblapack.so.3) ln -s libopenblas.so.0 "$bundle/lib/$soname"; continue ;;
          # jbigkit is under the GPL. Pictures that it packs are no business of Conoid: libtiff gets a library that refuses them.
          libjbig.so.0) bundle_no_jbig; continue ;;
        esac
        bundle_take "$path" "$bundle/lib/$soname"
        next+=("$bundle/lib/$soname")
      done < <(bundle_needs "$file")
    done
    open=("${next[@]}")
  done
}

bundle_no_jbig() {
  cat >"$work/no_jbig.c" <<'C'
/* SPDX-License-Identifier: BSD-3-Clause
 * In the place of jbigkit, for libtiff alone: whatever it is asked it refuses, so that TIFF files packed by JBIG are told to be unreadable. */
#include <stddef.h>
#define REFUSED 0x20 /* anything but JBG_EOK (0) and JBG_EOK_INTR (1) */
void jbg_dec_init(void* s) { (void)s; }
int jbg_dec_in(void* s, unsigned char* data, size_t len, size_t* cnt) { (void)s, (void)data, (void)len; if (cnt) *cnt = 0; return REFUSED; }
void jbg_dec_free(void* s) { (void)s; }
unsigned long jbg_dec_getsize(const void* s) { (void)s; return 0; }
unsigned char* jbg_dec_getimage(const void* s, int plane) { (void)s, (void)plane; return NULL; }
unsigned long jbg_dec_getwidth(const void* s) { (void)s; return 0; }
unsigned long jbg_dec_getheight(const void* s) { (void)s; return 0; }
const char* jbg_strerror(int code) { (void)code; return "JBIG is not supported"; }
int jbg_newlen(unsigned char* data, size_t len) { (void)data, (void)len; return REFUSED; }
void jbg_enc_init(void* s, unsigned long x, unsigned long y, int planes, unsigned char** p, void (*out)(unsigned char*, size_t, void*), void* file) {
  (void)s, (void)x, (void)y, (void)planes, (void)p, (void)out, (void)file;
}
void jbg_enc_out(void* s) { (void)s; }
void jbg_enc_free(void* s) { (void)s; }
C
  cc -O1 -shared -fPIC -Wl,-soname,libjbig.so.0 -o "$bundle/lib/libjbig.so.0" "$work/no_jbig.c"
  # Every function that libtiff takes from it must be there.
  local missing
  missing=$(comm -23 <(nm -D --undefined-only "$(ldconfig -p | awk '/libtiff.so.6 /{print $NF; exit}')" | awk '/ jbg_/{print $2}' | sed 's/@.*//' | sort -u) \
    <(nm -D --defined-only "$bundle/lib/libjbig.so.0" | awk '/ jbg_/{print $3}' | sort -u))
  [ -z "$missing" ] || { echo "package.sh: libtiff asks jbigkit for $missing, which has no stand-in" >&2; exit 1; }
}

bundle_launcher() {
  cat >"$bundle/bin/$1" <<'SH'
#!/bin/sh
# Conoid as one folder: tells libraries where their parts lie, then starts the program.
here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$here")
lib=$top/lib
export OPAL_PREFIX="$top" OPAL_PKGLIBDIR="$lib/openmpi" OPAL_LIBDIR="$lib" OPAL_BINDIR="$top/libexec" OPAL_PKGDATADIR="$top/share/openmpi"
export PMIX_INSTALL_PREFIX="$top" PMIX_PKGLIBDIR="$lib/pmix" PMIX_LIBDIR="$lib" PMIX_PKGDATADIR="$top/share/pmix"
PATH="$top/libexec:$PATH"
export PATH
# Pictures: NVIDIA's driver where it is installed, else Mesa on the processor from here.
export __EGL_VENDOR_LIBRARY_DIRS="/etc/glvnd/egl_vendor.d:$lib/egl_vendor.d"
[ -e /usr/share/glvnd/egl_vendor.d/10_nvidia.json ] && __EGL_VENDOR_LIBRARY_DIRS="/usr/share/glvnd/egl_vendor.d:$__EGL_VENDOR_LIBRARY_DIRS"
# Without ssh mpirun would not even start ranks of this machine.
command -v ssh >/dev/null || export OMPI_MCA_plm="${OMPI_MCA_plm:-isolated}"
export LIBGL_DRIVERS_PATH="$lib/dri"
export FONTCONFIG_FILE="${FONTCONFIG_FILE:-$lib/fonts/fonts.conf}"
exec "$top/libexec/PROGRAM" "$@"
SH
  sed -i "s/PROGRAM/$2/" "$bundle/bin/$1"
  chmod 755 "$bundle/bin/$1"
}

make_bundle() {
  bundle=$work/conoid-$version
  rm -rf "$bundle"
  mkdir -p "$bundle"/{bin,libexec,lib/fonts,lib/egl_vendor.d,share}
  : >"$work/taken"
  local system=/usr/lib/x86_64-linux-gnu program file
  for program in "${programs[@]}"; do cp "$stage/usr/bin/$program" "$bundle/libexec/"; done
  cp -a "$stage/usr/lib/conoid" "$bundle/lib/conoid"
  cp -a "$stage/usr/share/." "$bundle/share/"
  for program in conoid conoid-gui conoid-worker conoid-render; do bundle_launcher "$program" "$program"; done
  # Open MPI: shared memory and TCP; what needs the hardware of a cluster (verbs, libfabric, UCX, PSM) is the cluster's own.
  for program in mpirun:orterun orted:orted; do bundle_take "/usr/bin/${program#*:}" "$bundle/libexec/${program%:*}"; done
  bundle_launcher conoid-mpirun mpirun
  for file in "$system"/openmpi/lib/openmpi3/*.so; do
    case "$(basename "$file")" in *_ofi.so | *_ucx.so | *_psm.so | *_psm2.so | *_openib.so | mca_memheap_* | mca_scoll_* | mca_spml_* | mca_sshmem_* | mca_atomic_* | mca_reachable_netlink.so) continue ;; esac
    bundle_take "$file" "$bundle/lib/openmpi/$(basename "$file")"
  done
  for file in "$system"/pmix2/lib/pmix/*.so; do bundle_take "$file" "$bundle/lib/pmix/$(basename "$file")"; done
  mkdir -p "$bundle/share/openmpi" "$bundle/share/pmix"
  cp -rL /usr/share/openmpi/*.txt "$bundle/share/openmpi/" 2>/dev/null || true
  cp -rL "$system"/pmix2/share/pmix/*.txt "$bundle/share/pmix/" 2>/dev/null || cp -rL /usr/share/pmix*/*.txt "$bundle/share/pmix/" 2>/dev/null || true
  # Qt: with a display (xcb) and without one (offscreen).
  for file in platforms/libqxcb platforms/libqoffscreen platforms/libqminimal xcbglintegrations/libqxcb-egl-integration xcbglintegrations/libqxcb-glx-integration \
    imageformats/libqsvg imageformats/libqjpeg iconengines/libqsvgicon platforminputcontexts/libcomposeplatforminputcontextplugin; do
    bundle_take "$system/qt6/plugins/$file.so" "$bundle/lib/qt6/$file.so"
  done
  printf '[Paths]\nPrefix=..\nPlugins=lib/qt6\n' >"$bundle/libexec/qt.conf"
  # OpenGL on the processor.
  bundle_take "$system/libEGL_mesa.so.0" "$bundle/lib/libEGL_mesa.so.0"
  bundle_take "$system/libGLX_mesa.so.0" "$bundle/lib/libGLX_mesa.so.0"
  bundle_take "$system/dri/swrast_dri.so" "$bundle/lib/dri/swrast_dri.so"
  # The name without a folder: the loader finds it beside libEGL.
  printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "libEGL_mesa.so.0"}}\n' >"$bundle/lib/egl_vendor.d/50_mesa.json"
  for file in DejaVuSans DejaVuSans-Bold DejaVuSansMono; do
    bundle_take "/usr/share/fonts/truetype/dejavu/$file.ttf" "$bundle/lib/fonts/$file.ttf"
    chmod 644 "$bundle/lib/fonts/$file.ttf"
  done
  cat >"$bundle/lib/fonts/fonts.conf" <<'XML'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">.</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
XML
  # Shell lists: programs and everything that is loaded by name.
  local -a roots=()
  while IFS= read -r file; do roots+=("$file"); done < <(bundle_elf)
  LD_LIBRARY_PATH="$system/openmpi/lib:$system/pmix2/lib" bundle_libraries "${roots[@]}"
  local depth
  while IFS= read -r file; do
    case "$file" in
      "$bundle"/libexec/*) depth='$ORIGIN/../lib' ;;
      "$bundle"/lib/*/*/*) depth='$ORIGIN/../..' ;;
      "$bundle"/lib/*/*) depth='$ORIGIN/..' ;;
      *) depth='$ORIGIN' ;;
    esac
    patchelf --set-rpath "$depth" "$file"
  done < <(bundle_elf)
  bundle_owners
  bundle_licences
  bundle_check
  find "$bundle" -type d -exec chmod 755 {} +
  chmod -R u+w,go+rX "$bundle"
  set_times "$bundle"
}

bundle_elf() {
  find "$bundle/libexec" "$bundle/lib" -type f | sort | while IFS= read -r file; do
    [ "$(head -c 4 "$file" | od -An -tx1 | tr -d ' ')" = 7f454c46 ] && printf '%s\n' "$file"
  done
  return 0
}

# "package file" of everything taken. Since /usr was merged a package may know a file of /usr/lib as one of /lib, or the other way round.
bundle_owners() {
  cut -d ' ' -f 1 "$work/taken" | sort -u >"$work/real"
  # Two of three names of a file are of no package, which dpkg-query calls a failure.
  { cat "$work/real"; sed -n 's|^/usr||p' "$work/real"; sed 's|^|/usr|' "$work/real"; } | { xargs -d '\n' dpkg-query -S 2>/dev/null || true; } |
    sed -n 's|^\([^:,]*\)[^ ]*: \(/usr\)\{0,1\}\(/.*\)$|\3 \1|p' | sort -u >"$work/known"
  awk 'NR == FNR {owner[$1] = $2; next} {real = $1; sub("^/usr", "", real); print (real in owner ? owner[real] : "?" $1), $2}' "$work/known" "$work/taken" >"$work/owners"
  if grep '^?' "$work/owners" >&2; then echo "package.sh: these files are of no Debian package, so that their licence is not known" >&2; exit 1; fi
}

# The licence of each Debian package inside, read by a person and written down in packaging/licences.txt: one that is not there stops us.
bundle_licences() {
  local doc=$bundle/share/doc/conoid/licences package files licence unknown=""
  mkdir -p "$doc"
  {
    echo "What lies in this folder besides Conoid itself (BSD-3-Clause, ../LICENSE): Debian package, version, licence, files."
    echo "Each package's full text lies beside this list. Sources: https://snapshot.debian.org/package/<package>/"
    echo "Libraries under the LGPL are linked dynamically: a file in lib/ may be replaced by another build of it."
    echo
    cut -d ' ' -f 1 "$work/owners" | sort -u | while IFS= read -r package; do
      licence=$(awk -v p="$package" '$1 == p {sub(/^[^ ]+ +/, ""); print}' packaging/licences.txt)
      if [ -z "$licence" ]; then echo "$package" >>"$work/unknown"; fi
      files=$(awk -v p="$package" '$1 == p {print $2}' "$work/owners" | sort | tr '\n' ' ')
      printf '%s %s\n  %s\n  %s\n' "$package" "$(dpkg-query -W -f '${Version}' "$package")" "$licence" "$files"
    done
    [ -e "$bundle/lib/libjbig.so.0" ] && printf 'lib/libjbig.so.0 is of Conoid: jbigkit is under the GPL; this stands in its place and refuses what it would read.\n'
    [ -e "$bundle/lib/conoid/libconoid_cuda.so" ] && printf 'lib/conoid/libconoid_cuda.so contains libcudart_static of NVIDIA, which the CUDA Toolkit EULA, attachment A, allows: https://docs.nvidia.com/cuda/eula/\n'
    true
  } >"$doc/LIST.txt"
  if [ -s "$work/unknown" ]; then
    echo "package.sh: packaging/licences.txt does not know these packages; read /usr/share/doc/<package>/copyright and write down their licence, if it is not the GPL:" >&2
    sed 's/^/  /' "$work/unknown" >&2
    exit 1
  fi
  if awk '!/^#/ && $2 ~ /^A?GPL/ && !/ WITH GCC-exception/ {print; found = 1} END {exit !found}' packaging/licences.txt; then echo "package.sh: these are under the GPL alone" >&2; exit 1; fi
  cut -d ' ' -f 1 "$work/owners" | sort -u | while IFS= read -r package; do
    cp -L "/usr/share/doc/$package/copyright" "$doc/$package"
  done
}

# Nothing but glibc may come from the system, and no library may want a newer one than it promises.
bundle_check() {
  local file soname wrong="" newest
  while IFS= read -r file; do
    while IFS= read -r soname; do
      [[ $soname =~ $bundle_outside ]] || [ -e "$bundle/lib/$soname" ] || wrong+="$file wants $soname"$'\n'
    done < <(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  done < <(bundle_elf)
  [ -z "$wrong" ] || { printf 'package.sh: not in the archive:\n%s' "$wrong" >&2; exit 1; }
  newest=$(bundle_elf | xargs -d '\n' objdump -T 2>/dev/null | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -n 1)
  echo "The archive wants ${newest/_/ } or newer."
}

make_archive() {
  cat >"$bundle/set-up.sh" <<'SH'
#!/bin/sh
# Puts Conoid into a folder: set-up.sh [FOLDER], default ~/.local/opt/conoid.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=${1:-$HOME/.local/opt/conoid}
if [ -e "$target" ] && [ ! -x "$target/libexec/conoid" ] && [ -n "$(ls -A "$target")" ]; then
  echo "set-up.sh: $target exists and is not Conoid; nothing is written over. Give another folder." >&2
  exit 1
fi
rm -rf "$target/bin" "$target/libexec" "$target/lib" "$target/share"
mkdir -p "$target"
for part in bin libexec lib share; do cp -a "$here/$part" "$target/"; done
echo "Conoid lies in $target. Start it:"
echo "  $target/bin/conoid-gui"
echo "  $target/bin/conoid help"
echo "To remove it, delete that folder."
SH
  chmod 755 "$bundle/set-up.sh"
  set_times "$bundle"
  local run=$packages/conoid-$version-linux-x86_64.run
  # makeself writes what du says of its tar file into the header, and the blocks that a file takes differ from time to time; gzip keeps the time of
  # that file.
  mkdir -p "$work/programs"
  printf '#!/bin/sh\nexec %s --apparent-size "$@"\n' "$(command -v du)" >"$work/programs/du"
  printf '#!/bin/sh\nexec %s -n "$@"\n' "$(command -v gzip)" >"$work/programs/gzip"
  chmod 755 "$work/programs"/*
  PATH=$work/programs:$PATH makeself --tar-extra "--sort=name --owner=0 --group=0 --numeric-owner --mtime=@$SOURCE_DATE_EPOCH" --packaging-date "$(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH")" \
    --gzip --complevel 9 --nox11 --sha256 "$bundle" "$run" "Conoid $version" ./set-up.sh >"$work/makeself.log" || { cat "$work/makeself.log" >&2; exit 1; }
  rm "$bundle/set-up.sh"
}

make_rpm() {
  local top=$work/rpm
  mkdir -p "$top"/{BUILD,RPMS,SPECS,root/opt,root/usr/bin,root/usr/share}
  cp -a "$bundle" "$top/root/opt/conoid"
  local program
  for program in conoid conoid-gui conoid-worker conoid-render conoid-mpirun; do ln -s "../../opt/conoid/bin/$program" "$top/root/usr/bin/$program"; done
  # What desktops and shells look for lies in their places.
  local part
  for part in applications metainfo mime icons bash-completion zsh fish man; do
    [ -e "$top/root/opt/conoid/share/$part" ] && mv "$top/root/opt/conoid/share/$part" "$top/root/usr/share/$part"
  done
  mv "$top/root/usr/share/zsh/vendor-completions" "$top/root/usr/share/zsh/site-functions"
  find "$top/root/usr/share/man" -type f -exec gzip -9n {} +
  set_times "$top/root"
  local number=${version%%~*} release=1
  [ "$number" = "$version" ] || release="0.${version#*~}"
  cat >"$top/SPECS/conoid.spec" <<SPEC
%global __strip /bin/true
%global debug_package %{nil}
%global __brp_mangle_shebangs %{nil}
%global __os_install_post %{nil}
%define _build_id_links none
%define _buildhost conoid
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
Name: conoid
Version: $number
Release: $release
Summary: Workbench for waves and shocks
License: BSD-3-Clause AND LGPL-2.1-or-later AND LGPL-3.0-or-later AND Apache-2.0 AND MIT AND CECILL-C AND MPL-2.0
URL: https://conoid.invalid
# Everything but glibc is inside.
AutoReqProv: no
Requires: libc.so.6(GLIBC_2.36)(64bit)
%description
Conoid computes acoustic, elastic and electromagnetic waves and shocks: window, command and solvers,
with all libraries inside but glibc and drivers. Licences: /opt/conoid/share/doc/conoid/licences.
%install
mkdir -p %{buildroot}
cp -a $top/root/. %{buildroot}/
%files
%defattr(-,root,root)
/opt/conoid
$(cd "$top/root" && find usr \( -type f -o -type l \) | sed 's|^|/|' | sort)
SPEC
  rpmbuild -bb --quiet --define "_topdir $top" --define "_binary_payload w6.gzdio" --define "_rpmdir $packages" \
    --define "_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" --target x86_64-linux "$top/SPECS/conoid.spec" >"$work/rpm.log" 2>&1 ||
    { tail -n 30 "$work/rpm.log" >&2; exit 1; }
}
