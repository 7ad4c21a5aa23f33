"""Harbor as judge of `atif`: its validator and models of trajectories, and its export of conversations for training.

Harbor reads a trajectory per file (`trajectory.json`), so each record is written to a file.
"""

import json
import re
import tempfile
from pathlib import Path

import stand_ins
from exact import differences, read
from judge_sharegpt import CALL, lost
from truth import Truth, text_of
from verdict import Verdicts, changed_calls

NO_FILE = "referenced image file does not exist"
INDEX = re.compile(r"(?<=[.\[])\d+")
#: Everything below these members belongs to the user.
OWN = re.compile(r"(\.(?:arguments|tool_definitions|extra))\b.*")
#: What `result.json` of a run would say; required by the export.
RUN = {"agent_name": "a", "model_name": "m", "model_provider": "p", "start_time": "", "run_id": "r"}


class Harbor:
    def __init__(self, folder: Path):
        validator, self.models, self.traces = stand_ins.harbor()
        self.validator = validator.TrajectoryValidator()
        self.file = folder / "trajectory.json"

    def judge(self, line: str, truth: Truth) -> tuple[set[str], set[str]]:
        self.file.write_text(line, encoding="utf-8")
        return self.validated(line), self.exported(line, truth)

    def validated(self, line: str) -> set[str]:
        """How the models refuse the record, or change it when they write it again."""
        try:
            if not self.validator.validate(self.file):
                return {f"refuses: {refusal(error)}" for error in self.validator.errors}
        except OSError:  # from a data: URL that is too long for the name of a file
            return {f"refuses: {refusal(NO_FILE)}"}
        again = self.models.Trajectory(**json.loads(line)).to_json_dict()
        return {described(where, change) for where, change in differences(read(line), again)}

    def exported(self, line: str, truth: Truth) -> set[str]:
        """What the longest of the exported conversations leaves out or changes."""
        try:
            conversations = self.traces.extract_conversations_from_trajectory(self.file, RUN)
        except self.traces.MultimodalExportError:
            return {"refuses: images"}
        except TypeError:
            return {"refuses: an answer in parts"}
        if not conversations:
            return {"refuses: no answer"}
        messages = conversations[-1]["conversations"]
        text = "".join(f"{text_of(message['content'])}\n" for message in messages)
        kept = {"takes: a content in parts as a list" for message in messages if isinstance(message["content"], list)}
        return {*kept, *changed_roles(line, messages), *changed_calls(CALL.findall(text), truth, json.loads), *lost(text, truth)}


def changed_roles(line: str, messages: list[dict]):
    has_system = any(step["source"] == "system" for step in json.loads(line)["steps"])
    if has_system and not any(message["role"] == "system" for message in messages):
        yield "changes: system messages become those of the user"


def refusal(error: str) -> str:
    return "an image in the record itself, which is looked for as a file" if NO_FILE in error else INDEX.sub("N", error)


def described(where: str, change: str) -> str:
    path = OWN.sub(r"\1", where)
    return f"changes: {path.lstrip('.')}, {change}"


def written_calls(line: str) -> list:
    """The calls in the record, with the text of their numbers."""
    calls = [call for step in read(line).get("steps") for call in step.get("tool_calls") or []]
    return [(call.get("function_name"), call.get("arguments")) for call in calls]


def judge(records: dict[str, str], truths: dict[str, Truth]) -> dict[str, Verdicts]:
    models, export, text = Verdicts(), Verdicts(), Verdicts()
    with tempfile.TemporaryDirectory() as folder:
        harbor = Harbor(Path(folder))
        for session, line in records.items():
            truth = truths[session]
            validated, exported = harbor.judge(line, truth)
            models.add(validated)
            export.add(exported)
            same = written_calls(line) == [(call.name, call.arguments) for call in truth.calls]
            text.add(set() if same else {"changes: arguments"})
    return {"Harbor's models": models, "Harbor's export of conversations": export, "a reader that keeps the text of numbers": text}
