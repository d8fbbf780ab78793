import * as z from 'zod';
import type { Labels } from '../model/labels.ts';
import { type Contribution, mapReading, type ReadContext, read } from './contribution.ts';
import type { Reading } from './finding.ts';
import { metadataSchema } from './metadata.ts';
import { readWithSchema } from './read-with-schema.ts';

const schema = z.object({ metadata: metadataSchema });

/** Labels of a namespace; the API server adds its name to them. */
export const namespaceLabels = (name: string, labels: Labels = {}): Labels => ({
  ...labels,
  'kubernetes.io/metadata.name': name,
});

export const readNamespace = (value: unknown, { name }: ReadContext): Reading<Contribution> =>
  mapReading(readWithSchema(schema, value), ({ metadata }) =>
    read({ kind: 'namespace', name, labels: namespaceLabels(name, metadata.labels) }),
  );
