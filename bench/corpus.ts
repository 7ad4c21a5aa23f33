/**
 * The command-line corpus generator: seeded, deterministic, streamed to a folder or to stdout.
 *   node dist/bench/corpus.js main --bytes 1GB --seed 1 --out DIR
 *   node dist/bench/corpus.js main --bytes 10GB --out - | ...
 * Prints the statistics of the corpus as one JSON line to stdout, or to stderr when the corpus goes to stdout.
 */
import { parseArgs } from 'node:util';
import { parseByteSize } from './corpus/byte-size.ts';
import { generateCorpus } from './corpus/generate.ts';
import type { CorpusOrder } from './corpus/order.ts';
import { corpusKinds } from './corpus/shapes.ts';
import { type CorpusSink, descriptorSink, folderSink } from './corpus/sinks.ts';

const usage = `usage: corpus.js KIND --out DIR|- [--bytes SIZE] [--seed N] [--entries N]
  KIND       ${corpusKinds.join(', ')}
  --bytes    stop at this size, measured before gzip (64MB, 1GB; the default depends on the kind)
  --entries  entries per session, for the kind growth only (default 60)
`;

interface CorpusCommand {
  readonly order: CorpusOrder;
  readonly out: string;
}

const wholeNumber = (name: string, text: string): number => {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} takes a whole number, not '${text}'`);
  return Number(text);
};

const readCommand = (args: readonly string[]): CorpusCommand => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      bytes: { type: 'string' },
      seed: { type: 'string', default: '1' },
      entries: { type: 'string', default: '60' },
      out: { type: 'string' },
    },
  });
  const kind = corpusKinds.find((name) => name === positionals[0]);
  if (kind === undefined || positionals.length !== 1) throw new Error('exactly one KIND is required');
  if (values.out === undefined) throw new Error('--out is missing');
  const bytes = values.bytes === undefined ? undefined : parseByteSize(values.bytes);
  const seed = wholeNumber('seed', values.seed);
  const growthEntries = wholeNumber('entries', values.entries);
  return { order: { kind, bytes, seed, growthEntries }, out: values.out };
};

const openSink = ({ order, out }: CorpusCommand): CorpusSink => {
  const isPacked = order.kind === 'gz' || order.kind === 'calls';
  return out === '-' ? descriptorSink(1, isPacked) : folderSink(order.kind, out);
};

const run = (args: readonly string[]): number => {
  let command: CorpusCommand;
  try {
    command = readCommand(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${usage}`);
    return 64;
  }
  try {
    const stats = generateCorpus(command.order, openSink(command));
    const report = command.out === '-' ? process.stderr : process.stdout;
    report.write(`${JSON.stringify(stats)}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`corpus: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
};

process.exitCode = run(process.argv.slice(2));
