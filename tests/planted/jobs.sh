# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in jobs/

fault "what became faster is slower" jobs/rowhalo_study/results/statistics.py \
  'return Verdict.SLOWER if ratio.low > 1 else' \
  'return Verdict.SLOWER if ratio.high < 1 else' jobs_compare
fault "equal series are told apart" jobs/rowhalo_study/results/statistics.py \
  'outside > (1 - holds) * every' 'outside > 2 * (1 - holds) * every' jobs_statistics
fault "runs that took turns are no pairs" jobs/rowhalo_study/compare/lines.py \
  'paired = all(map(all, times)) and alternate(*times)' 'paired = False' jobs_compare
fault "a threshold that cannot be told is kept" jobs/rowhalo_study/cli/compare.py \
  'return CANNOT_TELL if any' 'return 0 if any' jobs_compare
fault "what has changed is not named" jobs/rowhalo_study/compare/lines.py \
  'for name, one, other in pairs if one != other)' 'for name, one, other in pairs if one is other)' jobs_compare
fault "efficiency forgets the ranks" jobs/rowhalo_study/plots/scaling.py \
  'measured(rows, time).seconds / ranks' \
  'measured(rows, time).seconds' jobs_plot
fault "resume runs what is done again" jobs/rowhalo_study/schedulers/submitting.py \
  '.word in ("not submitted", "error", "cut off")]' \
  '.word in ("not submitted", "error", "cut off", "done")]' jobs_study_local
fault "weak sizes do not grow with the ranks" jobs/rowhalo_study/studies/sizes.py \
  'wanted = study.per_rank * ranks' 'wanted = study.per_rank' jobs_study
fault "claims are ignored" jobs/rowhalo_study/studies/claims.py \
  'if lock is not False and is_current(file, path):' \
  'if is_current(file, path):' jobs_claims
fault "the dead of other hosts keep their claims" jobs/rowhalo_study/studies/claims.py \
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
fault "temporary file follows a planted link" jobs/rowhalo_study/whole_files.py \
  'os.O_EXCL | os.O_NOFOLLOW' 'os.O_TRUNC' jobs_whole_files
fault "files of running processes are stale" jobs/shell/whole_files.sh \
  ' && [ ! -d "/proc/$pid" ]' '' jobs_whole_files
fault "what is measured again replaces what was measured" jobs/results/programs/classes/running.py \
  'set_aside([self.path], self.path.parent)' 'pass' cli_classes
fault "a table forgets the command of its lines" jobs/rowhalo_study/results/rows.py \
  'return shlex.join(kept)' 'return ""' jobs_table
# What PBS does otherwise than Slurm: letters of tests/jobs/pbs_double.md.
fault "PBS A: tasks of pbs_tmrsh without PATH" jobs/shell/pbs_shell.sh \
  '-c "$exports; $*"' '-c "$*"' jobs_pbs
fault "PBS A: one node needs ssh" jobs/shell/launcher.sh \
  '|| do_without_ssh' '|| true' jobs_pbs
fault "PBS A: a launcher gets its own address" jobs/shell/launcher.sh \
  '/$(hostname)/' '/$here/' jobs_pbs
fault "PBS B: no signal before the walltime ends" jobs/shell/pbs_job.sh \
  'signal_before_the_end $$ </dev/null >/dev/null 2>&1 &' ':' jobs_pbs
fault "PBS B: the marker only at the end" jobs/run.sh \
  '[ -z "$started" ] || mark_error 1 "$(interruption)" || true' ':' jobs_pbs
fault "PBS C: arguments with their quotes" jobs/rowhalo_study/schedulers/pbs.py \
  'base64.b64encode("\n".join(lines).encode()).decode()' '"\n".join(lines)' jobs_pbs
fault "PBS D: jobs start while others are submitted" jobs/rowhalo_study/schedulers/pbs.py \
  '["qsub", "-h", *options, path]' '["qsub", *options, path]' jobs_pbs
fault "PBS D: --after takes what PBS has forgotten" jobs/rowhalo_study/schedulers/pbs.py \
  'if not any(status == 0 and' 'if not any(status >= 0 or' jobs_pbs
fault "PBS D: a chain leaves collecting to afterany" jobs/rowhalo_study/schedulers/submitting.py \
  'program, chain or alone)' 'program, alone)' jobs_pbs
fault "PBS E: watch waits for held jobs" jobs/rowhalo_study/schedulers/submitting.py \
  'all(job in stuck and job in stuck_before for job in ours)' 'not ours' jobs_pbs
