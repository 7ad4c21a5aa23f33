"""Builds datasets with the built command and passes them to their consumers; see run.sh.

    python judge.py WORK OLDER_PYTHON [--sessions N] [--update]

Compares what every consumer does to the records with expected.json: a new rule is an error, and so is, in a run of all
sessions, a rule that never occurred. `--update` writes down the findings, to be reviewed in the diff.
"""

import argparse
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import corpus
import judge_atif
import judge_axolotl
import judge_gemma
import judge_mlx
import judge_openai
import judge_sharegpt
import judge_sts
import judge_swift
import judge_templates
import probes
from built import COMMAND, Dataset, build
from truth import Truth, truth_of
from verdict import Verdicts

HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "expected.json"
EXAMPLES = HERE.parents[1] / "examples/logs"
SEED = 45
SESSIONS = 10_000
#: The judges of each format, with options.
FORMATS = {
    "atif": [judge_atif.judge],
    "functiongemma": [judge_gemma.judge, judge_mlx.judge],
    "functiongemma-teaching": [judge_gemma.judge_teaching],
    "openai": [judge_openai.judge, judge_templates.judge, judge_mlx.judge, judge_swift.judge],
    "openai --reasoning drop": [judge_openai.judge],
    "prompt": [judge_mlx.judge],
    "sharegpt": [judge_sharegpt.judge],
    "sts": [judge_sts.judge],
    "trl": [judge_templates.judge, judge_mlx.judge, judge_swift.judge],
    "axolotl": [judge_axolotl.judge],  # last: it replaces torch
}
#: Loaded as typed columns, with and without the option that makes them safe.
LOADED = {
    "axolotl": ["--format", "axolotl"],
    "openai": ["--format", "openai"],
    "openai --arrow-safe": ["--format", "openai", "--arrow-safe"],
    "trl": ["--format", "trl"],
    "trl --arrow-safe": ["--format", "trl", "--arrow-safe"],
    "chat --arrow-safe": ["--format", "chat", "--arrow-safe"],
    "chat-inline --arrow-safe": ["--format", "chat-inline", "--arrow-safe"],
    "sharegpt": ["--format", "sharegpt"],
    "functiongemma": ["--format", "functiongemma"],
    "functiongemma-teaching": ["--format", "functiongemma-teaching"],
    "prompt": ["--format", "prompt"],
    "samples": ["--format", "samples"],
    "atif": ["--format", "atif"],
    "sts": ["--format", "sts"],
}
CORPORA = ["the corpus", "the corpus without contents in parts"]
PROBED = ["trl", "trl --arrow-safe"]


class Judged:
    """The rules seen so far, by format and consumer; printed as they come."""

    def __init__(self):
        self.seen: dict[str, dict[str, set[str]]] = {}

    def format(self, name: str, corpora: dict[str, dict[str, Truth | None]], folder: Path) -> None:
        for label, truths in corpora.items():
            dataset = build(folder / label, folder / "judged" / label / name.replace(" ", ""), "--format", *name.split(" "))
            records = dataset.records()
            rejected = dict(sorted(dataset.rejected().items()))
            comparable = {session: line for session, line in records.items() if truths[session] is not None}
            print(f"\n{name} from {label}: {len(truths)} sessions, {len(records)} records; rejected by rule: {rejected}", flush=True)
            for judge in FORMATS[name]:
                for reader, verdicts in judge(comparable, truths).items():
                    self.add(name, reader, verdicts)

    def add(self, name: str, reader: str, verdicts: Verdicts) -> None:
        print(f"  {reader}: {verdicts.summary()}", flush=True)
        for rule, count in sorted(verdicts.rules.items()):
            print(f"    {count:6} {rule}")
        self.seen.setdefault(name, {}).setdefault(reader, set()).update(verdicts.rules)

    def plain(self) -> dict:
        return {name: {reader: sorted(rules) for reader, rules in sorted(readers.items())} for name, readers in sorted(self.seen.items())}


def truths(folder: Path, label: str) -> dict[str, Truth | None]:
    """The content of every session; None if the arguments of a call are not JSON, so that nothing can be compared."""
    found = {}
    for session, line in build(folder / label, folder / "truth" / label, "--format", "chat").records().items():
        try:
            found[session] = truth_of(line)
        except ValueError:
            found[session] = None
    return found


def load(python: str, files: list[str]) -> list[dict]:
    ended = subprocess.run([python, str(HERE / "load.py"), *files], capture_output=True, text=True)
    if ended.returncode != 0:
        raise SystemExit(ended.stderr)
    return [json.loads(line) for line in ended.stdout.splitlines()]


def result(loaded: dict) -> list[str]:
    """The outcome, without counts."""
    return [f"refuses: {loaded['refused']}"] if "refused" in loaded else sorted(loaded["changes"])


