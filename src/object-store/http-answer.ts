/** Reads responses that came through `node:http`: error responses, and those without a length. */
import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { AnswerHead } from './answer-head.ts';
import { NOT_THAT_RANGE, StoreFault } from './fault.ts';
import { Silence } from './silence.ts';
import { fill, type Sink } from './wire.ts';

/** Most bytes that are read of an error response. */
const MAX_ERROR_BYTES = 16 * 1024;

/** Returns the error code in the body of an error response, if there is one. */
export async function codeIn(answer: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_ERROR_BYTES) break;
    }
  } catch {
    // the status is enough
  }
  return /<Code>([\w.-]+)<\/Code>/.exec(Buffer.concat(chunks).toString('latin1'))?.[1];
}

/**
 * Passes the body of a response to a sink. Uses events, and one timer for all chunks: an iterator, and a timer for each
 * chunk, take more time than the bytes themselves.
 */
export function intoSink(answer: IncomingMessage, sink: Sink, idleMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const silence = new Silence(idleMs, () => answer.destroy(new StoreFault('ETIMEDOUT')));
    const end = (error?: Error): void => {
      silence.end();
      answer.destroy(); // does nothing if the response has ended
      if (error === undefined) resolve();
      else reject(error);
    };
    try {
      sink.begin(headOf(answer));
    } catch (error) {
      return end(error as Error);
    }
    answer.on('data', (chunk: Buffer) => {
      silence.break();
      if (chunk.length > sink.left) end(new StoreFault(NOT_THAT_RANGE, answer.statusCode, true));
      else fill(sink, chunk);
    });
    answer.once('end', () => end());
    answer.once('error', (error: NodeJS.ErrnoException) =>
      end(error instanceof StoreFault ? error : new StoreFault(error.code ?? 'failed')),
    );
    answer.once('close', () => end(new StoreFault('ECONNRESET')));
  });
}

function headOf({ statusCode = 0, headers }: IncomingMessage): AnswerHead {
  const single = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return {
    status: statusCode,
    headers: Object.fromEntries(single),
    length: undefined,
    closes: false,
    hasNoBody: false,
  };
}

/** A page of a listing has 1,000 keys of at most 1,024 bytes, each of which may be escaped as three. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Limits the bytes that the SDK reads of a response: it holds the whole body before it parses it. */
export function limitAnswers(sdk: S3Client): void {
  sdk.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const answer = result.response as { body?: Readable } | undefined;
      if (typeof answer?.body?.pipe === 'function') answer.body = limited(answer.body);
      return result;
    },
    { step: 'deserialize', name: 'limitAnswers', priority: 'low' },
  );
}

function limited(body: Readable): Readable {
  let bytes = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) done(new StoreFault('AnswerTooLong', undefined, false));
      else done(null, chunk);
    },
  });
  body.once('error', (error) => counting.destroy(error));
  counting.once('close', () => body.destroy());
  return body.pipe(counting);
}
