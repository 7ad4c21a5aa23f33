/** Each command says the same about a folder without a dataset, about a damaged one, and about one of a newer version. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../../src/version.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

/** Commands that read the dataset OUT. */
const READING = [
  'report OUT',
  'loop OUT',
  'verify OUT',
  'quarantine list OUT',
  'quarantine replay OUT --into AGAIN',
  'explain LOGS/a.jsonl:1 --in OUT',
];
/** A folder without a dataset may be a slice that is not finished. */
const MERGING = 'merge OUT --out AGAIN';
const WRITING = ['build LOGS --out OUT --update', 'build LOGS --out OUT --replace'];

interface Folder {
  readonly manifest: string;
  /** Status and message of a command. */
  ended(command: string): Promise<string>;
}

async function built(): Promise<Folder> {
  const folder = temporaryFolder();
  writeLog(folder, 'LOGS/a.jsonl', [entry()]);
  const run = (command: string) =>
    turnmill(command.replaceAll(/\b(?:LOGS|OUT|AGAIN)\b/g, (name) => join(folder, name)).split(' '));
  expect((await run('build LOGS --out OUT')).status).toBe(0);
  return {
    manifest: join(folder, 'OUT/manifest.json'),
    async ended(command) {
      const { status, stderr } = await run(command);
      return `${status} ${stderr}`;
    },
  };
}

test.each(READING)('%s ends with 66 if the folder has no manifest', async (command) => {
  const { manifest, ended } = await built();
  rmSync(manifest);
  expect(await ended(command)).toMatch(/^66 .*no dataset found/s);
});

describe.each([...READING, MERGING])('%s', (command) => {
  test.each(['{"schema":1,', 'null', '[]', '{"schema":1,"tool":{"name":"other"}}'])(
    'ends with 65 and names the file if the manifest is %s',
    async (text) => {
      const { manifest, ended } = await built();
      writeFileSync(manifest, text);
      const said = await ended(command);
      expect(said).toMatch(/^65 /);
      expect(said).toContain(manifest);
    },
  );
});

test.each([...READING, MERGING, ...WRITING])('%s refuses a dataset of a newer version', async (command) => {
  const { manifest, ended } = await built();
  const newer = SCHEMA_VERSION + 1;
  const values = { ...JSON.parse(readFileSync(manifest, 'utf8')), schema: newer };
  const text = `${JSON.stringify(values, undefined, 2)}\n`;
  writeFileSync(manifest, text);
  const said = await ended(command);
  const why = `written by a newer turnmill, schema ${newer}; this one reads up to ${SCHEMA_VERSION}`;
  expect(said).toMatch(/^65 /);
  expect(said).toContain(`${manifest} was ${why}`);
  expect(readFileSync(manifest, 'utf8')).toBe(text);
});
