"""MLX-LM as judge: its own choice of how to read a file of records. After that comes `apply_chat_template` (judge_templates.py)."""

import json
from types import SimpleNamespace

import stand_ins
from truth import Truth
from verdict import Verdicts


def judge(records: dict[str, str], _truths: dict[str, Truth]) -> dict[str, Verdicts]:
    datasets, verdicts = stand_ins.mlx_lm(), Verdicts()
    for line in records.values():
        try:
            dataset = datasets.create_dataset([json.loads(line)], None, SimpleNamespace())
            verdicts.add({f"takes: as {type(dataset).__name__}"})
        except ValueError:
            verdicts.add({"refuses: members that it does not know"})
    return {"MLX-LM": verdicts}
