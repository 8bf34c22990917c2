# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in jobs/

fault "what became faster is a regression" jobs/compare.py \
  'ratio = after.seconds / before.seconds' \
  'ratio = before.seconds / after.seconds' jobs_compare
fault "efficiency forgets the ranks" jobs/plotting/scaling.py \
  'measured(rows).seconds / ranks' \
  'measured(rows).seconds' jobs_plot
fault "resume runs what is done again" jobs/studying/submitting.py \
  '.word in ("not submitted", "error", "cut off")]' \
  '.word in ("not submitted", "error", "cut off", "done")]' jobs_study_local
fault "weak sizes do not grow with the ranks" jobs/studying/sizes.py \
  'wanted = study.per_rank * ranks' 'wanted = study.per_rank' jobs_study
fault "claims are ignored" jobs/studying/claims.py \
  'if lock is not False and is_current(file, path):' \
  'if is_current(file, path):' jobs_claims
fault "the dead of other hosts keep their claims" jobs/studying/claims.py \
  'return lock is None and (' 'return (' jobs_claims
fault "ranks keep the claim on a point" jobs/run.sh \
  'eval "main \"\$@\" ${claim:+$claim>&-}"' 'main "$@"' jobs_claims
fault "earlier results are deleted" jobs/shell/whole_files.sh \
  'mv -- "${found[@]}" "$place"' 'rm -r -- "${found[@]}"' jobs_run
fault "earlier results are moved before the arguments are checked" jobs/run.sh \
  '  build_launcher
  check_arguments' '  build_launcher' jobs_run
fault "a refusal marks an earlier run" jobs/run.sh \
  '[ -e "$output/done" ] || write_marker error "$@"' 'write_marker error "$@"' jobs_run
fault "temporary file follows a planted link" jobs/whole_files.py \
  'os.O_EXCL | os.O_NOFOLLOW' 'os.O_TRUNC' jobs_whole_files
fault "files of running processes are stale" jobs/shell/whole_files.sh \
  ' && [ ! -d "/proc/$pid" ]' '' jobs_whole_files
fault "what is measured again replaces what was measured" jobs/classes/running.py \
  'set_aside([self.path], self.path.parent)' 'pass' cli_classes
fault "a table forgets the command of its lines" jobs/studying/rows.py \
  'return shlex.join(kept)' 'return ""' jobs_table
