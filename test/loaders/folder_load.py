"""Loads configs of a dataset by its card, plain and streaming, and compares them with the lines of its shards.

    python folder_load.py OUT CONFIG...     a line for each config; exit status 1 if a record differs or is refused

Runs in any environment that has `datasets`. A member that is absent in a record may be null; `--exact` forbids that, except for columns.
"""

import glob
import json
import sys
import tempfile

import datasets


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    return [without_nulls(one) for one in value] if isinstance(value, list) else value


def comparable(record: dict, exact: bool) -> str:
    columns = {key: value for key, value in record.items() if value is not None}
    return json.dumps(columns if exact else without_nulls(columns), sort_keys=True)


def main(out: str, configs: list[str], exact: bool) -> int:
    bad = 0
    for config in configs:
        shards = sorted(glob.glob(f"{out}/data/{config}/*") or glob.glob(f"{out}/data/*"))
        want = [comparable(json.loads(line), exact) for shard in shards for line in open(shard, encoding="utf-8")]
        for streaming in (False, True):
            with tempfile.TemporaryDirectory() as cache:
                try:
                    rows = datasets.load_dataset(out, config, split="train", streaming=streaming, cache_dir=cache)
                    seen = [comparable(row, exact) for row in rows]
                    differ = [at for at, pair in enumerate(zip(seen, want, strict=True)) if pair[0] != pair[1]]
                    found = f"{len(want)} records, {len(differ)} differ" + (f", the first is {differ[0]}" if differ else "")
                    bad += len(differ)
                except Exception as error:  # its exceptions are the answer
                    found = f"refused: {str(error.__cause__ or error).splitlines()[0][:200]}"
                    bad += 1
            print(f"folder: datasets {datasets.__version__}, {config}{', streaming' if streaming else ''}: {len(shards)} shards, {found}", flush=True)
    return 1 if bad > 0 else 0


if __name__ == "__main__":
    datasets.disable_progress_bars()
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    words = [word for word in sys.argv[1:] if word != "--exact"]
    sys.exit(main(words[0], words[1:], "--exact" in sys.argv))
