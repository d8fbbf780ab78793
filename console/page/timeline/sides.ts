import { createContext, useContext, useEffect, useState } from 'react';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { totalOf } from '../../cost.ts';
import { formatCount, formatPercent, formatUsd } from '../../format.ts';
import type { DecisionView, EventView, PodView } from '../../views.ts';
import { getDecisions, getState } from '../store/api.ts';
import { type ClusterModel, createClusterModel } from '../store/cluster-model.ts';
import { readUntilAnswered } from '../store/read-until-answered.ts';
import type { Compared } from '../ui/address.ts';

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

interface ComparedRow {
  readonly label: string;
  readonly before: string;
  readonly after: string;
  /** Undefined if both are equal. */
  readonly change?: string;
}

interface Comparison {
  readonly rows: readonly ComparedRow[];
  readonly added: readonly string[];
  readonly gone: readonly string[];
  /** Pods that run on another node, as `namespace/name`. */
  readonly moved: readonly string[];
  /** Nodes with other pods than before. */
  readonly changed: readonly string[];
}

/** Compares two moments: the vitals, the nodes and where the pods run. */
function compareModels(before: ClusterModel, after: ClusterModel): Comparison {
  return {
    rows: compareTotals(before, after),
    changed: [...after.nodes].flatMap(([name, { pods }]) => {
      const earlier = before.nodes.get(name);
      return earlier && !hasSamePods(earlier.pods, pods) ? [name] : [];
    }),
    added: [...after.nodes.keys()].filter((name) => !before.nodes.has(name)),
    gone: [...before.nodes.keys()].filter((name) => !after.nodes.has(name)),
    moved: [...after.pods.values()]
      .filter(({ key, node }) => {
        const earlier = before.pods.get(key)?.node;
        return node !== undefined && earlier !== undefined && earlier !== node;
      })
      .map(({ key }) => key),
  };
}

function hasSamePods(before: readonly PodView[], after: readonly PodView[]): boolean {
  const keys = new Set(before.map(({ key }) => key));
  return keys.size === after.length && after.every(({ key }) => keys.has(key));
}

function compareTotals({ totals: a }: ClusterModel, { totals: b }: ClusterModel): ComparedRow[] {
  const count = (label: string, before: number, after: number) => row(label, before, after, formatCount);
  const cpu = ({ requested, allocatable }: ClusterModel['totals']): number =>
    allocatable.cpuMilli === 0 ? 0 : requested.cpuMilli / allocatable.cpuMilli;
  return [
    count('Nodes', totalOf(a.nodes), totalOf(b.nodes)),
    row('Cost per hour', totalOf(a.hourlyUsd), totalOf(b.hourlyUsd), formatUsd),
    row('CPU requested', cpu(a), cpu(b), (share) => formatPercent(share)),
    count('Pods running', a.runningPods, b.runningPods),
    count('Pods pending', a.pendingPods, b.pendingPods),
  ];
}

function row(label: string, before: number, after: number, format: (value: number) => string): ComparedRow {
  const [earlier, later] = [format(before), format(after)];
  if (earlier === later) return { label, before: earlier, after: later };
  const change = `${after > before ? '+' : '−'}${format(Math.abs(after - before))}`;
  return { label, before: earlier, after: later, change };
}
