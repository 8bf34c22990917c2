#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A test double of PBS: one server, two nodes on this machine, and its commands.

  pbs_double.py serve FOLDER       the server; ends when FOLDER/stop appears
  pbs_double.py qsub|qstat|qdel|qhold|qrls|qsig|pbs_tmrsh FOLDER ARGUMENTS...

Behaves as OpenPBS was seen to behave where that differs from Slurm; pbs_double.md says which
behaviour each part (marked with its letter) stands for. Jobs run one at a time, in the order of
their numbers. The first node is this host; the second one has its own host name and /dev/shm, where
unshare is allowed. FOLDER/settings.json: kill_delay, history (on or off), resources beyond ncpus, slow
(qsub answers when no job runs any more), names (of the two nodes, as the node file has them), silent (commands
that never answer; what they ask for happens), deaf (it does not), whole_nodes (a hook refuses jobs of fewer cores), most_nodes,
most_jobs (limits of the queue), ending (seconds that a job takes to end).
"""
import argparse
import getpass
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

SECOND_NODE = "elsewhere.cluster.test"
UNKNOWN = 153
DEFAULTS = {"kill_delay": 10, "history": False, "resources": [], "slow": False, "silent": [], "whole_nodes": 0,
            "names": [f"{socket.gethostname().split('.')[0]}.cluster.test", SECOND_NODE], "most_nodes": 99,
            "most_jobs": 99, "ending": 0}
SPACES = ["unshare", "--uts", "--mount", "--propagation", "private"]


class Refused(Exception):
    """What a command says on stderr, and its exit status."""

    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


def session_of(pid):
    """The session of a process; None when there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return int(stat[3]) if stat[0] not in (b"Z", b"X") else None
    except OSError:
        return None


def signal_sessions(leaders, number):
    """[G] Every process of the sessions, not only their leaders. Children first and one by one: what
    a parent hands on comes as a second signal."""
    for pid in sorted(map(int, filter(str.isdigit, os.listdir("/proc"))), reverse=True):
        if session_of(pid) in leaders:
            try:
                os.kill(pid, number)
                time.sleep(0.05)
            except ProcessLookupError:
                pass


def after_v(value):
    """[C] What a job gets of a variable that qsub -v was given by name."""
    value = value.replace("\\", "\\\\")
    mangled, quote = "", ""
    for letter in value:
        if letter == quote or (not quote and letter in "'\""):
            quote = "" if quote else letter
            letter = "\\"
        elif letter == "," and quote:
            return mangled
        mangled += letter
    if quote:
        raise Refused("qsub: cannot send environment with the job")
    return mangled


class Job:
    def __init__(self, number, script, environment, options):
        self.number, self.id = number, f"{number}.double"
        self.script, self.environment = script, environment
        self.name = (options.N or Path(options.script).name)[:15]
        self.held, self.folder = set("u" * options.h), options.folder  # by whom
        self.waited_for = []  # [M] qstat -f tells them, too
        self.depends = [(kind, ids.split(":")) for kind, _, ids in
                        (part.partition(":") for part in options.depend.split(",") if part)]
        self.walltime, self.nodes, self.per_node, self.cores, self.place = 0, 1, 1, 1, "free"
        self.umask = int(options.umask, 8)
        self.state, self.status, self.started, self.dropped = "Q", None, 0, False
        self.process, self.sessions, self.kill_at, self.waits = None, [], 0, bool(self.depends)
        self.ended = 0
        self.stopped, self.paused = 0, 0  # [P] since when, and the seconds before
        self.forgotten = set()  # numbers of jobs that had ended when this one came

    def shown_state(self):
        if self.state == "R" and self.stopped:
            return "S"
        return "H" if self.state == "Q" and (self.held or self.waits) else self.state

    def line(self):
        return f"{self.id:<17} {self.name:<16} {'me':<16} {0:>8} {self.shown_state()} workq"

    def details(self):
        holds = "".join(sorted(self.held | set("s" * self.waits), reverse=True)) or "n"
        depends = ",".join(f"{kind}:{':'.join(ids)}" for kind, ids in self.depends + self.waited_for)
        lines = [f"Job Id: {self.id}", f"    Job_Name = {self.name}", f"    Job_Owner = {getpass.getuser()}@double",
                 f"    job_state = {self.shown_state()}", f"    Hold_Types = {holds}",
                 f"    Output_Path = double:{self.folder}/{self.name}.o{self.number}",
                 *([f"    depend = {depends}"] if depends else []),
                 f"    Resource_List.ncpus = {self.nodes * self.cores}",
                 f"    Resource_List.place = {self.place}"]  # [I]
        if self.walltime:
            hours, rest = divmod(self.walltime, 3600)
            lines.append(f"    Resource_List.walltime = {hours:02}:{rest // 60:02}:{rest % 60:02}")
        if self.started:
            lines.append(f"    stime = {time.ctime(self.started)}")
        return "\n".join(lines) + "\n"


