import { describe, expect, it } from 'vitest';
import { secretsIn } from '../../../src/verify/secrets.ts';
import { redactBytes } from '../../../transforms/redaction/redact-bytes.ts';
import { RULES } from '../../../transforms/redaction/rules.ts';
import { SecretScan } from '../../../transforms/redaction/scan.ts';
import { HEX, mixed, planted } from './plant.ts';

const scan = new SecretScan(RULES);

function redact(text: string): { text: string; counts: Record<string, number> } {
  const { bytes, counts } = redactBytes(
    Buffer.from(text),
    scan,
    RULES,
    ({ name }) => `<${name.toUpperCase()}>`,
  );
  return { text: Buffer.from(bytes).toString(), counts: Object.fromEntries(counts) };
}

/** The forms of a text in a record: plain, in arguments, in arguments in arguments. */
const DEPTHS = [0, 1, 2];

function quoted(text: string, depth: number): string {
  let json = JSON.stringify({ text });
  for (let i = 0; i < depth; i++) json = JSON.stringify({ arguments: json });
  return json;
}

function unquoted(json: string): string {
  let value: unknown = json;
  while (typeof value === 'string') value = JSON.parse(value);
  for (;;) {
    const { text, arguments: inner } = value as { text?: string; arguments?: string };
    if (text !== undefined) return text;
    value = JSON.parse(inner as string);
  }
}

