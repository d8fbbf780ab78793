import * as z from 'zod';
import { readWithSchema } from '../builtin-resources/read-with-schema.ts';
import {
  readStorageClass,
  readVolume,
  readVolumeClaim,
  storageClassSchema,
  volumeClaimSchema,
  volumeSchema,
} from '../builtin-resources/storage.ts';
import type { ParseResult } from '../finding.ts';
import { type Contribution, mapReading, type ReadContext, readingOf } from './contribution.ts';

/** Adds the namespace, which a manifest may omit. */
const writtenClaimSchema = volumeClaimSchema.extend({
  metadata: volumeClaimSchema.shape.metadata.extend({ namespace: z.string().default('') }),
});

export const readVolumeClaimManifest = (value: unknown, { namespace }: ReadContext): ParseResult<Contribution> =>
  mapReading(readWithSchema(writtenClaimSchema, value), (written) => {
    const metadata = { ...written.metadata, namespace };
    return readingOf({ kind: 'volumeClaim', claim: readVolumeClaim({ ...written, metadata }) });
  });

export const readVolumeManifest = (value: unknown): ParseResult<Contribution> =>
  mapReading(readWithSchema(volumeSchema, value), (written) =>
    readingOf({
      kind: 'volume',
      volume: readVolume(written),
      ...(written.spec.claimRef && { reservedFor: written.spec.claimRef }),
    }),
  );

export const readStorageClassManifest = (value: unknown): ParseResult<Contribution> =>
  mapReading(readWithSchema(storageClassSchema, value), (written) =>
    readingOf({ kind: 'storageClass', storageClass: readStorageClass(written, 0) }),
  );
