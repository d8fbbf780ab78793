import * as z from 'zod';
import type { Labels } from '../../model/labels.ts';
import { metadataSchema, textsSchema } from '../builtin-resources/metadata.ts';
import { readWithSchema } from '../builtin-resources/read-with-schema.ts';
import type { ParseResult } from '../finding.ts';
import { type Contribution, mapReading, type ReadContext, readingOf } from './contribution.ts';

const serviceSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({ selector: textsSchema.default({}) }).prefault({}),
});

/** Reads only the selector: default spread constraints count the pods of a Service together. */
export const readService = (value: unknown, { namespace, name }: ReadContext): ParseResult<Contribution> =>
  mapReading(readWithSchema(serviceSchema, value), ({ spec: { selector } }) =>
    readingOf(
      Object.keys(selector).length > 0
        ? { kind: 'service', service: { namespace, name, selector } }
        : { kind: 'skipped' },
    ),
  );

const namespaceSchema = z.object({ metadata: metadataSchema });

/** Returns the labels of a namespace, with the name label that the API server adds. */
export const namespaceLabels = (name: string, labels: Labels = {}): Labels => ({
  ...labels,
  'kubernetes.io/metadata.name': name,
});

export const readNamespace = (value: unknown, { name }: ReadContext): ParseResult<Contribution> =>
  mapReading(readWithSchema(namespaceSchema, value), ({ metadata }) =>
    readingOf({ kind: 'namespace', name, labels: namespaceLabels(name, metadata.labels) }),
  );
