import * as z from 'zod';
import type { NodePool } from '../../model/node-pool.ts';
import { judgedStatusSchema, type LiveReading, readLive } from './live-object.ts';

/** What a pool needs to know of its class: whether nodes can be made of it. */
export interface NodeClassHealth {
  readonly name: string;
  /** Grows with each change of what it asks for. */
  readonly generation?: number;
  /** Absent: ready. */
  readonly notReady?: NonNullable<NodePool['notReady']>;
}

const schema = z.object({
  metadata: z.object({
    name: z.string(),
    generation: z.number().optional(),
    deletionTimestamp: z.string().optional(),
  }),
  status: judgedStatusSchema,
});
type LiveNodeClass = z.output<typeof schema>;

export const readNodeClassHealth = (raw: unknown): LiveReading<NodeClassHealth> =>
  readLive('EC2NodeClass', schema, raw, (written) => {
    const { name, generation } = written.metadata;
    const notReady = reasonOf(written);
    return {
      outcome: 'read',
      value: {
        name,
        ...(generation === undefined ? {} : { generation }),
        ...(notReady ? { notReady } : {}),
      },
    };
  });

function reasonOf({ metadata, status }: LiveNodeClass): NodeClassHealth['notReady'] {
  if (metadata.deletionTimestamp !== undefined) {
    return { condition: 'NodeClassTerminating', message: 'the EC2NodeClass is being deleted' };
  }
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  if (ready && isAboutAnother(ready.observedGeneration, metadata.generation)) return EDITED;
  if (ready?.status === 'True') return undefined;
  if (ready?.status === 'False') {
    return { condition: ready.reason || 'NodeClassNotReady', message: ready.message };
  }
  return {
    condition: 'NodeClassReadinessUnknown',
    message: 'nobody has judged the EC2NodeClass yet',
  };
}

/** It was edited since: what was found out then says nothing about it. */
const isAboutAnother = (observed?: number, generation?: number): boolean =>
  observed !== undefined && generation !== undefined && observed !== generation;

const EDITED: NodeClassHealth['notReady'] = {
  condition: 'NodeClassReadinessUnknown',
  message: 'the EC2NodeClass was edited, and nobody has judged it since',
};
