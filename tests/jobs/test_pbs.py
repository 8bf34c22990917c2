#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/ on the double of PBS: the letters are those of pbs_double.md, where each stands for what PBS
does otherwise than Slurm."""
import json
import os
import re
import shutil
import socket
import subprocess
import unittest

import pbs_case
import throwaway
from pbs_case import BLOCKER, DEAF, executable, two_nodes
from studies import marked, points, results, study_text
from throwaway import LONG, SMALL, launch

# Its last batch takes two seconds.
SLOW = """#!/bin/bash
case "$*" in
  run*--json*) trap 'sleep 2; echo "{{}}" >"{ready}.saved"; exit 1' TERM USR1 ;;
  *) exec {binary} "$@" ;;
esac
touch "{ready}"
for _ in {{1..6000}}; do sleep 0.1; done
"""
# mpirun in its worst mood: at a second TERM it ends at once, and the ranks with it.
LAUNCHER = """#!/bin/bash
shift 2
"$@" &
rank=$! terms=0
trap 'kill -USR1 $rank' USR1
trap 'if [ $((++terms)) -gt 1 ]; then kill -KILL $rank; exit 1; fi; kill -TERM $rank' TERM
status=0
while kill -0 $rank 2>/dev/null; do wait $rank; status=$?; done
exit $status
"""
FAILING = """#!/bin/bash
case "$*" in run*--json*) [ "${{OMPI_COMM_WORLD_SIZE:-1}}" -lt {ranks} ] ||
  {{ echo "rowhalo: planted" >&2; exit 1; }} ;; esac
