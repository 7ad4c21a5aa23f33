"""Reads shards by polars, pyarrow and DuckDB, with the columns named as docs/reference/formats.md says, and compares them with their lines."""

import glob
import json

import duckdb
import polars
import pyarrow
import pyarrow.json


def by_duckdb(shard, names):
    columns = ", ".join(f"{name}: 'JSON'" for name in names)
    found = duckdb.sql(f"FROM read_json('{shard}', columns = {{{columns}}})").fetchall()
    return [{name: value and json.loads(value) for name, value in zip(names, row)} for row in found]


def by_polars(shard, names):
    """A text column is a text, and any other one its JSON."""
    return polars.read_ndjson(shard, schema={name: polars.String for name in names}).to_dicts()


def by_pyarrow(shard, names):
    """Texts only: pyarrow has no JSON type that its reader writes."""
    schema = pyarrow.schema([(name, pyarrow.string()) for name in names])
    options = pyarrow.json.ParseOptions(explicit_schema=schema)
    return pyarrow.json.read_json(shard, pyarrow.json.ReadOptions(block_size=1 << 26), options).to_pylist()


def same(row, line):
    """Whether a row is the record: a value that is not a text may be its JSON text."""
    given = {name: value for name, value in row.items() if value is not None}
    parsed = {name: value if isinstance(line.get(name), str) else of_json(value) for name, value in given.items()}
    return parsed == {name: value for name, value in line.items() if value is not None}


def of_json(value):
    return json.loads(value) if isinstance(value, str) else value


def compare(out, configs, read):
    """Prints a line for each config, and returns how many records differ."""
    bad = 0
    for config in configs:
        differ = records = 0
        for shard in sorted(glob.glob(f"{out}/data/{config}/*")):
            lines = [json.loads(line) for line in open(shard, encoding="utf-8")]
            rows = read(shard, list(dict.fromkeys(name for line in lines for name in line)))
            records += len(lines)
            differ += sum(not same(row, line) for row, line in zip(rows, lines, strict=True))
        print(f"folder: {read.__name__}, {config}: {records} records, {differ} differ", flush=True)
        bad += differ if records else 1
    return bad
