import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { assignBatch } from '../../../shared/scheduling/assignment/assign-batch.ts';
import type { Unit } from '../../../shared/scheduling/assignment/pod-groups.ts';
import {
  type Trial,
  tryOut,
} from '../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import {
  type Theatre,
  theatreOf,
} from '../../../shared/scheduling/binding-simulation/evaluation/simulation-context.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { packByPrice } from '../../../shared/scheduling/packing/constructions/best-price.ts';
import type { Drafting } from '../../../shared/scheduling/packing/new-nodes/packing-state.ts';
import { type Construction, pack } from '../../../shared/scheduling/packing/packing.ts';
import type { PodClass } from '../../../shared/scheduling/pods/pod-classes.ts';

export interface Rehearsed {
  readonly theatre: Theatre;
  readonly trial: Trial;
  readonly units: readonly Unit[];
}

/** All pods of the cluster packed in one way, and rehearsed. */
export function rehearsed(
  cluster: ClusterSnapshot,
  construct: Construction = packByPrice,
): Rehearsed {
  const assigned = assignBatch(prepare(cluster), cluster.pods);
  const { problem, units } = assigned;
  const packing = pack(problem, units, construct);
  const classes = [...new Set(units.map(({ cls }) => cls))];
  const theatre = theatreOf(assigned, packing, classes, Infinity);
  const trial = tryOut(theatre, packing);
  if (!trial) throw new Error('a trial without a limit has a result');
  return { theatre, trial, units };
}

/** How many pods of each class are on the drafts. */
export function podsByClass({ drafts }: Drafting): Map<PodClass, number> {
  const pods = new Map<PodClass, number>();
  for (const { contents } of drafts) {
    for (const [{ cls }, count] of contents) pods.set(cls, (pods.get(cls) ?? 0) + count);
  }
  return pods;
}
