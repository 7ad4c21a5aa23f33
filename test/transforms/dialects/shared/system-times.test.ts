/** Calls whose system texts differ in the time only continue each other. */
import { describe, expect, it } from 'vitest';
import { comparedMessages } from '../../../../transforms/dialects/shared/system-times.ts';
import { messageOf } from '../../checks/samples.ts';

const compared = (content: string, role = 'system'): string =>
  comparedMessages([messageOf({ role, content })]).map(
    ({ bytes }) => `${JSON.parse(`${Buffer.from(bytes)}`).content}`,
  )[0] as string;

describe('a time in a system text does not count', () => {
  it.each([
    ['Now: 2026-01-05T10:00:03.123Z.', 'Now: 2027-11-15T23:59:59.9Z.'],
    ['Now: 2026-01-05T10:00:03+00:00', 'Now: 2026-01-05T10:00:04+02:00'],
    ['Now: 2026-01-05 10:00:03 UTC', 'Now: 2026-01-05 10:01:00 UTC'],
    ['It is Monday, January 5, 2026, 9:59 AM.', 'It is Tuesday, January 6, 2026, 10:00 PM.'],
    ['It is Mon Jan 5 2026 09:59:00 GMT+0100 (CET)', 'It is Sun Feb 15 2026 19:59:01 GMT+0100 (CET)'],
    ['Date:\n2026-01-05\n09:59\nMonday', 'Date:\n2026-01-06\n10:00\nTuesday'],
    ['Today: 5 January 2026', 'Today: 16 December 2027'],
    ['Today: 05/01/2026', 'Today: 6/1/2026'],
    ['Today: 05.01.2026', 'Today: 06.01.2026'],
    ['Epoch 1767607203', 'Epoch 1767607999'],
    ['Epoch 1767607203123', 'Epoch 1767607999000'],
  ])('%s', (one, other) => {
    expect(compared(one)).not.toBe(one);
    expect(compared(one)).toBe(compared(other));
    expect(compared(one, 'developer')).toBe(compared(other, 'developer'));
  });

  it.each([
    ['You are agent 1.', 'You are agent 2.'],
    ['Answer in 3 steps.', 'Answer in 4 steps.'],
    ['Version 1.2.3', 'Version 1.2.4'],
    ['Port 8080', 'Port 8081'],
    ['Marta decides.', 'Maya decides.'],
    ['Use model-2024.', 'Use model-2025.'],
    ['Order 1234567890', 'Order 1234567891'],
  ])('but other texts do: %s', (one, other) => {
    expect(compared(one)).toBe(one);
    expect(compared(one)).not.toBe(compared(other));
  });
});

it('leaves the messages of users and answers as they are', () => {
  const messages = ['user', 'assistant', 'tool'].map((role) => messageOf({ role, content: '10:00' }));
  expect(comparedMessages(messages)).toBe(messages);
});
