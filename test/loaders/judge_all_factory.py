"""All templates of LLaMA-Factory on small records with one feature each: python judge_all_factory.py WORK. `check --target sharegpt` has to
name each template that refuses a record, or its tool format, and no other one; for tags of files it names two of many."""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import stand_ins
from judge_all_templates import CALLED, IMAGE, TOOL, A, Q, bare, call, calling, result
from judge_sharegpt import ATTRIBUTES

from built import COMMAND, build


def schema(**properties):
    return bare(parameters={"type": "object", "properties": properties})


def thinking(**members):
    return calling(call(), reasoning_content="wThought", **members)


#: Feature -> messages and tools.
PROBES = {
    "a question and an answer": ([Q, A], []),
    "a call, its result and an answer": ([*CALLED, A], [TOOL]),
    "a text beside a call": ([Q, calling(call(), content="wBeside"), result(), A], [TOOL]),
    "several calls at once": ([Q, calling(call(1), call(2)), result(1), result(2), A], [TOOL]),
    "a text beside several calls": ([Q, calling(call(1), call(2), content="wBeside"), result(1), result(2), A], [TOOL]),
    "reasoning before an answer": ([Q, {**A, "reasoning_content": "wThought"}], []),
    "reasoning before a call": ([Q, thinking(), result(), A], [TOOL]),
    "reasoning and a text beside a call": ([Q, thinking(content="wBeside"), result(), A], [TOOL]),
    "an image, which is left out": ([{"role": "user", "content": [{"type": "text", "text": "wQuestion"}, IMAGE]}, A], []),
    "<image> in a question": ([{"role": "user", "content": "an <image> here"}, A], []),
    "<video> in an answer": ([Q, {"role": "assistant", "content": "<video>"}], []),
    "<audio> in arguments": ([Q, calling(call(arguments='{"at": "<audio>"}')), result(), A], [TOOL]),
    "an element with attributes": ([Q, {"role": "assistant", "content": "<video controls>"}], []),
    "a tool without a description": ([*CALLED, A], [bare(description=None)]),
    "a tool without parameters": ([*CALLED, A], [bare(parameters=None)]),
    "parameters without properties": ([*CALLED, A], [bare(parameters={"type": "object"})]),
    "a property of any kind": ([*CALLED, A], [schema(at={})]),
    "numbers to choose from": ([*CALLED, A], [schema(at={"enum": [1, 2]})]),
    "texts to choose from": ([*CALLED, A], [schema(at={"enum": ["a", "b"]})]),
    "items of two kinds": ([*CALLED, A], [schema(at={"items": [{}, {}]})]),
}
#: Templates that are not named beside another one for the same model, or for the model that it is made from.
NAMED_AS = {"gemma3n": "gemma3", "gemma4n": "gemma4", "lfm2_vl": "lfm2", "llama2_zh": "llama2", "ministral3": "ministral", "paligemma_chat": "paligemma"}
NAMED_AS |= {"llava_next_mistral": "mistral", "llava_next_video_mistral": "mistral"}
MANY = "reader-media-tags"
#: Rules that name tool formats, and the formatter of a template that has one.
BY_FORMAT = {"reader-parallel-calls": "format_function", "reader-tool-parameters": "format_tools"}


class Characters:
    """A tokenizer whose tokens do not matter."""

    bos_token_id = eos_token_id = 0

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return [ord(character) for character in text]

    def convert_tokens_to_ids(self, _token: str) -> int:
        return 0


def refuses(template, record: dict) -> bool:
    messages = record["_prompt"] + record["_response"]
    try:
        template.encode_multiturn(Characters(), messages, record["_system"], record["_tools"])
    except (RuntimeError, ValueError, KeyError, TypeError, AttributeError):
        return True
    return False


def looks_for_files(template, record: dict) -> bool:
    try:
        template.mm_plugin._validate_messages(record["_prompt"] + record["_response"], [], [], [])
    except ValueError:
        return "_validate_messages" in type(template.mm_plugin).process_messages.__code__.co_names
    return False


def named(log: Path) -> dict[str, set[str]]:
    """Names of templates and tool formats, by rule of `check`, which says that they refuse the record."""
    ended = subprocess.run(["node", str(COMMAND), "check", str(log), "--target", "sharegpt", "--json"], capture_output=True, text=True)
    verdicts = [json.loads(line) for line in ended.stdout.splitlines()]
    refused = [verdict for verdict in verdicts if "its preprocessing ends there" in verdict["message"]]
    return {verdict["rule"]: set(re.findall(r"`(\w+)`", verdict["message"].split("LLaMA-Factory")[1])) for verdict in refused}


def is_named(name: str, template, names: dict[str, set[str]]) -> bool:
    for rule, known in names.items():
        if rule in BY_FORMAT and getattr(template, BY_FORMAT[rule]).tool_format in known:
            return True
        if rule not in BY_FORMAT and rule != MANY and not known.isdisjoint({name, NAMED_AS.get(name)}):
            return True
    return False


def faults(feature: str, log: Path, record: dict, templates: dict) -> list[str]:
    names, found = named(log), []
    for name, template in templates.items():
        is_known = is_named(name, template, names)
        if refuses(template, record) != is_known:
            found.append(f"{feature}: {name} {'is named, but takes it' if is_known else 'refuses it, which check does not say'}")
    looking = {name for name, template in templates.items() if looks_for_files(template, record)}
    if bool(looking) != (MANY in names) or not names.get(MANY, set()) <= looking:
        found.append(f"{feature}: {len(looking)} templates look for files")
    return found


def main(folder: Path) -> int:
    converter, template = stand_ins.llama_factory_templates()
    convert = converter.SharegptDatasetConverter(dataset_attr=SimpleNamespace(**vars(ATTRIBUTES)), data_args=None)
    folder.mkdir(parents=True)
    found = []
    for number, (feature, (messages, tools)) in enumerate(PROBES.items()):
        request = {"messages": messages[:-1], "tools": tools}
        entry = {"timestamp": 1768300000, "session_id": f"p{number}", "request": request, "response": {"choices": [{"message": messages[-1]}]}}
        log = folder / f"{number}.jsonl"
        log.write_text(json.dumps(entry) + "\n", encoding="utf-8")
        [record] = build(log, folder / f"{number}-out", "--format", "sharegpt").records().values()
        found += faults(feature, log, convert(json.loads(record)), template.TEMPLATES)
    print("\n".join([*found, f"templates of LLaMA-Factory: {len(template.TEMPLATES)} on {len(PROBES)} records: {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) / "factory"))
