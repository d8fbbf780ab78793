import * as z from 'zod';
import {
  csiNodeSchema,
  readNodeDrivers as nodeDriversOf,
  readStorageClass as storageClassOf,
  storageClassSchema,
  readVolumeClaim as volumeClaimOf,
  volumeClaimSchema,
  readVolume as volumeOf,
  volumeSchema,
} from '../../api/builtin-resources/storage.ts';
import type { NodeDrivers, StorageClass, Volume, VolumeClaim } from '../../model/pods/storage.ts';
import { instantSchema, type LiveReading, readLive } from './live-object.ts';

const createReader =
  <Schema extends z.ZodType, T>(kind: string, schema: Schema, convert: (raw: z.output<Schema>) => T) =>
  (raw: unknown): LiveReading<T> =>
    readLive(kind, schema, raw, (written) => ({ outcome: 'read', value: convert(written) }));

export const readVolumeClaim: (raw: unknown) => LiveReading<VolumeClaim> = createReader(
  'PersistentVolumeClaim',
  volumeClaimSchema,
  volumeClaimOf,
);
export const readVolume: (raw: unknown) => LiveReading<Volume> = createReader(
  'PersistentVolume',
  volumeSchema,
  volumeOf,
);
const liveClassSchema = storageClassSchema.and(z.object({ metadata: z.object({ creationTimestamp: instantSchema }) }));
export const readStorageClass: (raw: unknown) => LiveReading<StorageClass> = createReader(
  'StorageClass',
  liveClassSchema,
  (written) => storageClassOf(written, written.metadata.creationTimestamp),
);
export const readNodeDrivers: (raw: unknown) => LiveReading<NodeDrivers> = createReader(
  'CSINode',
  csiNodeSchema,
  nodeDriversOf,
);