def parsed(words, environment, folder):
    """Options of qsub, from its command line and the script's first lines."""
    parser = argparse.ArgumentParser(prog="qsub", add_help=False)
    for letter in "NAqjreo":
        parser.add_argument(f"-{letter}")
    parser.add_argument("-h", action="store_true")
    parser.add_argument("-l", action="append", default=[])
    parser.add_argument("-W", action="append", default=[])
    parser.add_argument("-v", default="")
    parser.add_argument("script", nargs="?")
    options = parser.parse_args(words)
    script = Path(folder, options.script)
    directives = re.findall(r"^#PBS (.*)$", script.read_text(encoding="utf-8"), re.MULTILINE)
    given = parser.parse_args([word for line in directives for word in shlex.split(line)] + words)
    given.folder, given.umask, given.depend = folder, "077", ""  # the umask of a job: [umask]
    for part in given.W:
        key, _, value = part.partition("=")
        setattr(given, key, value)
    given.variables = {name: after_v(environment.get(name, ""))
                       for name in given.v.split(",") if name}
    given.text = script.read_text(encoding="utf-8")
    return given


class Server:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.jobs, self.last = {}, 0

    @property
    def settings(self):
        return {**DEFAULTS, **json.loads((self.folder / "settings.json").read_text("utf-8"))}

    # ------------------------------------------------------------------ commands
    def find(self, command, word):
        job = self.jobs.get(re.match(r"\d*", word)[0])
        if job is None or (job.state == "F" and not self.settings["history"]):
            raise Refused(f"{command}: Unknown Job Id {word}", UNKNOWN)
        return job

    def qsub(self, words, environment, folder):
        options = parsed(words, environment, folder)
        self.last += 1
        job = Job(self.last, options.text, options.variables, options)
        for key, value in dict(request.split("=", 1) for request in options.l).items():
            if key == "walltime":
                seconds = 0
                for part in value.split(":"):
                    seconds = seconds * 60 + int(part)
                job.walltime = seconds
            elif key == "place":
                job.place = value
            elif key == "select":
                count, *chunk = value.split(":")
                chunk = dict(part.split("=") for part in chunk)
                job.nodes, job.per_node = int(count), int(chunk.get("mpiprocs", 1))
                job.cores = int(chunk.get("ncpus", 1))
                if job.nodes > self.settings["most_nodes"] or sum(
                        other.state in "QR" for other in self.jobs.values()) >= self.settings["most_jobs"]:
                    raise Refused("qsub: Job exceeds queue and/or server resource limits", 188)
                if job.cores < self.settings["whole_nodes"]:
                    raise Refused("qsub: whole nodes only, says the hook")
                for name in chunk:
                    if name not in ("ncpus", "mpiprocs", "ompthreads", *self.settings["resources"]):
                        raise Refused(f"qsub: Unknown resource: {name}", 187)  # [F]
        job.forgotten = {other.number for other in self.jobs.values() if other.status is not None}
        self.jobs[str(self.last)] = job
        for kind, ids in job.depends:
            for number in ids:
                if number.split(".")[0] in self.jobs:
                    self.find("qsub", number).waited_for.append((kind.replace("after", "before"), [job.id]))
        return job.id

    def qstat(self, words, _environment, _folder):
        history = "-x" in words
        ids = [word for word in words if not word.startswith("-")]
        if "-f" in words and not ids:
            ids = [job.id for job in self.jobs.values() if job.state != "F"]
        if not ids:
            rows = [job.line() for job in self.jobs.values() if job.state != "F"]
            return "\n".join(["Job id  Name  User  Time Use S Queue", "-- -- -- -- - --", *rows])
        if history and not self.settings["history"]:
            return f"qstat: PBS is not configured to maintain job history {ids[0]}"
        if "-f" in words:  # tells those that there are
            jobs = [self.jobs.get(re.match(r"\d*", word)[0]) for word in ids]
            known = [job.details() for job in jobs if job and job.state != "F"]
            said = [f"qstat: Unknown Job Id {word}" for word, job in zip(ids, jobs) if not job or job.state == "F"]
            return ["\n".join(known), "\n".join(said), UNKNOWN if said else 0]
        job = self.find("qstat", ids[0])
        if job.state == "F" and not history:
            raise Refused(f"qstat: {ids[0]} Job has finished, use -x or -H to obtain historical job "
                          "information", 35)
        return job.line()

    def qhold(self, words, _environment, _folder):
        letter = words.pop(words.index("-h") + 1) if "-h" in words else "u"
        for word in words:
            if word != "-h":
                self.find("qhold", word).held.add(letter)
        return ""

    def qrls(self, words, _environment, _folder):
        for word in words:
            self.find("qrls", word).held.discard("u")
        return ""

    def qdel(self, words, _environment, _folder):
        for word in words:
            job = self.find("qdel", word)
            if job.state == "R":
                self.end(job)
            else:  # [E] what waits for it is neither released nor deleted, unless it waited itself
                job.state, job.dropped = "F", job.waits
        return ""

    def qsig(self, words, _environment, _folder):
        """[P] -s suspend|resume JOB: all its processes stop, and so does the time that counts for the walltime."""
        job = self.find("qsig", words[2])
        if words[1] == "suspend":
            job.stopped = time.time()
            signal_sessions(job.sessions, signal.SIGSTOP)
        else:
            job.stopped, job.paused = 0, job.paused + time.time() - job.stopped
            signal_sessions(job.sessions, signal.SIGCONT)
        return ""

    def pbs_tmrsh(self, words, environment, _folder):
        """The environment and the prefix of a task, which the client starts."""
        job = self.find("pbs_tmrsh", environment.get("PBS_JOBID", ""))
        hosts = (self.folder / f"nodes.{job.number}").read_text(encoding="utf-8").split()
        if words[0] not in hosts:  # [L]
            raise Refused(f'pbs_tmrsh: host "{words[0]}" is not a node in job <{job.id}>', 255)
        prefix = [] if words[0] == hosts[0] else self.on_second_node(words[0])
        task = {"PATH": "/bin:/usr/bin", **self.pbs_variables(job), **job.environment}  # [A]
        job.sessions.append(int(environment["SESSION"]))
        return json.dumps([prefix, task, job.umask])

    # ------------------------------------------------------------------ jobs
    @staticmethod
    def on_second_node(name):
        inner = 'hostname "$0" && mount -t tmpfs tmpfs /dev/shm && exec "$@"'
        return [*SPACES, "bash", "-c", inner, name]

    def pbs_variables(self, job):
        return {"HOME": str(self.folder / "home"), "USER": "me", "LOGNAME": "me",
                "SHELL": "/bin/bash", "PBS_ENVIRONMENT": "PBS_BATCH", "PBS_JOBID": job.id,
                "PBS_JOBNAME": job.name, "PBS_O_WORKDIR": job.folder,
                "PBS_NODEFILE": str(self.folder / f"nodes.{job.number}"),
                "PBS_CONF_FILE": str(self.folder / "pbs.conf")}

    def start(self, job):
        hosts = self.settings["names"][:job.nodes]
        (self.folder / f"nodes.{job.number}").write_text(
            "".join(f"{host}\n" * job.per_node for host in hosts), encoding="utf-8")
        spool = self.folder / f"{job.number}.SC"
        spool.write_text(job.script, encoding="utf-8")
        # [H] The shell of a job has read its profile, which need not know PBS.
        environment = {**self.pbs_variables(job), **job.environment,
                       "PATH": str(self.folder / "machine")}
        os.umask(job.umask)  # [umask] of the job and of its log
        with open(self.folder / f"{job.number}.OU", "wb") as output:
            job.process = subprocess.Popen(  # pylint: disable=consider-using-with
                ["/bin/bash", str(spool)], cwd=environment["HOME"], env=environment, stdout=output,
                stdin=subprocess.DEVNULL, stderr=output, start_new_session=True)
        os.umask(0o022)
        job.state, job.started, job.sessions = "R", time.time(), [job.process.pid]

    def end(self, job):
        """[B] [G] TERM to all of the job, and KILL later."""
        if not job.kill_at:
            job.kill_at = time.time() + self.settings["kill_delay"]
            signal_sessions(job.sessions[:1], signal.SIGTERM)

    def look_after(self, job):
        status = job.process.poll()
        if status is None:
            if job.walltime and not job.stopped and time.time() > job.started + job.paused + job.walltime:
                self.end(job)
            if job.kill_at and time.time() > job.kill_at:
                signal_sessions(job.sessions, signal.SIGKILL)
            return
        signal_sessions(job.sessions, signal.SIGKILL)
        job.status = status if status >= 0 else 256 - status
        job.ended = job.ended or time.time()
        job.state = "F" if time.time() >= job.ended + self.settings["ending"] else "E"  # [J]
        if job.state == "E":
            return
        target = Path(job.folder) / f"{job.name}.o{job.number}"
        (self.folder / f"{job.number}.OU").replace(target)

    def verdict(self, job, kind, number):
        """[D] go, wait or drop, by one job that another waits for."""
        other = self.jobs.get(re.match(r"\d*", number)[0])
        if other is None or other.dropped:
            return "drop"
        if other.state != "F":
            return "wait"
        if other.status is None:  # [E] deleted before it began
            return "wait"
        if other.number in job.forgotten and not self.settings["history"]:
            return "drop"
        return "go" if kind == "afterany" or (kind == "afterok") == (other.status == 0) else "drop"

    def tick(self):
        for job in self.jobs.values():
            if job.state in "RE":
                self.look_after(job)
        for job in self.jobs.values():
            if job.state != "Q":
                continue
            verdicts = {self.verdict(job, kind, number)
                        for kind, ids in job.depends for number in ids}
            job.waits = "wait" in verdicts
            if "drop" in verdicts:
                job.state, job.dropped = "F", True
        if not any(job.state == "R" for job in self.jobs.values()):
            for job in self.jobs.values():
                if job.state == "Q" and not (job.held or job.waits):
                    self.start(job)
                    return

    def serve(self):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.folder / "socket"))
        listener.listen(64)
        listener.settimeout(0.1)
        while not (self.folder / "stop").exists():
            try:
                client = listener.accept()[0]
            except socket.timeout:
                self.tick()
                continue
            with client, client.makefile("rw", encoding="utf-8") as stream:
                command, words, environment, folder = json.loads(stream.readline())
                try:
                    reply = getattr(self, command)(words, environment, folder)
                    reply = reply if isinstance(reply, list) else [reply, "", 0]
                except Refused as refusal:
                    reply = ["", str(refusal), refusal.status]
                json.dump(reply, stream)
            self.tick()
        for job in self.jobs.values():
            if job.state == "R":
                signal_sessions(job.sessions, signal.SIGKILL)
                job.process.wait()


