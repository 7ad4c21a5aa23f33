/** Values that look like secrets, joined from parts, so that no scanner of repositories reports this file. */

/** A fixed sequence of characters that look random. */
export function mixed(length: number, alphabet: string = LETTERS_AND_DIGITS, seed: number = 7): string {
  let state = seed;
  let text = '';
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += alphabet[(state >>> 16) % alphabet.length];
  }
  return text;
}

export const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export const HEX = '0123456789abcdef';
const LETTERS = LETTERS_AND_DIGITS.slice(0, 52);
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function base64Url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** One or more values for each rule with an anchor, and the text around a value, if it is not found without. */
export function planted(
  seed: number = 7,
): readonly { rule: string; value: string; before?: string; after?: string }[] {
  const m = (length: number, alphabet?: string): string => mixed(length, alphabet, seed + length);
  const key = `${['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' ')}\\n${m(64)}\\n${m(64)}\\n${['-----END RSA', 'PRIVATE KEY-----'].join(' ')}`;
  const uuid = `${m(8, HEX)}-${m(4, HEX)}-${m(4, HEX)}-${m(4, HEX)}-${m(12, HEX)}`;
  return [
    { rule: 'private-key', value: key },
    ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((kind) => ({
      rule: 'github-token',
      value: `${kind}_${m(36)}`,
    })),
    { rule: 'github-token', value: `github_${'pat'}_${m(22)}_${m(59)}` },
    { rule: 'npm-token', value: `npm_${m(36)}` },
    { rule: 'pypi-token', value: `pypi-${'AgE'}${m(150)}` },
    { rule: 'gitlab-token', value: `glpat-${m(20)}` },
    { rule: 'gitlab-token', value: m(32, LETTERS_AND_DIGITS.slice(26)), before: '_gitlab_session=' },
    { rule: 'aws-access-key', value: `AKI${'A'}${m(16, CAPITALS)}` },
    { rule: 'aws-secret-key', value: m(40), before: 'aws_secret_access_key = ' },
    { rule: 'google-key', value: `AIz${'a'}${m(35)}` },
    { rule: 'google-key', value: `GOCSPX-${m(28)}` },
    { rule: 'slack-token', value: `xox${'b'}-${m(12, '0123456789')}-${m(12, '0123456789')}-${m(24)}` },
    {
      rule: 'slack-webhook',
      value: `hooks.${'slack'}.com/services/T${m(8, CAPITALS)}/B${m(8, CAPITALS)}/${m(24)}`,
      before: 'https://',
    },
    { rule: 'stripe-key', value: `sk_${'live'}_${m(24)}` },
    { rule: 'stripe-key', value: `whsec_${m(32)}` },
    { rule: 'stripe-key', value: `pi_${m(24)}_${'secret'}_${m(25)}` },
    { rule: 'openai-key', value: `sk-${'proj'}-${m(74)}` },
    { rule: 'openai-key', value: `sk-${m(20)}T3Blbk${'FJ'}${m(20)}` },
    { rule: 'openai-key', value: `sk-${m(22)}` },
    { rule: 'openai-key', value: `ses${'s-'}${m(40)}` },
    { rule: 'anthropic-key', value: `sk-${'ant'}-api03-${m(93)}AA` },
    { rule: 'openrouter-key', value: `sk-${'or'}-v1-${m(64, HEX)}` },
    { rule: 'model-api-key', value: `gsk_${m(52)}` },
    { rule: 'model-api-key', value: `lsv2_pt_${m(32, HEX)}_${m(10, HEX)}` },
    { rule: 'model-api-key', value: `tvly-dev-${m(32)}` },
    { rule: 'model-api-key', value: `sk-${'lf'}-${m(8, HEX)}-${m(4, HEX)}-${m(4, HEX)}-${m(12, HEX)}` },
    { rule: 'model-api-key', value: `fw_${m(24)}` },
    { rule: 'model-api-key', value: `csk-${m(48, LETTERS_AND_DIGITS.slice(26))}` },
    { rule: 'model-api-key', value: `fc-${m(32, HEX)}` },
    { rule: 'model-api-key', value: `pcsk_${m(5)}_${m(63)}` },
    { rule: 'model-api-key', value: `sk_${m(48, HEX)}` },
    { rule: 'model-api-key', value: `BS${'A'}${m(28)}` },
    { rule: 'model-api-key', value: `sk-${'kimi'}-${m(64)}` },
    { rule: 'model-api-key', value: `tgp_v1_${m(43)}` },
    { rule: 'model-api-key', value: `m0-${m(40)}` },
    { rule: 'model-api-key', value: `crsr_${m(64, HEX)}` },
    { rule: 'model-api-key', value: `e2b_${m(40, HEX)}` },
    { rule: 'model-api-key', value: `rpa_${m(40, CAPITALS)}${m(6, LETTERS_AND_DIGITS.slice(26))}` },
    { rule: 'model-api-key', value: `cpk_${m(32, HEX)}.${m(32, HEX)}.${m(32)}` },
    { rule: 'model-api-key', value: `ctx7sk-${uuid}` },
    { rule: 'model-api-key', value: `ABS${'K'}${m(128)}` },
    { rule: 'model-api-key', value: `bedrock-${'api-key'}-${m(1200)}` },
    { rule: 'huggingface-token', value: `hf_${m(34, LETTERS)}` },
    { rule: 'azure-storage-key', value: `${m(86)}==`, before: 'AccountKey=' },
    { rule: 'azure-storage-key', value: `${m(76)}+A${'St'}${m(6)}==` },
    { rule: 'azure-storage-key', value: `${m(76)}API${'M'}${m(5)}Q==` },
    { rule: 'azure-storage-key', value: `${m(44)}AzF${'u'}${m(5)}A==` },
    { rule: 'azure-storage-key', value: `${m(42)}AzS${'e'}B${m(5)}` },
    { rule: 'azure-storage-key', value: `${m(33)}AzC${'a'}${m(6)}=` },
    { rule: 'azure-client-secret', value: `1.${'A'}${m(80)}.${'Ag'}${m(600)}` },
    { rule: 'cloud-token', value: `sb_${'secret'}_${m(31)}` },
    { rule: 'cloud-token', value: `cfut_${m(40)}${m(8, HEX)}` },
    { rule: 'cloud-token', value: `CCIPAT_${m(22)}_${m(40, HEX)}` },
    { rule: 'cloud-token', value: `vc${'p_'}${m(56)}` },
    { rule: 'cloud-token', value: `re_${m(8)}_${m(24)}` },
    { rule: 'cloud-token', value: `rdme_${m(70, LETTERS_AND_DIGITS.slice(26))}` },
    { rule: 'cloud-token', value: `ci${'o'}${m(32)}` },
    { rule: 'cloud-token', value: `sk.${'eyJ1'}${m(60)}.${m(22)}` },
    { rule: 'cloud-token', value: `ops_${'eyJ'}${m(600)}` },
    { rule: 'cloud-token', value: `fm2_${m(700)}` },
    { rule: 'cloud-token', value: `${m(14)}.atlas${'v1'}.${m(67)}` },
    { rule: 'cloud-token', value: `${m(52)}JQQ${'J99'}${m(26)}` },
    { rule: 'cloud-token', value: `xkeysib-${m(64, HEX)}-${m(16)}` },
    { rule: 'cloud-token', value: `FLWSECK-${m(32, HEX)}-X` },
    { rule: 'cloud-token', value: `aio_${m(28)}` },
    { rule: 'cloud-token', value: `ATB${'B'}${m(32)}` },
    { rule: 'cloud-token', value: `BBD${'C-'}${m(44)}` },
    { rule: 'cloud-token', value: `AKC${'p'}${m(69)}` },
    { rule: 'cloud-token', value: `cmVmd${'Gtu'}${m(56)}` },
    { rule: 'cloud-token', value: `da2-${m(26, LETTERS_AND_DIGITS.slice(26))}` },
    { rule: 'cloud-token', value: `oy${'2'}${m(43, LETTERS_AND_DIGITS.slice(26))}` },
    { rule: 'cloud-token', value: `liv${'e_'}${m(40)}` },
    { rule: 'cloud-token', value: `API-${m(32, CAPITALS)}` },
    { rule: 'cloud-token', value: `p8${'e-'}${m(32)}` },
    { rule: 'cloud-token', value: `sm_${'aat'}_${m(16)}` },
    { rule: 'cloud-token', value: `4b${'1d'}${m(38)}` },
    { rule: 'cloud-token', value: `sha256${'~'}${m(43)}` },
    { rule: 'cloud-token', value: `EA${'AC'}${m(180)}` },
    { rule: 'cloud-token', value: `eyJr${'Ijoi'}${m(90)}==` },
    { rule: 'cloud-token', value: `pa${'t.'}${m(22)}.${m(24)}.${m(20)}` },
    {
      rule: 'cloud-token',
      value: `A${'3-'}${m(6, CAPITALS)}-${m(11, CAPITALS)}-${m(5, CAPITALS)}-${m(5, CAPITALS)}-${m(5, CAPITALS)}`,
    },
    { rule: 'cloud-token', value: `bb_pr_${m(30, HEX)}` },
    { rule: 'cloud-token', value: `ke${'y-'}${m(32, HEX)}` },
    { rule: 'cloud-token', value: `pk_${m(34, HEX)}` },
    { rule: 'cloud-token', value: `squ_${m(40, HEX)}` },
    { rule: 'cloud-token', value: `sgp_${m(16, HEX)}_${m(40, HEX)}` },
    { rule: 'cloud-token', value: `slk_${m(64, HEX)}` },
    { rule: 'cloud-token', value: `sec-c-${m(48)}` },
    { rule: 'cloud-token', value: `pat-${'na1'}-${uuid}` },
    { rule: 'cloud-token', value: `100${'0.'}${m(32, HEX)}.${m(32, HEX)}` },
    { rule: 'cloud-token', value: `v1.${'0-'}${m(24, HEX)}-${m(146, HEX)}` },
    { rule: 'cloud-token', value: `dt0c${'01'}.${m(24, CAPITALS)}.${m(64, CAPITALS)}` },
    { rule: 'cloud-token', value: `VF.${'DM'}.${m(24, HEX)}.${m(16)}` },
    { rule: 'cloud-token', value: `sl.${'u.'}${m(140)}` },
    { rule: 'cloud-token', value: `5AEP${'861'}${m(80)}` },
    { rule: 'cloud-token', value: `00D${m(12)}!${'AQ'}${m(94)}` },
    { rule: 'cloud-token', value: `${m(32, HEX)}-${'us'}12` },
    { rule: 'cloud-token', value: `${m(32, HEX)}FFFF${'NRAL'}` },
    { rule: 'cloud-token', value: `${m(6)}_${m(29)}_${'mmk'}` },
    { rule: 'cloud-token', value: `${m(64)}_${'PF84'}_${uuid}` },
    {
      rule: 'cloud-token',
      value: `${m(7, '123456789')}/${m(7, LETTERS_AND_DIGITS.slice(26))}`,
      before: 'https://hooks.zapier.com/hooks/catch/',
    },
    {
      rule: 'cloud-token',
      value: `${m(36)}@${m(37)}/IncomingWebhook/${m(32, HEX)}/${m(33)}`,
      before: 'https://acme.webhook.office.com/webhookb2/',
    },
    { rule: 'azure-sas', value: `${m(43)}%3D`, before: '?sv=2024-01-01&sig=' },
    { rule: 'twilio-key', value: `S${'K'}${m(32, HEX)}` },
    { rule: 'sendgrid-key', value: `SG.${m(22)}.${m(43)}` },
    { rule: 'telegram-token', value: `${m(9, '123456789')}:A${'A'}${m(33)}` },
    { rule: 'discord-token', value: `${base64Url('112233445566778899').slice(0, 24)}.${m(6)}.${m(38)}` },
    { rule: 'digitalocean-token', value: `dop_v1_${m(64, HEX)}` },
    { rule: 'shopify-token', value: `shpat_${m(32, HEX)}` },
    { rule: 'databricks-token', value: `dap${'i'}${m(32, HEX)}` },
    { rule: 'linear-key', value: `lin_api_${m(40)}` },
    { rule: 'notion-token', value: `ntn_${m(46)}` },
    { rule: 'postman-key', value: `PMAK-${m(24, HEX)}-${m(34, HEX)}` },
    { rule: 'doppler-token', value: `dp.${'pt'}.${m(43)}` },
    { rule: 'vault-token', value: `hvs.${m(90)}` },
    { rule: 'grafana-token', value: `glsa_${m(32)}_${m(8, HEX)}` },
    { rule: 'sentry-token', value: `sntrys_${m(60)}` },
    { rule: 'atlassian-token', value: `ATATT${'3'}${m(180)}` },
    { rule: 'docker-token', value: `dckr_pat_${m(27)}` },
    {
      rule: 'jwt',
      value: `${base64Url('{\n  "alg":"HS256","typ":"JWT"}')}.${base64Url('{\n  "sub":"1234"}')}.${m(43)}`,
    },
    {
      rule: 'jwt',
      value: `${base64Url('{"alg":"HS256","typ":"JWT"}')}.${base64Url('{"sub":"1234","name":"A"}')}.${m(43)}`,
    },
    { rule: 'secret', value: m(40), before: 'Authorization: Bearer ' },
    {
      rule: 'secret',
      value: Buffer.from(`deploy:${m(14)}`).toString('base64'),
      before: 'Authorization: Basic ',
    },
    { rule: 'secret', value: m(14), before: 'postgres://app:', after: '@db.internal:5432/app' },
    { rule: 'secret', value: m(40), before: 'authorization: token ' },
    { rule: 'secret', value: `sid=${m(20)}; csrf=${m(16)}`, before: 'Cookie: ' },
    { rule: 'secret', value: m(16), before: 'curl -u deploy:', after: ' https://host/' },
    { rule: 'secret', value: m(16), before: 'login --password ', after: ' host' },
    { rule: 'secret', value: m(16), before: 'mysql -h db -p', after: ' app' },
    { rule: 'secret', value: m(16), before: 'machine host login deploy password ' },
    { rule: 'secret', value: m(20), before: 'DB_PASSWORD=' },
    { rule: 'secret', value: 'aQ3$kz9!', before: 'DB_PASSWORD=' },
    { rule: 'secret', value: 'aQ3,kz;9z', before: 'password: "', after: '"' },
    { rule: 'secret', value: m(24), before: 'clientSecret: ' },
    { rule: 'card', value: '4539 1488 0343 6467' },
    { rule: 'card', value: '371449635398431' },
    { rule: 'iban', value: 'DE89 3704 0044 0532 0130 00' },
    { rule: 'iban', value: 'GB29NWBK60161331926819' },
    { rule: 'email', value: 'ada.lovelace@analytical-engine.org' },
  ];
}
