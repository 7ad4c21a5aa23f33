// Japanese as plain UTF-8. Content as arrays of parts (text, an image, tool results, the info
// message), integer-like keys in a tool definition that must not be sorted, stamps with +09:00.

import { ordered } from '../json.mjs';
import { openSession } from '../proxy.mjs';
import { moment, tokyoNanos, wallClock } from '../stamps.mjs';
import { integer, listOf, logFile, params, string, text, tool } from '../text.mjs';

const id = 'calendar-ja-1768347125908231000';
const start = moment('2026-01-13T23:32:05Z', 908231);

const part = (content) => ({ type: 'text', text: content });

const colours = ordered(
  ['11', 'トマト'],
  ['9', 'ブルーベリー'],
  ['10', 'バジル'],
  ['2', 'セージ'],
  ['default', '7'],
);

const tools = [
  tool(
    'calendar__list_events',
    '期間内の予定を一覧にします。',
    params({ from: [string, '開始 (ISO 8601)'], to: [string, '終了 (ISO 8601)'] }, ['from', 'to']),
  ),
  tool('calendar__create_event', '予定を作成します。', {
    ...params(
      {
        title: [string, '件名'],
        start: [string, '開始 (ISO 8601)'],
        minutes: [integer, '長さ (分)'],
        attendees: [listOf(string), '参加者のメールアドレス'],
        color_id: [string, '色の番号'],
      },
      ['title', 'start', 'minutes'],
    ),
    'x-color-names': colours,
  }),
  tool(
    'contacts__lookup',
    '名前から連絡先を探します。',
    params({ name: [string, '姓または名、読みがなでも可'] }, ['name']),
  ),
];

const system = {
  role: 'system',
  content: [
    part('あなたは社内の予定を調整するアシスタントです。敬語で、簡潔に答えてください。'),
    part('\n時刻はすべて日本標準時 (JST) です。勤務時間は 9:30〜18:30。'),
  ],
};

/** A whiteboard photograph stands here; one grey pixel is enough to show the shape. */
const picture = {
  type: 'image_url',
  image_url: {
    url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
    detail: 'low',
  },
};

const events = text(
  '[{"id":"ev_301","title":"朝会","start":"2026-01-14T09:30:00+09:00","minutes":15},',
  ' {"id":"ev_302","title":"設計レビュー（検索API）","start":"2026-01-14T13:00:00+09:00","minutes":90},',
  ' {"id":"ev_303","title":"1on1 髙橋さん","start":"2026-01-14T16:30:00+09:00","minutes":30}]',
);

/** The log of this session. */
export function calendarJa() {
  const session = openSession({
    id,
    start,
    tools,
    system,
    stamp: tokyoNanos,
    model: 'claude-sonnet-4-20250514',
    spare: {},
    info: (micros) => ({
      role: 'user',
      content: [part('<info-msg>\n'), part(`現在時刻 (UTC): ${wallClock(micros)}\n</info-msg>\n`)],
    }),
  });
  session.user([
    part('ホワイトボードの写真です。明日、この件で髙橋さんと佐藤さんと1時間打ち合わせを入れてください📅'),
    picture,
  ]);
  session.callTools(
    [part('まず、お二人の連絡先と明日の予定を確認いたします。')],
    [
      [
        'contacts__lookup',
        { name: '髙橋' },
        [part('{"name":"髙橋 美咲","mail":"m.takahashi@example.co.jp","team":"検索"}')],
      ],
      [
        'contacts__lookup',
        { name: 'さとう' },
        [part('{"name":"佐藤 健","mail":"k.sato@example.co.jp","team":"基盤"}')],
      ],
      [
        'calendar__list_events',
        { from: '2026-01-14T00:00:00+09:00', to: '2026-01-15T00:00:00+09:00' },
        [part(events)],
      ],
    ],
  );
  session.answer(
    text(
      '明日は次の時間が空いています。',
      '',
      '- 10:00〜12:00',
      '- 14:30〜16:30',
      '',
      'ホワイトボードの「索引の再構築」の件ですね。14:30〜15:30 でよろしいでしょうか。',
    ),
  );
  session.wait(71.003);
  session.user([part('はい、14時半でお願いします。色は「バジル」🌿で。')]);
  session.callTools(null, [
    [
      'calendar__create_event',
      {
        title: '索引の再構築について 🌿',
        start: '2026-01-14T14:30:00+09:00',
        minutes: 60,
        attendees: ['m.takahashi@example.co.jp', 'k.sato@example.co.jp'],
        color_id: '10',
      },
      [part('{"id":"ev_304","status":"confirmed","link":"https://calendar.example.co.jp/ev_304"}')],
    ],
  ]);
  session.answer('1月14日 14:30〜15:30「索引の再構築について 🌿」を登録し、お二人に招待をお送りしました。');
  return { path: `2026-01-13/${id}.jsonl`, bytes: Buffer.from(logFile(session.lines())) };
}
