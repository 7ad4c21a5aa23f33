/**
 * The built-in rules of `--redact`, as data: what published kinds of tokens look like. A pattern is matched against the
 * bytes of a finished record (one character per byte), where quotation marks and line breaks are escaped.
 */

import { CLOUD_TOKENS } from './cloud-tokens.ts';
import { ALNUM, around, BASE64, END, HEX, secretIn, token, UUID, WORD } from './forms.ts';
import { ASSIGNS, NAMED_SECRETS } from './named-secret.ts';
import type { Form, Rule } from './rule.ts';

/** The first characters of a Discord token: base64 of the first digits of an id. */
const DISCORD_STARTS = Array.from({ length: 90 }, (_, i) => btoa(`${i + 10}0`).slice(0, 3));
/** The first line of a private key in base64, after `-----BEGIN`: RSA, EC, PKCS 8, OpenSSH, encrypted and DSA. */
const PEM_OPENERS = [
  ...['BSU0EgUFJJVkFURSBLRV', 'BFQyBQUklWQVRFIEtFW', 'BQUklWQVRFIEtFW', 'BPUEVOU1NIIFBSSVZBVEUgS0VZ'],
  ...['BFTkNSWVBURUQgUFJJVkFURSBLRV', 'BEU0EgUFJJVkFURSBLRV'],
];
const HEX_DIGITS = [...'0123456789abcdef'];

const CARD = String.raw`(?<![\d.-])\d{4}(?:[ -]?\d{4,6}){2}(?:[ -]?\d{1,7})?(?![\w-])(?!\.\d)`;
const IBAN = String.raw`(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])`;

