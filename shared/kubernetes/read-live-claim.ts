import * as z from 'zod';
import type { Labels } from '../model/labels.ts';
import { type LiveReading, liveMetadataSchema, readLive } from './live-object.ts';

/** What others can do to a NodeClaim object. Its status is our own writing. */
export interface LiveNodeClaim {
  readonly name: string;
  readonly generation: number;
  readonly annotations: Labels;
  readonly isDeleting: boolean;
}

const schema = z.object({
  metadata: liveMetadataSchema.extend({ generation: z.number().default(1) }),
});

export const pickNodeClaim = (raw: unknown): LiveReading<LiveNodeClaim> =>
  readLive('NodeClaim', schema, raw, ({ metadata }) => ({
    outcome: 'read',
    value: {
      name: metadata.name,
      generation: metadata.generation,
      annotations: metadata.annotations,
      isDeleting: metadata.deletionTimestamp !== undefined,
    },
  }));
