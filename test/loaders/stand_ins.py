"""Opens the readers' own code without torch: packages are opened folder by folder, past an `__init__` that loads a GPU stack.

Only what the code that judges never calls is stood in for: torch, peft's two file names, colours, a dictionary class, Harbor's agents.
"""

import functools
import importlib.util
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
def axolotl():
    """axolotl's strategy and prompter for `type: chat_template`."""
    _torch()
    _folders("axolotl", "prompt_strategies", "utils", "utils.schemas")
    _module("axolotl.utils.logging", get_logger=lambda name, *_: logging.getLogger(name))
    _module("colorama", Fore=types.SimpleNamespace(CYAN="", RESET="", RED="", GREEN="", BLUE="", YELLOW=""))
    _module("addict", Dict=dict)
    from axolotl.prompt_strategies import chat_template

    return chat_template


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