exec {binary} "$@"
"""


class HostsOfAJob(launch.Case):
    def test_l_names_of_the_node_file(self):
        """pbs_tmrsh takes no others; launchers cut domains off, or know addresses."""
        executable(self.place / "pbs_tmrsh", "#!/bin/sh\necho \"$1\"\n")
        for nodes, host, name in (
                ("n1.a.test n2.a.test n2.a.test", "n2", "n2.a.test"), ("n1 n2", "n2", "n2"), ("n1 n2", "n2.a.test", "n2"),
                ("n1 n12", "n1", "n1"), ("n1.a.test n1.b.test", "n1.b.test", "n1.b.test"), ("N1.a.test n2", "n1", "N1.a.test"),
                ("n1.a.test n1.b.test", "n1", None), ("n1 n2", "n3", None), ("10.0.0.2 10.0.0.25", "10.0.0.2", "10.0.0.2")):
            (self.place / "nodes").write_text(nodes.replace(" ", "\n") + "\n", encoding="utf-8")
            run = subprocess.run([launch.SOURCE / "jobs/shell/pbs_shell.sh", "-x", host, "true"], check=False,
                                 env={**os.environ, "PATH": f"{self.place}:{os.environ['PATH']}", "PBS_JOBID": "7.head",
                                      "PBS_NODEFILE": str(self.place / "nodes")}, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, universal_newlines=True)
            self.assertEqual(run.stdout.strip(), name or "", f"{nodes}, {host}: {run.stderr}")
            if name is None:
                self.assertRegex(run.stderr, r"^pbs_shell\.sh: n[13] (is not a host of job 7\.head, which has n1 n2|may mean each of n1)")
                self.assertEqual(run.returncode, 1)


class EndOfAJob(launch.Case):
    def test_p_a_suspended_job(self):
        """Its walltime of 1200 s does not go on, so that the signal comes later, too. The clock is a played one."""
        executable(self.place / "qstat", "#!/bin/sh\nprintf '    stime = @0\\n    Resource_List.walltime = 00:20:00\\n'\n")
        played = """source "$1"
            PATH=$2:$PATH PBS_JOBID=7.head SECONDS=0
            date() { if [ "$1" = -d ]; then echo "${2#@}"; else echo "$SECONDS"; fi; }
            sleep() { SECONDS=$((SECONDS + $1 + (SECONDS > 90 && suspended == 0 ? pause : 0))); }
            kill() { [ "$1" = -0 ] || echo "$SECONDS"; }
            for pause in 0 1 600; do SECONDS=0; signal_before_the_end 1; done"""
        said = subprocess.run(["bash", "-c", played, "-", launch.SOURCE / "jobs/shell/pbs_job.sh", self.place], check=True,
                              env={name: value for name, value in os.environ.items() if not name.startswith("PBS_")},
                              stdout=subprocess.PIPE, universal_newlines=True).stdout
        self.assertEqual([int(seconds) // 10 for seconds in said.split()], [108, 108, 168])


class Pbs(pbs_case.StudyCase):
    def one_node(self, walltime, *arguments):
        """run.pbs by hand, with the words of ROWHALO_ARGUMENTS."""
        return self.qsub("-l", "select=1:ncpus=2:mpiprocs=2:ompthreads=1", "-l",
                         f"walltime={walltime}", "-v", "ROWHALO_ARGUMENTS,ROWHALO_SITE,ROWHALO",
                         "jobs/pbs/run.pbs", ROWHALO_ARGUMENTS=" ".join(map(str, arguments)),
                         ROWHALO_SITE="local" if not arguments else "double.ini")

    def check_interrupted(self, job, name):
        self.check_error(self.folder(job), f"interrupted by {name} in repeat 1 of 1")
        report = json.loads((self.folder(job) / "result-1.json").read_text(encoding="utf-8"))
        self.assertEqual(report["status"], "interrupted")

    def by_hand(self):
        """A site whose path has no quotes, which would not survive qsub -v."""
        self.site().rename(self.project / "double.ini")

    @unittest.skipUnless(two_nodes(), "a second host cannot be played: unshare is not allowed here")
    def test_a_two_nodes_without_ssh(self):
        """As PBS knows them: by their full names, by short ones, and with one name in two domains."""
        if "mca:plm:tm:" in self.command("ompi_info", "--parsable") or shutil.which("prte_info") and \
                " plm: tm " in self.command("prte_info"):
            self.skipTest("this Open MPI speaks to PBS itself")
        here = socket.gethostname().split(".")[0]
        for names in ([f"{here}.cluster.test", "elsewhere.cluster.test"], [here, "elsewhere"],
                      [f"{here}.a.test", f"{here}.b.test"]):
            with self.subTest(names=names):
                self.set(names=names)
                job = self.submit_run(*SMALL)
                self.wait(job)
                self.check_point(self.folder(job), 4, nodes=2)

    def test_a_one_node_without_a_remote_shell(self):
        """Open MPI 4 looks for ssh even where all ranks are on its host."""
        machine = self.double / "machine"
        machine.unlink()
        machine.mkdir()
        for path in self.machine.iterdir():
            if path.name not in ("ssh", "rsh"):
                (machine / path.name).symlink_to(path)
        (machine / "ssh").write_text("may not be started", encoding="utf-8")
        self.by_hand()
        job = self.one_node(300, *SMALL)
        self.wait(job)
        self.check_point(self.folder(job), 2, nodes=1)

    def test_a_hosts_by_their_addresses(self):
        """A launcher does not know its own host by one."""
        self.set(names=["192.0.2.1"])
        self.by_hand()
        job = self.one_node(300, *SMALL)
        self.wait(job)
        self.check_point(self.folder(job), 2, nodes=1)

    def test_b_the_walltime_saves_result_and_marker(self):
        """By USR1 at two thirds of the walltime; TERM comes after it."""
        self.by_hand()
        seconds = int(45 + 30 * launch.good_seconds())  # a third is more than qstat is waited for
        job = self.one_node(seconds, *LONG)
        self.wait(job)
        self.check_interrupted(job, "SIGUSR1")

    def test_b_the_marker_is_written_when_the_signal_comes(self):
        self.by_hand()
        self.set(kill_delay=2)
        ready = self.program(DEAF)
        job = self.one_node(3600, *LONG)
        self.wait_for(ready.exists, "the program has not started")
        self.command("qdel", job)
        self.wait(job)
        self.check_error(self.folder(job), "interrupted by SIGTERM in repeat 1 of 1")

    def test_c_quotes_arrive(self):
        name = "it's \"my\" matrix, a\\b.mtx"
        (self.place / name).write_text(
            "%%MatrixMarket matrix coordinate real general\n4 4 4\n"
            + "".join(f"{i} {i} 2\n" for i in range(1, 5)), encoding="utf-8")
        site = self.site().read_text(encoding="utf-8")
        (self.project / "one node.ini").write_text(site, encoding="utf-8")
        script = self.project / "jobs/pbs/gemv.pbs"  # one rank
        job = self.study("submit", script, "--site", "one node.ini", "--", "--matrix",
                         self.place / name, *launch.SHORT).strip()
        self.wait(job)
        folder = self.project / f"rowhalo-gemv-{job.split('.')[0]}"
        self.assertTrue((folder / "done").exists(), self.outputs())
        report = json.loads((folder / "result-1.json").read_text(encoding="utf-8"))
        self.assertIn(name, json.dumps(report).replace('\\"', '"').replace("\\\\", "\\"))

    def test_d_jobs_that_end_while_others_are_submitted(self):
        """Without a history PBS drops what waits for a job that has ended already."""
        self.set(slow=True)
        folder, jobs = self.submit()
        self.wait(*jobs)
        self.assertEqual(set(self.states(folder, 0).values()), {"done"}, self.outputs())
        self.assertEqual(len(results(folder)), 2)

    def test_d_a_chain_collects_although_pbs_drops_what_waits(self):
        self.program(FAILING, ranks=2)
        folder, jobs = self.submit("--chain", points="ranks = 1,2", matrix="source =\n  stencil7:12")
        self.assertEqual(len(jobs), 2)
        self.wait(*jobs)
        self.assertEqual(list(self.states(folder).values()), ["done", "error"])
        self.assertEqual(len(results(folder)), 1)
        self.environment["ROWHALO"] = str(launch.BINARY)
        self.study("resume", folder, "--chain", "--watch")
        self.assertEqual(list(self.states(folder).values()), ["done", "done"])
        self.assertEqual(len(results(folder)), 2)

    def test_d_after(self):
        executable(self.project / "blocker.pbs", BLOCKER)
        blocker = self.qsub("blocker.pbs")
        self.environment["ROWHALO_SITE"] = str(self.site())
        job = self.study("submit", "jobs/pbs/gemv.pbs", "--after", blocker, "--", "--matrix",
                         "dense:32", *launch.SHORT).strip()
        self.assertEqual(self.live()[job.split(".")[0]], "H")
        for unknown in ("999", "999.double"):
            run = self.study("submit", "jobs/pbs/run.pbs", "--after", unknown, status=2)
            self.assertEqual(run, "")
        path = self.place / "a study.ini"
        path.write_text(study_text(points="ranks = 1"), encoding="utf-8")
        self.study("submit", path, "--after", blocker, "--output", self.place / "after")
        self.assertEqual(list(self.states(self.place / "after", 0).values()), ["pending"])
        (self.project / "go").touch()
        self.wait(blocker, job)
        self.assertTrue((self.project / f"rowhalo-gemv-{job.split('.')[0]}/done").exists())
        self.study("submit", "jobs/pbs/run.pbs", "--after", blocker, status=2)
        path = self.place / "a study.ini"
        path.write_text(study_text(), encoding="utf-8")
        self.study("submit", path, "--after", blocker, "--output", self.place / "out", status=2)
        self.assertFalse((self.place / "out").exists())
        self.set(history=True)  # now it is known how it has ended
        job = self.study("submit", "jobs/pbs/gemv.pbs", "--after", blocker, "--", "--matrix",
                         "dense:32", *launch.SHORT).strip()
        self.wait(job)
        self.assertTrue((self.project / f"rowhalo-gemv-{job.split('.')[0]}/done").exists())

    def test_e_a_queued_job_is_deleted(self):
        folder, jobs = self.blocked()
        self.command("qdel", jobs[1])
        (self.project / "go").touch()
        said = self.study("status", folder, "--watch", status=1)
        self.assertIn(f"job {jobs[2]} (collect) is held and never starts", said)
        self.assertEqual(list(self.states(folder).values()), ["done", "cut off"])
        before = marked(folder)
        said = self.study("resume", folder, "--watch")
        self.assertIn(f"deleted job {jobs[2]}: collect, held for", said)
        self.assertEqual(self.live(), {})
        self.assertEqual(set(self.states(folder, 0).values()), {"done"})
        self.assertEqual({name: marked(folder)[name] for name in before}, before)
        self.assertEqual(len(results(folder)), 2)

    def test_e_the_first_of_a_chain_is_deleted(self):
        folder, jobs = self.blocked("--chain", points="ranks = 1,2,4\nranks_per_node = 2")
        self.command("qdel", jobs[0])
        (self.project / "go").touch()
        self.assertIn("is held and never starts",
                      self.study("status", folder, "--watch", status=1))
        self.assertEqual(list(self.states(folder).values()), ["cut off"] * 3)
        self.study("resume", folder, "--watch")
        self.assertEqual(list(self.states(folder).values()), ["done"] * 3)

    def test_f_without_gpus(self):
        """Servers refuse ngpus where there are none; the line in the script's head works."""
        self.command("qsub", "jobs/pbs/run.pbs", status=187)
        head = (self.project / "jobs/pbs/gemv.pbs").read_text(encoding="utf-8")
        words = re.search(r"^#   (qsub .*)$", head, re.MULTILINE)[1].replace("=16", "=2").split()
        self.by_hand()
        job = self.command(*words[:-1], "-v", "ROWHALO_ARGUMENTS,ROWHALO_SITE,ROWHALO", f"jobs/pbs/{words[-1]}",
                           ROWHALO_SITE="double.ini",
                           ROWHALO_ARGUMENTS=" ".join(["--matrix", "dense:32", *launch.SHORT]))
        self.wait(job)
        self.assertTrue((self.project / f"rowhalo-gemv-{job.split('.')[0]}/done").exists(),
                        self.outputs())

    def test_g_term_comes_twice(self):
        """From PBS and from rowhalo-study; the launcher would end the rank in its last batch."""
        ready = self.program(SLOW)
        launcher = executable(self.place / "launcher", LAUNCHER)
        site = self.site()
        site.write_text(site.read_text(encoding="utf-8").replace("mpirun -n {ranks} {host_options}",
                                                                 f"{launcher} -n {{ranks}}"))
        folder, jobs = self.submit("--in-one-job", points="ranks = 1", run="time = 5\nrepeats = 1")
        self.wait_for(ready.exists, "the program has not started")
        self.command("qdel", jobs[0])
        self.wait(jobs[0])
        self.assertTrue((self.place / "ready.saved").exists(), self.outputs())
        name, = points(folder)
        self.check_error(folder / "points" / name, "interrupted by SIGTERM in repeat 1 of 1")

    def test_h_the_jobs_shell_has_no_pbs(self):
        folder, jobs = self.submit("--in-one-job")
        self.wait(*jobs)
        self.assertEqual(set(self.states(folder, 0).values()), {"done"}, self.outputs())
        # What is in PATH but may not be started counts as missing.
        (self.double / "bin" / "qstat").chmod(0o644)
        run = self.study("status", folder, status=2)
        self.assertEqual(run, "")

    def test_i_a_share_of_a_node(self):
        """The launcher gives a rank the cores that the job has asked for; whole nodes are used wholly."""
        site = self.site()
        text = site.read_text(encoding="utf-8").replace(
            "mpirun -n", "mpirun -x CORES_OF_A_RANK={cores_per_rank} -n")
        for exclusive, cores in (("no", 1), ("yes", 2)):
            site.write_text(text.replace("cores = 2", f"cores = 2\nexclusive = {exclusive}"), encoding="utf-8")
            folder, jobs = self.submit("--in-one-job", points="ranks = 1", name=f"share-{exclusive}")
            self.wait(*jobs)
            script = (folder / "jobs/all.pbs").read_text(encoding="utf-8")
            self.assertIn(f"select=1:ncpus={cores}:mpiprocs=1:ompthreads=1", script)
            name, = points(folder)
            self.check_point(folder / "points" / name, 1)
            command = (folder / "points" / name / "provenance/command.txt").read_text(encoding="utf-8")
            self.assertIn(f"CORES_OF_A_RANK={cores} ", command)
            shutil.rmtree(folder)

    def test_umask(self):
        """Results are the user's alone, unless the site says otherwise."""
        for extra, mode in (("", 0o600), ("-W umask=022", 0o644)):
            self.site(extra)
            job = self.study("submit", "jobs/pbs/gemv.pbs", "--", "--matrix", "dense:32",
                             *launch.SHORT).strip()
            self.wait(job)
            result = self.project / f"rowhalo-gemv-{job.split('.')[0]}/result-1.json"
            self.assertEqual(result.stat().st_mode & 0o777, mode)

    def test_what_is_cut_off_names_its_log(self):
        ready = self.program(DEAF)
        self.set(kill_delay=1)
        folder, jobs = self.submit("--in-one-job", points="ranks = 1,2")
        self.wait_for(ready.exists, "the program has not started")
        self.command("qdel", jobs[0])
        self.wait(*jobs)
        said = self.study("status", folder, status=None)  # 1 where the marker was written in time
        log = folder / "jobs" / f"tiny-all.o{jobs[0].split('.')[0]}"
        self.assertIn(f"cut off        job {jobs[0]} ended before it; its log: {log}", said)
        self.assertTrue(log.is_file())


if __name__ == "__main__":
    throwaway.main()
