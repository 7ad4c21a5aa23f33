"""All chat templates of the package `trl` on small records with one feature each: python judge_all_templates.py WORK. Every text has a word
of its own, which is looked for in what a template renders. `check --target trl` has to name each template that refuses a record or leaves
something out, and no other one as refusing it."""

import json
import re
import subprocess
import sys
from pathlib import Path

from jinja2 import TemplateError
from judge_templates import FOLDER
from stand_ins import tokenizer

from built import COMMAND, build

TOOL = {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}}}
Q, A = {"role": "user", "content": "wQuestion"}, {"role": "assistant", "content": "wAnswer"}


def call(number=1, **function):
    return {"id": f"call_{number}", "type": "function", "function": {"name": "look", "arguments": f'{{"at": "wArgument{number}"}}', **function}}


def calling(*calls, **members):
    return {"role": "assistant", "content": None, **members, "tool_calls": [*calls]}


def result(number=1, content=None):
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": content or f"wResult{number}"}


def bare(**members):
    return {"type": "function", "function": {name: value for name, value in {**TOOL["function"], **members}.items() if value is not None}}


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
CALLED = [Q, calling(call()), result()]
#: Feature -> messages and tools. The first ones are what every agent writes.
PROBES = {
    "a question and an answer": ([Q, A], []),
    "a system message": ([{"role": "system", "content": "wRules"}, Q, A], []),
    "a call, its result and an answer": ([*CALLED, A], [TOOL]),
    "a call at the end": ([Q, calling(call())], [TOOL]),
    "a text beside a call": ([Q, calling(call(), content="wBeside"), result(), A], [TOOL]),
    "several calls at once": ([Q, calling(call(1), call(2)), result(1), result(2), A], [TOOL]),
    "a call and no tools": ([*CALLED, A], []),
    "a tool without a description": ([*CALLED, A], [bare(description=None)]),
    "a tool whose description is null": ([*CALLED, A], [{"type": "function", "function": {**TOOL["function"], "description": None}}]),
    "a tool without parameters": ([*CALLED, A], [bare(parameters=None)]),
    "reasoning before an answer": ([Q, {**A, "reasoning_content": "wThought"}], []),
    "reasoning before a call": ([Q, calling(call(), reasoning_content="wThought"), result(), A], [TOOL]),
    "reasoning and a text beside a call": ([Q, calling(call(), content="wBeside", reasoning_content="wThought"), result(), A], [TOOL]),
    "an image": ([{"role": "user", "content": [{"type": "text", "text": "wQuestion"}, IMAGE]}, A], []),
    "a system message that is not the first message": ([Q, A, {"role": "system", "content": "wRules"}, {"role": "user", "content": "wNext"}, {"role": "assistant", "content": "wLast"}], []),
    "two questions in turn": ([Q, {"role": "user", "content": "wNext"}, A], []),
    "two answers in turn": ([Q, A, {"role": "assistant", "content": "wLast"}], []),
    "an answer before any question": ([A, {"role": "user", "content": "wNext"}, {"role": "assistant", "content": "wLast"}], []),
    "no question": ([{"role": "system", "content": "wRules"}, A], []),
    "a question after a result": ([*CALLED, {"role": "user", "content": "wNext"}, A], [TOOL]),
    "a result of no call": ([Q, result(7), A], [TOOL]),
    "a result of another call": ([Q, calling(call()), result(7), A], [TOOL]),
    "a result without an id": ([Q, calling(call()), {"role": "tool", "content": "wResult"}, A], [TOOL]),
    "an empty list of calls": ([Q, {**A, "tool_calls": []}, {"role": "user", "content": "wNext"}, {"role": "assistant", "content": "wLast"}], [TOOL]),
    "a refusal as a part": ([Q, {"role": "assistant", "content": [{"type": "refusal", "refusal": "wRefusal"}]}, {"role": "user", "content": "wNext"}, {"role": "assistant", "content": "wLast"}], []),
    "a call without a result": ([Q, calling(call()), {"role": "user", "content": "wNext"}, A], [TOOL]),
    "the role developer": ([{"role": "developer", "content": "wRules"}, Q, A], []),
    "an empty answer": ([Q, {"role": "assistant", "content": ""}, {"role": "user", "content": "wNext"}, A], []),
    "an answer that is null": ([Q, {"role": "assistant", "content": None, "refusal": "no"}, {"role": "user", "content": "wNext"}, A], []),
    "an empty result": ([Q, calling(call()), {**result(), "content": ""}, A], [TOOL]),
    "a result that is null": ([Q, calling(call()), {**result(), "content": None}, A], [TOOL]),
    "</think> in an answer": ([Q, {"role": "assistant", "content": "wBefore</think>wAfter"}], []),
    "no arguments": ([Q, calling(call(arguments="")), result(), A], [TOOL]),
}


