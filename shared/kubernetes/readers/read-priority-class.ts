import {
  type PriorityClass,
  priorityClassSchema,
  readPriorityClass as readWritten,
} from '../../api/priority-class.ts';
import { type LiveReading, readLive } from './live-object.ts';

export const readPriorityClass = (raw: unknown): LiveReading<PriorityClass> =>
  readLive('PriorityClass', priorityClassSchema, raw, (written) => ({
    outcome: 'read',
    value: readWritten(written.metadata.name ?? '', written),
  }));
