/**
 * Where credentials come from: each source that works without AWS, credentials that expire during the run, and none at all. The store
 * checks the signature of every request; no secret may appear in a message or file.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { entryLine } from '../support/build-logs.ts';
import { turnmill } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { KEY_ID, refuse, SECRET, SESSION_TOKEN } from '../support/s3-endpoint.ts';
import { startStore } from '../support/s3-logs.ts';
import type { S3Server } from '../support/s3-server.ts';
import type { Fault, Misbehave, ReceivedRequest } from '../support/store-faults.ts';

const HOUR_MS = 3_600_000;
/** The secret token that a credentials service demands. */
const PROOF = 'PROOF-THAT-MUST-NOT-SHOW';
const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** A service that hands out credentials. */
interface Service {
  readonly url: string;
  readonly requests: IncomingMessage[];
}

async function serve(answer: (times: number) => string, type: string = 'application/json'): Promise<Service> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    response.writeHead(200, { 'content-type': type }).end(answer(requests.length));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const containerAnswer = (token: string, expires: number): string =>
  JSON.stringify({ AccessKeyId: KEY_ID, SecretAccessKey: SECRET, Token: token, Expiration: soon(expires) });

/** No AWS settings, and an empty home. */
function environmentOf(server: S3Server, home: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(server.environment).filter(([name]) => !name.startsWith('AWS_'));
  const none = { HOME: home, AWS_EC2_METADATA_DISABLED: 'true', AWS_REGION: 'us-east-1' };
  return { ...Object.fromEntries(own), ...none, ...more };
}

function write(path: string, lines: readonly string[]): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const sources: Readonly<Record<string, (home: string) => Promise<NodeJS.ProcessEnv>>> = {
  'the environment': async () => ({
    AWS_ACCESS_KEY_ID: KEY_ID,
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_SESSION_TOKEN: SESSION_TOKEN,
  }),
  'a profile of ~/.aws/credentials': async (home) => {
    write(join(home, '.aws/credentials'), [
      '[default]',
      'aws_access_key_id = WRONG',
      'aws_secret_access_key = WRONG',
      '[work]',
      `aws_access_key_id = ${KEY_ID}`,
      `aws_secret_access_key = ${SECRET}`,
      `aws_session_token = ${SESSION_TOKEN}`,
    ]);
    return { AWS_PROFILE: 'work' };
  },
  'the file of AWS_SHARED_CREDENTIALS_FILE': async (home) => ({
    AWS_SHARED_CREDENTIALS_FILE: write(join(home, 'elsewhere'), [
      '[default]',
      `aws_access_key_id = ${KEY_ID}`,
      `aws_secret_access_key = ${SECRET}`,
      `aws_session_token = ${SESSION_TOKEN}`,
    ]),
  }),
  'a program named in a profile': async (home) => {
    const file = write(join(home, 'answer.json'), [
      JSON.stringify({
        Version: 1,
        AccessKeyId: KEY_ID,
        SecretAccessKey: SECRET,
        SessionToken: SESSION_TOKEN,
        Expiration: soon(HOUR_MS),
      }),
    ]);
    const config = write(join(home, 'config'), ['[profile tool]', `credential_process = cat ${file}`]);
    return { AWS_CONFIG_FILE: config, AWS_PROFILE: 'tool' };
  },
  'a container': async () => {
    const { url } = await serve(() => containerAnswer(SESSION_TOKEN, HOUR_MS));
    return { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/get`, AWS_CONTAINER_AUTHORIZATION_TOKEN: PROOF };
  },
  'a web identity': async (home) => {
    const { url } = await serve(
      () =>
        `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${KEY_ID}</AccessKeyId><SecretAccessKey>${SECRET}</SecretAccessKey><SessionToken>${SESSION_TOKEN}</SessionToken><Expiration>${soon(HOUR_MS)}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      'text/xml',
    );
    return {
      AWS_WEB_IDENTITY_TOKEN_FILE: write(join(home, 'token'), [PROOF]),
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/logs',
      AWS_ENDPOINT_URL_STS: url,
    };
  },
  'a login by SSO': async (home) => {
    const credentials = {
      accessKeyId: KEY_ID,
      secretAccessKey: SECRET,
      sessionToken: SESSION_TOKEN,
      expiration: Date.now() + HOUR_MS,
    };
    const { url } = await serve(() => JSON.stringify({ roleCredentials: credentials }));
    const name = createHash('sha1').update('company').digest('hex');
    write(join(home, `.aws/sso/cache/${name}.json`), [
      JSON.stringify({ accessToken: PROOF, expiresAt: soon(HOUR_MS), region: 'us-east-1' }),
    ]);
    write(join(home, '.aws/config'), [
      '[sso-session company]',
      'sso_region = us-east-1',
      'sso_start_url = https://company.example.com/start',
      '[profile people]',
      'sso_session = company',
      'sso_account_id = 123456789012',
      'sso_role_name = logs',
    ]);
    return { AWS_PROFILE: 'people', AWS_ENDPOINT_URL_SSO: url };
  },
};

