/**
 * The rule for secrets that only the text before them tells: the name of a variable, a header, or an option of a command.
 * A value must be mixed (`secret` in values.ts), because words follow such texts too.
 */
import { secretIn } from './forms.ts';
import type { Form } from './rule.ts';

/** A part of a command line, up to a blank, a quotation mark, an escape, a placeholder or a sign of the shell. */
const ARGUMENT = `[^\\s"'\`\\\\<>$\\{\\}();|&]`;
const COOKIE = `[^\\s"'\\\\=;()]{1,80}=[^\\s"'\\\\;()]{0,2000}`;
/** A quotation mark before a value, at any depth of escaping. */
const QUOTE = `\\\\*["'\`]?`;
/** Names of variables that hold a secret, and how they begin in a text. */
const NAMED = {
  anchors: [
    ...['assword', 'ASSWORD', 'asswd', 'ASSWD', 'ecret', 'ECRET', 'oken', 'OKEN', 'redential', 'REDENTIAL'],
    ...['api_key', 'api-key', 'apikey', 'apiKey', 'ApiKey', 'Api-Key', 'API_KEY', 'API-KEY', 'APIKEY'],
    ...['API-Key', 'API_Key', 'ubscription-Key', 'ubscription-key', 'functions-key'],
    ...['api key', 'API key', 'API Key'],
    ...['access_key', 'accessKey', 'AccessKey', 'ACCESS_KEY', 'private_key', 'privateKey', 'PRIVATE_KEY'],
    ...['PrivateKey', 'PresharedKey', '_pass', '_PASS', '_pwd', '_PWD'],
    ...['auth_key', 'authKey', 'AUTH_KEY', 'signing_key', 'signingKey', 'SIGNING_KEY'],
    ...['master_key', 'masterKey', 'MASTER_KEY', 'encryption_key', 'encryptionKey', 'ENCRYPTION_KEY'],
    ...['passphrase', 'PASSPHRASE'],
  ],
  suffix: '(?:[ _-]?(?:key|value|base|access|Key|Value|Access|KEY|VALUE|BASE)){0,2}',
} as const;
/** The name of a place in a list of results is not one of a secret. */
const NAME = `(?<!(?:[Pp]age|[Nn]ext|ontinuation)_?[Tt])(?:${NAMED.anchors.join('|')})${NAMED.suffix}`;
/** Options of commands that are followed by a secret. */
const FLAGS = [
  ...['--password ', '--passwd ', '--token ', '--auth-token ', '--access-token ', '--api-key ', '--apikey '],
  ...['--secret ', '--client-secret ', '--secret-key ', '--api_key ', '--passphrase ', 'requirepass '],
];
/** Commands and instructions that are followed by a name, a blank and a value. */
const SETTERS = [
  ...['setx ', '#define ', 'ENV ', 'set -x ', 'set -gx ', 'env add ', 'secret set ', 'secret put '],
  ...['config set ', 'configure set '],
];
/** Sentences that end in a secret. */
const SAID = [
  ...['assword is ', 'oken is ', 'ecret is ', 'api key is ', 'API key is ', 'API_KEY is ', 'ccess key is '],
  ...['ecret key is '],
];
/** A name and its value are two members, attributes or lines: `"name": "API_KEY", "value": "..."`. */
const NAME_AND_VALUE = `(?:${QUOTE}\\s{0,4},?(?:\\s|\\\\+[nrt]){0,40}${QUOTE}[vV]alue)?`;
/** A type between a name and its value, as in TypeScript, Python and Rust. */
const TYPE = `(?:: ?&?(?:str|string|String)(?=\\s?=))?`;
/** A colour of a terminal. */
const COLOR = `(?:\\\\+u001[bB]\\[[0-9;]{0,12}m){0,3}`;
/** A text of YAML that begins on the next line. */
const BLOCK = `(?:[|>][+-]?\\\\+n(?: |\\\\+t){1,24})?`;
/** Before a text of Python: a quotation mark may stand three times. */
const OPENING = `(?:[bBfFrRuU]{1,2}(?=\\\\*["']))?${QUOTE}(?:\\\\*["']\\\\*["'])?`;
/** The characters between a name and its value: quotes at any depth of escaping, and a sign. */
export const ASSIGNS: string = `${QUOTE}\\]?${COLOR}${TYPE}\\s{0,4}(?::=|=>|[:=]|(?:\\|\\||\\?\\?)(?=\\s{0,4}\\\\*["'\`]))\\s{0,4}${BLOCK}${COLOR}${OPENING}(?![A-Z2-7]{10}>)`;

