/** The objects in which collectors ship a line that a program has logged. */

import type { JsonView } from '../json/json-view.ts';

/** Members with such a line, each with one that tells the collector. */
const ENVELOPES: Readonly<Record<string, string>> = {
  log: 'stream', // Docker, Fluent Bit
  MESSAGE: '__REALTIME_TIMESTAMP', // journald
  jsonPayload: 'insertId', // Google Cloud
  textPayload: 'insertId',
  _source: '_index', // Elasticsearch, OpenSearch
  line: 'labels', // Loki
  event: 'sourcetype', // Splunk
  data: 'specversion', // CloudEvents
  detail: 'detail-type', // EventBridge
  value: 'topic', // Kafka
  Body: 'MessageId', // SQS
  Message: 'TopicArn', // SNS
};

const SIGNS: ReadonlySet<string> = new Set(Object.values(ENVELOPES));

/** Returns the content that a collector ships in an object, if the object is one of its envelopes. */
export const shippedIn = (object: JsonView): readonly (JsonView | undefined)[] =>
  object.keys().some((key) => SIGNS.has(key))
    ? Object.entries(ENVELOPES).map(([key, sign]) => object.get(sign) && object.get(key))
    : [];
