"""Peer: DuckDB's typed read_json, the fastest of its ways to read these logs.

    python query_duckdb.py DIR OUTFILE THREADS

One SQL statement: per file the last entry with the most messages (ties by timestamp, which increases
in a session), its reply appended, tools of that entry flattened.
Left out: the union of tools over a session's entries, and developer becoming system (messages stay
opaque JSON texts; typing them would null-pad their keys).
"""

import sys

import duckdb

QUERY = """
COPY (
  SELECT list_concat(
           best.request.messages,
           CASE WHEN best.reply IS NULL THEN [] ELSE [best.reply] END) AS messages,
         list_transform(best.request.tools, lambda tool: tool->'function') AS tools
  FROM (
    SELECT filename,
           arg_max(
             struct_pack(request := request, reply := response->'$.choices[0].message'),
             row(len(request.messages), timestamp)) AS best
    FROM read_json(
      getvariable('input'), format = 'newline_delimited', filename = true,
      maximum_object_size = 33554432,
      columns = {timestamp: 'VARCHAR', session_id: 'VARCHAR', response: 'JSON',
                 request: 'STRUCT(messages JSON[], tools JSON[])'})
    GROUP BY filename)
  ORDER BY filename
) TO '{out}' (FORMAT json)
"""

directory, out_file, threads = sys.argv[1:]
connection = duckdb.connect()
connection.execute(f"SET threads = {int(threads)}")
connection.execute(f"SET VARIABLE input = '{directory}/**/*.jsonl'")
connection.execute(QUERY.replace("{out}", out_file))
