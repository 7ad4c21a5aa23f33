"""Prints the ids of the sessions whose records are neither near-duplicates of an earlier one nor contain a text of a benchmark.

    python near_duplicates.py DATASET BENCHMARK > keep.txt
    turnmill build LOGS --only keep.txt --out CLEANED

BENCHMARK has a text on each line; 12 of its words in a row are looked for. Needs datatrove 0.10 and regex. The dataset has one format
with `messages` and is not compressed.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

import numpy
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.decont import NGramsDecontConfig, NGramsDecontFilter
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.utils.hashing import HashConfig, create_hash_func
from datatrove.utils.text import ngrams, simplify_text
from datatrove.utils.word_tokenizers import WordTokenizer

DATASET, BENCHMARK = map(Path, sys.argv[1:])


class Words(WordTokenizer):
    def word_tokenize(self, text):
        return re.findall(r"\w+", text)

    sent_tokenize = span_tokenize = word_tokenize


def texts(data=None, rank=0, world_size=1):
    for line in open(DATASET / "ledger/sessions.jsonl"):
        session = json.loads(line)
        if "shard" not in session:
            continue
        record = json.loads((DATASET / session["shard"]).read_text().split("\n")[session["line"] - 1])
        contents = [message.get("content") for message in record["messages"]]
        yield Document("\n".join(text for text in contents if isinstance(text, str)), session["id"])


def print_ids(data, rank=0, world_size=1):
    for document in data:
        print(document.id)
    yield from ()


words, sha1 = Words(), HashConfig(hash_fc="sha1")
near, known = MinhashConfig(hash_config=sha1), NGramsDecontConfig(n_grams=12, hash_config=sha1)
grams = [gram for text in open(BENCHMARK) for gram in ngrams(words.word_tokenize(simplify_text(text)), known.n_grams)]
hashes = {create_hash_func(sha1)(" ".join(gram)) for gram in grams}
with tempfile.TemporaryDirectory() as work:
    numpy.array(sorted(hashes), dtype=sha1.np_descr).tofile(f"{work}/benchmark.index.hashes")
    kept = MinhashDedupFilter(f"{work}/duplicates"), NGramsDecontFilter(work, known, language=words)
    for number, (tasks, *steps) in enumerate(
        [
            (1, texts, MinhashDedupSignature(f"{work}/signatures", near, words)),
            (near.num_buckets, MinhashDedupBuckets(f"{work}/signatures", f"{work}/buckets", config=near)),
            (1, MinhashDedupCluster(f"{work}/buckets", f"{work}/duplicates", near)),
            (1, texts, *kept, print_ids),
        ]
    ):
        LocalPipelineExecutor(steps, tasks, workers=1, logging_dir=f"{work}/logs/{number}").run()
