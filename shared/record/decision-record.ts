import { findDecisionTime } from '../model/decision-time.ts';
import { DAY_MS, type EpochMs, formatInstant } from '../model/time.ts';
import { partPath } from './decision-recorder.ts';
import { decisionDocumentSchema } from './decision-schema.ts';
import { parseRecord, UnreadableRecordError } from './errors.ts';
import type { PartHash } from './packed-snapshot.ts';
import { type ReadDecision, readDecision, refuseOtherVersions } from './read-decision.ts';

/** Stored records, by path. */
export interface RecordSource {
  /** Lists the paths that begin with the prefix. */
  list(prefix: string): Promise<readonly string[]>;
  /** Returns the content, parsed from its JSON; undefined if there is none. */
  read(path: string): Promise<unknown>;
}

/** The record of one cluster. */
export interface DecisionRecord {
  /** Lists the ids of decisions that were made in the interval, oldest first. */
  list(from: EpochMs, to: EpochMs): Promise<readonly string[]>;
  /**
   * @returns undefined if there is no such decision
   * @throws UnreadableRecordError - it is damaged, incomplete, or of a later release
   */
  find(id: string): Promise<ReadDecision | undefined>;
}

/** Opens a record. Parts that decisions share are read once. */
export function openDecisionRecord(source: RecordSource): DecisionRecord {
  const parts = new Map<PartHash, Promise<unknown>>();

  function fetchPart(day: string, hash: PartHash): Promise<unknown> {
    const path = partPath(day, hash);
    const fetched = parts.get(hash) ?? source.read(path);
    parts.set(hash, fetched);
    return fetched;
  }

  return {
    async list(from, to) {
      const ids: string[] = [];
      for (const day of listDays(from, to)) {
        for (const path of await source.list(`decisions/${day}/`)) {
          const id = path.slice(path.lastIndexOf('/') + 1).replace(/\.json\.gz$/, '');
          const at = findDecisionTime(id);
          if (at !== undefined && at >= from - SECOND && at <= to) ids.push(id);
        }
      }
      return ids.toSorted((a, b) => (stampOf(a) < stampOf(b) ? -1 : 1));
    },
    async find(id) {
      const at = findDecisionTime(id);
      if (at === undefined) return undefined;
      const day = formatInstant(at).slice(0, 10);
      const content = await source.read(`decisions/${day}/${id}.json.gz`);
      if (content === undefined) return undefined;
      const hashes = listPartHashes(content);
      const contents = await Promise.all(hashes.map((hash) => fetchPart(day, hash)));
      const byHash = new Map(hashes.map((hash, index) => [hash, contents[index]]));
      return readDecision(content, (hash) => {
        const part = byHash.get(hash);
        if (part !== undefined) return part;
        throw new UnreadableRecordError(partPath(day, hash), { why: 'does not exist' });
      });
    },
  };
}

/** Ids have no milliseconds. */
const SECOND = 1_000;

const stampOf = (id: string): string => id.slice(2);

/** The days of the interval, in UTC, oldest first. */
function listDays(from: EpochMs, to: EpochMs): readonly string[] {
  const days: string[] = [];
  for (let at = Math.floor(from / DAY_MS) * DAY_MS; at <= to; at += DAY_MS) {
    days.push(formatInstant(at).slice(0, 10));
  }
  return days;
}

function listPartHashes(content: unknown): readonly PartHash[] {
  refuseOtherVersions(content);
  const { snapshot } = parseRecord(decisionDocumentSchema, content, 'decision').input;
  const { frame, parts, instanceTypes } = snapshot;
  return [...new Set([frame, ...Object.values(parts), ...Object.values(instanceTypes)])];
}
