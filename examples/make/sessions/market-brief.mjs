// The plain case, and the first to read: goose, its title request among the entries, an info message
// at the end of every request, three calls in parallel, `"content": null` beside calls.

import { developerExtension, gooseInfo, goosePrompt, gooseTitle } from '../goose.mjs';
import { exact } from '../json.mjs';
import { openSession } from '../proxy.mjs';
import { moment, utcMicros } from '../stamps.mjs';
import { listOf, logFile, number, oneOf, params, string, text, tool } from '../text.mjs';

const id = 'market-brief-1768342443120394000';
const start = moment('2026-01-13T22:14:03Z', 120394);

const tools = [
  tool(
    'finance__get_quote',
    'Last price of one instrument, with the change since the previous close.',
    params({ symbol: [string, 'Ticker as the exchange writes it, such as ^GSPC or ASML.AS'] }, ['symbol']),
  ),
  tool(
    'finance__get_positions',
    'Positions of an account, largest first.',
    params(
      {
        account_id: [{ type: 'integer' }, 'Account number, 20 digits'],
        min_weight: [number, 'Leave out positions below this share of the account, in percent'],
      },
      ['account_id'],
    ),
  ),
  tool(
    'finance__get_headlines',
    'Headlines of the last hours, newest first.',
    params(
      {
        symbols: [listOf(string), 'Only headlines about these instruments'],
        hours: [number, 'How far back to look'],
      },
      ['symbols'],
    ),
  ),
  tool(
    'developer__text_editor',
    'View or write a text file.',
    params(
      {
        command: [oneOf('view', 'write', 'str_replace'), 'What to do'],
        path: [string, 'Absolute path'],
        file_text: [string, 'The whole text, for write'],
      },
      ['command', 'path'],
    ),
  ),
];

const extensions = {
  finance: 'Quotes are delayed by 15 minutes. Say so when a number matters.',
  developer: developerExtension,
};

const request =
  'Give me the evening market brief: S&P 500, Nasdaq and ASML, and then how my account did. Keep it short, I read it on the train.';

const quotes = [
  ['^GSPC', '{"symbol":"^GSPC","price":6963.74,"change":-13.53,"change_pct":-0.19}'],
  ['^IXIC', '{"symbol":"^IXIC","price":23709.87,"change":-24.03,"change_pct":-0.10}'],
  ['ASML.AS', '{"symbol":"ASML.AS","price":1086.40,"change":14.20,"change_pct":1.32,"currency":"EUR"}'],
];

const positions = text(
  '[{"symbol":"VWCE.DE","units":412.0,"value_eur":60481.60,"weight":48.2,"day_pct":0.31},',
  ' {"symbol":"ASML.AS","units":31.0,"value_eur":33678.40,"weight":26.8,"day_pct":1.32},',
  ' {"symbol":"IBGS.AS","units":205.0,"value_eur":29438.00,"weight":23.4,"day_pct":0.02}]',
);

const headlines = text(
  '[{"at":"21:47","title":"Chip makers rise as orders for lithography tools beat estimates"},',
  ' {"at":"20:58","title":"Banks open earnings season with mixed results; shares slip"},',
  ' {"at":"19:30","title":"December consumer prices in line with forecasts"}]',
);

const brief = text(
  '**Tuesday evening** (quotes delayed by 15 minutes)',
  '',
  '| | last | day |',
  '|---|---|---|',
  '| S&P 500 | 6,963.74 | −0.19 % |',
  '| Nasdaq | 23,709.87 | −0.10 % |',
  '| ASML | €1,086.40 | **+1.32 %** |',
  '',
  'Banks pulled the indices down a little; chip makers went the other way on good order numbers. Your account gained about 0.5 %, nearly all of it from ASML, which is now 26.8 % of it.',
);

const note = text(
  '# 2026-01-13',
  'S&P 500 −0.19 %, Nasdaq −0.10 %, ASML +1.32 %.',
  'Account +0.5 %, ASML now 26.8 % of it. Consider the 25 % limit.',
  '',
);

/** The log of this session. */
export function marketBrief() {
  const session = openSession({
    id,
    start,
    tools,
    model: 'gpt-4.1-2025-04-14',
    stamp: utcMicros,
    system: goosePrompt(start, extensions),
    info: (micros) => gooseInfo(micros, '/home/lea/notes'),
  });
  session.user(request);
  session.callTools(
    null,
    quotes.map(([symbol, result]) => ['finance__get_quote', { symbol }, result]),
    { takes: 0.377411 },
  );
  session.log({ role: 'assistant', content: 'Evening market brief' }, gooseTitle(request));
  session.callTools(null, [
    [
      'finance__get_positions',
      { account_id: exact('12345678901234567890'), min_weight: exact('1.0') },
      positions,
    ],
    ['finance__get_headlines', { symbols: ['^GSPC', 'ASML.AS'], hours: 4 }, headlines],
  ]);
  session.answer(brief);
  session.wait(48.25);
  session.user('Good. Put three lines of that into my notes, and remind me of my own limit for ASML.');
  session.callTools('I will write it to the note of today.', [
    [
      'developer__text_editor',
      { command: 'write', path: '/home/lea/notes/2026-01-13.md', file_text: note },
      'Successfully wrote 4 lines to /home/lea/notes/2026-01-13.md',
    ],
  ]);
  session.answer('Saved to `/home/lea/notes/2026-01-13.md`. ASML is 1.8 points over your limit of 25 %.');
  return { path: `2026-01-13/${id}.jsonl`, bytes: Buffer.from(logFile(session.lines())) };
}
