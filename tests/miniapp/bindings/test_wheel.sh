#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# test_wheel.sh PYTHON PACKAGE LIBRARY: a wheel of the Python package in a fresh virtual environment, without
# a compiler and without the network. It says how to get a library that it does not find, and finds one that
# is named, and one beside the program.
set -euo pipefail
python=$1 package=$2 library=$(realpath "$3")
unset ROWHALO_LIBRARY PYTHONPATH
for module in venv ensurepip hatchling numpy; do
  "$python" -c "import $module" 2>/dev/null ||
    { echo "skipped: $python has no $module (python3-venv, python3-hatchling)"; exit 77; }
done
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$python" -m venv --system-site-packages "$place/venv"
CC=/nonexistent "$place/venv/bin/pip" --quiet --disable-pip-version-check install --no-index --no-build-isolation --no-deps "$package"
cd "$place"
run() { "$place/venv/bin/python" "$@"; }

lines='
import numpy, rowhalo, scipy.sparse
a = rowhalo.Operator(scipy.sparse.eye(1000, format="csr") * 2)
y = a @ numpy.ones(1000)
assert (y == 2).all()
print(rowhalo.library_path())
'
if message=$(PATH=/usr/bin:/bin run -c "$lines" 2>&1); then
  echo "a library was found that nobody named: $message"
  exit 1
fi
grep -F 'set ROWHALO_LIBRARY=' <<<"$message"
ROWHALO_LIBRARY=$library run -c "$lines"
mkdir -p "$place/prefix/bin" "$place/prefix/lib"
printf '#!/bin/sh\n' >"$place/prefix/bin/rowhalo"
chmod +x "$place/prefix/bin/rowhalo"
ln -s "$library" "$place/prefix/lib/librowhalo.so.1"
PATH=$place/prefix/bin:$PATH run -c "$lines" | grep -F "$place/prefix/lib/librowhalo.so.1"
