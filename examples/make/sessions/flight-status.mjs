// One line with an impossible stamp (day and month swapped) in a good session. Arguments that are cut
// off, so not JSON, and the error that came of them. The same call with the same arguments twice.

import { python } from '../json.mjs';
import { openSession } from '../proxy.mjs';
import { moment, utcMicros } from '../stamps.mjs';
import { logFile, oneOf, params, string, tool } from '../text.mjs';

const id = '5d20b8f1-6e3a-47c9-a4f2-90be7713cd05';
const start = moment('2026-01-14T12:44:09Z', 918552);

const tools = [
  tool(
    'flights__status',
    'Status of a flight on a day.',
    params({ flight: [string, 'Such as IB3171'], date: [string, 'YYYY-MM-DD, local'] }, ['flight', 'date']),
  ),
  tool(
    'flights__alternatives',
    'Later flights between two airports with free seats.',
    params(
      {
        from: [string, 'IATA code'],
        to: [string, 'IATA code'],
        after: [string, 'HH:MM, local'],
        cabin: [oneOf('economy', 'business'), 'Cabin'],
      },
      ['from', 'to'],
    ),
  ),
  tool(
    'messages__send_sms',
    'Send a text message.',
    params({ to: [string, 'Phone number'], body: [string, 'At most 160 characters'] }, ['to', 'body']),
  ),
];

const delayed =
  '{"flight": "IB3171", "status": "delayed", "scheduled": "15:55", "estimated": "18:20", "gate": null, "reason": "late arrival of aircraft"}';
const boarding =
  '{"flight": "IB3171", "status": "boarding", "scheduled": "15:55", "estimated": "18:20", "gate": "J49"}';
const query = { flight: 'IB3171', date: '2026-01-14' };

/** The log of this session. */
export function flightStatus() {
  const session = openSession({
    id,
    start,
    tools,
    style: python,
    stamp: utcMicros,
    model: 'deepseek-chat',
    system: {
      role: 'system',
      content:
        'You are a travel desk assistant. Check the status before you answer, every time: it changes. Never send a message without being asked to.',
    },
  });
  session.user('Is IB3171 from Madrid on time today? My mother is on it.');
  session.callTools(null, [
    [
      'flights__status',
      '{"flight": "IB3171", "date": "2026-01-1',
      '{"error": "invalid arguments: unterminated string at position 39", "tool": "flights__status"}',
    ],
  ]);
  session.callTools('Once more, with the whole date.', [['flights__status', query, delayed]], {
    timestamp: '2026-14-01T12:44:15.207731+00:00',
  });
  session.answer(
    'No: IB3171 is **delayed**. It now leaves at 18:20 instead of 15:55, because the aircraft came in late. There is no gate yet.',
  );
  session.wait(18_412);
  session.user('And now? If it goes, text her at +34 600 000 214 that I will be at the arrivals hall.');
  session.callTools(null, [['flights__status', query, boarding]]);
  session.callTools('It is boarding, so I send the message.', [
    [
      'messages__send_sms',
      { to: '+34 600 000 214', body: '¡Buen vuelo, mamá! Te espero en llegadas. ✈️' },
      '{"id": "sms_70113", "segments": 1, "accepted": true}',
    ],
  ]);
  session.answer('IB3171 is **boarding** at gate J49 and leaves at 18:20. Your message was sent.');
  return {
    path: `2026-01-14/flight-status-${id}.jsonl`,
    bytes: Buffer.from(logFile(session.lines())),
  };
}