#: Families whose versions are named by what they have in common.
FAMILIES = {"gemma4", "lfm2_2_5", "nemotron_3", "qwen3_5"}
#: The package has no template of these models.
ELSEWHERE = {"mistral", "kimi_k2"}
#: They take contents of parts only, and are for images.
FOR_IMAGES = {"idefics3", "llava_next", "smolvlm"}


def written(folder: Path, options: list[str]) -> dict[str, tuple[Path, dict]]:
    """The log and the record of each probe."""
    found = {}
    folder.mkdir(parents=True)
    for number, (name, (messages, tools)) in enumerate(PROBES.items()):
        request = {"messages": messages[:-1], "tools": tools}
        entry = {"timestamp": 1768300000, "session_id": f"p{number}", "request": request, "response": {"choices": [{"message": messages[-1]}]}}
        log = folder / f"{number}.jsonl"
        log.write_text(json.dumps(entry) + "\n", encoding="utf-8")
        [record] = build(log, folder / f"{number}-out", "--format", "trl", *options).records().values()
        found[name] = log, json.loads(record)
    return found


def effect(render, record: dict) -> str | None:
    """`refuses`, or how it leaves something out or changes it."""
    try:
        tools = json.loads(record["tools"]) if isinstance(record["tools"], str) else record["tools"]
        text = render(record["messages"], tools=tools, tokenize=False)
    except (TemplateError, TypeError, ValueError, AttributeError, KeyError):
        return "refuses"
    words = dict.fromkeys(re.findall(r"w[A-Z][A-Za-z]+\d?", json.dumps(record["messages"])))
    lost = [word for word in words if word not in text]
    if lost:
        return "leaves out " + ", ".join(lost)
    return "prints None" if re.search(r"\bNone\b", text) else None


def named(log: Path, options: list[str]) -> tuple[set[str], set[str], bool]:
    """The templates that `check --target trl` names: those that refuse, those that leave something out; whether it reports reasoning."""
    ended = subprocess.run(["node", str(COMMAND), "check", str(log), "--target", "trl", "--json", *options], capture_output=True, text=True)
    verdicts = [json.loads(line) for line in ended.stdout.splitlines()]
    lists = {verdict["rule"]: verdict["message"] for verdict in verdicts}
    names = [{name for names in re.findall(r"\(([a-z0-9_, ]+)\)", lists.get(f"reader-template-{rule}", "")) for name in names.split(", ")} for rule in ("refuses", "drops")]
    refuse, change = (one - ELSEWHERE for one in names)
    return refuse, change, "reader-reasoning" in lists


def matches(template: str, name: str) -> bool:
    return template == name or (name in FAMILIES and template.startswith(f"{name}_"))


def faults(name: str, seen: dict[str, str], log: Path, options: list[str]) -> list[str]:
    """What the command does not say about a probe, and which refusals it names that do not happen."""
    refuse, change, has_reasoning = named(log, options)
    found = []
    for template, what in seen.items():
        known = refuse if what == "refuses" else refuse | change
        if not any(matches(template, one) for one in known) and not (has_reasoning and what == "leaves out wThought"):
            found.append(f"{name}: {template} {what}, which check does not say")
    refused = [template for template, what in seen.items() if what == "refuses"]
    found += [f"{name}: {one} does not refuse it" for one in refuse if not any(matches(template, one) for template in refused)]
    return found


def main(folder: Path) -> int:
    paths = [path for path in sorted(FOLDER.glob("*.jinja")) if not path.stem.endswith("_training") and path.stem not in FOR_IMAGES]
    renders = {path.stem: tokenizer(path.read_text(encoding="utf-8")).apply_chat_template for path in paths}
    bad = 0
    for options in ([], ["--arrow-safe"]):
        found = []
        for name, (log, record) in written(folder / "-".join(["trl", *options]), options).items():
            effects = {template: effect(render, record) for template, render in renders.items()}
            found += faults(name, {template: what for template, what in effects.items() if what}, log, options)
        print("\n".join([*found, f"templates: {len(renders)} on {len(PROBES)} records {' '.join(options)}: {len(found)} faults"]), flush=True)
        bad += len(found)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) / "templates"))
