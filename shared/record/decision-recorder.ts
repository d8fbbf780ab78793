import { formatInstant } from '../model/time.ts';
import type { Confirmation, Decision } from '../ports/decision-log.ts';
import {
  digestOf,
  isWithInput,
  isWithoutEffect,
  type RecordedDecision,
  writeDecisionDocument,
} from './decision-document.ts';
import { createSnapshotPacker } from './pack-snapshot.ts';

/** Where records are stored. A path is written once and never overwritten. */
export interface RecordStore {
  /** @returns `exists` if there is something under the path already; it stays as it is */
  put(path: string, json: string): Promise<'stored' | 'exists'>;
}

export interface DecisionRecorder {
  /**
   * Stores the decision with its input. Of equal decisions without effect only the first is stored;
   * the next one that differs has their number.
   *
   * @returns the path of the record; undefined if nothing was to be stored
   * @throws what the store throws; the next decision is then stored with all its parts
   */
  record(decision: Decision | Confirmation): Promise<string | undefined>;
}

/**
 * Creates the recorder of one process. Decision and parts of a day have the same prefix date, so that
 * they expire together.
 *
 * @param release - of Mortise
 */
export function createDecisionRecorder(store: RecordStore, release: string): DecisionRecorder {
  const packer = createSnapshotPacker();
  const lastDigests = new Map<string, { readonly digest: string; repeats: number }>();
  let partsDay = '';

  /** @returns how many equal decisions were not stored; undefined if this one is another of them */
  function countUnrecorded(decision: RecordedDecision): number | undefined {
    const last = lastDigests.get(decision.kind);
    if (!isWithoutEffect(decision)) {
      lastDigests.delete(decision.kind);
      return last?.repeats ?? 0;
    }
    const digest = digestOf(decision);
    if (last?.digest === digest) {
      last.repeats += 1;
      return undefined;
    }
    lastDigests.set(decision.kind, { digest, repeats: 0 });
    return last?.repeats ?? 0;
  }

  async function write(decision: RecordedDecision, unrecorded: number): Promise<string> {
    const day = dayOf(decision.at);
    if (day !== partsDay) packer.reset();
    partsDay = day;
    const { json: snapshotJson, newParts } = packer.pack(decision.input.snapshot);
    const path = decisionPath(decision);
    const json = writeDecisionDocument(decision, { release, unrecorded, snapshotJson });
    try {
      // The parts come first: a decision never refers to a part that does not exist.
      await Promise.all(newParts.map((part) => store.put(partPath(day, part.hash), part.json)));
      await store.put(path, json);
      return path;
    } catch (error) {
      packer.reset();
      lastDigests.delete(decision.kind);
      throw error;
    }
  }

  return {
    async record(decision) {
      if (!isWithInput(decision)) return undefined;
      const unrecorded = countUnrecorded(decision);
      return unrecorded === undefined ? undefined : write(decision, unrecorded);
    },
  };
}

const dayOf = (at: number): string => formatInstant(at).slice(0, 10);

/** One prefix per day, in UTC. */
const decisionPath = ({ at, id }: { readonly at: number; readonly id: string }): string =>
  `decisions/${dayOf(at)}/${id}.json.gz`;

export const partPath = (day: string, hash: string): string => `parts/${day}/${hash}.json.gz`;
