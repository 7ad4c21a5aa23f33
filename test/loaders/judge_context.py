"""axolotl, TRL and Harbor as judges of `--copies mark`: their own code makes the labels, and each answer must be trained in one record.

Every message has a word of its own (`w<n>`), which is a token, so that the labels tell which messages are trained.
"""

import json
import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

import stand_ins
from built import Dataset, build
from judge_atif import RUN
from judge_templates import FOLDER

WORD = re.compile(r"w\d+")
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}}}
SESSIONS = 30
#: The member that tells axolotl whether to train a message, by format.
FIELDS = {"axolotl": "train", "chat": "weight", "openai": "weight"}


class Logs:
    """Sessions that begin like earlier ones and go on differently, some without an answer."""

    def __init__(self, seed: int):
        self.random, self.words, self.answers = random.Random(seed), 0, set()
        self.sessions: list[list[dict]] = []
        for _ in range(SESSIONS):
            self.sessions.append(self.session())

    def session(self) -> list[dict]:
        origin = self.random.choice(self.sessions) if self.sessions and self.random.random() < 0.7 else []
        answered = [end for end in range(1, len(origin) + 1) if origin[end - 1]["role"] == "assistant" and "tool_calls" not in origin[end - 1]]
        messages = [*origin[: self.random.choice(answered)]] if answered else [{"role": "system", "content": "You look."}]
        for _ in range(self.random.randint(1, 3)):
            messages += self.turn()
        if self.random.random() < 0.2:
            messages.append({"role": "user", "content": self.word()})
        return messages

    def turn(self) -> list[dict]:
        turn = [{"role": "user", "content": self.word()}]
        if self.random.random() < 0.4:
            call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": json.dumps({"at": self.word(True)})}}
            turn += [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c", "content": self.word()}]
        return [*turn, {"role": "assistant", "content": self.word(True)}]

    def word(self, is_answer: bool = False) -> str:
        self.words += 1
        if is_answer:
            self.answers.add(f"w{self.words}")
        return f"w{self.words}"

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        lines = [json.dumps({"messages": messages, "tools": [TOOL]}) for messages in self.sessions]
        (folder / "sessions.jsonl").write_text("".join(f"{line}\n" for line in lines))


def tokenizer(words: int, template: str):
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    text = (FOLDER / f"{template}.jinja").read_text(encoding="utf-8")
    model = Tokenizer(models.WordLevel(unk_token="<unk>"))
    model.pre_tokenizer = pre_tokenizers.Split(Regex(r"\s|\w+|[^\w\s]+"), "isolated")  # blanks are tokens: a mask may begin with one
    special = ["<unk>", "<|im_start|>", "<|im_end|>"]
    model.train_from_iterator([text, *(f"w{n}" for n in range(words + 1))], trainers.WordLevelTrainer(special_tokens=special))
    return PreTrainedTokenizerFast(tokenizer_object=model, unk_token="<unk>", eos_token="<|im_end|>", chat_template=text)


def rows(dataset: Dataset):
    """The records as the trainers load them: as typed columns. Call it before axolotl is opened, which replaces torch."""
    from datasets import load_dataset

    return load_dataset("json", data_files=dataset.shards(), split="train", cache_dir=str(dataset.folder / "cache"))


def trained_words(tokens, labels: list[list[int]]) -> list[str]:
    return [word for row in labels for word in WORD.findall(tokens.decode([label for label in row if label != -100]))]


def with_trl(dataset: Dataset, words: int, template: str, assistant_only: bool) -> list[str]:
    tokens = tokenizer(words, template)
    prepared = stand_ins.trl_labels(rows(dataset), tokens, assistant_only)
    return trained_words(tokens, prepared["labels"])


def with_axolotl(records: list[dict], words: int, field: str) -> list[str]:
    module = stand_ins.axolotl()
    tokens = tokenizer(words, "qwen2_5")
    prompter = module.ChatTemplatePrompter(tokens, tokens.chat_template, message_field_training=field)
    strategy = module.ChatTemplateStrategy(prompter, tokens, False, 4096, roles_to_train=["assistant"], train_on_eos="turn")
    return trained_words(tokens, [strategy.tokenize_prompt(record)["labels"] for record in records])


def with_harbor(dataset: Dataset) -> list[str]:
    """Harbor exports a conversation for each answer to train: its last message."""
    _, _, traces = stand_ins.harbor()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trajectory.json"
        for line in dataset.records().values():
            file.write_text(line, encoding="utf-8")
            exported = traces.extract_conversations_from_trajectory(file, RUN)
            found += [word for one in exported for word in WORD.findall(str(one["conversations"][-1]["content"]))]
    return found


def rules(trained: list[str], answers: set[str]) -> list[str]:
    """How the training differs from each answer once."""
    times = Counter(trained)
    found = {
        "trains an answer more than once": any(times[word] > 1 for word in answers),
        "does not train an answer": any(times[word] == 0 for word in answers),
        "trains messages that are no answers": any(word not in answers for word in times),
    }
    return [rule for rule, holds in found.items() if holds]


def judge(folder: Path) -> dict[str, dict[str, list[str]]]:
    """How each consumer trains the records of each format, with marks and without."""
    logs = Logs(7)
    logs.write(folder / "logs")
    names = [(name, copies) for name in ("trl", "atif", *FIELDS) for copies in ("mark", "drop")]
    sets = {one: build(folder / "logs", folder / one[1] / one[0], "--format", one[0], "--copies", one[1]) for one in names}
    loaded = {one: [dict(row) for row in rows(dataset)] for one, dataset in sets.items() if one[0] in FIELDS}
    found = {}
    for (name, copies), dataset in sets.items():
        seen = found[f"{name} --copies {copies}"] = {}
        if name == "trl":
            seen["TRL"] = with_trl(dataset, logs.words, "qwen2_5", False)
            seen["TRL, assistant_only_loss"] = with_trl(dataset, logs.words, "qwen2_5_training", True)
        elif name == "atif":
            seen["Harbor's export of conversations"] = with_harbor(dataset)
        else:
            seen[f"axolotl, message_field_training: {FIELDS[name]}"] = with_axolotl(loaded[name, copies], logs.words, FIELDS[name])
    return {name: {reader: rules(trained, logs.answers) for reader, trained in readers.items()} for name, readers in found.items()}


if __name__ == "__main__":
    print(json.dumps(judge(Path(sys.argv[1]))))