fault "PBS E: resume leaves stale jobs" jobs/rowhalo_study/schedulers/submitting.py \
  '    delete_stale(folder, live_jobs)
' '' jobs_pbs
fault "PBS E: the first of a chain is deleted first" jobs/rowhalo_study/schedulers/submitting.py \
  'in reversed(stale_jobs(folder, live_jobs))' 'in stale_jobs(folder, live_jobs)' jobs_pbs
fault "PBS E: no word of results that nobody collects" jobs/rowhalo_study/schedulers/submitting.py \
  'if any(written(' 'if not any(written(' jobs_pbs_answers
fault "PBS M: resume keeps silent about what is held" jobs/rowhalo_study/schedulers/submitting.py \
  '*held_lines(folder, live_jobs)' '*()' jobs_pbs_answers
fault "PBS F: the line by hand asks for GPUs" jobs/rowhalo_study/schedulers/ready.pbs.in \
  'mpiprocs=@{mpiprocs}:ompthreads=1' 'mpiprocs=@{mpiprocs}:ngpus=1:ompthreads=1' jobs_pbs
fault "PBS G: TERM counts twice" jobs/run.sh \
  '[ $((SECONDS - interrupted_at)) -ge 10 ] || return 0' ':' jobs_pbs
fault "PBS H: generated scripts without PBS in PATH" jobs/shell/pbs_job.sh \
  'PATH=$PATH:$(sed' ': $(sed' jobs_pbs
fault "PBS H: a command that may not be started" jobs/rowhalo_study/schedulers/slurm.py \
  'except (FileNotFoundError, PermissionError)' 'except (FileNotFoundError,)' jobs_pbs
fault "PBS I: a share of a node is laid out as all of it" jobs/shell/allocation.sh \
  '  [ "$share" -ge "$SITE_CORES" ] || node_cpus=$share
' '' jobs_pbs
fault "PBS I: ranks of two jobs are bound to one core" jobs/shell/launcher.sh \
  '"$cores" ] && ! shares_cores; then' '"$cores" ]; then' jobs_pbs_answers
fault "PBS J: a job that ends is waiting" jobs/rowhalo_study/schedulers/pbs.py \
  '"E": "ending"' '"E": "pending"' jobs_pbs_answers
fault "PBS K: provenance waits for a stopped server" jobs/shell/provenance.sh \
  'file) set -- timeout -k 1 "$patience" "$@" ;;' 'file) ;;' jobs_pbs_answers
fault "PBS K: a submission without an answer is lost" jobs/rowhalo_study/schedulers/submitting.py \
  '    if not found:
        return None' '    if True:
        return None' jobs_pbs_answers
fault "PBS K: the same for every job" jobs/rowhalo_study/schedulers/pbs.py \
  'dict.fromkeys(stderr.split("\n"))' 'stderr.split("\n")' jobs_pbs_answers
fault "PBS L: hosts are not looked up in the node file" jobs/shell/pbs_shell.sh \
  'exec pbs_tmrsh "${names# }"' 'exec pbs_tmrsh "$host"' jobs_pbs
fault "PBS L: n1 may be any of two hosts" jobs/shell/launcher.sh \
  'OMPI_MCA_orte_keep_fqdn_hostnames=1' 'OMPI_MCA_orte_keep_fqdn_hostnames=0' jobs_pbs
fault "PBS M: a held job is waiting" jobs/rowhalo_study/schedulers/pbs.py \
  'return "held" if holds_of(job) else "waiting"' 'return "pending" if holds_of(job) else "waiting"' jobs_pbs_answers
fault "PBS M: what others wait for is waiting" jobs/rowhalo_study/schedulers/pbs.py \
  '"after" in job.get("depend", "")' '"depend" in job' jobs_pbs_answers
fault "PBS N: a refused size ends submit" jobs/rowhalo_study/schedulers/submitting.py \
  '                    continue
' '                    break
' jobs_pbs_answers
fault "PBS N: the collecting job does not ask for a node" jobs/rowhalo_study/schedulers/submitting.py \
  'for each in (job, job._replace(whole_node=True)):' 'for each in (job,):' jobs_pbs_answers
fault "PBS O: a number tells a job" jobs/rowhalo_study/studies/states.py \
  'return bool(job) and bool(differ' 'return False and bool(differ' jobs_pbs_answers
fault "PBS P: a suspended job is running" jobs/rowhalo_study/schedulers/pbs.py \
  '"S": "suspended", ' '"S": "running", ' jobs_pbs_answers
