import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { assignBatch } from '../../../shared/scheduling/assignment/assign-batch.ts';
import type { PodGroup } from '../../../shared/scheduling/assignment/pod-groups.ts';
import {
  type EvaluatedPacking,
  evaluatePacking,
} from '../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import {
  createSimulationContext,
  type SimulationContext,
} from '../../../shared/scheduling/binding-simulation/evaluation/simulation-context.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { packByPrice } from '../../../shared/scheduling/packing/constructions/best-price.ts';
import type { PackingState } from '../../../shared/scheduling/packing/new-nodes/packing-state.ts';
import { type Construction, pack } from '../../../shared/scheduling/packing/packing.ts';
import type { PodClass } from '../../../shared/scheduling/pods/pod-classes.ts';

export interface PackedCluster {
  readonly context: SimulationContext;
  readonly evaluated: EvaluatedPacking;
  readonly podGroups: readonly PodGroup[];
}

/**
 * Packs all pods of the cluster with one construction and evaluates the packing without a cost
 * limit.
 */
export function packAndEvaluate(cluster: ClusterSnapshot, construct: Construction = packByPrice): PackedCluster {
  const assigned = assignBatch(prepare(cluster), cluster.pods);
  const { problem, podGroups } = assigned;
  const packing = pack(problem, podGroups, construct);
  const classes = [...new Set(podGroups.map(({ cls }) => cls))];
  const context = createSimulationContext(assigned, packing, classes, Infinity);
  const evaluated = evaluatePacking(context, packing);
  if (!evaluated) throw new Error('an evaluation without a cost limit has a result');
  return { context, evaluated, podGroups };
}

/** Counts the pods of each class on the new nodes. */
export function podsByClass({ newNodes }: PackingState): Map<PodClass, number> {
  const pods = new Map<PodClass, number>();
  for (const { podCounts } of newNodes) {
    for (const [{ cls }, count] of podCounts) pods.set(cls, (pods.get(cls) ?? 0) + count);
  }
  return pods;
}
