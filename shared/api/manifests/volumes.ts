import * as z from 'zod';
import { type Contribution, mapReading, type ReadContext, read } from './contribution.ts';
import type { Reading } from '../finding.ts';
import { readWithSchema } from '../builtin-resources/read-with-schema.ts';
import {
  readStorageClass,
  readVolume,
  readVolumeClaim,
  storageClassSchema,
  volumeClaimSchema,
  volumeSchema,
} from '../builtin-resources/storage.ts';

/** A manifest need not name its namespace. */
const writtenClaimSchema = volumeClaimSchema.extend({
  metadata: volumeClaimSchema.shape.metadata.extend({ namespace: z.string().default('') }),
});

export const readVolumeClaimManifest = (
  value: unknown,
  { namespace }: ReadContext,
): Reading<Contribution> =>
  mapReading(readWithSchema(writtenClaimSchema, value), (written) => {
    const metadata = { ...written.metadata, namespace };
    return read({ kind: 'volumeClaim', claim: readVolumeClaim({ ...written, metadata }) });
  });

export const readVolumeManifest = (value: unknown): Reading<Contribution> =>
  mapReading(readWithSchema(volumeSchema, value), (written) =>
    read({ kind: 'volume', volume: readVolume(written) }),
  );

export const readStorageClassManifest = (value: unknown): Reading<Contribution> =>
  mapReading(readWithSchema(storageClassSchema, value), (written) =>
    read({ kind: 'storageClass', storageClass: readStorageClass(written, 0) }),
  );
