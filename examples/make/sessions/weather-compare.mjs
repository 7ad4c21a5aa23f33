// A Windows machine: CR LF at the end of each line, and blank lines. Tool results that are error
// JSON: one beside a good result of the same tool, one alone. Call ids start anew in each turn.

import { openSession } from '../proxy.mjs';
import { moment } from '../stamps.mjs';
import { integer, logFile, number, oneOf, params, string, text, tool } from '../text.mjs';

const id = '0b1f6c2e-94a7-4d35-8e1c-72d9a5f3b480';
const start = moment('2026-01-13T06:58:12.033Z');

const tools = [
  tool(
    'weather__forecast',
    'Daily forecast for a city.',
    params({ city: [string, 'City, country code'], days: [integer, '1 to 10'] }, ['city']),
  ),
  tool(
    'weather__air_quality',
    'European air quality index, now.',
    params({ city: [string, 'City, country code'] }, ['city']),
  ),
  tool(
    'units__convert',
    'Convert a number from one unit to another.',
    params(
      {
        value: [number, 'The number'],
        from: [oneOf('c', 'f', 'ms', 'kmh', 'kn'), 'Its unit'],
        to: [oneOf('c', 'f', 'ms', 'kmh', 'kn'), 'The unit wanted'],
      },
      ['value', 'from', 'to'],
    ),
  ),
];

const forecast = (city, ...days) =>
  `{"city":"${city}","days":[${days
    .map(
      ([day, low, high, wind, sky]) =>
        `{"day":"${day}","low_c":${low},"high_c":${high},"wind_ms":${wind},"sky":"${sky}"}`,
    )
    .join(',')}]}`;

const reykjavik = forecast(
  'Reykjavík, IS',
  ['Fri', '-3.0', '1.5', '14.2', 'snow showers'],
  ['Sat', '-1.0', '2.0', '9.8', 'cloudy'],
);

/** The log of this session. */
export function weatherCompare() {
  const session = openSession({
    id,
    start,
    tools,
    model: 'qwen3-32b',
    spare: { reasoning_content: null },
    callId: (_, turnIndex) => `call_${turnIndex}`,
    system: {
      role: 'system',
      content:
        'You compare places for travellers. Use the weather tools, give temperatures in °C, and say when a number is missing instead of guessing it.',
    },
  });
  session.user('Long weekend from Friday: Oslo, Lisbon or Reykjavík? I want dry and not too much wind.');
  session.callTools(null, [
    [
      'weather__forecast',
      { city: 'Oslo, NO', days: 4 },
      forecast('Oslo, NO', ['Fri', '-8.0', '-2.5', '2.1', 'sunny'], ['Sat', '-9.5', '-4.0', '1.8', 'sunny']),
    ],
    [
      'weather__forecast',
      { city: 'Lisbon, PT', days: 4 },
      forecast('Lisbon, PT', ['Fri', '10.0', '15.5', '6.4', 'rain'], ['Sat', '9.0', '14.0', '7.9', 'rain']),
    ],
    [
      'weather__forecast',
      { city: 'Reykjavik, IS', days: 4 },
      '{"error":{"code":"STATION_OFFLINE","message":"station 04030 has not reported for 3 h"},"retry_after_s":30}',
    ],
  ]);
  session.callTools('Reykjavík did not answer. I look at the air there first and then try again.', [
    ['weather__air_quality', { city: 'Reykjavik, IS' }, '{"city":"Reykjavik, IS","aqi":null,"Timeout":true}'],
  ]);
  session.wait(30);
  session.callTools(null, [
    ['weather__forecast', { city: 'Reykjavík, IS', days: 4 }, reykjavik],
    ['units__convert', { value: 14.2, from: 'ms', to: 'kmh' }, '{"value":51.12,"unit":"kmh"}'],
  ]);
  session.answer(
    text(
      '**Oslo.** Dry and sunny on both days with hardly any wind, but cold: −2.5 °C at best on Friday.',
      '',
      '- Lisbon: 15.5 °C, rain on both days.',
      '- Reykjavík: 1.5 °C, snow showers on Friday with 14.2 m/s (51 km/h). The air quality there is missing, the service timed out.',
    ),
  );
  const [first, second, third, ...rest] = session.lines();
  return {
    path: `2026-01-13/weather-compare-${id}.jsonl`,
    bytes: Buffer.from(logFile([first, '', second, third, '', '', ...rest, ''], '\r\n')),
  };
}
