import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { recordFailures } from './figures.ts';
import { logger } from './telemetry.ts';

export type OnRecord = (record: SQSRecord) => Promise<void>;

/**
 * Works the records of a batch, each message group in its order and all else side by side, and
 * reports those that failed. With the first that fails its group ends: the rest of it is reported
 * untouched, for order must hold.
 */
export const eachRecord =
  (onRecord: OnRecord) =>
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const lanes = Object.values(Object.groupBy(Records, laneOf)).map((lane = []) => lane);
    const failed = (await Promise.all(lanes.map((lane) => workLane(lane, onRecord)))).flat();

    recordFailures(failed.length);
    return { batchItemFailures: failed.map(toFailure) };
  };

/** A record of a standard queue is a lane of its own. */
const laneOf = ({ attributes, messageId }: SQSRecord): string =>
  attributes.MessageGroupId === undefined ? `one ${messageId}` : `all ${attributes.MessageGroupId}`;

/** @returns what has to be handed over again: the record that failed and all behind it */
async function workLane(
  lane: readonly SQSRecord[],
  onRecord: OnRecord,
): Promise<readonly SQSRecord[]> {
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
