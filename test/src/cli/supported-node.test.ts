import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { supportsNode } from '../../../src/cli/supported-node.ts';

test.each(['20.19.0', '20.20.2', '22.12.0', '22.99.1', '24.0.0', '25.1.0', '30.0.0'])(
  'Node %s is supported',
  (version) => {
    expect(supportsNode(version)).toBe(true);
  },
);

test.each(['18.20.0', '20.18.9', '21.7.0', '22.11.0', '23.9.0', '4.0.0', '0.12.0'])(
  'Node %s is not supported',
  (version) => {
    expect(supportsNode(version)).toBe(false);
  },
);

test('package.json names the same versions', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(engines.node).toBe('^20.19.0 || ^22.12.0 || >=24');
});
