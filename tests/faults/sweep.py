#!/usr/bin/env python3
"""sweep.py SPDML FAULTS.so [--part alloc,deny,call,kill,signal,full] [--only NAME] [--runs N]

Makes everything fail once, through faults.c, and looks at what the command does about it.

  alloc   every place that allocates, in the command and in its libraries, fails once
  deny    from that place on there is no memory at all
  call    every place of a system call and of pthread_create fails once, with each error it may have
  kill    SIGKILL before every call that changes the file system, then the same command again
  signal  SIGINT, SIGTERM, SIGHUP and SIGPIPE at random times
  full    a standard output that is full, closed, or a pipe that nobody reads

A place is a chain of callers. After a fault the command must end in time with status 0 and the right
result, or with another status and a message; its outputs are whole, or as they were before; nothing
else is left in the folder; and no memory of its own code is lost.

--runs N takes about N runs of each part, as many of each command, evenly spread; without it all are run. The last line reads
'N passed, N failed'."""
import argparse
import concurrent.futures
import errno
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

SECONDS = 20  # more than this is a hang
ERRORS = {"open": "EMFILE EACCES", "read": "EIO EINTR short", "write": "ENOSPC EIO EINTR short",
          "fsync": "EIO", "rename": "EIO ENOSPC", "link": "EIO", "mmap": "ENOMEM", "truncate": "EIO",
          "mkdir": "ENOSPC EACCES", "unlink": "EIO", "close": "EIO", "stat": "EIO EACCES",
          "access": "EACCES", "getdents": "EIO", "chmod": "EPERM", "lseek": "EIO",
          "readlink": "EIO", "fcntl": "EINVAL", "getcwd": "ENOENT", "thread": "EAGAIN"}
# Libraries that do not look at what malloc gave them, or take it for the end of the process. The
# command asks for the memory they will need before it calls them; a single failure within is theirs.
KNOWN = {"libsvm.so.3": "uses what malloc returns without a look",
         "libstdc++.so.6": "throws bad_alloc through libsvm, which does not catch it",
         "libarchive.so.13": "ends the process"}
