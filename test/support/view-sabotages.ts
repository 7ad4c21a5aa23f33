/** Deliberate bugs in the report, the viewer and the loop, each with the test that must fail because of it. */
import type { Sabotage } from './sabotage.ts';

const VIEWER = 'test/view/viewer.test.ts';
const FINDING = 'test/view/finding.test.ts';
const REQUESTS = 'test/view/requests.test.ts';
const AGENT_CHATS = 'test/view/agent-chats.test.ts';
const LIVE = 'test/view/live.test.ts';
const REFUSALS = 'src/view/refusals.ts';

export const viewSabotages: Readonly<Record<string, Sabotage>> = {
  v1_text_as_html: {
    file: 'src/view/app/message.tsx',
    from: '<pre>{mono ? part : <Markdown text={part} />}</pre>',
    to: '{mono ? <Markdown text={part} /> : <pre dangerouslySetInnerHTML={{ __html: part }} />}',
    test: [VIEWER, 'runs nothing'],
  },
  v1_image_from_outside: {
    file: 'src/view/app/picture.tsx',
    from: '/^data:image\\/(?:png|jpeg|gif|webp)[;,]/',
    to: '/^/',
    test: [VIEWER, 'runs nothing'],
  },
  v1_name_as_html: {
    file: 'src/report/outside.tsx',
    from: "<bdi class={mono === true ? 'mono' : undefined}>{fittedName(text)}</bdi>",
    to: "<bdi class={mono === true ? 'mono' : undefined} dangerouslySetInnerHTML={{ __html: fittedName(text) }} />",
    test: ['test/view/report.test.ts', 'runs nothing'],
  },
  v1_data_ends_its_script: {
    file: 'src/view/export.ts',
    from: '/[<\\u2028\\u2029]/g',
    to: '/[\\u2028\\u2029]/g',
    test: ['test/view/export.test.ts', 'stays text'],
  },
  v2_names_not_cut: {
    file: 'src/charts/numbers.ts',
    from: "if (cost.reduce((sum, n) => sum + n, 0) <= most) return characters.join('');",
    to: "if (cost.reduce((sum, n) => sum + n, 0) <= 100 * most) return characters.join('');",
    test: ['test/src/report/report.test.ts', 'at most 512 KiB'],
  },
  v2_date_in_the_page: {
    file: 'src/report/page.tsx',
    from: 'Written by turnmill {manifest.tool.version}.',
    to: 'Written by turnmill {manifest.tool.version}, {performance.now()}.',
    test: ['test/src/ledger/dataset-profile.test.ts', 'same bytes with any number of workers'],
  },
  v3_low_contrast: {
    file: 'src/charts/design-css.ts',
    from: '--ink3:light-dark(#6f7377,#8b8f92)',
    to: '--ink3:light-dark(#a9adb1,#55595c)',
    test: [VIEWER, 'passes axe'],
  },
  v3_low_contrast_in_the_report: {
    file: 'src/charts/design-css.ts',
    from: '--ink2:light-dark(#565a5e,#a6a8a9)',
    to: '--ink2:light-dark(#a9adb1,#55595c)',
    test: ['test/view/report.test.ts', 'passes axe'],
  },
  v3_div_that_takes_clicks: {
    file: 'src/view/app/main.tsx',
    from: `<button type="button" class="quiet" onClick={saveSelection}>
          {\`\${showNumber(selected.value.size)} selected · save list for --only\`}
        </button>`,
    to: '<div class="quiet" onClick={saveSelection}>save list for --only</div>',
    test: [VIEWER, 'every control'],
  },
  v3_wider_than_a_phone: {
    file: 'src/view/app-css.ts',
    from: '.msg{grid-template-columns:1fr;gap:4px;padding:12px 16px}',
    to: '.panes{min-width:700px}',
    test: [VIEWER, 'fits a phone'],
  },
  v3_report_wider_than_a_phone: {
    file: 'src/charts/report-css.ts',
    from: '.scroll{overflow-x:auto}',
    to: '.scroll{min-width:600px}',
    test: ['test/view/report.test.ts', 'fits a phone'],
  },
  v3_print_stays_folded: {
    file: 'src/charts/report-css.ts',
    from: 'details::details-content{content-visibility',
    to: 'details::no-such-content{content-visibility',
    test: ['test/view/report.test.ts', 'prints'],
  },
  v3_print_of_one_screen: {
    file: 'src/view/app-css.ts',
    from: '.panes{display:block!important}.pane{overflow:visible}html,body,#app,.app{height:auto}',
    to: '',
    test: [VIEWER, 'prints'],
  },
  v4_formula_alone: {
    file: 'src/view/app/held-end.ts',
    from: `  release(): void {
    this.#isHeld = false;
  }`,
    to: `  release(): void {
    this.#isHeld = this.box.current !== null && isAtEnd(this.box.current);
  }`,
    test: [LIVE, 'stays in place'],
  },
  v4_half_a_line: {
    file: 'src/view/line-index.ts',
    from: `    if (isShorter) return 'replaced';`,
    to: `    if (this.#open < this.#seen) {
      this.#lines += 1;
      this.#open = this.#seen;
    }
    if (isShorter) return 'replaced';`,
    also: [
      `      at += read;
    }
    return lines;`,
      `      at += read;
    }
    if (heldBytes > 0) lines.push({ offset: start, bytes: at - start, content: Buffer.concat(held) });
    return lines;`,
    ],
    test: [LIVE, 'unfinished line'],
  },
  v5_host: {
    file: REFUSALS,
    from: "if (!hosts.includes(headers.host ?? ''))",
    to: "if (!hosts.includes(headers.host ?? '') && port < 0)",
    test: [REQUESTS, 'a request to the viewer'],
  },
  v5_host_without_port: {
    file: REFUSALS,
    from: "if (!hosts.includes(headers.host ?? ''))",
    to: "if (!hosts.some((host) => host.startsWith(headers.host ?? '')))",
    test: [REQUESTS, 'a request to the viewer'],
  },
  v5_origin: {
    file: REFUSALS,
    from: 'if (headers.origin !== undefined && !own.includes(headers.origin))',
    to: 'if (headers.origin !== undefined && !own.includes(headers.origin) && port < 0)',
    test: [REQUESTS, 'a request to the viewer'],
  },
  v5_origin_null: {
    file: REFUSALS,
    from: 'if (headers.origin !== undefined && !own.includes(headers.origin))',
    to: "if (headers.origin !== undefined && headers.origin !== 'null' && !own.includes(headers.origin))",
    test: [REQUESTS, 'a request to the viewer'],
  },
  v5_site: {
    file: REFUSALS,
    from: "if (!OWN_SITE.has(headers['sec-fetch-site']) && !isNavigation(headers))",
    to: "if (!OWN_SITE.has(headers['sec-fetch-site']) && !isNavigation(headers) && port < 0)",
    test: [REQUESTS, 'a request to the viewer'],
  },
  v5_method: {
    file: REFUSALS,
    from: "if (method !== 'GET')",
    to: "if (method !== 'GET' && port < 0)",
    test: [REQUESTS, 'a request to the viewer'],
  },
  v5_key: {
    file: REFUSALS,
    from: 'if (token !== undefined && timingSafeEqual(digest(token), digest(key))) return undefined;',
    to: 'if (timingSafeEqual(digest(key), digest(key)) || token === key) return undefined;',
    test: [REQUESTS, 'a request to the viewer'],
  },
  v5_wrong_key: {
    file: REFUSALS,
    from: 'if (token !== undefined && timingSafeEqual(digest(token), digest(key))) return undefined;',
    to: 'if (token !== undefined && timingSafeEqual(digest(key), digest(key))) return undefined;',
    test: [REQUESTS, 'a request to the viewer'],
  },
  v5_constructor: {
    file: 'src/view/server.ts',
    from: 'ROUTES.get(pathname.slice(API.length))',
    to: '(Object.fromEntries(ROUTES) as Record<string, ReturnType<typeof ROUTES.get>>)[pathname.slice(API.length)]',
    test: [REQUESTS, 'a request to the viewer'],
  },
  v6_markdown_without_its_marks: {
    file: 'src/view/app/markdown.tsx',
    from: '<i class="md-mark">{this.#upTo(end)}</i>',
    to: '<i class="md-mark">{this.#upTo(end).slice(9)}</i>',
    test: [VIEWER, 'as they were logged'],
  },
  v6_plain_parse: {
    file: 'src/view/app/exact.ts',
    from: 'return String(value) === context.source ? value : (json.rawJSON?.(context.source) ?? context.source);',
    to: 'return value;',
    test: [VIEWER, 'numbers and bytes'],
  },
  v7_shard_as_a_whole: {
    file: 'src/view/line-index.ts',
    from: "    this.#fd = openSync(path, 'r');\n",
    to: "    this.#fd = openSync(path, 'r');\n    Object.assign(this, { whole: Buffer.alloc(fstatSync(this.#fd).size, 1) });\n",
    test: ['test/view/million.test.ts', 'are listed'],
  },
  v7_all_rows: {
    file: 'src/view/app/rows.tsx',
    from: 'const OVERSCAN = 8;',
    to: 'const OVERSCAN = 80;',
    test: ['test/view/million.test.ts', 'are listed'],
  },
  v7_search_at_its_end: {
    file: 'src/view/rows.ts',
    from: 'onHit: (number) => write(rowAt(number) ?? {}),',
    to: 'onHit: (number) => void setTimeout(() => write(rowAt(number) ?? {}), 3000),',
    test: ['test/view/million.test.ts', 'stream search results'],
  },
  v8_search_for_each_key: {
    file: 'src/view/app/state.ts',
    from: "document.activeElement?.id !== 'q'",
    to: "document.activeElement?.id === 'q'",
    test: [FINDING, 'searches for'],
  },
  v8_hash_without_state: {
    file: 'src/view/app/address.ts',
    from: '  hash.value = to;',
    to: '  setTimeout(() => (hash.value = to));',
    test: [FINDING, 'twenty times'],
  },
  v8_view_outside_the_address: {
    file: 'src/view/app/address.ts',
    from: "computed(() => place.value.query.get('view') === 'raw')",
    to: "computed(() => place.value.query.get('view') === 'raw' && performance.now() > 1e9)",
    test: [FINDING, 'keeps everything in its address'],
  },
  v9_activity: {
    file: 'transforms/dialects/text-protocol/tool-activity.ts',
    from: "const EDITS = new Set(['write', 'append', 'line_edit']);",
    to: "const EDITS = new Set(['write', 'append']);",
    test: [AGENT_CHATS, 'chats of the agent'],
  },
  v9_states_as_text: {
    file: 'src/view/shown.ts',
    from: 'const segments = text === undefined ? [] : parseMessageSegments(text);',
    to: "const segments = text === undefined ? [] : [...parseMessageSegments(text), { kind: 'text', text } as const];",
    test: [VIEWER, 'shows state lines'],
  },
  v9_reasoning_unfolded: {
    file: 'src/view/app/message.tsx',
    from: '<details class="think">',
    to: '<details class="think" open>',
    test: [AGENT_CHATS, 'chats of the agent'],
  },
  v10_link_to_other_rows: {
    file: 'src/report/counts.tsx',
    from: '(bin)[0], binRange(end)[1]];',
    to: '(bin)[0], binRange(end)[1] + 1];',
    test: [FINDING, 'begins with the numbers'],
  },
  v10_wrong_bin: {
    file: 'src/ledger/counts.ts',
    from: 'Math.floor((value / 2 ** octave - 1) * PER_OCTAVE)',
    to: 'Math.round((value / 2 ** octave - 1) * PER_OCTAVE)',
    test: ['test/view/report.test.ts', 'numbers that verify counts'],
  },
  v10_wrong_number: {
    file: 'src/charts/bars.tsx',
    from: '<td class="num">{showNumber(value)}</td>',
    to: '<td class="num">{showNumber(value + 1)}</td>',
    test: ['test/view/report.test.ts', 'numbers that verify counts'],
  },
  v11_endless: {
    file: 'src/loop/run-loop.ts',
    from: 'left > 0; left--',
    to: 'left > -2; left--',
    test: ['test/src/loop/loop.test.ts', 'limits the number of steps'],
  },
  v11_key_in_an_output: {
    file: 'src/loop/completion.ts',
    from: 'if (calls === null) return { content };',
    to: 'if (calls === null) return { content: process.env.LOOP_KEY ?? content };',
    test: ['test/src/cli/loop.test.ts', 'writes the same bytes twice'],
  },
  v12_spacing: {
    file: 'src/view/app-css.ts',
    from: 'gap:18px;padding:15px 28px',
    to: 'gap:18px;padding:17px 28px',
    test: ['test/view/pictures.test.ts', 'looks as it did'],
  },
};