/** The forms of each rule, by its name. */
const FORMS: Readonly<Record<string, readonly Form[]>> = {
  'private-key': [
    { anchors: ['-----BEGIN '], pattern: '' }, // found by private-key.ts, because a key spans lines
    {
      // in base64, as in a kubeconfig
      anchors: ['LS0tLS1CRUdJTi'],
      pattern: `LS0tLS1CRUdJTi(?:${PEM_OPENERS.join('|')})${BASE64}{20,20000}={0,2}`,
      reach: 20100,
      head: 'LS0tLS1CRUdJTi',
    },
  ],
  'github-token': [
    {
      anchors: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
      pattern: `gh[pousr]_${ALNUM}{36,255}`,
      check: 'checksum',
    },
    { anchors: ['github_pat_'], pattern: 'github_pat_[A-Za-z0-9_]{60,120}', check: 'random' },
  ],
  'npm-token': [token(['npm_'], `${ALNUM}{36}(?![A-Za-z0-9_])`, 'checksum')],
  'pypi-token': [token(['pypi-AgE'], `${WORD}{50,500}`)],
  'gitlab-token': [
    token(
      [
        ...['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-', 'glsoat-', 'glft-', 'glimt-', 'glagent-'],
        ...['gloas-', 'glffct-', 'GR1348941'],
      ],
      '[A-Za-z0-9_.-]{19,120}[A-Za-z0-9_-]',
    ),
    secretIn(['_gitlab_session='], '_gitlab_session=([0-9a-z]{32})'),
  ],
  'aws-access-key': [token(['AKIA', 'ASIA', 'ABIA', 'ACCA'], '[A-Z2-7]{16}(?![A-Za-z0-9])')],
  'aws-secret-key': [
    secretIn(
      ['ecret_access_key', 'ecretAccessKey', 'ECRET_ACCESS_KEY', 'ecret_key', 'ECRET_KEY'],
      `(?:ecret_(?:access_)?key|ecretAccessKey|ECRET_(?:ACCESS_)?KEY)${ASSIGNS}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])`,
      { isName: true },
    ),
  ],
  'google-key': [
    { anchors: ['AIza'], pattern: `AIza${WORD}{35}(?![A-Za-z0-9_-])`, check: 'random' },
    { anchors: ['GOCSPX-'], pattern: `GOCSPX-${WORD}{28}`, check: 'random' },
    { anchors: ['ya29.'], pattern: `ya29\\.${WORD}{30,400}`, check: 'random' },
    token(['AQ.'], `${WORD}{45,60}${END}`),
  ],
  'slack-token': [
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
  'slack-webhook': [
    {
      anchors: ['hooks.slack.com'],
      pattern:
        'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9]{6,20}/[A-Za-z0-9]{6,20}/[A-Za-z0-9/]{16,64}',
      check: 'random',
    },
  ],
  'stripe-key': [
    {
      anchors: ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_'],
      pattern: '[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,247}',
      check: 'random',
    },
    { anchors: ['whsec_'], pattern: 'whsec_[A-Za-z0-9+/]{24,64}={0,2}', check: 'random' },
    {
      anchors: ['_secret_'],
      pattern: `(?:pi|seti)_${ALNUM}{24}_secret_${ALNUM}{25}${END}`,
      back: 29,
      check: 'random',
    },
  ],
  'openai-key': [
    {
      anchors: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'],
      pattern: `sk-(?:proj|svcacct|admin|None)-${WORD}{40,300}`,
      check: 'random',
    },
    { anchors: ['sk-'], pattern: `sk-${ALNUM}{32,64}(?![A-Za-z0-9_-])`, check: 'random' },
    token(['sk-'], `${WORD}{22}${END}`, 'secret'), // of a LiteLLM proxy
    token(['sess-'], `${ALNUM}{40}${END}`),
  ],
  'anthropic-key': [token(['sk-ant-'], `${WORD}{40,200}`)],
  'openrouter-key': [token(['sk-or-v1-'], `${HEX}{64}`)],
  'model-api-key': [
    token(['gsk_', 'xai-', 'pplx-', 'r8_', 'nvapi-', 'jina_', 'pcsk_', 'wandb_v1_'], `${WORD}{36,120}`),
    token(['lsv2_pt_', 'lsv2_sk_', 'tvly-', 'sk-lf-', 'sk-kimi-', 'bb_live_'], `${WORD}{28,80}`, 'secret'),
    token(['tgp_v1_', 'm0-', 'pa-'], `${WORD}{40,43}${END}`, 'secret'),
    token(['crsr_', 'dtn_'], `${HEX}{64}${END}`),
    token(['e2b_'], `${HEX}{40}${END}`),
    token(['rpa_'], `[A-Z0-9]{40}[A-Za-z0-9]{0,10}${END}`),
    token(['cpk_'], `${HEX}{32}\\.${HEX}{32}\\.${ALNUM}{32}${END}`),
    token(['ctx7sk-'], UUID),
    token(['ABSK'], `${BASE64}{109,269}={0,2}`),
    {
      ...token(['bedrock-api-key-'], '[A-Za-z0-9+/=_-]{60,4000}'),
      reach: 4020,
      head: 'bedrock-api-key-',
    },
    token(['fw_'], `${ALNUM}{22,64}${END}`),
    token(['csk-'], `[a-z0-9]{40,64}${END}`, 'secret'),
    token(['fc-'], `${HEX}{32}${END}`),
    token(['sk_'], `${HEX}{48}${END}`),
    token(['BSA'], `${WORD}{28}${END}`, 'secret'),
  ],
  'huggingface-token': [token(['hf_', 'api_org_'], '[A-Za-z]{34}(?![A-Za-z0-9_])')],
  'azure-storage-key': [
    secretIn(
      ['AccountKey=', 'SharedAccessKey='],
      '(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{42,88}={0,2})',
    ),
    around(['+ASt', '+ABa', '+AMC'], 76, BASE64, `${BASE64}{6}==`),
    around(['APIM', 'ACDb'], 76, BASE64, `${BASE64}{5}[AQgw]==`),
    around(['AzFu'], 44, WORD, `${WORD}{5}[AQgw]==`),
    around(['AzSe', '+ACR'], 42, BASE64, `[A-D]${BASE64}{5}(?![A-Za-z0-9+/=])`),
    around(['AzCa', '+ASb', '+AEh', '+ARm', 'AIoT'], 33, BASE64, `${BASE64}{6}=(?!=)`),
  ],
  'azure-sas': [secretIn(['sig='], '(?<=[?&;]|u0026)sig=([A-Za-z0-9%+/]{40,80}(?:%3[dD]|=))')],
  'azure-client-secret': [
    {
      anchors: ['8Q~', '7Q~'],
      pattern: `${'[A-Za-z0-9_.~-]'}{3}[78]Q~[A-Za-z0-9_.~-]{31,34}`,
      back: 3,
      reach: 40,
      check: 'random',
    },
    // a refresh token
    {
      ...token(['0.A', '1.A'], `${WORD}{50,200}(?:\\.\\d)?\\.Ag${WORD}{200,2000}`),
      reach: 2300,
      head: `[01]\\.A${WORD}{50}`,
    },
  ],
  'twilio-key': [
    token(
      HEX_DIGITS.map((digit) => `SK${digit}`),
      `${HEX}{31}(?![0-9A-Za-z])`,
    ),
  ],
  'sendgrid-key': [token(['SG.'], `${WORD}{22}\\.${WORD}{43}(?![A-Za-z0-9_-])`)],
  'telegram-token': [
    {
      anchors: [':AA'],
      pattern: `\\d{8,10}:AA${WORD}{33}(?![A-Za-z0-9_-])`,
      back: 10,
      reach: 40,
      check: 'random',
    },
  ],
  'discord-token': [
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
  'digitalocean-token': [token(['dop_v1_', 'doo_v1_', 'dor_v1_'], `${HEX}{64}`)],
  'shopify-token': [token(['shpat_', 'shpca_', 'shppa_', 'shpss_'], '[0-9a-fA-F]{32}')],
  'databricks-token': [token(['dapi'], `${HEX}{32}(?:-\\d)?(?![0-9A-Za-z])`)],
  'linear-key': [token(['lin_api_', 'lin_oauth_'], `${ALNUM}{40,64}`)],
  'notion-token': [
    { anchors: ['ntn_'], pattern: `ntn_${ALNUM}{40,60}`, check: 'random' },
    { anchors: ['secret_'], pattern: `secret_${ALNUM}{43}(?![A-Za-z0-9])`, check: 'random' },
  ],
  'postman-key': [token(['PMAK-'], `${HEX}{24}-${HEX}{34}`)],
  'doppler-token': [
    token(
      ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
      '[A-Za-z0-9_.-]{38,80}[A-Za-z0-9]',
    ),
  ],
  'vault-token': [token(['hvs.', 'hvb.', 'hvr.'], `${WORD}{24,300}`)],
  'grafana-token': [token(['glsa_', 'glc_'], '[A-Za-z0-9_+/]{32,400}={0,2}')],
  'sentry-token': [token(['sntrys_', 'sntryu_'], '[A-Za-z0-9_+/]{40,300}={0,2}')],
  'atlassian-token': [token(['ATATT3', 'ATCTT3'], '[A-Za-z0-9_=-]{60,300}')],
  'docker-token': [token(['dckr_pat_', 'dckr_oat_'], `${WORD}{27,40}`)],
  'cloud-token': CLOUD_TOKENS,
  jwt: [
    {
      anchors: ['eyJ', 'ewog', 'ewoi'],
      pattern: `(?:eyJ|ewo[gi])${WORD}{10,2000}={0,2}\\.(?:eyJ|ewo)${WORD}{8,6000}={0,2}\\.${WORD}{16,1400}`,
      reach: 9500,
      head: '(?:eyJ|ewo)[A-Za-z0-9_-]{10}',
    },
  ],
  secret: NAMED_SECRETS,
  card: [{ anchors: [], pattern: CARD, check: 'card' }],
  iban: [{ anchors: [], pattern: IBAN, check: 'iban' }],
  email: [],
};

export const RULES: readonly Rule[] = Object.entries(FORMS).map(([name, forms]) => ({ name, forms }));