fault "a job that Slurm has suspended is running" jobs/rowhalo_study/schedulers/slurm.py \
  '"SUSPENDED": "suspended", ' '' slurm_study
fault "PBS P: the signal does not wait for a suspended job" jobs/shell/pbs_job.sh \
  'suspended=$((suspended + slept))' 'true' jobs_pbs
fault "PBS P: a suspended point takes too long" jobs/rowhalo_study/studies/running.py \
  'NAP_SECONDS = 1
' 'NAP_SECONDS = 60
' jobs_study_local
fault "PBS K: a job of another folder is adopted" jobs/rowhalo_study/schedulers/submitting.py \
  'user_name(), place)]' 'user_name(), os.path.realpath(live.place))]' jobs_pbs_answers
fault "PBS K: resume forgets jobs that were not released" jobs/rowhalo_study/schedulers/submitting.py \
  'if job.get("held") and' 'if False and' jobs_pbs_answers
fault "PBS E: a job of somebody else is taken for deleted" jobs/rowhalo_study/studies/states.py \
  '*(other for job in jobs.values() for other in job.get("after", [])),' '' jobs_pbs
fault "a changed site is not copied into its study" jobs/rowhalo_study/studies/folder.py \
  '            folder.write_site()
            path' '            path' jobs_study_local
fault "plan believes the arguments" jobs/rowhalo_study/studies/program.py \
  'return "" if said in ("", self.ask(*words)[1]) else said' 'return ""' jobs_study_local
fault "the reason is the last line of the launcher" jobs/run.sh \
  'grep -avE -m 1' 'grep -avE' jobs_study_local
fault "a zero byte hides what a launcher says" jobs/run.sh \
  'grep -avE -m 1' 'grep -vE -m 1' jobs_study_local
fault "words of a report cost their square" jobs/rowhalo_study/results/rows.py \
  '    words = report["argv"]' '    words = report["argv"] * len(report["argv"])' jobs_judged
fault "a signal before the point is known is lost" jobs/rowhalo_study/studies/running.py \
  '            if self.name:  #' '            if False:  #' jobs_study_local
fault "a scheduler that does not answer ends a watch" jobs/rowhalo_study/schedulers/submitting.py \
  '            if not has_answered:' '            if True:' jobs_study_local
fault "job starts before its record" jobs/rowhalo_study/schedulers/submitting.py \
  '    record(folder, job, "", after)
' '' jobs_study_local
fault "a run without a report is done" jobs/run.sh \
  '[ -s "$output/result-$k.json" ] ||' \
  'true ||' \
  jobs_run
fault "a ready script of one rank asks for a node of ranks" jobs/rowhalo_study/schedulers/jobs.py \
  '    if not alone:' \
  '    if alone is not True:' \
  jobs_study
fault "a figure that is missing counts" jobs/rowhalo_study/studies/shape.py \
  '        elif name != key:' \
  '        elif False:' jobs_judged
fault "NaN is in the range of a figure" jobs/rowhalo_study/studies/shape.py \
  'return math.isfinite(value) and self.low <= value <= self.high' \
  'return not (value < self.low or value > self.high)' jobs_judged
fault "a solution that is wrong counts" jobs/rowhalo_study/official/verdict.py \
  'elif residual > most:' 'elif False:' jobs_judged
fault "sizes in a bundle are believed" jobs/rowhalo_study/official/bundle.py \
  'if not 0 <= size <= self.left:' 'if size < 0:' jobs_judged
fault "a name makes a line of its own" jobs/rowhalo_study/names.py \
  'text if text.isprintable() else "".join(' 'text if text else "".join(' jobs_names
fault "a hint is not quoted" jobs/rowhalo_study/cli/new.py \
  'file=quoted(target.resolve() if options.kind == "site" else target)' \
  'file=target.resolve() if options.kind == "site" else target' jobs_names
fault "mixed letters end a script" jobs/rowhalo_study/pages/page.py \
  ', flags=re.IGNORECASE)' ')' jobs_names
fault "a lead within the noise is shown" jobs/rowhalo_study/pages/best.py \
  'if verdict_of(best.ahead) is not Verdict.NOT_SHOWN:' 'if best.ahead.value > 1:' jobs_report
fault "a swept option loses its value" jobs/rowhalo_study/studies/points.py \
  'for word in (f"--{key}", value))]}' 'for word in (f"--{key}", others[0]))]}' jobs_study
fault "submit forgets the time that was asked for" jobs/rowhalo_study/schedulers/submitting.py \
  'if options.time:' 'if not options.time:' jobs_study
