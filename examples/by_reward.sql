-- Prints the ids of the sessions with a reward of 0.5 or more. `scored` is a dataset that was built with `--meta reward`.
--   duckdb -csv -noheader < by_reward.sql > good.txt
WITH numbered AS (
  SELECT filename AS file, metadata, row_number() OVER () AS number
  FROM read_json('scored/data/*.jsonl', columns = {metadata: 'JSON'}, filename = true)
),
records AS (
  SELECT file, number - min(number) OVER (PARTITION BY file) + 1 AS line, (metadata->>'reward')::DOUBLE AS reward
  FROM numbered
)
SELECT id
FROM read_json('scored/ledger/sessions.jsonl', columns = {id: 'VARCHAR', shard: 'VARCHAR', line: 'BIGINT'}) AS sessions
JOIN records ON file = 'scored/' || shard AND records.line = sessions.line
WHERE reward >= 0.5;
