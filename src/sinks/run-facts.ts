/**
 * run.json: what differs from run to run, which the manifest does not list: clock, host, paths, and for `build --update` which file
 * each source was, one proof per source that was read, in the order of the ledger.
 */
import { join } from 'node:path';
import { TurnmillError } from '../errors.ts';
import { readTextIfAny } from './fs-calls.ts';
import { prettyJson, writeCheckedFile } from './whole-file.ts';

const NAME = 'run.json';

/**
 * @param proofs a file with a JSON text in each line
 * @throws TurnmillError `io` when that file is not what was written
 */
export function writeRunFacts(root: string, facts: object, proofs?: string): void {
  const lines = proofs === undefined ? undefined : readTextIfAny(proofs)?.trimEnd();
  const text = prettyJson(facts);
  const list = lines === undefined || lines === '' ? '' : `\n    ${lines.replaceAll('\n', ',\n    ')}\n  `;
  const whole = lines === undefined ? text : `${text.slice(0, -'\n}\n'.length)},\n  "proofs": [${list}]\n}\n`;
  if (!isJson(whole)) throw new TurnmillError('io', `${proofs} is not what was written`);
  writeCheckedFile(join(root, NAME), whole);
}

/** Of a committed dataset; undefined when there are none that can be read. */
export function readProofs(root: string): readonly string[] | undefined {
  try {
    const { proofs } = JSON.parse(readTextIfAny(join(root, NAME)) ?? '{}');
    return Array.isArray(proofs) ? proofs.map(String) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
