"""LLaMA-Factory as judge of `sharegpt`: its own converter and formatters, opened without torch (stand_ins.py)."""

import json
import re
from types import SimpleNamespace

import stand_ins
from exact import Object, read
from truth import Truth
from verdict import Verdicts, changed_calls

THOUGHT = ("<think>\n", "\n</think>\n\n")
TOOL_CALL = ("<tool_call>", "</tool_call>")
#: The entry of such a dataset in dataset_info.json; the tags are those of the class DatasetAttr in data/parser.py.
ATTRIBUTES = SimpleNamespace(
    messages="conversations", role_tag="from", content_tag="value", user_tag="human", assistant_tag="gpt",
    observation_tag="observation", function_tag="function_call", system_tag="system", system="system", tools="tools",
    ranking=False, kto_tag=None, chosen=None, rejected=None, images=None, videos=None, audios=None,
)
CALL = re.compile(r"<tool_call>\n(\{\"name\": .*?\})\n</tool_call>", re.DOTALL)


class Factory:
    def __init__(self):
        converter, formatter = stand_ins.llama_factory()
        self.convert = converter.SharegptDatasetConverter(dataset_attr=ATTRIBUTES, data_args=None)
        self.functions = formatter.FunctionFormatter(slots=["{{content}}"], tool_format="qwen")
        self.tools = formatter.ToolFormatter(tool_format="qwen")

    def spoken(self, message: dict) -> str:
        """A message as its template of Qwen gets it."""
        if message["role"] != "function":
            return message["content"]
        words = {"thought_words": THOUGHT, "tool_call_words": TOOL_CALL}
        return "".join(self.functions.apply(content=message["content"], **words))

    def judge(self, record: dict, truth: Truth) -> set[str]:
        converted = self.convert(record)
        messages = converted["_prompt"] + converted["_response"]
        if not messages:
            return {"refuses: turns that do not alternate"}
        try:
            texts = [self.spoken(message) for message in messages]
            self.tools.apply(content=converted["_tools"])
        except RuntimeError as error:
            return {f"refuses: {error}"}
        calls = [CALL.findall(text) for text, message in zip(texts, messages) if message["role"] == "function"]
        text = "\n".join([converted["_system"], *texts])
        return {*changed_calls([call for one in calls for call in one], truth, json.loads), *lost(text, truth)}


def lost(text: str, truth: Truth):
    for kind, expected in truth.texts:
        if expected not in text:
            yield f"drops: {kind}"


def written_calls(record: Object):
    """The calls in the record, with the text of their numbers."""
    for turn in record.get("conversations"):
        if turn.get("from") != "function_call":
            continue
        value = turn.get("value")
        tagged = re.search(r"<tool_call>(.*?)</tool_call>", value, re.DOTALL)
        calls = read(tagged.group(1) if tagged else value.split(THOUGHT[1])[-1])
        yield from [calls] if isinstance(calls, Object) else calls


def judge(records: dict[str, str], truths: dict[str, Truth]) -> dict[str, Verdicts]:
    factory, verdicts, text = Factory(), Verdicts(), Verdicts()
    for session, line in records.items():
        truth = truths[session]
        verdicts.add(factory.judge(json.loads(line), truth))
        written = [(call.get("name"), call.get("arguments")) for call in written_calls(read(line))]
        same = written == [(call.name, call.arguments) for call in truth.calls]
        text.add(set() if same else {"changes: arguments"})
    return {"LLaMA-Factory": verdicts, "a reader that keeps the text of numbers": text}
