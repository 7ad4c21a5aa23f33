"""Small logs with one difficulty for columnar loaders each; the outcomes are in expected.json."""

import json
from pathlib import Path

from built import Dataset, build

#: Name -> JSON texts of arguments, each for one call in one session.
ARGUMENTS = {
    "two records with different argument keys": ['{"city":"Bern"}', '{"path":"a.md"}'],
    "one argument with values of different kinds": ['{"value":1}', '{"value":"x"}', '{"value":[1]}'],
    "an argument that is there in some records only": ['{"city":"Bern","unit":"C"}', '{"city":"Rome"}'],
    "texts that look like a time": ['{"when":"2026-01-20T15:00:00"}', '{"when":"2026-01-21T15:00:00"}'],
    "whole numbers and fractions": ['{"n":1}', '{"n":1.5}'],
    "the fraction 18.50": ['{"n":18.50}'],
    "a whole number of 20 digits": ['{"n":12345678901234567890}'],
    "a whole number of 19 digits": ['{"n":9223372036854775807}'],
    "the number 1e400": ['{"n":1e400}'],
    "a duplicate key": ['{"n":1,"n":2}'],
    "an empty object": ['{"filter":{}}', '{"filter":{"a":1}}'],
}
#: Name -> JSON texts of user messages, each in one session.
CONTENTS = {
    "content as text and as parts": ['"one"', '[{"type":"text","text":"two"}]'],
    "half of a surrogate pair in a content": ['"cut \\ud83d here"'],
}


def session(identity: str, content: str, arguments: str) -> str:
    call = f'{{"id":"c","type":"function","function":{{"name":"run","arguments":{json.dumps(arguments)}}}}}'
    return (
        f'{{"timestamp":1768300000,"session_id":"{identity}","request":{{"messages":[{{"role":"user","content":{content}}}],'
        '"tools":[{"type":"function","function":{"name":"run","parameters":{"type":"object"}}}]},'
        f'"response":{{"choices":[{{"message":{{"role":"assistant","content":"","tool_calls":[{call}]}}}}]}}}}\n'
    )


def logs() -> dict[str, list[str]]:
    """The lines of each probe's log."""
    arguments = {name: [session(f"s{i}", '"go"', text) for i, text in enumerate(texts)] for name, texts in ARGUMENTS.items()}
    contents = {name: [session(f"s{i}", text, '{"a":"b"}') for i, text in enumerate(texts)] for name, texts in CONTENTS.items()}
    return arguments | contents


def built_probes(folder: Path, *options: str) -> dict[str, Dataset]:
    """The datasets that the command builds from the probes with these options."""
    datasets = {}
    for number, (name, lines) in enumerate(logs().items()):
        source = folder / f"{number}.jsonl"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text("".join(lines), encoding="utf-8")
        datasets[name] = build(source, folder / f"{number}-out", *options)
    return datasets