LEAVES_OUT = "libjansson.so.4"  # what it reads lacks characters that it had no memory for, without a word
EVALUATE = ["evaluate", "a.npz", "--split", "0.5", "--repeats", "1"]
COMMANDS = {
    "info": (["info", "a.npz", "--json"], []),
    "info-model": (["info", "model.spdml"], []),
    "distance": (["distance", "a.npz", "--metric", "airm", "-o", "d.npy"], ["d.npy"]),
    "mean": (["mean", "a.npz", "--metric", "airm", "-o", "mean.csv"], ["mean.csv"]),
    "neighbours": (["neighbours", "a.npz", "-k", "2", "-o", "near.npz"], ["near.npz"]),
    "embed": (["embed", "a.npz", "--method", "lle", "-k", "4", "-o", "e.csv"], ["e.csv"]),
    "cost": (["cost", "a.npz", "--w", "model.spdml", "--gradient", "G.npy"], ["G.npy"]),
    "fit": (["fit", "a.npz", "-m", "2", "--max-iter", "6", "--checkpoint", "ck", "--checkpoint-every",
             "0s", "--history", "h.csv", "-o", "m.spdml"], ["m.spdml", "h.csv", "ck"]),
    "resume": (["fit", "a.npz", "--resume", "begun", "--max-iter", "6", "-o", "m.spdml"],
               ["m.spdml"]),
    "transform": (["transform", "model.spdml", "a.npz", "-o", "t.npz"], ["t.npz"]),
    "explain": (["explain", "model.spdml", "--data", "a.npz", "-o", "map.svg"], ["map.svg"]),
    "predict": (["predict", "method.spdml", "a.npz"], []),
    "predict-table": (["predict", "method.spdml", "a.npz", "-o", "-"], []),
    "classify": (["classify", "--train", "a.npz", "--test", "a.npz", "--method", "ksvm", "--no-tune", "-o",
                  "c.npz"], ["c.npz"]),
    "evaluate": (EVALUATE + ["--methods", "nn-airm-ml,mdm", "-m", "2", "--grid", "nu-b=1", "-o",
                              "ev"], ["ev"]),
    "evaluate-many": (EVALUATE + ["--methods", "ksvm,cdl,cdl-lda,rsr,pga,ts-lda", "-o", "ev",
                                  "--no-report"], ["ev"]),
    "compare": (["compare", "runs", "--format", "markdown", "-o", "t.md"], ["t.md"]),
    "describe-table": (["describe", "covariance", "table.csv", "--shrinkage", "oas", "-o", "x.npz"],
                       ["x.npz"]),
    "describe-images": (["describe", "region", "images", "-o", "x.npz"], ["x.npz"]),
    "describe-sift": (["describe", "sift-color", "one.png", "--no-color", "--size", "24", "-o",
                       "x.npz"], ["x.npz"]),
    "describe-archive": (["describe", "region", "images.tar.gz", "-o", "x.npz"], ["x.npz"]),
    "describe-motion": (["describe", "joints", "clips", "--labels", "clips/index.csv", "-o", "x.npz"], ["x.npz"]),
    "convert-npz": (["convert", "a.csv", "-o", "b.npz"], ["b.npz"]),
    "convert-mat": (["convert", "a.npz", "-o", "b.mat"], ["b.mat"]),
    "convert-npy": (["convert", "a.npz", "-o", "b.npy"], ["b.npy"]),
    "convert-v5": (["convert", "a.mat", "-o", "b.npz"], ["b.npz"]),
    "convert-csv": (["convert", "a.npz", "-o", "b.csv"], ["b.csv"]),
    "convert-out": (["convert", "a.npz", "-o", "-", "--to", "csv"], []),
    "join": (["join", "a.npz", "a.npz", "--source", "file", "-o", "b.npz"], ["b.npz"]),
    "synth-spd": (["synth", "spd", "-o", "s.npz", "--classes", "2", "--samples", "3", "-n", "4",
                   "--planted", "2"], ["s.npz"]),
    "synth-motion": (["synth", "motion", "-o", "sm", "--classes", "1", "--subjects", "1",
                      "--samples", "1", "--frames", "20"], ["sm"]),
    "synth-textures": (["synth", "textures", "-o", "st", "--classes", "1", "--samples", "1",
                        "--size", "16"], ["st"]),
}
KILLED = ["fit", "resume", "evaluate", "describe-table", "describe-images", "describe-motion",
          "transform", "distance", "convert-mat", "classify", "synth-spd", "synth-motion",
          "synth-textures"]


