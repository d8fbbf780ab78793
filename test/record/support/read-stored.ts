import { partPath } from '../../../shared/record/decision-recorder.ts';
import { UnreadableRecordError } from '../../../shared/record/errors.ts';
import { type ReadDecision, readDecision } from '../../../shared/record/read-decision.ts';
import type { MemoryRecordStore } from './memory-record-store.ts';

/** Reads a decision and its parts from the store. */
export function readStored({ entries }: MemoryRecordStore, path: string): ReadDecision {
  const read = (storedPath: string): unknown => {
    const json = entries.get(storedPath);
    if (json === undefined) throw new UnreadableRecordError(storedPath, { why: 'does not exist' });
    return JSON.parse(json);
  };
  const [, day = ''] = path.split('/');
  return readDecision(read(path), (hash) => read(partPath(day, hash)));
}
