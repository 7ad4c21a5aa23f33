// A proxy that was killed while it wrote: the last line is torn. The model server gives arguments as
// objects, where 1.0 and 12345678901234567890 are numbers that a JSON.parse would change.

import { exact, ordered } from '../json.mjs';
import { openSession } from '../proxy.mjs';
import { moment, zoneless } from '../stamps.mjs';
import { boolean, logFile, number, oneOf, params, string, text, tool } from '../text.mjs';

const id = 'invoice-export-1768302018250700000';
const start = moment('2026-01-13T11:00:18Z', 250700);

const tools = [
  tool(
    'erp__find_invoices',
    'Invoices of a customer in a period.',
    params(
      {
        customer_no: [{ type: 'integer' }, 'Customer number, up to 20 digits'],
        from: [string, 'First day'],
        to: [string, 'Last day'],
        open_only: [boolean, 'Only unpaid ones'],
      },
      ['customer_no'],
    ),
  ),
  tool(
    'erp__convert_currency',
    'Convert an amount at the rate of a day.',
    params(
      {
        amount: [number, 'Amount'],
        rate: [number, 'Rate, when it is not to be looked up'],
        to: [oneOf('EUR', 'CHF', 'NOK'), 'Target currency'],
      },
      ['amount', 'to'],
    ),
  ),
  tool(
    'files__write_csv',
    'Write rows to a CSV file.',
    params(
      {
        path: [string, 'Where to'],
        columns: [{ type: 'object' }, 'Position of each column and its name'],
        rows: [{ type: 'array', items: { type: 'array' } }, 'The rows'],
      },
      ['path', 'rows'],
    ),
  ),
];

const found = text(
  '[{"invoice":"R-2025-1183","date":"2025-12-02","amount":1480.00,"currency":"CHF","paid":false},',
  ' {"invoice":"R-2025-1201","date":"2025-12-19","amount":312.50,"currency":"CHF","paid":false},',
  ' {"invoice":"R-2026-0007","date":"2026-01-05","amount":96.00,"currency":"CHF","paid":false}]',
);

/** The log of this session. */
export function invoiceExport() {
  const session = openSession({
    id,
    start,
    tools,
    stamp: zoneless,
    model: 'llama3.3:70b-instruct-q5_K_M',
    objectArguments: true,
    spare: {},
    system: {
      role: 'system',
      content:
        'You help the accounts department. Amounts always with two decimals and a currency. Ask before you write a file outside /srv/export.',
    },
  });
  session.user(
    'Open invoices of customer 12345678901234567890 since December as CSV please, amounts in CHF.',
  );
  session.callTools('', [
    [
      'erp__find_invoices',
      ordered(['customer_no', exact('12345678901234567890')], ['from', '2025-12-01'], ['open_only', true]),
      found,
    ],
  ]);
  session.callTools('Three invoices. All are in CHF already, so the rate is 1.', [
    [
      'erp__convert_currency',
      { amount: exact('1888.50'), rate: exact('1.0'), to: 'CHF' },
      '{"amount": 1888.50, "currency": "CHF"}',
    ],
  ]);
  session.callTools('', [
    [
      'files__write_csv',
      {
        path: '/srv/export/open-invoices.csv',
        columns: ordered(['3', 'amount'], ['1', 'invoice'], ['2', 'date']),
        rows: [
          ['R-2025-1183', '2025-12-02', exact('1480.00')],
          ['R-2025-1201', '2025-12-19', exact('312.50')],
          ['R-2026-0007', '2026-01-05', exact('96.00')],
        ],
      },
      '{"written": 3, "path": "/srv/export/open-invoices.csv"}',
    ],
  ]);
  session.answer('Done: three open invoices, **1,888.50 CHF** in all, in `/srv/export/open-invoices.csv`.');
  const whole = Buffer.from(logFile(session.lines()));
  const torn = whole.lastIndexOf('"object":"chat.completion"');
  return { path: `2026-01-13/${id}.jsonl`, bytes: whole.subarray(0, torn + 14) };
}
