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
  spec: z.object({ replicas: z.int32().min(0).default(1), template: podTemplateSchema }),
});

/** A Deployment, or a ReplicaSet that nobody owns: both keep a number of equal pods. */
export const readDeployment = (value: unknown, context: ReadContext): Reading<Contribution> =>
  mapReading(readWithSchema(schema, value), ({ metadata, spec: { replicas, template } }) =>
    mapReading(readWorkloadBase(context, metadata, template), (base) =>
      read({ kind: 'workload', workload: { kind: 'Deployment', ...base, replicas } }),
    ),
  );

/** Numbered pods; their claims of volumes are made per pod and not read. */
export const readStatefulSet = (value: unknown, context: ReadContext): Reading<Contribution> =>
  mapReading(readWithSchema(schema, value), ({ metadata, spec: { replicas, template } }) =>
    mapReading(readWorkloadBase(context, metadata, template), (base) =>
      read({ kind: 'workload', workload: { kind: 'StatefulSet', ...base, replicas } }),
    ),
  );
