"""Both peers in Python: the files of a folder, and either library for JSON."""

import os


def session_files(directory, endings):
    found = []
    for root, _folders, names in os.walk(directory):
        found += [os.path.join(root, n) for n in names if n.endswith(endings)]
    return sorted(found)


def json_codec():
    import json

    return json.loads, lambda record: json.dumps(
        record, ensure_ascii=False, separators=(",", ":")
    ).encode()


def orjson_codec():
    import orjson

    return orjson.loads, orjson.dumps
