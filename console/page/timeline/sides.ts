import { createContext, useContext, useEffect, useState } from 'react';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { DecisionView, EventView } from '../../views.ts';
import { getDecisions, getState } from '../store/api.ts';
import { type ClusterModel, createClusterModel } from '../store/cluster-model.ts';
import { readUntilAnswered } from '../store/read-until-answered.ts';
import type { Compared } from '../ui/address.ts';
import { type Comparison, compareModels } from './compare.ts';

/** Two moments of the cluster, the earlier one first. */
export interface Sides {
  readonly from: number;
  readonly to: number;
  readonly comparison: Comparison;
  /** The events until the later moment. */
  readonly events: readonly EventView[];
  /** Those that launched, removed or replaced nodes within a minute of the shown moment. */
  readonly decisions: readonly DecisionView[];
}

export const SidesContext = createContext<Sides | undefined>(undefined);

/** The compared moments; undefined while the page is live, and until they are read. */
export const useSides = (): Sides | undefined => useContext(SidesContext);

/** Effects of a decision show within this time. */
const AFTER_MS = MINUTE_MS;
/** While the playhead is dragged, nothing is read. */
const REST_MS = 120;

/** Reads both moments again whenever one of them changes. */
export function useReadSides(at: number | undefined, compare: Compared): Sides | undefined {
  const [sides, setSides] = useState<Sides>();
  useEffect(() => {
    if (at === undefined) return setSides(undefined);
    return readUntilAnswered(() => readSides(at, compare), setSides, REST_MS);
  }, [at, compare]);
  return sides;
}

/** The moment before and a minute after, or the shown moment and the other one. */
function listMoments(at: number, compare: Compared): readonly [number, number | undefined] {
  if (compare === 'before') return [at - SECOND_MS, at + AFTER_MS];
  if (compare === 'now') return [at, undefined];
  return [Math.min(at, compare), Math.max(at, compare)];
}

async function readSides(at: number, compare: Compared): Promise<Sides | undefined> {
  const [from, to] = listMoments(at, compare);
  const [before, after, decisions] = await Promise.all([
    readSide(from),
    readSide(to),
    getDecisions(at - SECOND_MS, at + AFTER_MS),
  ]);
  if (!before || !after || !decisions) return undefined;
  return {
    ...{ from: before.at, to: after.at },
    comparison: compareModels(before.model, after.model),
    events: after.model.events,
    decisions: decisions.filter(({ acts }) => acts),
  };
}

interface Side {
  readonly at: number;
  readonly model: ClusterModel;
}

async function readSide(at: number | undefined): Promise<Side | undefined> {
  const keyframe = await getState(at);
  return keyframe && { at: keyframe.clock.now, model: createClusterModel(keyframe) };
}
