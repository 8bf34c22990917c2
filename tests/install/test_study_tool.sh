#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# test_study_tool.sh PREFIX: moves an installed prefix to a folder with a space in its name, takes the
# right to write away, and uses rowhalo-study from an empty folder as a user of that machine would.
# In the end nothing in the prefix has changed.
set -euo pipefail
place=$(mktemp -d "$1.XXXXXX")
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
moved="$place/my prefix"
mv "$1" "$moved"
chmod -R a-w "$moved"
tool="$moved/bin/rowhalo-study"
jobs="$moved/share/rowhalo/jobs"

fail() {
  echo "test_study_tool.sh: $*" >&2
  exit 1
}

contents() { # names, sizes and times of everything in the prefix
  (cd "$moved" && find . -printf '%p %y %s %T@ %l\n' | sort)
}

# has TEXT...: stdin holds every TEXT.
has() {
  local said text
  said=$(cat)
  for text in "$@"; do
    [[ $said == *"$text"* ]] || fail "no '$text' in: $said"
  done
}

contents >"$place/before"
mkdir "$place/user" "$place/home" "$place/bin"
cd "$place/user"
# Only what a user has: no variable of this test or of a build, and another name for the tool.
unset ROWHALO ROWHALO_SITE ROWHALO_HOME ROWHALO_BINARY ROWHALO_SOURCE_DIR PYTHONDONTWRITEBYTECODE
export HOME="$place/home"
ln -s "$tool" "$place/bin/rowhalo-study"

"$place/bin/rowhalo-study" --help | has "$jobs" "  plan " "  matrices "
for file in README.md RULES.md NUMBERS.md reference/README.md run.sh \
  sites/local.ini studies/laptop-strong.ini ../report.schema.json; do
  [ -f "$jobs/$file" ] || fail "$file is not installed"
done
[ ! -e "$jobs/results/README.md" ] || fail "results are installed, which nobody needs there"

"$tool" plan laptop-strong.ini --site local | has "stencil27:80" "points, "
"$tool" site local | has "$jobs/sites/local.ini"

"$tool" new study | has "laptop-strong" "Strong scaling on a few cores"
"$tool" new site generic-slurm slurm.ini | has "ROWHALO_SITE=$place/user/slurm.ini"
sed -i 's/^cores = auto/cores = 8/; s/^gpus = auto/gpus = 0/' slurm.ini
"$tool" new site generic-pbs pbs.ini >/dev/null
"$tool" new study strong tiny.ini | has "/bin/rowhalo-study' plan tiny.ini"
cat >tiny.ini <<'STUDY'
[study]
name = tiny
kind = strong
[matrix]
source = stencil7:12
[points]
ranks = 1,2
[sweep]
formats = csr
[run]
device = cpu
repeats = 1
arguments = --min-seconds 0 --batches 2 --iterations 2 --warmup 0 --validate reference
STUDY
"$tool" submit tiny.ini --site slurm.ini --dry-run |
  has "#SBATCH --ntasks-per-node=2" "'$jobs/rowhalo-study' run" "export ROWHALO='$moved/bin/rowhalo'"
"$tool" submit tiny.ini --site pbs.ini --dry-run |
  has "#PBS -l select=1:" "source '$jobs/shell/pbs_job.sh'" "export ROWHALO='$moved/bin/rowhalo'"
"$tool" submit run.sbatch --site slurm.ini --dry-run -- --matrix stencil7:12 |
  has "ROWHALO_HOME='$moved/share/rowhalo'" "run.sbatch --matrix"
"$tool" submit run.pbs --site pbs.ini --dry-run | has "run.pbs"
[ "$(ls)" = "$(printf 'pbs.ini\nslurm.ini\ntiny.ini')" ] || fail "left in the folder: $(ls)"

"$tool" run tiny.ini --site local --output out --no-plot
"$tool" status out | has "2 done"
"$tool" table out --output table.csv
[ "$(wc -l <table.csv)" -eq 3 ] || fail "table.csv: $(cat table.csv)"
"$tool" compare out out >/dev/null
"$tool" point --site local --ranks 1 --output point -- run --matrix stencil7:8 --min-seconds 0 |
  has "RESULT: PASS"
"$tool" official --set tiny --dry-run | has "stencil27"
"$tool" matrices --list common20 | has "Williams/cant"

contents >"$place/after"
diff "$place/before" "$place/after" || fail "the prefix has changed"
[ -z "$(find "$HOME" -name '*.pyc')" ] || fail "left at home: $(find "$HOME")"
