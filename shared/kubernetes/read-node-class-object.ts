import * as z from 'zod';
import { ec2NodeClassSchema } from '../api/ec2-node-class.ts';
import { formatPath } from '../api/finding.ts';
import { readWithSchema } from '../api/read-with-schema.ts';
import type { NodeClassObject } from '../ports/node-classes.ts';
import {
  judgedStatusSchema,
  type LiveReading,
  liveMetadataSchema,
  readLive,
} from './readers/live-object.ts';

const schema = z.object({
  metadata: liveMetadataSchema.extend({ generation: z.number(), resourceVersion: z.string() }),
  status: judgedStatusSchema,
});
type Live = z.output<typeof schema>;

/** An EC2NodeClass as the API server holds it. */
export const readNodeClassObject = (raw: unknown): LiveReading<NodeClassObject> =>
  readLive('EC2NodeClass', schema, raw, ({ metadata, status }) => ({
    outcome: 'read',
    value: { ...identityOf(metadata), ...judgementOf(status), spec: specOf(raw) },
  }));

function identityOf(metadata: Live['metadata']) {
  const { name, uid, generation, resourceVersion, annotations, finalizers } = metadata;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  return { name, uid, generation, resourceVersion, annotations, finalizers, isDeleting };
}

function judgementOf({ conditions }: Live['status']) {
  const judged = conditions.find(({ type }) => type === 'Ready')?.observedGeneration;
  return {
    conditions: conditions.map(({ type, status, lastTransitionTime }) => ({
      type,
      status: statusSchema.parse(status),
      since: lastTransitionTime ?? 0,
    })),
    ...(judged !== undefined && { judgedGeneration: judged }),
  };
}

const statusSchema = z.enum(['True', 'False', 'Unknown']).catch('Unknown');

function specOf(raw: unknown): NodeClassObject['spec'] {
  const reading = readWithSchema(ec2NodeClassSchema, raw);
  if (reading.outcome === 'read') return { outcome: 'read', written: reading.value };
  const why = reading.findings.map(({ path, what }) => `${formatPath(path)}: ${what}`.trim());
  return { outcome: 'unreadable', why: why.join('; ') };
}