describe('redactBytes', () => {
  for (const { rule, value, before = '', after = '' } of planted()) {
    it.each(DEPTHS)(
      `replaces ${rule} (${value.slice(0, 6)}...) alone, after a line break and between quotes, %i deep`,
      (depth) => {
        const real = value.replaceAll('\\n', '\n');
        for (const [left, right] of [
          ['', ''],
          ['see\n', '\nend'],
          ['a "', '" b'],
          ["'", "'"],
          ['\t', '\r\n'],
          ['(', ')'],
          ['x=1;', ';'],
        ]) {
          const { text, counts } = redact(quoted(`${left}${before}${real}${after}${right}`, depth));
          expect(unquoted(text)).toBe(`${left}${before}<${rule.toUpperCase()}>${after}${right}`);
          expect(counts).toEqual({ [rule]: 1 });
        }
      },
    );
  }

  const value = mixed(36);
  const long = mixed(900);

  it.each([
    ['a header in capitals', `curl -H 'X-API-Key: ${value}'`],
    ['a header of Azure', `Ocp-Apim-Subscription-Key: ${mixed(32, HEX)}`],
    ['a header by name and value', `{"name": "x-api-key", "value": "${value}"}`],
    ['a header for the authorization by name and value', `{"name": "authorization", "value": "${value}"}`],
    ['a cookie by name and value', `{"name": "cookie", "value": "sid=${value}; csrf=${mixed(18)}"}`],
    ['a variable by name and value', `{\n  "name": "DB_PASSWORD",\n  "value": "${value}"\n}`],
    ['a variable of Kubernetes', `  - name: DB_PASSWORD\n    value: ${value}\n`],
    ['an attribute', `<add key="ApiKey" value="${value}" />`],
    ['an element', `<apiKey>${value}</apiKey>`],
    ['a long element', `<token>${long}</token>`],
    ['headers in a list', `["host", "a", "x-api-key", "${value}"]`],
    ['headers in tuples', `[(b'x-api-key', b'${value}')]`],
    ['arguments in a list', `"args": ["-y", "server", "--api-key", "${value}"]`],
    ['a long value in a list', `["x-auth-token", "${long}"]`],
    ['a long value', `AWS_SESSION_TOKEN=${long}`],
    ['a long value in quotes', `"SessionToken": "${long}"`],
    ['a password in a list of settings', `Server=a;Uid=b;Pwd=${mixed(18)};Encrypt=yes`],
    ['an address with escaped slashes', `{"url":"https:\\/\\/u:${mixed(18)}@host\\/"}`],
    ['a name of two words in a list', `os.getenv("ACCESS_TOKEN_SECRET", "${value}")`],
    ['an element of two words', `<accessTokenSecret>${value}</accessTokenSecret>`],
    ['an entry of a dictionary', `os.environ["API_KEY"] = "${value}"`],
    ['a value beside one of the environment', `apiKey: process.env.API_KEY || '${value}'`],
    ['another value beside one of the environment', `const key = process.env.API_KEY ?? "${value}"`],
    ['a name with a type', `const token: string = '${value}'`],
    ['a short name', `DB_PASS=${value}\nansible_ssh_pass: ${mixed(18)}`],
    ['a short name in an object', `auth: { user: 'a', pass: '${value}' }, "pwd": "${mixed(18)}"`],
    ['a name with blanks', `My API key: ${value}\nSecret access key: ${mixed(18)}`],
    ['a sentence', `the API key is \`${value}\`, the password is ${mixed(18)}.`],
    ['a header in capitals alone', `AUTHORIZATION: BEARER ${value}`],
    ['a cookie of curl', `curl -b "sid=${value}; csrf=${mixed(18)}" https://host`],
    ['another cookie of curl', `curl --cookie 'sid=${value}' https://host`],
    ['a token in place of a user', `https://${value}:x-oauth-basic@github.com/a/b`],
    ['a token without a password', `https://${value}:@api.stripe.com`],
    ['an address with a password with $', `postgres://app:pa$$w${mixed(18)}@db.internal/app`],
    ['SQL', `CREATE USER a IDENTIFIED BY '${value}'; ALTER ROLE b PASSWORD '${mixed(18)}'`],
    ['a command line of Redis', `redis-cli -h cache -a ${value} ping`],
    ['the file of npm', `_auth = ${value}`],
    ['an instruction of Docker', `ENV API_KEY ${value}`],
    ['commands that set a variable', `setx API_KEY "${value}" & set -gx DB_PASSWORD ${mixed(18)}`],
    ['a definition of C', `#define WIFI_PASSWORD   "${mixed(18)}"`],
    ['a secret of GitHub', `gh secret set API_KEY --body "${value}"; gh secret set TOKEN -b ${mixed(18)}`],
    ['a setting of a client', `aws configure set aws_secret_access_key ${mixed(43)}`],
    ['a setting of npm', `npm config set //registry.npmjs.org/:_authToken ${value}`],
    ['an option of OpenSSL', `openssl enc -aes-256-cbc -pass pass:${mixed(18)}`],
    ['a passphrase', `gpg --batch --passphrase ${mixed(18)} -d a`],
    ['the settings of Redis', `requirepass ${mixed(18)}`],
    ['a call of Python', `get(url, auth=("bob", "${mixed(18)}")), HTTPBasicAuth('bob', '${mixed(18)}')`],
    ['a text of Python', `api_key=r"${value}", token = f'${value}'\nPASSWORD = b"${mixed(18)}"`],
    ['a long text of Python', `API_KEY = """${value}"""`],
    ['a block of YAML', `password: |\n  ${mixed(18)}\ntoken: >-\n    ${value}\n`],
    ['a terminal with colours', `\u001b[36mAPI_KEY\u001b[0m=\u001b[1;33m${value}\u001b[0m`],
    ['a token alone before a host', `git clone https://${value}@github.com/a/b`],
    ['other short names', `login(user="bob", pw="${mixed(18)}"), psk="${mixed(18)}"`],
    ['the file of WireGuard', `PrivateKey = ${mixed(43)}=\nPresharedKey = ${value}`],
    ['the file of Laravel', `APP_KEY=base64:${mixed(43)}=`],
    [
      'the settings of Django',
      `SECRET_KEY = 'django-insecure-${mixed(24)}(@$)#${mixed(18)}_=b1'`
        .toLowerCase()
        .replace('secret_key', 'SECRET_KEY'),
    ],
    ['a signed address', `https://b.s3.amazonaws.com/k?X-Amz-Expires=9&X-Amz-Signature=${mixed(64, HEX)}`],
  ])('replaces the whole secret in %s, at any depth', (_what, text) => {
    for (const depth of DEPTHS) {
      const redacted = unquoted(redact(quoted(text, depth)).text);
      expect(redacted).toMatch(/<(?:SECRET|CLOUD-TOKEN)>/);
      for (const secret of [value, long, mixed(32, HEX), mixed(18), mixed(64, HEX), mixed(43)])
        expect(redacted).not.toContain(secret.slice(-8));
    }
  });

  it('leaves what only looks like a secret', () => {
    const near = [
      `ghp_${'x'.repeat(36)}`,
      `ghp_${mixed(20)}`,
      `AKIA${'EXAMPLE'.repeat(3).slice(0, 16)}`,
      `sk-${'ant'}-api03-your-key-here-your-key-here-your-key-here-your`,
      'postgres://user:password@localhost/db',
      `https://user:\${PASSWORD}@host/`,
      'password = process.env.DB_PASSWORD_2',
      'token: getToken2(request)',
      'apiKey: "your-api-key-1234567890"',
      'secret = "changeme-123456"',
      `"max_tokens": 4096, "token": "${'a'.repeat(30)}1"`,
      'Authorization: Bearer <SECRET:K7Q2M4XN3A> and <GITHUB_TOKEN:K7Q2M4XN3A>',
      'git@github.com:a/b.git, user@example.com, noreply@anthropic.com, logo@2x.png',
      '4539 1488 0343 6468 and 1234567890123456 and 2024-11-27 06:43:29 1732689809123',
      'DE88 3704 0044 0532 0130 00',
      `commit ${mixed(40, HEX)} sha256-${mixed(43)}=`,
      '-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----',
      'eyJhbGciOiJIUzI1NiJ9 alone',
      'docker run --user 1000:100000 -u nobody:nogroup, git push -u origin main2:feature/long-name-2',
      'token = b64encode(x), password: secret123, --token $TOKEN_2_OF_APP, --password "<your password 1>"',
      'napi_get_value_string_utf8, csk-learn, re_export_all_of_the_modules_1, sk-toggleable__label-2',
      'cookie: { secure: true }, "auth": "AuthenticationMiddleware1", Authorization: https://host/rfc6749/2',
      '["api_key", "text-embedding-3-small"], ("token", "b64encode"), required: ["secret", "name2"]',
      'PWD=/home/me2/Work3; pwd=$(pwd); OLDPWD=/tmp/a1B2c3, Promise<Token>(1), <token>text</token>',
      'a login page with a password field2 and the mysql option -p8080',
      '--- PASS: TestHTTP2Server/case_1 (0.00s), pass: test_foo_2bar3baz, if (pass === "a1B2c3D4e5")',
      `"nextPageToken": "${mixed(36)}", NextToken=${mixed(20)}, continuation_token: ${mixed(30)}`,
      'ENV TOKEN_FILE /run/secrets/token2.txt, set -x, config set token-lifetime 30d, #define TOKEN_MAX 0x1F2e3d4c',
      'secret: |\n  # see notes2, git clone https://build-server@host/a, auth=("bob", "password"), pw="$(cat pw2)"',
      'token: "IDENTIFIER_2", apiKey: import.meta.env.VITE_API_KEY_2, --secret id=npmrc,src=.npmrc2',
      'https://host:x-oauth-basic@github.com/a/b, git checkout -b feature/a1=b2, if (a.token || b2.other3Thing(c))',
    ];
    for (const text of near) expect(redact(JSON.stringify(text)).text).toBe(JSON.stringify(text));
  });

  it('replaces a value everywhere in its record, also where nothing else tells what it is', () => {
    const value = mixed(24);
    const { text, counts } = redact(JSON.stringify([`API_KEY=${value}`, `curl -H x-${value} ${value}/path`]));
    expect(text).toBe('["API_KEY=<SECRET>","curl -H x-<SECRET> <SECRET>/path"]');
    expect(counts).toEqual({ secret: 3 });
  });

  it('replaces no name of a member for a password that is a word', () => {
    const text = '{"messages":"postgres://app:messages@db.internal/app"}';
    expect(redact(text).text).toBe('{"messages":"postgres://app:<SECRET>@db.internal/app"}');
  });

  it('never begins or ends inside an escape', () => {
    const token = `npm_${mixed(36)}`;
    for (const json of [`"\\u0067${token}"`, `"\\u003d${token}"`, `"\\n${token.slice(1)}"`, `"\\${token}"`]) {
      const { text } = redact(json);
      expect(() => JSON.parse(text)).not.toThrow();
    }
    expect(redact(`"\\u003d${token}"`).text).toBe('"\\u003d<NPM-TOKEN>"');
    expect(redact('"\\nada@analytical-engine.org"').text).toBe('"\\n<EMAIL>"');
    expect(redact('"\\u0061da@analytical-engine.org"').text).toBe('"<EMAIL>"');
  });

  it('quotes the name of a number that stands alone, as deep as its member, and leaves numbers of an array', () => {
    const card = '4539148803436467';
    expect(redact(`{"card":${card}}`).text).toBe('{"card":"<CARD>"}');
    expect(redact(`{"a":"{\\"card\\": ${card}}"}`).text).toBe('{"a":"{\\"card\\": \\"<CARD>\\"}"}');
    expect(redact(`{"cards":[1,${card}]}`).text).toBe(`{"cards":[1,${card}]}`);
    expect(redact(`{"text":"card: ${card}"}`).text).toBe('{"text":"card: <CARD>"}');
  });

  it('cuts a private key that never ends at 20 kB, and finds one with line numbers', () => {
    const begin = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ');
    const lines = Array.from({ length: 1000 }, (_, i) => mixed(64, undefined, i + 1)).join('\\n');
    const { text } = redact(`"${begin}\\n${lines}"`);
    expect(text.startsWith('"<PRIVATE-KEY>')).toBe(true);
    expect(JSON.parse(text).length).toBeGreaterThan(40_000);
    const numbered = `     1→${begin}\n     2→${mixed(64)}\n     3→${begin.replace('BEGIN', 'END')}\n`;
    expect(JSON.parse(redact(JSON.stringify(numbered)).text)).toBe('     1→<PRIVATE-KEY>\n');
  });

  it.each([
    ['numbers and a colon', (n: number) => `${n}:`],
    ['the name of its file', (n: number) => `etc/tls.key:${n}:`],
    ['numbers after an L', (n: number) => `L${n}: `],
    ['numbers and a bar', (n: number) => `0000${n}| `],
    ['a minus', () => '-'],
    ['a plus', () => '+'],
    ['a sign of a quotation', () => '> '],
    ['a sign of a comment', () => '# '],
  ])('finds a private key with %s before each line, and so does verify', (_what, prefix) => {
    const begin = ['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' ');
    const lines = [
      begin,
      'DEK-Info: AES-128-CBC,0A',
      '',
      mixed(64),
      mixed(64),
      mixed(20),
      begin.replace('BEGIN', 'END'),
    ];
    const record = JSON.stringify(lines.map((line, i) => `${prefix(i)}${line}\n`).join(''));
    expect([...secretsIn(Buffer.from(record).toString('latin1'), RULES)].map(({ rule }) => rule)).toEqual([
      'private-key',
    ]);
    expect(JSON.parse(redact(record).text)).toBe(`${prefix(0)}<PRIVATE-KEY>\n`);
  });

  it.each(DEPTHS)(
    'finds values whose slashes are escaped at each of %i levels, and leaves other slashes',
    (depth) => {
      const escaped = (json: string): string => json.replaceAll('/', '\\/');
      const [begin, base64] = [
        ['-----BEGIN', 'PRIVATE KEY-----'].join(' '),
        `${mixed(30)}/${mixed(20)}+/${mixed(12)}`,
      ];
      const values = [
        `${begin}\n${base64}\n${base64}\n${begin.replace('BEGIN', 'END')}`,
        `${mixed(20)}/${mixed(19)}`,
      ];
      const text = `/a/ ${values[0]}\nAWS_SECRET_ACCESS_KEY=${values[1]} C:\\/b, again ${values[1]}/c`;
      let record = escaped(JSON.stringify({ text }));
      for (let i = 0; i < depth; i++) record = escaped(JSON.stringify({ arguments: record }));
      const { text: redacted, counts } = redact(record);
      expect(unquoted(redacted)).toBe(
        '/a/ <PRIVATE-KEY>\nAWS_SECRET_ACCESS_KEY=<AWS-SECRET-KEY> C:\\/b, again <AWS-SECRET-KEY>/c',
      );
      expect(counts).toEqual({ 'private-key': 1, 'aws-secret-key': 2 });
      expect(redacted.startsWith(record.slice(0, record.indexOf(begin)))).toBe(true);
    },
  );

  it.each(DEPTHS)('finds values in JSON of .NET at each of %i levels', (depth) => {
    const escaped = (value: unknown): string =>
      JSON.stringify(value).replace(/\\(.)|[&'+<=>`]/gs, (one, after) => {
        const left = after === undefined ? one : after;
        return after === undefined || after === '"'
          ? `\\u00${left.charCodeAt(0).toString(16).toUpperCase()}`
          : one;
      });
    const [secret, token] = [`${mixed(20)}+${mixed(19)}`, `npm_${mixed(36)}`];
    const text = `AWS_SECRET_ACCESS_KEY=${secret} {"password": "hunter+2", "ssn": 5} a=b&token='${token}', again ${secret}`;
    let record = escaped({ text });
    for (let i = 0; i < depth; i++) record = escaped({ arguments: record });
    const { text: redacted, counts } = redact(record);
    expect(counts).toEqual({ 'aws-secret-key': 2, secret: 1, 'npm-token': 1 });
    expect(unquoted(redacted)).toBe(
      'AWS_SECRET_ACCESS_KEY=<AWS-SECRET-KEY> {"password": "<SECRET>", "ssn": 5} a=b&token=\'<NPM-TOKEN>\', again <AWS-SECRET-KEY>',
    );
  });

  it('leaves escapes of other bytes as they are', () => {
    const json = '"\\u00e9\\u005c\\u005C/\\u0000\\u007f\\u00 \\u0022\\u0041"';
    expect(redact(json).text).toBe(json);
    expect(redact(`${json.slice(0, -1)} npm_${mixed(36)}"`).text).toBe(`${json.slice(0, -1)} <NPM-TOKEN>"`);
  });

  it('finds a private key in base64', () => {
    const begin = ['-----BEGIN EC', 'PRIVATE KEY-----'].join(' ');
    const key = Buffer.from(`${begin}\n${mixed(64)}\n${begin.replace('BEGIN', 'END')}\n`).toString('base64');
    const record = JSON.stringify(`client-key-data: ${key}\n`);
    expect([...secretsIn(record, RULES)].map(({ rule }) => rule)).toEqual(['private-key']);
    expect(redact(record).text).toBe('"client-key-data: <PRIVATE-KEY>\\n"');
    const certificate = Buffer.from(`-----BEGIN CERTIFICATE-----\n${mixed(64)}\n`).toString('base64');
    expect(redact(JSON.stringify(certificate)).counts).toEqual({});
  });

  it('names each of many values in a record', () => {
    const values = Array.from({ length: 2500 }, (_, i) => `ada${mixed(9, HEX, i)}${i}@analytical-engine.org`);
    expect(redact(JSON.stringify(values)).counts).toEqual({ email: 2500 });
  });
});
