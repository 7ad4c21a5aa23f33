/** The tokens of smaller services, as data: one rule, with a form for each shape. */

import { ALNUM, around, BASE64, END, HEX, token, UUID, WORD } from './forms.ts';
import type { Form } from './rule.ts';

export const CLOUD_TOKENS: readonly Form[] = [
  token(
    [
      ...['tskey-', 'pul-', 'rubygems_', 'sbp_', 'figd_', 'pscale_tkn_', 'pscale_pw_', 'NRAK-', 'LTAI'],
      ...['AGE-SECRET-KEY-1', 'nfp_', 'pscale_oauth_'],
    ],
    '[A-Za-z0-9_-]{20,120}',
  ),
  token(
    [
      ...['bkua_', 'CCIPAT_', 'CCIPRJ_', 'CFPAT-', 'HRKU-', 'sq0atp-', 'sq0csp-', 'sb_secret_', 'phx_'],
      ...['fo1_', 'rnd_', 'EZAK', 'EZTK', 'cfut_', 'cfat_', 'cfk_'],
      ...['apify_api_', 'duffel_live_', 'duffel_test_', 'fio-u-', 'pnu_', 'pnb_', 'ramp_sec_'],
      ...['rootly_', 'salad_cloud_', 'shltm_', 'xkeysib-', 'xsmtpsib-', 'sqco_', 'tfp_', 'figp_', 'pgar_'],
      ...['FLWSECK-', 'FLWSECK_TEST-', 'NRII-', 'NRIQ-', 'BBFF-', 'BBUS-', 'CLOJARS_'],
    ],
    `${WORD}{22,120}`,
    'secret',
  ),
  token(['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], `${ALNUM}{24,80}${END}`, 'secret'),
  token(['re_'], `${ALNUM}{8}_${ALNUM}{24}${END}`, 'secret'),
  token(['rdme_', 'napi_'], `[a-z0-9]{50,80}${END}`, 'secret'),
  token(['cio'], `${ALNUM}{32}${END}`, 'secret'),
  token(['aio_', 'ddp_', 'ddw_', 'ak_live_', 'ak_test_', 'AKID'], `${ALNUM}{28,36}${END}`, 'secret'),
  token(['ATBB'], `${ALNUM}{32}${END}`, 'secret'),
  token(['BBDC-'], `[A-Za-z0-9+/@_-]{40,50}`, 'secret'),
  token(['AKCp'], `${ALNUM}{69}${END}`),
  token(['cmVmdGtu'], `${ALNUM}{56}${END}`),
  token(['da2-'], `[a-z0-9]{26}${END}`, 'secret'),
  token(['oy2'], `[a-z0-9]{43}${END}`, 'secret'),
  token(['live_'], `${WORD}{40}${END}`, 'secret'),
  token(['API-'], `[A-Z0-9]{26,34}${END}`, 'secret'),
  token(['p8e-', 'ico-'], `${ALNUM}{32}${END}`, 'secret'),
  token(['tk-us-'], `${WORD}{48}${END}`, 'secret'),
  token(['sm_aat_', 'sm_pat_', 'sm_sat_'], `${ALNUM}{16}${END}`, 'secret'),
  token(['4b1d'], `${ALNUM}{38}${END}`, 'secret'),
  token(['sha256~'], `${WORD}{43}${END}`, 'secret'), // an OpenShift token
  token(['EAAC', 'EAAM'], `${ALNUM}{100,300}${END}`, 'secret'),
  token(['eyJrIjoi'], `${ALNUM}{70,380}={0,3}`),
  token(['pat.', 'sat.'], `${WORD}{22}\\.${ALNUM}{24}\\.${ALNUM}{20}${END}`),
  token(['A3-'], '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}'),
  token(['bb_pr_', 'bb_ma_'], `${HEX}{30}${END}`),
  token(['key-'], `${HEX}{32}${END}`),
  token(['pk_'], `(?:${ALNUM}{6}_)?${HEX}{34}${END}`),
  token(['sqa_', 'sqp_', 'squ_', 'shippo_live_', 'shippo_test_'], `${HEX}{40}${END}`),
  token(['sgp_'], `(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}${END}`),
  token(['slk_', 's-s4t2ud-', 's-s4t2af-'], `${HEX}{64}${END}`),
  token(['sec-c-'], `${BASE64}{40,64}={0,2}`),
  token(['pat-na1-', 'pat-na2-', 'pat-eu1-', 'amzn.mws.', 'sdk-'], `${UUID}${END}`),
  token(['1000.'], `${HEX}{32}\\.${HEX}{32}${END}`),
  { ...token(['v1.0-'], `${HEX}{24}-${HEX}{146}${END}`), head: `v1\\.0-${HEX}{24}-` },
  token(['dt0c01.', 'dt0s01.'], `[A-Z2-7]{24}\\.[A-Z2-7]{64}`),
  token(['VF.'], `(?:DM\\.|WS\\.)?[0-9a-fA-F]{24}\\.${ALNUM}{16}${END}`),
  token(['sl.u.', 'sl.B'], `${WORD}{120,300}`),
  token(['5AEP861'], '[A-Za-z0-9._=]{70,120}'),
  around(['!AQ', '!AR'], 15, ALNUM, '[A-Za-z0-9_.]{60,120}'), // a Salesforce session
  around(['-us'], 32, HEX, `\\d{1,2}${END}`),
  around(['FFFFNRAL'], 32, '[0-9a-fux]', END),
  around(['_mmk'], 36, '[A-Za-z0-9_]', END),
  around(['_PF84_', '_P0A1_'], 64, ALNUM, UUID),
  token(['sk.eyJ1'], `${WORD}{40,300}\\.${WORD}{20,40}${END}`),
  { ...token(['ops_eyJ'], '[A-Za-z0-9_+/-]{200,2000}'), reach: 2010, head: 'ops_eyJ' },
  {
    ...token(['fm2_', 'fm1r_', 'fm1a_'], '[A-Za-z0-9+/=_,-]{60,4000}'),
    reach: 4010,
    head: 'fm[12][ra]?_',
  },
  around(['.atlasv1.'], 14, ALNUM, `${WORD}{60,80}`),
  around(['JQQJ99'], 52, ALNUM, `${ALNUM}{26}`),
  {
    anchors: ['-Signature='], // in presigned URLs
    pattern: `(?<=X-(?:Amz|Goog))-Signature=(${HEX}{64,1024})`,
    reach: 1040,
    group: 1,
    check: 'random',
  },
  {
    anchors: ['hooks.zapier.com'],
    pattern: 'hooks\\.zapier\\.com/hooks/(?:catch|standard)/(\\d{4,12}/[A-Za-z0-9]{5,12})',
    group: 1,
    check: 'random',
  },
  {
    anchors: ['.webhook.office.com'],
    pattern:
      '\\.webhook\\.office\\.com/webhookb2/([A-Za-z0-9@-]{60,80}/IncomingWebhook/[0-9a-f]{32}/[A-Za-z0-9-]{30,60})',
    head: '\\.webhook\\.office\\.com',
    group: 1,
    check: 'random',
  },
];
