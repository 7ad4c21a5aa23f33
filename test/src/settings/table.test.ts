/** Tests what follows from the table of settings: defaults, checks, and the settings of a manifest. */
import { describe, expect, it } from 'vitest';
import { decisiveSettings, differences } from '../../../src/settings/decisive.ts';
import { DEFAULT_SETTINGS, type PartialSettings, resolveSettings } from '../../../src/settings/settings.ts';

const resolve = (settings: object) => resolveSettings({ inputs: ['-'], ...settings } as PartialSettings);

describe('a value that a caller of the library passes', () => {
  it('may be undefined, which means the default', () => {
    const unset = Object.fromEntries(Object.keys(DEFAULT_SETTINGS).map((name) => [name, undefined]));
    expect(resolve(unset)).toEqual(resolve({}));
  });

  it('may be the default itself', () => {
    expect(resolve(DEFAULT_SETTINGS)).toEqual(resolve({}));
  });

  it.each<[object, string]>([
    [{ dialect: 'exchnge' }, "--dialect: 'exchnge' is not one of auto, "],
    [{ format: [] }, '--format: needs a value'],
    [
      { format: ['trl,openai'] },
      "--format: 'trl,openai' has a comma: repeat the option for each of the values",
    ],
    [{ format: 'tlr' }, '; did you mean trl?'],
    [{ since: 'last week' }, "--since: 'last week' is not a number of milliseconds since 1970"],
    [{ inputs: 'logs' }, 'inputs must be a list of files, folders or streams'],
    [{ inputs: ['logs', ''] }, 'the name of an input is empty'],
    [{ out: 3 }, 'out must be the path of a folder, an s3:// URL or -'],
    [{ fromat: 'trl' }, "unknown setting 'fromat'; did you mean format?"],
    [{ plugin: ['a.mjs'] }, "unknown setting 'plugin'; did you mean plugins?"],
    [{ 'max-part': 1 }, "unknown setting 'max-part'; did you mean maxPart?"],
    [{ nonsense: 1 }, "unknown setting 'nonsense'; settings are the options of turnmill build in camelCase"],
    [{ format: ['chat', 'chat'] }, "--format: 'chat' appears twice"],
    [{ sessionBy: 'day' }, "--session-by: 'day' is not one of file, id, run, folder"],
    [{ follow: 'all' }, "--follow: 'all' is not one of none, inside, anywhere"],
    [{ cleanup: ['gooose'] }, "--cleanup: 'gooose' is not one of "],
    [{ cleanup: 'goose' }, '--cleanup: must be an array of strings'],
    [{ onFinding: { 'no-such-rule': 'keep' } }, "--on-finding: 'no-such-rule' is not one of "],
    [{ onFinding: { 'no-answer': 'drop' } }, "--on-finding: no-answer takes reject or keep, not 'drop'"],
    [{ maxDepth: 901 }, "--max-depth: '901' is not a whole number from 1 to 900"],
    [{ maxMessages: 0 }, "--max-messages: '0' is not a whole number of at least 1"],
    [{ workers: '2' }, '--workers: must be a number'],
    [{ maxLine: 2 ** 29 }, "--max-line: '536870912' is out of range: 1 to 536870888 bytes"],
    [{ maxPart: -1 }, "--max-part: '-1' is out of range: 0 to "],
    [{ shardSize: 1.5 }, "--shard-size: '1.5' is not a size"],
    [{ shardSize: '1MiB' }, "--shard-size: '1MiB' is not a size"],
    [{ maxQuarantine: '101%' }, "--max-quarantine: '101%' is neither a whole number nor a percentage"],
    [{ mode: 0o750 }, "--mode: '0750' has x bits"],
    [{ s3: { partSize: 1 } }, "--s3-part-size: '1' is out of range: 5242880 to 1073741824 bytes"],
    [{ s3: { inFlight: 0 } }, "--s3-in-flight: '0' is not a whole number from 1 to 1024"],
    [{ s3: { sse: 'aws' } }, "--s3-sse: 'aws' is not AES256, aws:kms or aws:kms=KEY"],
    [{ s3: { endpoint: 'ftp://a' } }, '--s3-endpoint: not a URL such as'],
    [{ s3: { endpoint: 'http://a:b@c' } }, '--s3-endpoint: the URL holds credentials'],
    [{ s3: { condition: 'no' } }, "--s3-condition: 'no' is not one of probe, trust, none"],
    [{ mode: 1.5 }, "--mode: '1.5' is not an octal mode"],
  ])('is refused with the name of its flag: %j', (settings, problem) => {
    expect(() => resolve(settings)).toThrow(problem);
  });

  it.each([{ mode: 0o60 }, { mode: 0o644 }, { maxPart: 0 }, { maxQuarantine: '0.5%' }, { maxQuarantine: 0 }])(
    'is taken: %j',
    (settings) => {
      expect(resolve(settings)).toMatchObject(settings);
    },
  );
});

describe('the settings of a manifest', () => {
  it('are those that decide the bytes, by name', () => {
    const settings = decisiveSettings(
      resolve({ maxPart: 5, select: 'leaves', onFinding: { 'unread-text': 'keep' } }),
    );
    expect(settings).toMatchObject({ maxPart: 5, select: 'leaves', onFinding: { 'unread-text': 'keep' } });
    for (const name of ['workers', 'out', 'mode', 'report', 's3', 'scanner', 'plugIns', 'userTurn'])
      expect(settings).not.toHaveProperty(name);
    expect(Object.keys(settings)).toEqual(Object.keys(settings).sort());
  });

  it('have only the SHA-256 of texts and ids, whose order does not matter', () => {
    const settings = decisiveSettings(resolve({ systemText: 'a secret', only: ['b', 'a', 'b'] }));
    expect(JSON.stringify(settings)).not.toContain('secret');
    expect(settings.systemTextSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(settings).not.toHaveProperty('only');
    expect(differences(settings, resolve({ systemText: 'a secret', only: ['a', 'b'] }))).toEqual([]);
    expect(differences(settings, resolve({ systemText: 'another', only: ['a'] }))).toEqual([
      'onlySha256',
      'systemTextSha256',
    ]);
  });
});
