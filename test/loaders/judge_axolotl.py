"""axolotl as judge of `axolotl`: its own `chat_template` strategy, opened without torch (stand_ins.py), with Qwen3's template."""

import json

import stand_ins
from exact import differences, read
from judge_templates import FOLDER
from truth import Truth, text_of
from verdict import Verdicts, changed_calls, functions_in


class Strategy:
    def __init__(self):
        module = stand_ins.axolotl()
        template = (FOLDER / "qwen3.jinja").read_text(encoding="utf-8")
        tokenizer = stand_ins.tokenizer(template)
        prompter = module.ChatTemplatePrompter(tokenizer, template)
        self.strategy = module.ChatTemplateStrategy(prompter, tokenizer, False, 2048)

    def judge(self, line: str, truth: Truth) -> set[str]:
        record = json.loads(line)
        try:
            thread = self.strategy.get_conversation_thread(record)
            tools = self.strategy._get_tools(record)
        except ValueError as error:
            return {f"refuses: {error}"}
        return {*changed_calls(functions_in(thread), truth), *changed_tools(read(read(line).get("tools")), tools), *self.texts(thread, record)}

    def texts(self, thread: list[dict], record: dict):
        for message, source in zip(thread, record["messages"], strict=True):
            for member in ("role", "reasoning_content"):
                if message.get(member) != source.get(member):
                    yield f"changes: {member}"
            if message.get("content") != source.get("content"):
                same = message["content"] == text_of(source["content"])
                yield "changes: content in parts becomes text" if same else "changes: content"


def changed_tools(written: list, tools: list):
    for where, change in differences(written, tools):
        yield f"changes: tools, {change} {where}"


def written_arguments(line: str) -> list:
    """The arguments in the record: strings that contain objects."""
    messages = read(line).get("messages")
    calls = [call for message in messages for call in message.get("tool_calls") or []]
    return [read(call.get("function").get("arguments")) for call in calls]


def judge(records: dict[str, str], truths: dict[str, Truth]) -> dict[str, Verdicts]:
    strategy, verdicts, text = Strategy(), Verdicts(), Verdicts()
    for session, line in records.items():
        verdicts.add(strategy.judge(line, truths[session]))
        same = written_arguments(line) == [call.arguments for call in truths[session].calls]
        text.add(set() if same else {"changes: arguments"})
    return {"axolotl": verdicts, "a reader that keeps the text of numbers": text}
