"""Chat templates as judges: how TRL, Unsloth and MLX-LM render a record before they train on it.

The templates come with the package `trl` and are rendered by transformers. Every call is read back from the text.
"""

import json
import re
from pathlib import Path

import trl
from exact import differences
from gemma_syntax import objects
from jinja2 import TemplateError
from stand_ins import tokenizer
from trl.data_utils import is_conversational, maybe_apply_chat_template
from truth import Truth
from verdict import Verdicts

FOLDER = Path(trl.__file__).parent / "chat_templates"
REFUSALS = {
    "single tool-calls at once": "several calls in one message",
    "must alternate": "roles that do not alternate",
    "both content and thinking": "text and thought beside one call",
    "no previous assistant message": "a result without a call",
    "NoneType": "a content that is null or absent",
    "Object of type Undefined": "a content that is null or absent",
    "'dict object' has no attribute 'content'": "a content that is null or absent",
    "(not \"list\")": "a content in parts",
    "(not \"str\") to list": "a content in parts",
    "Invalid content type": "a content that is null or absent",
    "is undefined": "a content that is null or absent",
    "No user query": "no question",
}


def tagged(text: str):
    for found in re.finditer(r"<tool_call>\n(\{.*?\})\n</tool_call>(?=\n|<\|im_end\|>)", text, re.DOTALL):
        if "<function-name>" not in found.group(1):  # instructions of the template to the model
            call = json.loads(found.group(1))
            yield call["name"], call["arguments"]


def llama(text: str):
    opening = "<|start_header_id|>assistant<|end_header_id|>\n\n{\"name\": "
    for part in text.split(opening)[1:]:
        call = json.loads('{"name": ' + part.split("<|eot_id|>")[0])
        yield call["name"], call["parameters"]


def harmony(text: str):
    pattern = r"<\|start\|>assistant to=functions\.(.*?)<\|channel\|>commentary json<\|message\|>(.*?)<\|call\|>"
    for found in re.finditer(pattern, text, re.DOTALL):
        yield found.group(1), json.loads(found.group(2))


def scalar(word: str):
    """Gemma's template writes null and infinity as Python does."""
    odd = {"None": None, "inf": float("inf")}
    return odd[word] if word in odd else json.loads(word)


def gemma(text: str):
    return objects(text, "<|tool_call>call:", "<tool_call|>", '<|"|>', scalar)


#: File of the template -> how its calls are read back; None if it has no calls.
TEMPLATES = {
    "qwen2_5": tagged,
    "qwen3": tagged,
    "llama3_1": llama,
    "llama3_2": llama,
    "gemma3": None,
    "gemma4": gemma,
    "gptoss": harmony,
}


class Template:
    def __init__(self, name: str):
        self.name = name
        self.tokenizer = tokenizer((FOLDER / f"{name}.jinja").read_text(encoding="utf-8"))

    def judge(self, record: dict, truth: Truth) -> set[str]:
        """The effect of the template on a record: `refuses: WHY`, or what it leaves out or changes."""
        if not is_conversational(record):
            return {"refuses: no conversation"}
        try:
            example = {"messages": record["messages"]}
            text = maybe_apply_chat_template(example, self.tokenizer, tools=record["tools"])["text"]
        except (TemplateError, TypeError) as error:
            message = str(error)
            return {"refuses: " + next((meaning for sign, meaning in REFUSALS.items() if sign in message), message)}
        return {*self.calls(text, truth), *texts_lost(text, truth)}

    def calls(self, text: str, truth: Truth):
        read_back = TEMPLATES[self.name]
        try:
            seen = list(read_back(text)) if read_back else []
        except ValueError:
            yield "changes: arguments, they cannot be read back"
            return
        calls = truth.calls
        if len(seen) != len(calls):
            calls = [call for call in calls if call.first]
            yield "drops: calls" if len(seen) != len(calls) else "drops: all but the first of several calls"
        if len(seen) != len(calls):
            return
        for call, (name, arguments) in zip(calls, seen):
            if name != call.name:
                yield "changes: the name of a call"
            for _, change in differences(call.arguments, arguments):
                yield f"changes: arguments, {change}"


def texts_lost(text: str, truth: Truth):
    for kind, expected in truth.texts:
        forms = (expected, json.dumps(expected, ensure_ascii=False)[1:-1], json.dumps(expected)[1:-1])
        if not any(form in text for form in forms):
            yield f"drops: {kind}"


def judge(records: dict[str, str], truths: dict[str, Truth]) -> dict[str, Verdicts]:
    """The effect of each template on the records."""
    found = {}
    for name in TEMPLATES:
        template = Template(name)
        verdicts = Verdicts()
        for session, line in records.items():
            verdicts.add(template.judge(json.loads(line), truths[session]))
        found[f"chat template {name}"] = verdicts
    return found
