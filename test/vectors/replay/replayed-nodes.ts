import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { HOSTNAME_LABEL, type Labels } from '../../../shared/model/labels.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import type { Pod } from '../../../shared/model/pod.ts';
import type { Resources } from '../../../shared/model/resources.ts';
import { DISRUPTED_TAINT, type Taint } from '../../../shared/model/taints.ts';
import type { DaemonSet } from '../../../shared/model/workload.ts';
import { type FinalNode, finalNodes } from '../checker/final-nodes.ts';
import { willRunOn } from '../checker/node-rules.ts';
import { overlaid } from '../checker/overlaid.ts';
import { launchedNode } from '../launched-node.ts';

/** A node as a scheduler finds it before the pods of the plan come. */
export interface ReplayedNode {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Resources;
  readonly bound: readonly Pod[];
  /** Those whose pods are not among the bound ones, and will be there first. */
  readonly daemonSets: readonly DaemonSet[];
  /** In the order in which the plan names them. */
  readonly planned: readonly Pod[];
}

/** The cluster once the plan has been carried out, each claim launched as its cheapest offering. */
export function replayedNodes(observed: ClusterSnapshot, plan: ProvisioningPlan): ReplayedNode[] {
  const snapshot = overlaid(observed);
  return finalNodes(snapshot, plan).map((node) => {
    const { name, leaving, taints, bound, arriving: planned } = node;
    const { labels, allocatable } = formOf(snapshot, node);
    const daemonSets = snapshot.daemonSets.filter(
      (daemonSet) =>
        willRunOn(daemonSet, { labels }, taints) &&
        !bound.some(({ owner }) => owner?.kind === 'DaemonSet' && owner.name === daemonSet.name),
    );
    return {
      name,
      labels: { ...labels, [HOSTNAME_LABEL]: labels[HOSTNAME_LABEL] ?? name },
      taints: leaving ? [...taints, DISRUPTED_TAINT] : taints,
      allocatable,
      bound,
      daemonSets,
      planned,
    };
  });
}

/** @throws Error - the node can be nothing at all */
function formOf(
  snapshot: ClusterSnapshot,
  { name, planned, shapes }: FinalNode,
): { labels: Labels; allocatable: Resources } {
  if (planned) return launchedNode(snapshot, planned);
  const [form] = shapes;
  if (!form) throw new Error(`${name} has no shape`);
  return form;
}
