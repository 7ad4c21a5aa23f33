/**
 * The built-in rules of `--redact`, as data: what published kinds of tokens look like. A pattern is matched against the
 * bytes of a finished record (one character per byte), where quotation marks and line breaks are escaped.
 */

/** Which values a match must have, besides its pattern (values.ts). */
export type ValueCheck = 'checksum' | 'random' | 'secret' | 'password' | 'card' | 'iban' | 'email';

/** One form of a rule's values. */
export interface Form {
  /** Texts of at least 3 bytes, one of which every match contains. */
  readonly anchors: readonly string[];
  /** A linear regular expression. It starts at the anchor, or at most `back` characters before it. */
  readonly pattern: string;
  readonly back?: number;
  /** Most bytes from the anchor to the end of a match; 400 if undefined. */
  readonly reach?: number;
  /** The capture group that is replaced; 0 or undefined for the whole match. */
  readonly group?: number;
  readonly check?: ValueCheck;
  /** How a match begins, if one may be longer than a first look. */
  readonly head?: string;
  /** Whether the anchor is part of a name, which `:` or `=` follows soon. */
  readonly isName?: true;
}

/** A kind of secret. Its placeholder has the name in capitals. */
export interface Rule {
  readonly name: string;
  /** A form without anchors is found by its digits; an e-mail address, which has no form, by `@` (scan.ts). */
  readonly forms: readonly Form[];
}

/** How a run redacts. Plain data: workers get a copy. */
export interface Redaction {
  /** `look`: only count what looks like a secret. */
  readonly mode: 'replace' | 'look';
  readonly key: string;
  readonly rules: readonly Rule[];
  /** Values that stay, by their SHA-256 or by a pattern. */
  readonly allow: { readonly hashes: readonly string[]; readonly patterns: readonly string[] };
}

const WORD = '[A-Za-z0-9_-]';
const ALNUM = '[A-Za-z0-9]';
const HEX = '[0-9a-f]';