class Sweep:
    def __init__(self, command, library, folder):
        self.command, self.library, self.folder = command, library, pathlib.Path(folder)
        self.inputs = self.folder / "inputs"
        self.references = {}
        self.threads = "2"

    # ---- running -------------------------------------------------------------------------------

    def run(self, words, within, plan=None, log=None, threads=None, depth=None, **options):
        """(status, output, errors); None as status for a hang."""
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "OPENBLAS_NUM_THREADS": "1"}
        if plan:
            environment |= {"LD_PRELOAD": str(self.library), "FAULTS": plan,
                            "FAULTS_LOG": str(log)}
        if depth:
            environment["FAULTS_DEPTH"] = str(depth)
        command = [self.command, *words, "--threads", threads or self.threads]
        process = subprocess.Popen(command, cwd=within, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        try:
            output, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, b"", b""
        return process.returncode, output, errors

    def must(self, *words):
        status, _, errors = self.run(words, self.inputs)
        if status != 0:
            sys.exit(f"sweep: spdml {' '.join(words)}: {errors.decode()}")

    def prepare(self):
        """Small inputs of every kind."""
        self.inputs.mkdir()
        self.must("synth", "spd", "-o", "a.npz", "--classes", "3", "--samples", "6", "-n", "4",
                  "--planted", "2")
        self.must("convert", "a.npz", "-o", "a.mat")
        self.must("synth", "textures", "-o", "images", "--classes", "2", "--samples", "1", "--size",
                  "24")
        self.must("synth", "motion", "-o", "clips", "--classes", "2", "--subjects", "1",
                  "--samples", "1", "--frames", "20")
        self.must("fit", "a.npz", "-m", "2", "--max-iter", "6", "-o", "model.spdml")
        self.must("train", "a.npz", "--method", "mdm-airm", "-o", "method.spdml")
        self.must(*EVALUATE, "--methods", "nn-airm,mdm", "-o", "runs", "--no-report")
        self.must("fit", "a.npz", "-m", "2", "--max-iter", "3", "--checkpoint", "begun",
                  "--checkpoint-every", "0s", "-o", "other.spdml")
        shutil.copy(sorted(self.inputs.glob("images/*/*.png"))[0], self.inputs / "one.png")
        with tarfile.open(self.inputs / "images.tar.gz", "w:gz") as archive:
            archive.add(self.inputs / "images", "images")
        rows = [f"{2 + i / 3},0.5,0.5,{1 + i / 7},{i % 3}" for i in range(12)]
        (self.inputs / "a.csv").write_text("a,b,c,d,label\n" + "\n".join(rows) + "\n")
        rows = [f"{i % 5},{i * i % 7},{i % 3}" for i in range(30)]
        (self.inputs / "table.csv").write_text("\n".join(rows) + "\n")

    def fresh(self, name="run"):
        """A folder with the inputs, to run in."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix=name, dir=self.folder))
        shutil.copytree(self.inputs, folder, dirs_exist_ok=True, copy_function=os.link)
        return folder

    # ---- what is right -------------------------------------------------------------------------

    def reference(self, name):
        """What the command prints and writes when nothing fails; times are masked."""
        if name not in self.references:
            words, outputs = COMMANDS[name]
            folder = self.fresh("reference")
            status, output, errors = self.run(words, folder)
            if status != 0:
                sys.exit(f"sweep: {name}: {errors.decode()}")
            self.references[name] = (masked(output), {o: content(folder / o) for o in outputs})
            shutil.rmtree(folder)
        return self.references[name]

    def look(self, name, folder, old, status, output, errors, log, denied=False):
        """What is wrong after a run, as a list of texts."""
        right_output, right = self.reference(name)
        said = log.read_text() if log.exists() else ""
        hit = re.search(r"^hit (\S+) (-?\d+)", said, re.M)
        kind, fd = (hit[1], int(hit[2])) if hit else ("", -1)
        wrong = []
        if status is None:
            return ["hangs"]
        if status < 0:
            return [f"dies of {signal.Signals(-status).name}"]
        if status == 0 and masked(output) != right_output:
            wrong.append("status 0, but another output")
        if status != 0 and fd != 2 and not re.match(rb"spdml: .{5}", errors):
            wrong.append(f"status {status} without a message: {errors[:200]!r}")
        wrong += [f"loses {line[5:]}" for line in said.splitlines() if line.startswith("leak")]
        for output_name, expected in right.items():
            there = content(folder / output_name)
            before = old.get(output_name)
            whole = there == expected or (output_name == "ck" and self.is_checkpoint(folder))
            if status == 0 and not whole:
                wrong.append(f"status 0, but {output_name} is not what it should be")
            elif not whole and there != before and not within(there, expected):
                wrong.append(f"{output_name} is broken: {short(there)}")
        if kind != "unlink":
            wrong += [f"leaves {path}" for path in self.leftovers(folder, right, old)
                      if not (denied and ".making-" in str(path))]  # even readdir needs memory
        return wrong

    def is_checkpoint(self, folder):
        return not (folder / "ck").exists() or self.run(["info", "ck"], folder)[0] == 0

    def leftovers(self, folder, outputs, old):
        for path in sorted(folder.rglob("*")):
            relative = path.relative_to(folder)
            top = relative.parts[0]
            if (self.inputs / relative).exists() or top == "faults.log":
                continue
            if top not in outputs and top not in old or path.name.startswith("."):
                yield relative

    # ---- the parts -----------------------------------------------------------------------------

    def places(self, name, kind):
        """[(hash, call, file, callers)], in the order in which they are reached."""
        folder = self.fresh("list")
        log = folder / "faults.log"
        status, _, errors = self.run(COMMANDS[name][0], folder, f"list:{kind}", log)
        text = log.read_text()
        shutil.rmtree(folder)
        if "no filter" in text:
            return None
        if status != 0:
            sys.exit(f"sweep: {name}, list:{kind}: status {status}, {errors.decode()}")
        lines = [line.split() for line in text.splitlines() if line.startswith("place")]
        return [(line[1], line[2], int(line[3]), line[4:]) for line in lines]

    def strike(self, name, plan, callers=()):
        """One run with one fault: (what is wrong, was it reached?, known reason)."""
        folder = self.fresh()
        log = folder / "faults.log"
        old = {}
        if int(plan.split(":")[1], 16) % 2:
            for output in COMMANDS[name][1]:
                if "." in output:
                    (folder / output).write_text("as before\n")
                    old[output] = content(folder / output)
        status, output, errors = self.run(COMMANDS[name][0], folder, plan, log)
        wrong = self.look(name, folder, old, status, output, errors, log, plan.startswith("deny"))
        said = log.read_text() if log.exists() else ""
        reached = "hit " in said
        shutil.rmtree(folder)
        modules = {caller.split("+")[0] for caller in callers}
        modules |= set(re.findall(r"^died (\S+)", said, re.M))  # of another thread, say
        died = status is None or status < 0 or not errors.startswith(b"spdml:")
        known = next((KNOWN[m] for m in KNOWN if m in modules), None) if wrong and died else None
        if callers and callers[0].startswith(LEAVES_OUT) and all(w.startswith("status 0, but") for w in wrong):
            known = known or wrong and "leaves out characters"
        return wrong, reached, known

    def jobs_of_faults(self, part, names):
        for name in names:
            places = self.places(name, "call" if part == "call" else "alloc")
            if places is None:
                print(f"{part:<7} {name:<18} skipped: this system has no seccomp filters")
                continue
            for place, call, _, callers in places:
                if part == "deny":
                    yield name, f"deny:{place}", callers
                    continue
                errors = ERRORS[call].split() if part == "call" else ["ENOMEM"]
                for error in errors:
                    number = 0 if error == "short" else getattr(errno, error)
                    yield name, f"fail:{place}:{number}", callers

    def kill_at(self, name, k):
        """Killed before its k-th change of the file system; then again, to the end."""
        words, outputs = COMMANDS[name]
        folder = self.fresh()
        log = folder / "faults.log"
        for output in outputs:
            if "." in output:
                (folder / output).write_text("as before\n")
        before = {o: content(folder / o) for o in outputs}
        status, _, _ = self.run(words, folder, f"kill:{k}", log, threads="1")
        wrong = [] if status == -signal.SIGKILL else [f"was not killed: status {status}"]
        _, right = self.reference(name)
        for output, expected in right.items():
            there = content(folder / output)
            if output == "ck":
                wrong += [] if self.is_checkpoint(folder) else ["ck cannot be read"]
            elif there not in (before[output], expected) and not within(there, expected):
                wrong.append(f"{output} is broken: {short(there)}")
        if (folder / "ck").exists():
            wrong += self.resumes(folder, right["m.spdml"])
        status, _, errors = self.run(words, folder)
        if status != 0 and b"the folder is incomplete: a run that filled it" not in errors:
            wrong.append(f"the next run fails: {errors.decode()}")
        wrong += [f"the next run writes another {output}" for output, expected in right.items()
                  if status == 0 and output != "ck" and not matches(folder / output, expected)]
        shutil.rmtree(folder)
        return wrong, True, None

    def resumes(self, folder, right):
        words = ["fit", "a.npz", "--resume", "ck", "--max-iter", "6", "-o", "again.spdml"]
        status, _, errors = self.run(words, folder)
        if status != 0:
            return [f"--resume fails: {errors.decode()}"]
        same = arrays(folder / "again.spdml") == arrays_of(right)
        return [] if same else ["--resume gives another map"]

    def jobs_of_kill(self, names):
        for name in names:
            folder = self.fresh("count")
            log = folder / "faults.log"
            self.run(COMMANDS[name][0], folder, "count:write", log, threads="1")
            found = re.search(r"calls (\d+)", log.read_text())
            shutil.rmtree(folder)
            if not found:
                print(f"kill    {name:<18} skipped: this system has no seccomp filters")
                continue
            for k in range(1, int(found[1]) + 1):
                yield name, k, ()

    def signalled(self, name, number, delay):
        """A signal after a while: ends with 130, or was too late, and nothing is left behind."""
        words, outputs = COMMANDS[name]
        folder = self.fresh()
        process = subprocess.Popen([self.command, *words, "--threads", self.threads], cwd=folder,
                                   env={"PATH": os.environ["PATH"], "OPENBLAS_NUM_THREADS": "1"},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        time.sleep(delay)
        process.send_signal(number)
        wrong = []
        try:
            _, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return ["hangs"], True, None
        status = process.returncode
        early = status == -number  # before main had the signals in hand
        if status not in (0, 130) and not early:
            wrong.append(f"status {status}: {errors[:200]!r}")
        if status == 130 and b"interrupted" not in errors and name not in ("fit", "resume"):
            wrong.append(f"no word of the interruption: {errors[:200]!r}")
        _, right = self.reference(name)
        wrong += [f"leaves {path}" for path in self.leftovers(folder, right, {})]
        if status == 0:
            wrong += [f"{o} is not what it should be" for o, expected in right.items()
                      if o != "ck" and not matches(folder / o, expected)]
        shutil.rmtree(folder)
        return wrong, True, None

    def jobs_of_signal(self, names):
        draw = random.Random(1)
        for name in names:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
                for _ in range(8):
                    yield name, (number, draw.uniform(0.0, 0.08)), ()

    def full(self, name, kind):
        """Standard output is full, closed, or nobody reads it: a message, and a status."""
        words, outputs = COMMANDS[name]
        folder = self.fresh()
        command = [self.command, *words, "--threads", self.threads]
        options = dict(cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                       timeout=SECONDS, check=False)
        if kind == "full":
            with open("/dev/full", "wb") as device:
                done = subprocess.run(command, stdout=device, **options)
        elif kind == "closed":
            done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', *command], **options)
        else:
            reading, writing = os.pipe()
            os.close(reading)
            done = subprocess.run(command, stdout=writing, **options)
            os.close(writing)
        _, right = self.reference(name)
        wrong = [f"leaves {path}" for path in self.leftovers(folder, right, {})]
        if done.returncode != 1:
            wrong.append(f"status {done.returncode}")
        if kind != "pipe" and not re.search(rb"^spdml: standard output", done.stderr, re.M):
            wrong.append(f"no message: {done.stderr[:200]!r}")
        shutil.rmtree(folder)
        return wrong, True, None

    def jobs(self, part, names):
        if part == "kill":
            return [(name, self.kill_at, (name, k)) for name, k, _ in
                    self.jobs_of_kill([n for n in KILLED if n in names])]
        if part == "signal":
            return [(name, self.signalled, (name, *more)) for name, more, _ in
                    self.jobs_of_signal(names)]
        if part == "full":
            return [(name, self.full, (name, kind)) for name in names
                    for kind in ("full", "closed", "pipe")]
        return [(name, self.strike, (name, plan, callers)) for name, plan, callers in
                self.jobs_of_faults(part, names)]


# ---- contents of files ---------------------------------------------------------------------------

def masked(data):
    """Without what differs from run to run: times, and how many digits they have. A link in a page
    is left out too: one whose path cannot be resolved is plain text."""
    data = re.sub(rb'<a href="(?!#)[^"]*">([^<]*)</a>', rb"\1", data)
    return re.sub(rb"[-+]?\d+(\.\d+)?(e[-+]?\d+)?| +|-{3,}", b"#", data)


def file_content(path):
    """The bytes of a file, or of each member of an archive; those with times in them are masked."""
    data = path.read_bytes()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        return {name: masked(member) if name.endswith(".json") else
                len(member) if name == "history.npy" else member
                for name, member in members.items()}
    return data if path.suffix in (".npy", ".mat", ".png") else masked(data)


def content(path):
    """None, what is in the file, or all files of the folder but temporary ones."""
    if not path.exists():
        return None
    if path.is_dir():
        return {str(p.relative_to(path)): file_content(p) for p in sorted(path.rglob("*"))
                if p.is_file() and not re.search(r"(^|/)\.", str(p.relative_to(path)))}
    return file_content(path)


def matches(path, expected):
    return content(path) == expected


def within(there, expected):
    """Are these files of a folder, each whole?"""
    return (isinstance(there, dict) and isinstance(expected, dict) and
            all(there[n] == expected.get(n) for n in there))


def short(there):
    return f"{sorted(there)}" if isinstance(there, dict) else f"{(there or b'')[:60]!r}"


def arrays_of(members):
    return {n: members[n] for n in members if n.endswith(".npy")}


def arrays(path):
    return arrays_of(content(path))


# ---- all of it -----------------------------------------------------------------------------------

def sample(jobs, each):
    """So many jobs of each command, evenly spread."""
    chosen = []
    for name in dict.fromkeys(name for name, _, _ in jobs):
        own = [job for job in jobs if job[0] == name]
        count = min(each, len(own))
        chosen += [own[i * len(own) // count] for i in range(count)]
    return chosen


def run_part(sweep, part, names, runs, workers):
    """(passed, failed, known) of a part; prints a line for each command."""
    jobs = sweep.jobs(part, names)
    total = len(jobs)
    if runs and total > runs:
        jobs = sample(jobs, -(-runs // len({name for name, _, _ in jobs})))
    start = time.monotonic()
    tally = {name: [0, 0, 0, 0] for name in names}
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        results = pool.map(lambda job: job[1](*job[2]), jobs)
        for (name, _, details), (wrong, reached, known) in zip(jobs, results):
            tally[name][2 if known else 1 if wrong else 0] += 1
            tally[name][3] += not reached
            if wrong and not known:
                print(f"FAILED {part} {name}: {'; '.join(wrong)}\n       {details[1:]}", flush=True)
    for name, (good, bad, known, missed) in tally.items():
        if good + bad + known:
            note = f", {known} known" * bool(known) + f", {missed} not reached" * bool(missed)
            print(f"{part:<7} {name:<18} {good} passed, {bad} failed{note}", flush=True)
    good, bad, known, _ = (sum(column) for column in zip(*tally.values()))
    print(f"{part:<7} {len(jobs)} of {total} runs in {time.monotonic() - start:.0f} s: {good} passed,"
          f" {bad} failed, {known} known of libraries", flush=True)
    return good, bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("library")
    parser.add_argument("--part", default="alloc,deny,call,kill,signal,full")
    parser.add_argument("--only", default=",".join(COMMANDS))
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        sweep = Sweep(os.path.abspath(options.command), os.path.abspath(options.library), folder)
        sweep.prepare()
        names = options.only.split(",")
        for name in names:
            sweep.reference(name)
        for part in options.part.split(","):
            good, bad = run_part(sweep, part, names, options.runs, options.workers)
            passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
