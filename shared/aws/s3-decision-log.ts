import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { formatInstant } from '../model/time.ts';
import type { Decision, DecisionLog } from '../ports/ports.ts';
import { gzipJson } from './gzip-json.ts';
import type { Log } from './log.ts';

/**
 * Stores decisions in the cluster's bucket as `decisions/<day>/<id>.json.gz`, where a lifecycle
 * rule deletes them. Writes events to the log, one line each.
 *
 * A decision that cannot be stored is logged and never thrown: no node waits for it.
 */
export function s3DecisionLog(
  s3: S3Client,
  { bucket, log }: { readonly bucket: string; readonly log: Log },
): DecisionLog {
  return {
    async recordDecision(decision) {
      const { id, kind } = decision;
      const key = toDecisionKey(decision);
      try {
        await s3.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: key,
            Body: await gzipJson(decision),
            ContentType: 'application/json',
            ContentEncoding: 'gzip',
          }),
        );
        log({ level: 'info', message: 'decided', fields: { decision: id, kind, key } });
      } catch (error) {
        const fields = { decision: id, kind, key, error: String(error) };
        log({ level: 'error', message: 'decision not stored', fields });
      }
    },
    async recordEvent(event) {
      log({ level: 'info', message: event.kind, fields: { event } });
    },
  };
}

/** One prefix of the bucket per day, in UTC. */
const toDecisionKey = ({ at, id }: Pick<Decision, 'at' | 'id'>): string =>
  `decisions/${formatInstant(at).slice(0, 10)}/${id}.json.gz`;