export const NAMED_SECRETS: readonly Form[] = [
  secretIn(['Bearer ', 'bearer '], '[bB]earer ([A-Za-z0-9_.=+/~-]{16,2000})', { reach: 2100 }),
  secretIn(['Basic ', 'basic '], '[bB]asic ([A-Za-z0-9+/]{16,400}={0,2})(?![A-Za-z0-9+/])'),
  {
    anchors: ['://'],
    pattern: `://[^\\s:/@"'\\\\<>$\\{\\}]{0,64}:(?!\\$)((?:[^\\s:/@"'\\\\<>$\\{\\}]|\\$(?![A-Z{(])){5,200})@`,
    group: 1,
    check: 'password',
  },
  secretIn(
    ['uthorization', 'UTHORIZATION'],
    `(?:uthorization|UTHORIZATION)${NAME_AND_VALUE}${QUOTE}\\s{0,4}[:=]\\s{0,4}${QUOTE}(?![Bb](?:earer|asic) |https?:)(?:[A-Za-z0-9-]{1,20} )?([A-Za-z0-9_.=+/~:-]{20,2000})`,
    { reach: 2100 },
  ),
  secretIn(
    ['ookie:', 'ookie"', 'ookie\\'],
    `ookie${NAME_AND_VALUE}${QUOTE}\\s{0,4}:\\s{0,4}${QUOTE}(?=[^"'\\\\()]{16})(${COOKIE}(?:; ${COOKIE}){0,40})`,
    { reach: 3200 },
  ),
  secretIn(['auth"', 'auth\\'], 'auth\\\\*"\\s{0,4}:\\s{0,4}\\\\*"([A-Za-z0-9+/]{16,400}={0,2})\\\\*"', {
    reach: 430,
  }),
  secretIn(FLAGS, `(?:${FLAGS.join('|')})(?!id=|type=)${QUOTE}(${ARGUMENT}{8,200})`),
  secretIn(
    SETTERS,
    `(?:${SETTERS.join('|')})(?: |\\\\+t){0,20}[A-Za-z0-9_./:-]{0,60}?(?:${NAMED.anchors.join('|')})[A-Za-z_]{0,20}(?: |\\\\+t){1,20}(?:(?:-b|--body|--value|<<<)[ =])?${QUOTE}(?!0x[0-9A-Fa-f]{1,16}\\b)(${ARGUMENT}{8,200})`,
  ),
  secretIn(['-pass pass:', '-passin pass:', '-passout pass:'], `-pass(?:in|out)? pass:(${ARGUMENT}{6,200})`),
  // the user and the password of a call of Python
  secretIn(
    ['auth=(', 'BasicAuth('],
    `(?:auth=|BasicAuth)\\(${QUOTE}[^"'\\\\]{1,64}\\\\*["'], ?\\\\*["']([^\\s"'\\\\<>\\{\\}]{8,200})(?=\\\\*["'])`,
  ),
  // a token where the user should be
  secretIn(['://'], `://([^\\s:/@"'\\\\<>$\\{\\}]{16,200})(?::(?:x-oauth-basic)?)?@`),
  secretIn(
    ['-b ', '--cookie '],
    `(?:-b|--cookie) ${QUOTE}(?=[A-Za-z0-9_.-]{1,80}=)(?=[^"'\\\\()]{16})(${COOKIE}(?:; ${COOKIE}){0,40})`,
    {
      reach: 3200,
    },
  ),
  secretIn(['-u ', '--user '], `(?:-u|--user) ${QUOTE}[A-Za-z0-9_.@%+-]{1,64}:(${ARGUMENT}{6,200})`),
  secretIn(
    ['mysql', 'docker login', 'sshpass', 'redis-cli'],
    `(?:(?:mysql(?:dump|admin|import)?|docker login|sshpass) (?:[^\\n"|;&\\\\]{0,100} )?-p ?|redis-cli (?:[^\\n"|;&\\\\]{0,100} )?-a )${QUOTE}(${ARGUMENT}{6,100})`,
  ),
  // .netrc
  secretIn(['login '], `login ${ARGUMENT}{1,100}(?:\\s|\\\\+[nrt]){1,9}password (${ARGUMENT}{6,200})`),
  secretIn(
    [';Pwd=', ';pwd=', ';PWD=', '; Pwd=', '; pwd=', '; PWD='],
    `; ?[Pp](?:wd|WD)=(?!/)([^\\s"'\`\\\\<>;]{6,200})`,
  ),
  // in SQL
  secretIn(
    ['IDENTIFIED BY ', 'identified by ', 'PASSWORD ', 'password '],
    `(?:IDENTIFIED BY|identified by|PASSWORD|password) '([^\\s"'\\\\<>\\{\\}]{8,200})'`,
  ),
  // in .npmrc
  secretIn(['_auth'], `_auth ?= ?\\\\*"?([A-Za-z0-9+/]{16,400}={0,2})`),
  // keys of Laravel and Django
  secretIn(['_KEY=base64:'], '_KEY=base64:([A-Za-z0-9+/]{42,44}={0,2})'),
  secretIn(
    ['SECRET_KEY'],
    `SECRET_KEY${ASSIGNS}((?:django-insecure-)?[a-z0-9!@#$%^&*(\\-_=+)]{50})(?=\\\\*["'])`,
    { isName: true },
  ),
  // in a sentence
  secretIn(SAID, `(?:${SAID.join('|')})${QUOTE}([A-Za-z0-9_+/!#%^*=~@&$-]{12,200})`),
  // between quotation marks, after a name that a test may have too
  secretIn(
    ['pass', 'pwd', 'psk', 'pw'].flatMap((name) =>
      [':', '=', ' =', '"', "'", '\\'].map((sign) => name + sign),
    ),
    `(?:(?<![A-Za-z])|(?<=\\\\[nrt]))(?:pass|pwd|psk|pw)${ASSIGNS}(?<=["'])([^\\s"'\`\\\\<>\\{\\}()[\\]]{8,200})(?=\\\\*["'])`,
  ),
  // in a list or a tuple
  secretIn(NAMED.anchors, `${NAME}\\\\*["'\`],\\s{0,4}b?\\\\*["'\`]([A-Za-z0-9_+/=]{20,2000})\\\\*["'\`]`, {
    reach: 2100,
    head: `${NAME}\\\\*["'\`],`,
    isName: true,
  }),
  // in an element of XML
  secretIn(NAMED.anchors, `${NAME}>([^\\s"'\`\\\\<>\\{\\}()[\\]]{8,2000})</`, {
    reach: 2100,
    head: `${NAME}>`,
    isName: true,
  }),
  secretIn(
    NAMED.anchors,
    `${NAME}${NAME_AND_VALUE}${ASSIGNS}(?!https?:|arn:|process\\.env|import\\.meta)((?<=["'\`])[^\\s"'\`\\\\<>\\{\\}()[\\]]{8,2000}(?=\\\\*["'\`])|(?!\\$)(?:[A-Za-z0-9_+/!#%^*.=~@&-]|\\$(?![{(])){8,2000})`,
    { reach: 2100, isName: true },
  ),
];