def ask(folder, command, words):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(Path(folder) / "socket"))
        with connection.makefile("rw", encoding="utf-8") as stream:
            json.dump([command, words, {**os.environ, "SESSION": str(os.getpid())}, os.getcwd()],
                      stream)
            stream.write("\n")
            stream.flush()
            return json.loads(stream.readline())


def main():
    command, folder, *words = sys.argv[1:]
    if command == "serve":
        Server(folder).serve()
        return 0
    if command == "pbs_tmrsh":
        task = os.fork()
        if task:
            return os.WEXITSTATUS(os.waitpid(task, 0)[1])
        os.setsid()  # a task is not of the session of the job
    settings = json.loads(Path(folder, "settings.json").read_text("utf-8"))
    while command in settings.get("deaf", []):  # [K]
        time.sleep(0.2)
    said, error, status = ask(folder, command, words)
    while command == "qsub" and settings.get("slow") and " R " in ask(folder, "qstat", [])[0]:
        time.sleep(0.2)
    while command in settings.get("silent", []):  # [K]
        time.sleep(0.2)
    if command == "pbs_tmrsh" and status == 0:
        prefix, environment, umask = json.loads(said)
        os.umask(umask)
        os.chdir(environment["HOME"])
        argv = ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in environment.items()),
                *words[1:]]
        os.execvp((prefix or argv)[0], [*prefix, *argv])
    for text, stream in ((said, sys.stdout), (error, sys.stderr)):
        if text:
            print(text, file=stream)
    return status


if __name__ == "__main__":
    sys.exit(main())