function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
}

function hasNoSecret(texts: readonly string[]): void {
  for (const secret of [SECRET, SESSION_TOKEN, PROOF])
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
}

const tokensOf = (server: S3Server): ReadonlySet<unknown> =>
  new Set(server.requests.map(({ headers }) => headers['x-amz-security-token']));

it.each(Object.entries(sources))('credentials from %s sign every request', async (_name, prepare) => {
  const server = await startStore();
  server.put('bucket/logs/a.jsonl', `${entryLine({ id: 'a' })}\n`);
  const home = temporaryFolder();
  const out = join(temporaryFolder(), 'out');
  const environment = environmentOf(server, home, await prepare(home));
  const args = ['build', 's3://bucket/logs/', '--out', out, '--log-level', 'debug'];
  const { status, stderr } = await turnmill(args, undefined, environment);
  expect([status, stderr]).toEqual([0, expect.stringContaining('1 record')]);
  const signed = server.requests.filter(({ headers }) => headers.authorization?.includes(KEY_ID));
  expect(signed.length).toBe(server.requests.length);
  expect(tokensOf(server)).toEqual(new Set([SESSION_TOKEN]));
  hasNoSecret([stderr, ...textsIn(out)]);
});

it('S013 credentials that expire midway are fetched again, for reading and for writing', async () => {
  const server = await startStore();
  for (let i = 0; i < 40; i++) server.put(`bucket/logs/${i}.jsonl`, `${entryLine({ id: `s${i}` })}\n`);
  const container = await serve((times) => containerAnswer(`${SESSION_TOKEN}-${times}`, HOUR_MS));
  let [gets, puts, heads] = [0, 0, 0];
  /** Refuses requests signed with the credentials handed out first, second ... */
  const refuseOld = (
    number: number,
    isDue: (request: ReceivedRequest) => boolean,
    answer: Misbehave,
  ): Fault =>
    server.fault(
      (request) => request.headers['x-amz-security-token'] === `${SESSION_TOKEN}-${number}` && isDue(request),
      answer,
      1000,
    );
  const expired = refuse(400, 'ExpiredToken');
  const faults = [
    refuseOld(1, ({ kind }) => kind === 'head' && ++heads > 0, expired),
    refuseOld(
      2,
      ({ kind, path }) => kind === 'get' && path.startsWith('bucket/logs') && ++gets > 20,
      expired,
    ),
    refuseOld(3, ({ kind, path }) => kind === 'put' && path.includes('/v-') && ++puts > 3, expired),
  ];
  const environment = environmentOf(server, temporaryFolder(), {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${container.url}/get`,
  });
  const args = [
    'build',
    's3://bucket/logs',
    '--out',
    's3://bucket/ds/',
    '--workers',
    '1',
    '--s3-in-flight',
    '1',
  ];
  const { status, stderr } = await turnmill([...args, '--log-level', 'debug'], undefined, environment);
  expect([status, stderr]).toEqual([0, expect.stringContaining('40 records')]);
  for (const { fired } of faults) expect(fired).toBeGreaterThan(0);
  expect(container.requests.length).toBeGreaterThan(3);
  hasNoSecret([stderr, ...server.keys('bucket/ds/').map((path) => server.text(path))]);
});

it('without any credentials the message says how to provide them', async () => {
  const server = await startStore();
  const environment = environmentOf(server, temporaryFolder(), {});
  const { status, stderr } = await turnmill(['check', 's3://bucket/logs/'], undefined, environment);
  expect([status, stderr]).toEqual([77, expect.stringContaining('AWS_ACCESS_KEY_ID')]);
  expect(server.requests).toEqual([]);
});
