import * as z from 'zod';
import { type Contribution, mapReading, type ReadContext, read } from './contribution.ts';
import type { Reading } from './finding.ts';
import { textsSchema } from './labels.ts';
import { metadataSchema } from './metadata.ts';
import { readWithSchema } from './read-with-schema.ts';

const schema = z.object({
  metadata: metadataSchema,
  spec: z.object({ selector: textsSchema.default({}) }).prefault({}),
});

/** Only whose pods it sends to: pods may be spread with the others of their Service. */
export const readService = (
  value: unknown,
  { namespace, name }: ReadContext,
): Reading<Contribution> =>
  mapReading(readWithSchema(schema, value), ({ spec: { selector } }) =>
    read(
      Object.keys(selector).length > 0
        ? { kind: 'service', service: { namespace, name, selector } }
        : { kind: 'skipped' },
    ),
  );
