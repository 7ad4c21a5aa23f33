"""Opens the readers' own code without torch: packages are opened folder by folder, past an `__init__` that loads a GPU stack.

Only what the code that judges never calls is stood in for: torch, peft's two file names, colours, a dictionary class, Harbor's agents.
"""

import ast
import contextlib
import functools
import importlib.util
import json
import logging
import sys
import types
from pathlib import Path


def _module(name: str, **members) -> types.ModuleType:
    module = types.ModuleType(name)
    for key, value in members.items():
        setattr(module, key, value)
    sys.modules[name] = module
    return module


def _folders(package: str, *names: str) -> None:
    """Creates packages for these folders without running their `__init__`."""
    spec = importlib.util.find_spec(package)
    root = Path(spec.submodule_search_locations[0])
    for name in ("", *names):
        full = f"{package}.{name}" if name else package
        _module(full, __path__=[str(root / name.replace(".", "/"))])


def _torch() -> None:
    import datasets  # noqa: F401  it and transformers look for torch when they are loaded: first, then
    import transformers  # noqa: F401
    import trl.data_utils  # noqa: F401

    _module("torch").__getattr__ = lambda name: name


@functools.cache
def llama_factory():
    """LLaMA-Factory's converter of `sharegpt` records and its formatters of calls and tools."""
    _folders("llamafactory", "data", "extras")
    _module("peft")
    _module("peft.utils", SAFETENSORS_WEIGHTS_NAME="", WEIGHTS_NAME="")
    from llamafactory.data import converter, formatter

    logging.getLogger("llamafactory").setLevel(logging.CRITICAL)
    return converter, formatter


@functools.cache
def llama_factory_templates():
    """LLaMA-Factory's converter, and its templates with their plug-ins for images, videos and audio."""
    converter, _ = llama_factory()
    from transformers import image_utils, video_utils  # noqa: F401  they look for torch when they are loaded

    _module("torch").__getattr__ = lambda name: name
    _module("torchaudio")
    mllama = ("convert_sparse_cross_attention_mask_to_dense", "get_cross_attention_token_mask")
    _module("transformers.models.mllama.processing_mllama", **dict.fromkeys(mllama))
    from llamafactory.data import template

    return converter, template


@functools.cache
def swift():
    """ms-swift's preprocessor of records with `messages`, and the type that its templates get them as."""
    _torch()
    _folders("swift", "dataset", "dataset.preprocessor", "template")
    _module("modelscope.hub.utils.utils", get_cache_dir=str)
    root = Path(sys.modules["swift"].__path__[0])
    schemas = importlib.util.spec_from_file_location("swift_schemas", root / "utils/schema_utils.py")
    utils = importlib.util.module_from_spec(schemas)
    schemas.loader.exec_module(utils)
    nothing = {name: contextlib.nullcontext for name in ("is_dist", "is_master", "safe_ddp_context")}
    shown = {"TOOL_KEYS": utils.TOOL_KEYS, "remove_arrow_padding": utils.remove_arrow_padding}
    _module("swift.utils", get_logger=lambda: logging.getLogger("swift"), **shown, **nothing)
    logging.getLogger("swift").setLevel(logging.CRITICAL)
    _module("PIL", Image=types.SimpleNamespace(Image=object))
    sys.modules["swift.template"].history_to_messages = None
    sys.modules["swift.template"].MaxLengthError = type("MaxLengthError", (Exception,), {})
    from swift.dataset.preprocessor import core
    from swift.template import template_inputs

    del sys.modules["torch"], sys.modules["PIL"]  # other readers look whether they are installed
    return core.MessagesPreprocessor(), template_inputs.StdTemplateInputs


@functools.cache
def axolotl():
    """axolotl's strategy and prompter for `type: chat_template`."""
    _torch()
    _folders("axolotl", "prompt_strategies", "utils", "utils.schemas")
    _module("axolotl.utils.logging", get_logger=lambda name, *_: logging.getLogger(name))
    _module("colorama", Fore=types.SimpleNamespace(CYAN="", RESET="", RED="", GREEN="", BLUE="", YELLOW=""))
    _module("addict", Dict=dict)
    from axolotl.prompt_strategies import chat_template

    return chat_template


def trl_labels(dataset, tokenizer, assistant_only: bool):
    """The dataset with the labels of TRL's `SFTTrainer`: its method `_prepare_dataset`, without the trainer, which needs torch."""
    folder = Path(importlib.util.find_spec("trl").submodule_search_locations[0])
    source = ast.parse((folder / "trainer/sft_trainer.py").read_text(encoding="utf-8"))
    [trainer] = [node for node in source.body if isinstance(node, ast.ClassDef) and node.name == "SFTTrainer"]
    [method] = [node for node in trainer.body if isinstance(node, ast.FunctionDef) and node.name == "_prepare_dataset"]
    future = ast.ImportFrom("__future__", [ast.alias("annotations")], 0)
    code = ast.fix_missing_locations(ast.Module([future, method], []))
    names = {**vars(_trl_data()), "json": json, "global_then_local_main_first": contextlib.nullcontext, "logger": logging.getLogger("trl")}
    exec(compile(code, "sft_trainer.py", "exec"), names)
    args = types.SimpleNamespace(dataset_num_proc=None, dataset_text_field="text", assistant_only_loss=assistant_only)
    args.max_length, args.shuffle_dataset = None, False
    columns = dataset.column_names
    itself = types.SimpleNamespace(_tokenizer=tokenizer, chat_template=None, completion_only_loss={"prompt", "completion"} <= {*columns})
    return names["_prepare_dataset"](itself, dataset, tokenizer, args, False, None, "train")


def _trl_data():
    import trl.data_utils

    return trl.data_utils


@functools.cache
def mlx_lm():
    """MLX-LM's choice of a dataset by the first record's members."""
    _folders("mlx_lm", "tuner")
    _module("mlx_lm.cli_ui", rprint=print)
    from mlx_lm.tuner import datasets

    return datasets


@functools.cache
def harbor():
    """Harbor's validator and models of trajectories, and its export of conversations for training."""
    _module("harbor.agents.factory", AgentFactory=None)
    from harbor.models import trajectories
    from harbor.utils import traces_utils, trajectory_validator

    return trajectory_validator, trajectories, traces_utils


def tokenizer(template: str):
    """A transformers tokenizer with this chat template; its vocabulary does not matter."""
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    return PreTrainedTokenizerFast(tokenizer_object=words, bos_token="<bos>", eos_token="<|im_end|>", chat_template=template)
