import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts';
import { stages } from '../../transforms/chain.ts';
import type { StreamElement } from '../../transforms/model/element.ts';
import { apply, defaultsOf, type OptionSpec } from '../../transforms/stage.ts';
import { placedStages } from '../../transforms/stages/index.ts';
import { entryJson, lineOf } from '../transforms/log-lines.ts';
import { conversations, ends, entries, freeze, records, snapshot } from './samples.ts';

const elements = (): readonly StreamElement[] => [
  ...[entryJson(), '', 'x', `${entryJson()}${entryJson()}`].map((json) => lineOf(json)),
  ...entries,
  ...ends,
  ...conversations,
  ...records,
];

describe.each(stages.map((stage) => [stage.name, stage] as const))('stage %s', (name, stage) => {
  it('has a kebab-case name and a summary', () => {
    expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(stage.summary).toMatch(/^[A-Z].{10,}\.$/);
  });

  it('describes every option, and its default is one of the choices', () => {
    for (const [key, option] of Object.entries(stage.options) as [string, OptionSpec<unknown>][]) {
      expect(key).toMatch(/^[a-z][a-zA-Z]*$/);
      expect(option.describe.length).toBeGreaterThan(10);
      expect(option).toHaveProperty('default');
      if (option.choices !== undefined && option.default !== undefined)
        expect(option.choices).toContain(option.default);
    }
  });

  it('emits the same in two runs and does not change its input', () => {
    const input = freeze(elements());
    const before = snapshot(input);
    const run = () => snapshot([...apply(stage.create(defaultsOf(stage.options)), input)]);
    expect(run()).toBe(run());
    expect(snapshot(input)).toBe(before);
  });
});

it('no two stages have the same name', () => {
  expect(new Set(stages.map(({ name }) => name)).size).toBe(stages.length);
});

it.each(placedStages.map((stage) => [stage.name, stage] as const))(
  '%s follows a stage of every build, and its options are settings with the same defaults',
  (_name, stage) => {
    expect(stages).toContain(stage);
    expect(DEFAULT_SETTINGS).toMatchObject(defaultsOf(stage.options));
  },
);
