import type { S3Client } from '@aws-sdk/client-s3';
import type { Confirmation, Decision, DecisionLog } from '../ports/decision-log.ts';
import { createDecisionRecorder } from '../record/decision-recorder.ts';
import { toEventLine } from './event-line.ts';
import type { Log } from './log.ts';
import { s3RecordStore } from './s3-record-store.ts';

/** Returns the decision as it is to be stored, without names. */
export type RedactDecision = (decision: Decision | Confirmation) => Promise<Decision | Confirmation>;

interface S3DecisionLogParts {
  readonly bucket: string;
  /** The release of Mortise, which is part of each record. */
  readonly release: string;
  readonly log: Log;
  /** Undefined to store names as they are. */
  readonly redact?: RedactDecision;
}

/**
 * Records decisions with their input in the cluster's bucket, where a lifecycle rule deletes them.
 * Writes events to the log, one line each.
 *
 * A decision that cannot be stored is logged and never thrown: no node waits for it.
 */
export function s3DecisionLog(s3: S3Client, { bucket, release, log, redact }: S3DecisionLogParts): DecisionLog {
  const recorder = createDecisionRecorder(s3RecordStore(s3, bucket), release);

  async function record(decision: Decision | Confirmation): Promise<void> {
    const { id, kind } = decision;
    try {
      const key = await recorder.record(redact ? await redact(decision) : decision);
      if (key !== undefined) {
        log({ level: 'info', message: 'decided', fields: { decision: id, kind, key } });
      }
    } catch (error) {
      const fields = { decision: id, kind, error: String(error) };
      log({ level: 'error', message: 'decision not stored', fields });
    }
  }

  return {
    recordDecision: record,
    recordConfirmation: record,
    async recordEvent(event) {
      log(toEventLine(event));
    },
  };
}
