/** Limits the bytes that the SDK reads of a response: it holds the whole body before it parses it. */
import { type Readable, Transform } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { StoreFault } from './fault.ts';

/** A page of a listing has 1,000 keys of at most 1,024 bytes, each of which may be escaped as three. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

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
