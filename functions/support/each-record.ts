import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { recordFailures } from './metrics.ts';
import { logger } from './telemetry.ts';

export type OnRecord = (record: SQSRecord) => Promise<void>;

/**
 * Processes the records of a batch and reports the failed ones. Records of one message group run in
 * order; groups run in parallel. After a failure the rest of its group is reported as failed too,
 * to keep the order.
 */
export const eachRecord =
  (onRecord: OnRecord) =>
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const lanes = Object.values(Object.groupBy(Records, laneOf)).map((lane = []) => lane);
    const failed = (await Promise.all(lanes.map((lane) => workLane(lane, onRecord)))).flat();

    recordFailures(failed.length);
    return { batchItemFailures: failed.map(toFailure) };
  };

/** A record of a standard queue has no message group and is a group of its own. */
const laneOf = ({ attributes, messageId }: SQSRecord): string =>
  attributes.MessageGroupId === undefined ? `one ${messageId}` : `all ${attributes.MessageGroupId}`;

/**
 * @returns the records to deliver again: the failed one and all behind it
 */
async function workLane(lane: readonly SQSRecord[], onRecord: OnRecord): Promise<readonly SQSRecord[]> {
  for (const [index, record] of lane.entries()) {
    try {
      await onRecord(record);
    } catch (error) {
      logger.error('message failed', { messageId: record.messageId, error });
      return lane.slice(index);
    }
  }
  return [];
}

const toFailure = ({ messageId }: SQSRecord): SQSBatchItemFailure => ({
  itemIdentifier: messageId,
});