/** A token that begins with its anchor. */
const prefixed = (
  name: string,
  anchors: readonly string[],
  rest: string,
  check: ValueCheck = 'random',
): Rule => ({
  name,
  forms: [{ anchors, pattern: `(?:${anchors.map(escaped).join('|')})${rest}`, check }],
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/** The first characters of a Discord token: base64 of the first digits of an id. */
const DISCORD_STARTS = Array.from({ length: 90 }, (_, i) => btoa(`${i + 10}0`).slice(0, 3));
const HEX_DIGITS = [...'0123456789abcdef'];

/** Names of variables that hold a secret, and how they begin in a text. */
const NAMED = {
  anchors: [
    ...['assword', 'ASSWORD', 'asswd', 'ASSWD', 'ecret', 'ECRET', 'oken', 'OKEN', 'redential', 'REDENTIAL'],
    ...['api_key', 'api-key', 'apikey', 'apiKey', 'ApiKey', 'Api-Key', 'API_KEY', 'API-KEY', 'APIKEY'],
    ...['access_key', 'accessKey', 'AccessKey', 'ACCESS_KEY', 'private_key', 'privateKey', 'PRIVATE_KEY'],
  ],
  suffix: '(?:[_-]?(?:key|value|base|Key|Value|KEY|VALUE|BASE)){0,2}',
} as const;
/** The characters between a name and its value: quotes at any depth of escaping, and a sign. */
const ASSIGNS = `\\\\*["'\`]?\\s{0,4}(?::=|=>|[:=])\\s{0,4}\\\\*["'\`]?(?![A-Z2-7]{10}>)`;

const CARD = String.raw`(?<![\d.-])\d{4}(?:[ -]?\d{4,6}){2}(?:[ -]?\d{1,7})?(?![\w-])(?!\.\d)`;
const IBAN = String.raw`(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])`;

export const RULES: readonly Rule[] = [
  {
    name: 'private-key',
    forms: [{ anchors: ['-----BEGIN '], pattern: '' }], // found by scan.ts, because a key spans lines
  },
  {
    name: 'github-token',
    forms: [
      {
        anchors: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
        pattern: `gh[pousr]_${ALNUM}{36,255}`,
        check: 'checksum',
      },
      { anchors: ['github_pat_'], pattern: 'github_pat_[A-Za-z0-9_]{60,120}', check: 'random' },
    ],
  },
  prefixed('npm-token', ['npm_'], `${ALNUM}{36}(?![A-Za-z0-9_])`, 'checksum'),
  prefixed('pypi-token', ['pypi-AgE'], `${WORD}{50,500}`),
  prefixed(
    'gitlab-token',
    ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-', 'glsoat-', 'glft-', 'glimt-', 'glagent-'],
    '[A-Za-z0-9_.-]{19,120}[A-Za-z0-9_-]',
  ),
  prefixed('aws-access-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], '[A-Z2-7]{16}(?![A-Za-z0-9])'),
  {
    name: 'aws-secret-key',
    forms: [
      {
        anchors: ['ecret_access_key', 'ecretAccessKey', 'ECRET_ACCESS_KEY', 'ecret_key', 'ECRET_KEY'],
        pattern: `(?:ecret_(?:access_)?key|ecretAccessKey|ECRET_(?:ACCESS_)?KEY)${ASSIGNS}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])`,
        group: 1,
        check: 'secret',
        isName: true,
      },
    ],
  },
  {
    name: 'google-key',
    forms: [
      { anchors: ['AIza'], pattern: `AIza${WORD}{35}(?![A-Za-z0-9_-])`, check: 'random' },
      { anchors: ['GOCSPX-'], pattern: `GOCSPX-${WORD}{28}`, check: 'random' },
      { anchors: ['ya29.'], pattern: `ya29\\.${WORD}{30,400}`, check: 'random' },
    ],
  },
  {
    name: 'slack-token',
    forms: [
      {
        anchors: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxs-', 'xoxr-', 'xoxo-', 'xoxe-', 'xoxc-', 'xoxd-'],
        pattern: 'xox[abprsoecd]-[A-Za-z0-9%.-]{18,254}[A-Za-z0-9]',
        check: 'random',
      },
      {
        anchors: ['xapp-'],
        pattern: 'xapp-\\d-[A-Za-z0-9]{6,20}-\\d{8,20}-[a-z0-9]{30,128}',
        check: 'random',
      },
    ],
  },
  {
    name: 'slack-webhook',
    forms: [
      {
        anchors: ['hooks.slack.com'],
        pattern:
          'hooks\\.slack\\.com\\\\*/(?:services|workflows|triggers)\\\\*/[A-Za-z0-9]{6,20}\\\\*/[A-Za-z0-9]{6,20}\\\\*/[A-Za-z0-9/]{16,64}',
        check: 'random',
      },
    ],
  },
  {
    name: 'stripe-key',
    forms: [
      {
        anchors: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
        pattern: '[sr]k_(?:live|test)_[A-Za-z0-9]{16,247}',
        check: 'random',
      },
      { anchors: ['whsec_'], pattern: 'whsec_[A-Za-z0-9+/]{24,64}={0,2}', check: 'random' },
    ],
  },
  {
    name: 'openai-key',
    forms: [
      {
        anchors: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'],
        pattern: `sk-(?:proj|svcacct|admin|None)-${WORD}{40,300}`,
        check: 'random',
      },
      { anchors: ['sk-'], pattern: `sk-${ALNUM}{32,64}(?![A-Za-z0-9_-])`, check: 'random' },
    ],
  },
  prefixed('anthropic-key', ['sk-ant-'], `${WORD}{40,200}`),
  prefixed('openrouter-key', ['sk-or-v1-'], `${HEX}{64}`),
  prefixed('model-api-key', ['gsk_', 'xai-', 'pplx-', 'r8_', 'fw_', 'nvapi-'], `${WORD}{36,120}`),
  prefixed('huggingface-token', ['hf_', 'api_org_'], '[A-Za-z]{34}(?![A-Za-z0-9_])'),
  {
    name: 'azure-storage-key',
    forms: [
      {
        anchors: ['AccountKey=', 'SharedAccessKey='],
        pattern: '(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{42,88}={0,2})',
        group: 1,
        check: 'secret',
      },
    ],
  },
  {
    name: 'azure-sas',
    forms: [
      {
        anchors: ['sig='],
        pattern: '(?<=[?&;]|u0026)sig=([A-Za-z0-9%+/]{40,80}(?:%3[dD]|=))',
        group: 1,
        check: 'secret',
      },
    ],
  },
  {
    name: 'azure-client-secret',
    forms: [
      {
        anchors: ['8Q~', '7Q~'],
        pattern: `${'[A-Za-z0-9_.~-]'}{3}[78]Q~[A-Za-z0-9_.~-]{31,34}`,
        back: 3,
        reach: 40,
        check: 'random',
      },
    ],
  },
  prefixed(
    'twilio-key',
    HEX_DIGITS.map((digit) => `SK${digit}`),
    `${HEX}{31}(?![0-9A-Za-z])`,
  ),
  prefixed('sendgrid-key', ['SG.'], `${WORD}{22}\\.${WORD}{43}(?![A-Za-z0-9_-])`),
  {
    name: 'telegram-token',
    forms: [
      {
        anchors: [':AA'],
        pattern: `\\d{8,10}:AA${WORD}{33}(?![A-Za-z0-9_-])`,
        back: 10,
        reach: 40,
        check: 'random',
      },
    ],
  },
  {
    name: 'discord-token',
    forms: [
      {
        anchors: DISCORD_STARTS,
        pattern: `[MNO]${WORD}{22,27}\\.${WORD}{6}\\.${WORD}{27,40}(?![A-Za-z0-9_-])`,
        check: 'random',
      },
      {
        anchors: ['/webhooks/'],
        pattern: `(?<=discord(?:app)?\\.com/api)/webhooks/(\\d{16,20}/${WORD}{60,80})`,
        group: 1,
        check: 'random',
      },
    ],
  },
  prefixed('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], `${HEX}{64}`),
  prefixed('shopify-token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], '[0-9a-fA-F]{32}'),
  prefixed('databricks-token', ['dapi'], `${HEX}{32}(?:-\\d)?(?![0-9A-Za-z])`),
  prefixed('linear-key', ['lin_api_', 'lin_oauth_'], `${ALNUM}{40,64}`),
  {
    name: 'notion-token',
    forms: [
      { anchors: ['ntn_'], pattern: `ntn_${ALNUM}{40,60}`, check: 'random' },
      { anchors: ['secret_'], pattern: `secret_${ALNUM}{43}(?![A-Za-z0-9])`, check: 'random' },
    ],
  },
  prefixed('postman-key', ['PMAK-'], `${HEX}{24}-${HEX}{34}`),
  prefixed(
    'doppler-token',
    ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    '[A-Za-z0-9_.-]{38,80}[A-Za-z0-9]',
  ),
  prefixed('vault-token', ['hvs.', 'hvb.', 'hvr.'], `${WORD}{24,300}`),
  prefixed('grafana-token', ['glsa_', 'glc_'], '[A-Za-z0-9_+/]{32,400}={0,2}'),
  prefixed('sentry-token', ['sntrys_', 'sntryu_'], '[A-Za-z0-9_+/]{40,300}={0,2}'),
  prefixed('atlassian-token', ['ATATT3', 'ATCTT3'], '[A-Za-z0-9_=-]{60,300}'),
  prefixed('docker-token', ['dckr_pat_', 'dckr_oat_'], `${WORD}{27,40}`),
  prefixed(
    'cloud-token',
    [
      'tskey-',
      'pul-',
      'rubygems_',
      'sbp_',
      'figd_',
      'pscale_tkn_',
      'pscale_pw_',
      'AGE-SECRET-KEY-1',
      'NRAK-',
      'LTAI',
      'nfp_',
    ],
    '[A-Za-z0-9_-]{20,120}',
  ),
  {
    name: 'jwt',
    forms: [
      {
        anchors: ['eyJ'],
        pattern: `eyJ${WORD}{10,2000}\\.eyJ${WORD}{8,6000}\\.${WORD}{16,1400}`,
        reach: 9500,
        head: 'eyJ[A-Za-z0-9_-]{10}',
      },
    ],
  },
  {
    name: 'secret',
    forms: [
      {
        anchors: ['Bearer ', 'bearer '],
        pattern: '[bB]earer ([A-Za-z0-9_.=+/~-]{16,2000})',
        reach: 2100,
        group: 1,
        check: 'secret',
      },
      {
        anchors: ['Basic ', 'basic '],
        pattern: '[bB]asic ([A-Za-z0-9+/]{16,400}={0,2})(?![A-Za-z0-9+/])',
        group: 1,
        check: 'secret',
      },
      {
        anchors: ['://'],
        pattern: `://[^\\s:/@"'\\\\<>$\\{\\}]{0,64}:([^\\s:/@"'\\\\<>$\\{\\}]{5,200})@`,
        group: 1,
        check: 'password',
      },
      {
        anchors: NAMED.anchors,
        pattern: `(?:${NAMED.anchors.join('|')})${NAMED.suffix}${ASSIGNS}([A-Za-z0-9_+/!#%^*.=~@&-]{10,200})`,
        reach: 280,
        group: 1,
        check: 'secret',
        isName: true,
      },
    ],
  },
  { name: 'card', forms: [{ anchors: [], pattern: CARD, check: 'card' }] },
  { name: 'iban', forms: [{ anchors: [], pattern: IBAN, check: 'iban' }] },
  { name: 'email', forms: [] },
];
