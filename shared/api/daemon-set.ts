import * as z from 'zod';
import {
  type Contribution,
  mapReading,
  type ReadContext,
  read,
  readWorkloadBase,
} from './contribution.ts';
import type { Reading } from './finding.ts';
import { metadataSchema } from './metadata.ts';
import { podTemplateSchema } from './pod-template.ts';
import { readWithSchema } from './read-with-schema.ts';

const schema = z.object({
  metadata: metadataSchema,
  spec: z.object({ template: podTemplateSchema }),
});

export const readDaemonSet = (value: unknown, context: ReadContext): Reading<Contribution> =>
  mapReading(readWithSchema(schema, value), ({ metadata, spec: { template } }) =>
    mapReading(readWorkloadBase(context, metadata, template), (base) =>
      read({ kind: 'workload', workload: { kind: 'DaemonSet', ...base } }),
    ),
  );