def loading(folder: Path, pythons: dict[str, str]) -> dict:
    """The effect of each version of `datasets` on the probes and the corpus."""
    found = {}
    probed = {name: probes.built_probes(folder / "probes" / name.replace(" ", ""), *LOADED[name]) for name in PROBED}
    whole = {name: build(folder / "corpus", folder / "loaded" / name.replace(" ", ""), *flags) for name, flags in LOADED.items()}
    for version, python in pythons.items():
        found[version] = {}
        for name, datasets in probed.items():
            loaded = load(python, [dataset.shards()[0] for dataset in datasets.values()])
            found[version][name] = {probe: result(one) for probe, one in zip(datasets, loaded, strict=True)}
        print(f"\n{version}, the corpus:", flush=True)
        for name, dataset in whole.items():
            loaded = dict(zip(CORPORA, load(python, corpora_of(dataset)), strict=True))
            print(f"  {name}: {loaded}", flush=True)
            found[version].setdefault(name, {}).update({label: result(one) for label, one in loaded.items()})
    return found


def context(folder: Path) -> dict[str, dict[str, list[str]]]:
    """How consumers train records with marked answers; in a process of its own, because it needs the loader before axolotl."""
    ended = subprocess.run([sys.executable, str(HERE / "judge_context.py"), str(folder)], capture_output=True, text=True)
    if ended.returncode != 0:
        raise SystemExit(ended.stderr)
    found = json.loads(ended.stdout)
    print("\nanswers that several records have:", flush=True)
    for name, readers in found.items():
        print(f"  {name}: {readers}")
    return found


def corpora_of(dataset: Dataset) -> list[str]:
    """The only shard, and a file of its records without contents in parts."""
    [shard] = dataset.shards()
    lines = Path(shard).read_text(encoding="utf-8").removesuffix("\n").split("\n")
    texts = dataset.folder / "texts.jsonl"
    texts.write_text("".join(f"{line}\n" for line in lines if not has_parts(json.loads(line))), encoding="utf-8")
    return [shard, str(texts)]


def has_parts(record: dict) -> bool:
    contents = [message.get("content") for message in record.get("messages", [])]
    for step in record.get("steps", []):
        results = step.get("observation", {}).get("results", [])
        contents += [step["message"], *(result["content"] for result in results)]
    return any(isinstance(content, list) for content in contents)


def unread() -> list[str]:
    """Formats of the command without a judge: `chat` is the contract of the conversion, others are for custom programs."""
    listed = subprocess.run(["node", str(COMMAND), "list", "formats", "--json"], capture_output=True, text=True, check=True)
    return sorted({json.loads(line)["name"] for line in listed.stdout.splitlines()} - FORMATS.keys())


def compare(expected, seen, complete: bool, path: str = "") -> list[str]:
    """New rules and, in a complete run, rules that never occurred."""
    if isinstance(expected, dict) or isinstance(seen, dict):
        expected, seen = expected or {}, seen or {}
        return [fault for key in {**expected, **seen} for fault in compare(expected.get(key), seen.get(key), complete, f"{path} / {key}")]
    new = sorted(set(seen or []) - set(expected or []))
    gone = sorted(set(expected or []) - set(seen or [])) if complete else []
    return [f"{path}: new: {rule}" for rule in new] + [f"{path}: never seen: {rule}" for rule in gone]


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("work", type=Path)
    arguments.add_argument("older")
    arguments.add_argument("--sessions", type=int, default=SESSIONS)
    arguments.add_argument("--update", action="store_true")
    options = arguments.parse_args()
    print(f"without a judge: {', '.join(unread())}")
    folder = options.work.resolve()
    corpus.write(folder / "corpus", SEED, options.sessions)
    (folder / "examples").symlink_to(EXAMPLES)

    judged = Judged()
    corpora = {label: truths(folder, label) for label in ("examples", "corpus")}
    for name in FORMATS:
        judged.format(name, corpora, folder)
    older = subprocess.run([options.older, "-c", "import datasets; print(datasets.__version__)"], capture_output=True, text=True, check=True)
    pythons = {f"datasets {importlib.metadata.version('datasets')}": sys.executable, f"datasets {older.stdout.strip()}": options.older}
    seen = {"judged": judged.plain(), "loaded": loading(folder, pythons), "context": context(folder / "context")}

    if options.update:
        EXPECTED.write_text(json.dumps(seen, indent=2) + "\n")
        print(f"\nwritten: {EXPECTED}")
        return
    faults = compare(json.loads(EXPECTED.read_text()), seen, options.sessions >= SESSIONS)
    print("\n" + ("\n".join(faults) if faults else "All consumers match expected.json."))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
