import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { INSTANCE_TYPE_LABEL, ZONE_LABEL } from '../model/labels.ts';
import type { NodeClaim, RemovalReason } from '../model/nodes/node-claim.ts';
import type { CapacityType } from '../model/offerings/instance-type.ts';
import type { NodeVerdict, Unplaced } from '../model/plans.ts';
import { isTerminal } from '../model/pods/disruption-pods.ts';
import { type PodKey, podKey } from '../model/pods/pod.ts';
import { isDaemon } from '../model/pods/workload.ts';
import { estimateDurationMs, findUsualStartMs, USUAL_START_MS } from './estimate-duration.ts';
import type { Projection } from './steady-state.ts';

/** A cluster in numbers. */
export interface ClusterSummary {
  readonly nodes: number;
  /** Nodes without a known price count as 0. */
  readonly hourlyUsd: number;
  readonly runningPods: number;
  readonly pendingPods: number;
}

/** How long it takes until the planner has nothing left to do, and what the estimate is based on. */
export interface DurationEstimate {
  readonly unchangedMs: number;
  readonly changedMs: number;
  /** The time in which a node becomes ready. */
  readonly startMs: number;
}

/** Equal nodes that the changed cluster has in addition. */
export interface NewNodes {
  readonly pool: string;
  readonly instanceType: string;
  readonly capacityType: CapacityType;
  readonly zone: string;
  /** The price of one node. */
  readonly hourlyUsd: number;
  readonly count: number;
}

export interface GoneNode {
  readonly name: string;
  readonly instanceType: string;
  readonly zone: string;
  /** `undefined` for a node that the change itself takes away. */
  readonly reason?: RemovalReason;
}

/** The effect of a change on a cluster once the planner has nothing left to do. */
export interface WhatIfOutcome {
  readonly now: ClusterSummary;
  /** The same cluster without the change: the planner may have plans for it, too. */
  readonly unchanged: ClusterSummary;
  readonly changed: ClusterSummary;
  readonly duration: DurationEstimate;
  readonly launched: readonly NewNodes[];
  readonly gone: readonly GoneNode[];
  /** Pods that run on another node than now. */
  readonly moved: readonly PodKey[];
  /** Pods that run now and find no node then. */
  readonly stranded: number;
  readonly unplaced: readonly Unplaced[];
  readonly verdicts: readonly NodeVerdict[];
  /** False if planning ended before the cluster was steady. */
  readonly isComplete: boolean;
}

interface Outcomes {
  readonly now: ClusterSnapshot;
  readonly unchanged: Projection;
  readonly changed: Projection;
}

export function compareOutcomes({ now, unchanged, changed }: Outcomes): WhatIfOutcome {
  const startMs = findUsualStartMs(now.claims) ?? USUAL_START_MS;
  return {
    duration: {
      unchangedMs: estimateDurationMs(unchanged.steps, startMs),
      changedMs: estimateDurationMs(changed.steps, startMs),
      startMs,
    },
    now: summarizeCluster(now),
    unchanged: summarizeCluster(unchanged.snapshot),
    changed: summarizeCluster(changed.snapshot),
    launched: listNewNodes(now, changed.snapshot),
    gone: listGoneNodes(now, changed),
    ...comparePlaces(now, changed.snapshot),
    unplaced: changed.unplaced,
    verdicts: changed.verdicts.filter(({ outcome }) => outcome === 'stays'),
    isComplete: changed.isSteady && unchanged.isSteady,
  };
}

function summarizeCluster({ nodes, claims, pods }: ClusterSnapshot): ClusterSummary {
  const names = new Set(nodes.map(({ name }) => name));
  const starting = claims.filter(({ nodeName }) => nodeName === undefined || !names.has(nodeName));
  const counted = pods.filter((pod) => !isDaemon(pod) && !isTerminal(pod));
  const runningPods = counted.filter(({ nodeName }) => nodeName !== undefined).length;
  return {
    nodes: nodes.length + starting.length,
    hourlyUsd: claims.reduce((sum, { launch }) => sum + (launch?.hourlyUsd ?? 0), 0),
    runningPods,
    pendingPods: counted.length - runningPods,
  };
}

function listNewNodes(before: ClusterSnapshot, after: ClusterSnapshot): readonly NewNodes[] {
  const earlier = new Set(before.claims.map(({ name }) => name));
  const added = after.claims.filter(({ name }) => !earlier.has(name));
  const groups = Map.groupBy(added.flatMap(toNewNode), (node) => JSON.stringify(node));
  return [...groups.values()]
    .flatMap((equal) => equal.slice(0, 1).map((node) => ({ ...node, count: equal.length })))
    .toSorted((a, b) => b.count * b.hourlyUsd - a.count * a.hourlyUsd);
}

function toNewNode({ pool, launch }: NodeClaim): readonly Omit<NewNodes, 'count'>[] {
  if (!launch) return [];
  const { instanceType, capacityType, zone, hourlyUsd } = launch;
  return [{ pool, instanceType, capacityType, zone, hourlyUsd }];
}

function listGoneNodes(before: ClusterSnapshot, after: Projection): readonly GoneNode[] {
  const remaining = new Set(after.snapshot.nodes.map(({ name }) => name));
  const claims = new Map(before.claims.map((claim) => [claim.nodeName, claim]));
  return before.nodes
    .filter(({ name }) => !remaining.has(name))
    .map(({ name, labels }) => {
      const claim = claims.get(name);
      const reason = claim && (after.removed.get(claim.name) ?? claim.removal);
      return {
        name: claim?.name ?? name,
        instanceType: labels[INSTANCE_TYPE_LABEL] ?? '',
        zone: labels[ZONE_LABEL] ?? '',
        ...(reason && { reason }),
      };
    });
}

function comparePlaces(before: ClusterSnapshot, after: ClusterSnapshot): Pick<WhatIfOutcome, 'moved' | 'stranded'> {
  const nodeByPod = new Map(before.pods.map((pod) => [podKey(pod), pod.nodeName]));
  const ran = after.pods.filter((pod) => nodeByPod.get(podKey(pod)) !== undefined && !isDaemon(pod));
  const moved = ran.filter((pod) => pod.nodeName !== undefined && pod.nodeName !== nodeByPod.get(podKey(pod)));
  return {
    moved: moved.map(podKey),
    stranded: ran.filter(({ nodeName }) => nodeName === undefined).length,
  };
}
