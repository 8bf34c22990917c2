#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study without a scheduler: runs, what is cut off or fails, what is resumed."""
import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

import throwaway
from studies import marked, points, results, states, study, study_text
from throwaway import launch

sys.path.insert(0, str(launch.SOURCE / "jobs"))
# pylint: disable=wrong-import-position
from rowhalo_study.schedulers import local, submitting  # noqa: E402
from rowhalo_study.studies.folder import made, opened, take_site  # noqa: E402
from rowhalo_study.studies.ini import WrongInput  # noqa: E402
from rowhalo_study.studies.program import Program  # noqa: E402
from rowhalo_study.results.rows import COLUMNS  # noqa: E402
from rowhalo_study.studies.running import Interruption  # noqa: E402
from rowhalo_study.studies.states import State, reason_of, states_of  # noqa: E402
from rowhalo_study.schedulers.submitting import all_jobs, submit_one  # noqa: E402

# One of the matrices takes until it is told to end, or is killed.
SLOW = """#!/bin/bash
case "$*" in
  run*stencil7:13*--json*) exec {binary} "$@" --min-seconds 600 ;;
  run*--json*) exec {binary} "$@" --min-seconds 0 ;;
esac
exec {binary} "$@"
"""


class Studies(launch.Case):
    def setUp(self):
        super().setUp()
        self.output = self.place / "out of a study"

    def study_file(self, **parts):
        return self.write("a study.ini", study_text(**parts))

    def start(self, *words, **parts):
        return study(*words, self.study_file(**parts), "--site", "local", "--output", self.output,
                     "--no-plot")

    def test_run_collects_and_runs_nothing_twice(self):
        said = self.start("run", sweep="formats = csr, sell:c=8,sigma=16\nthreads = 1",
                          run="repeats = 2\ndevice = cpu")
        self.assertIn("4 done", said)
        names = ["stencil7-12-n1-csr", "stencil7-12-n1-sell-c-8-sigma-16", "stencil7-12-n2-csr",
                 "stencil7-12-n2-sell-c-8-sigma-16"]
        self.assertEqual(states(self.output), dict.fromkeys(names, "done"))
        rows = results(self.output)
        self.assertEqual(tuple(rows[0]), COLUMNS)
        self.assertEqual([(row["point"], row["repeat"]) for row in rows],
                         [(name, repeat) for name in names for repeat in "12"])
        for row in rows:
            names_of_row = ("study", "kind", "status", "matrix", "passed", "threads", "precision",
                            "transport")
            self.assertEqual([row[name] for name in names_of_row],
                             ["tiny", "strong", "ok", "stencil7:12", "True", "1", "fp64", "mpi"])
            self.assertGreater(float(row["median_seconds"]), 0)
        self.assertEqual([row["ranks"] for row in rows], list("11112222"))
        self.assertEqual(len({row["y_hash"] for row in rows}), 1)
        self.check_files(names)
        before = marked(self.output)
        said = study("run", self.output, "--no-plot")
        self.assertEqual(said.count("done already"), 4)
        self.assertEqual(marked(self.output), before)
        self.assertIn("nothing to submit: 4 done", study("resume", self.output))

    def check_files(self, names):
        for name in names:
            point = json.loads((self.output / f"points/{name}/point.json").read_text("utf-8"))
            self.assertEqual(point["name"], name)
            self.assertEqual(point["arguments"][:2], ["--min-seconds", "0"])
            self.assertFalse((self.output / f"points/{name}/running").exists())
        try:
            import h5py  # pylint: disable=import-outside-toplevel
        except ImportError:
            return
        with h5py.File(self.output / "results.h5", "r") as file:
            self.assertEqual(file.attrs["study"], "tiny")
            self.assertEqual(file["results/median_seconds"].shape, (8,))
            self.assertEqual(file["results/point"].asstr()[0], names[0])
            self.assertEqual(list(file["results/ranks"]), [1] * 4 + [2] * 4)
            if "points" in file:  # the build writes HDF5
                self.assertEqual(sorted(file["points"]), names)
                self.assertEqual(sorted(file[f"points/{names[0]}"]), ["1", "2"])

    def test_cases_of_all_and_formats_of_kernels(self):
        self.start("run", sweep="formats = all", points="ranks = 2")
        formats = {row["format"] for row in results(self.output)}
        self.assertLess({"csr", "sell", "asell", "coo"}, formats)
        self.output = self.place / "kernels"
        self.start("run", kind="list", points="", sweep="formats = csr, ell, csr-omp",
                   run="command = kernels")
        self.assertEqual(sorted(row["format"] for row in results(self.output)),
                         ["csr", "csr-omp", "ell"])
        self.assertEqual(list(points(self.output)), ["stencil7-12"])

    def test_an_error_does_not_end_the_study(self):
        path = self.study_file(matrix="source =\n  stencil7:12\n  stencil7:13")
        study("run", path, "--site", "local", "--output", self.output, "--no-plot", status=1,
              environment=throwaway.environment(ROWHALO=str(self.failing("stencil7:13"))))
        words = states(self.output, status=1)
        self.assertEqual([words[name] for name in words if "stencil7-12" in name], ["done"] * 2)
        self.assertEqual([words[name] for name in words if "stencil7-13" in name], ["error"] * 2)
        said = study("status", self.output, status=1)
        self.assertIn("exit status 1: rowhalo: planted", said)
        self.assertIn("2 done, 2 error", said)
        self.assertEqual(len(results(self.output)), 2)
        before = marked(self.output)
        said = study("run", self.output, "--no-plot")
        self.assertIn("4 done", said)
        self.assertEqual({name: marked(self.output)[name] for name in before}, before)

    def failing(self, matrix):
        path = self.write("failing", f'#!/bin/bash\ncase "$*" in *{matrix}*--json*result*) echo '
                          f'"rowhalo: planted" >&2; exit 1 ;; esac\nexec {launch.BINARY} "$@"\n')
        path.chmod(0o755)
        return path

    def slow_study_in_the_background(self):
        """Its second point is under way; the process of it all."""
        program = self.write("slow", SLOW.format(binary=launch.BINARY))
        program.chmod(0o755)
        path = self.study_file(matrix="source =\n  stencil7:12\n  stencil7:13\n  stencil7:14",
                               points="ranks = 2", run="repeats = 1\ntime = 15",
                               arguments="--batches 1 --validate none")
        study("submit", path, "--site", "local", "--output", self.output,
              environment=throwaway.environment(ROWHALO=str(program)))
        job = json.loads((self.output / "jobs/all.json").read_text("utf-8"))
        log = self.output / "points/stencil7-13-n2/log-1.txt"
        self.wait_for(lambda: log.exists() and "Matrix" in log.read_text("utf-8")
                      or "ranks; hosts" in (log.read_text("utf-8") if log.exists() else ""))
        words = states(self.output)
        self.assertEqual(list(words.values()), ["done", "running", "pending"])
        said = study("resume", self.output)
        self.assertIn("nothing to submit: 1 done, 1 running, 1 pending", said)
        return int(job["id"])

    def wait_for(self, condition, seconds=launch.PATIENCE):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, "\n".join(
                path.read_text("utf-8") for path in self.output.rglob("*.out")))
            time.sleep(0.1)

    def words(self):
        return study("status", self.output, status=None)

    def check_resumed(self):
        before = marked(self.output)
        self.assertEqual(list(before), ["stencil7-12-n2"])
        said = study("resume", self.output, "--watch")
        self.assertIn("3 done", said)
        self.assertNotIn("stencil7-12-n2", (self.output / "jobs/all-2.json").read_text("utf-8"))
        self.assertEqual(marked(self.output)["stencil7-12-n2"], before["stencil7-12-n2"])
        self.assertEqual(len(results(self.output)), 3)

    def test_killed_and_resumed(self):
        process = self.slow_study_in_the_background()
        os.killpg(process, signal.SIGKILL)
        self.wait_for(lambda: "running" not in self.words())  # killed processes keep their lock until they have exited
        words = states(self.output)
        self.assertEqual(list(words.values()), ["done", "cut off", "cut off"])
        self.check_resumed()

    def test_ended_early_and_resumed(self):
        process = self.slow_study_in_the_background()
        os.kill(process, signal.SIGTERM)
        self.wait_for(lambda: "pending" not in self.words())
        words = states(self.output, status=1)
        self.assertEqual(list(words.values()), ["done", "error", "cut off"])
        self.assertIn("interrupted by SIGTERM", study("status", self.output, status=1))
        rows = {row["point"]: row["status"] for row in results(self.output)}
        self.assertEqual(rows["stencil7-12-n2"], "ok")
        self.check_resumed()

    def test_the_reason_is_no_line_of_dashes(self):
        dashes = "-" * 60
        marker = self.write("error", f"status = 137\nreason = repeat 1 of 1 ended\n\nan earlier line\n"
                            f"{dashes}\nmpirun noticed that process rank 1 exited\n{dashes}\n")
        self.assertEqual(reason_of(marker),
                         "repeat 1 of 1 ended: mpirun noticed that process rank 1 exited")
        marker = self.write("error", "reason = ended: rowhalo: planted\n\nrowhalo: planted\n")
        self.assertEqual(reason_of(marker), "ended: rowhalo: planted")

    def test_what_a_job_reads_is_there_before_it_starts(self):
        os.environ["ROWHALO"] = str(launch.BINARY)
        program = Program()
        folder, text = made(self.study_file(), "local", self.output, 0, program)
        folder.write(text)
        job, = all_jobs(folder, folder.points, False, False, program)
        seen = []
        with unittest.mock.patch.object(local, "submit", lambda *_: seen.append(folder.jobs()) or "7"):
            submit_one(folder, job, [], "afterok")
        self.assertEqual([(each["points"], each["id"]) for each in seen[0]], [(job.points, "")])
        self.assertEqual([each["id"] for each in folder.jobs()], ["7"])

    def test_what_takes_too_long_is_asked_to_end(self):
        before = {number: signal.getsignal(number) for number in (signal.SIGUSR1, signal.SIGTERM,
                                                                  signal.SIGINT)}
        try:
            interruption = Interruption()
            self.assertEqual(interruption.run(["sleep", "60"], None, None, 0.5), -signal.SIGUSR1)
            self.assertTrue(interruption.overdue)
            self.assertEqual(interruption.run(["true"], None, None, None), 0)
            self.assertFalse(interruption.overdue)
            # A signal came before the child was known.
            interruption.name = "SIGTERM"
            self.assertEqual(interruption.run(["sleep", "60"], None, None, None), -signal.SIGUSR1)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def test_what_is_suspended_does_not_take_too_long(self):
        """All processes of the job are stopped for longer than the point may take."""
        began = self.place / "began"
        code = ("import sys; sys.path.insert(0, sys.argv[1]); from rowhalo_study.studies.running import Interruption; each = Interruption()\n"
                "print(each.run(['bash', '-c', 'touch \"$0\"; for i in {1..5}; do sleep 0.1; done', sys.argv[2]], None, None, 4),"
                " each.overdue)")
        with subprocess.Popen([sys.executable, "-c", code, launch.SOURCE / "jobs", began], start_new_session=True,
                              stdout=subprocess.PIPE, universal_newlines=True) as process:
            while not began.exists():
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGSTOP)
            time.sleep(5)
            os.killpg(process.pid, signal.SIGCONT)
            self.assertEqual(process.communicate()[0], "0 False\n")

    def with_a_job(self, scheduler, job_id):
        """A study that is done, as if by a job of a scheduler whose commands fail; the environment."""
        self.start("run", points="ranks = 1")
        site = (self.output / "site.ini").read_text("utf-8")
        (self.output / "site.ini").write_text(site.replace("scheduler = none", f"scheduler = {scheduler}"), "utf-8")
        (self.output / "jobs/n1.json").write_text(json.dumps(
            {"name": "n1", "id": job_id, "points": list(points(self.output)), "time": 1.0, "after": []}), "utf-8")
        (self.place / "bin").mkdir()
        for name in ("squeue", "qstat"):
            path = self.write(f"bin/{name}", "#!/bin/sh\necho the server sleeps >&2\nexit 1\n")
            path.chmod(0o755)
        return throwaway.environment(PATH=f"{self.place}/bin:{os.environ['PATH']}")

    def test_a_job_ends_well_although_the_scheduler_does_not_answer(self):
        for scheduler, job_id, command in (("slurm", "7", "squeue"), ("pbs", "7.head", "qstat")):
            environment = self.with_a_job(scheduler, job_id)
            said = study("status", self.output, environment=environment, status=2)
            self.assertRegex(said, rf"^rowhalo-study: {command}.*: the server sleeps\n$")
            said = study("run", self.output, "--job", "n1", "--collect", "--no-plot", environment=environment)
            self.assertRegex(said, rf"note: no list of running jobs, only the locks tell .*: {command}.*: the server")
            self.assertIn("done already", said)
            self.assertRegex(said, rf"rowhalo-study: note: the states of the points are not known: {command}")
            (self.output / "results.csv").unlink()
            study("collect", self.output, environment=environment)
            self.assertEqual(len(results(self.output)), 1)
            self.output = self.place / "another"
            shutil.rmtree(self.place / "bin")

    def test_a_folder_of_pbs_is_opened_without_it(self):
        self.with_a_job("pbs", "7.head")
        self.assertIn("1 done", study("status", self.output, "--site", "local"))

    def test_a_study_has_one_site(self):
        """A changed one replaces its copy, with a line; what $ROWHALO_SITE says otherwise is told."""
        self.start("run", points="ranks = 1")
        own = self.output / "site.ini"
        changed = self.write("other.ini", own.read_text("utf-8") + "MY_OWN = 1\n")
        environment = throwaway.environment(ROWHALO_SITE=str(changed))
        said = study("resume", self.output, "--dry-run", environment=environment)
        self.assertIn(f"note: ROWHALO_SITE={changed} is another site than that of the study, {own}: [variables] "
                      "MY_OWN: empty -> 1; to change it: ", said)
        self.assertNotIn("MY_OWN", own.read_text("utf-8"))
        name, = points(self.output)
        (self.output / "points" / name / "done").unlink()
        said = study("run", self.output, "--site", changed, "--no-plot")
        self.assertIn(f"the study's site, {own}, is now that of {changed}: [variables] MY_OWN: empty -> 1\n", said)
        self.assertIn("MY_OWN = 1", own.read_text("utf-8"))
        self.assertIn("MY_OWN=1", (self.output / "points" / name / "provenance/site.txt").read_text("utf-8"))
        self.assertNotIn("is now that of", study("run", self.output, "--site", changed, "--no-plot"))

    def test_another_scheduler_while_jobs_live(self):
        self.with_a_job("none", str(os.getpid()))
        other = self.write("other.ini", (self.output / "site.ini").read_text("utf-8").replace(
            "scheduler = none", "scheduler = pbs"))
        with unittest.mock.patch.object(local, "process_runs", return_value=True):
            with self.assertRaisesRegex(WrongInput, "jobs of this study are under way with scheduler = none: "):
                take_site(opened(self.output, other), other)

    def test_what_the_launcher_says_first(self):
        """Its first line is the reason; after it launchers explain at length, PRRTE with zero bytes."""
        launcher = self.write("launcher", "#!/bin/bash\necho 'pbs_tmrsh: host \"n2\" is not a node' >&2\n"
                                          "printf -- '-----\\000\\nORTE was unable\\nto start\\n-----\\n' >&2\nexit 1\n")
        launcher.chmod(0o755)
        site = self.write("s.ini", "[site]\nscheduler = none\n[node]\ncores = 2\n[launch]\ncommand = "
                                   f"{launcher} -n {{ranks}}\n")
        study("run", self.study_file(points="ranks = 1"), "--site", site, "--output", self.output, "--no-plot", status=1)
        said = study("status", self.output, status=1)
        self.assertRegex(said, r'error +the launcher did not place the ranks: pbs_tmrsh: host "n2" is not a node: ')

    def test_watch_asks_again(self):
        """But not a scheduler that has never answered."""
        self.start("run", points="ranks = 1")
        folder = opened(self.output)
        for answers, has_answered in ((1, False), (0, True)):
            asked = [states_of(folder)] * answers + [WrongInput("the server sleeps")] * 2 + [states_of(folder)]
            if answers:  # not at an end yet
                states_before, live_jobs = asked[0]
                asked[0] = ({name: State("pending", "") for name in states_before}, live_jobs)
            said = io.StringIO()
            with unittest.mock.patch.object(submitting, "states_of", side_effect=asked), \
                    unittest.mock.patch.object(submitting.time, "sleep"), contextlib.redirect_stdout(said):
                self.assertTrue(submitting.watch(folder, has_answered))
            self.assertEqual(said.getvalue().count(" no answer, asking again: the server sleeps\n"), 1)
            self.assertIn(" 1 done\n", said.getvalue())
        with unittest.mock.patch.object(submitting, "states_of", side_effect=WrongInput("never")):
            self.assertRaises(WrongInput, submitting.watch, folder)

    def test_points_that_do_not_fit_are_skipped(self):
        environment = {**throwaway.environment(), "CUDA_VISIBLE_DEVICES": ""}
        path = self.study_file(run="device = gpu")
        said = study("plan", path, "--site", "local", environment=environment)
        self.assertIn("note: skipped: needs GPUs, and site local has none: stencil7-12-n1, "
                      "stencil7-12-n2", said)
        self.assertIn("2 points, 0 runs", said)
        said = study("run", path, "--site", "local", "--output", self.output,
                     environment=environment)
        self.assertIn("2 skipped", said)
        environment["CUDA_VISIBLE_DEVICES"] = "0"
        said = study("plan", path, "--site", "local", environment=environment)
        self.assertIn("note: skipped: 2 ranks per node, 1 GPUs: stencil7-12-n2\n", said)

    def test_plan_asks_the_program_about_arguments(self):
        for device in ("cpu", "gpu"):  # which need not be here
            said = study("plan", self.study_file(run=f"device = {device}", arguments="--itterations 2"), "--site", "local",
                         status=2, environment=throwaway.environment(CUDA_VISIBLE_DEVICES=""))
            self.assertRegex(said, r"a study.ini:\d+: \[run\] arguments: rowhalo: unknown option --itterations; did you mean "
                                   "--iterations")

    def test_plan_warns_and_writes_nothing(self):
        said = study("plan", self.study_file(), "--site", "local", "--output", self.output)
        self.assertRegex(said, r"stencil7-12-n2 +2 +1 +stencil7:12 +1.73 k +11.2 k +[\d.]+ MB")
        self.assertIn("note: too small to measure: about", said)
        self.assertFalse(self.output.exists())

    def test_another_study_does_not_take_the_folder(self):
        self.start("run", points="ranks = 1")
        said = study("run", self.study_file(points="ranks = 1,2"), "--output", self.output,
                     "--no-plot", "--site", "local", status=2)
        self.assertIn("holds another study", said)
        self.assertIn("holds no plan.json", study("status", self.place, status=2))
        said = study("run", self.study_file(points="ranks = 1"), "--output", self.output, "--no-plot",
                     "--site", "local", "--repeats", 7, status=2)
        self.assertIn("was planned with another number of repeats; give another --output", said)

    def test_what_is_no_report_is_named(self):
        self.start("run", points="ranks = 1")
        report, = self.output.glob("points/*/result-1.json")
        report.write_text("{", encoding="utf-8")
        said = study("collect", self.output)
        self.assertIn(f"{report} is left out: is not JSON", said)


if __name__ == "__main__":
    unittest.main()
