import * as z from 'zod';
import { textsSchema } from '../../api/labels.ts';
import type { Labels } from '../../model/labels.ts';
import { type LiveReading, readLive } from './live-object.ts';

export interface LiveNamespace {
  readonly name: string;
  readonly labels: Labels;
}

const schema = z.object({
  metadata: z.object({ name: z.string(), labels: textsSchema.default({}) }),
});

/** The API server has put the namespace's name among its labels. */
export const readNamespace = (raw: unknown): LiveReading<LiveNamespace> =>
  readLive('Namespace', schema, raw, ({ metadata: { name, labels } }) => ({
    outcome: 'read',
    value: { name, labels },
  }));
