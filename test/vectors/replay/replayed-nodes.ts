import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { HOSTNAME_LABEL, type Labels } from '../../../shared/model/labels.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { DaemonSet } from '../../../shared/model/pods/workload.ts';
import { DISRUPTED_TAINT, type Taint } from '../../../shared/model/requirements/taints.ts';
import type { Resources } from '../../../shared/model/resources.ts';
import { computeFinalNodes, type FinalNode } from '../checker/final-nodes.ts';
import { applyNodeOverlays } from '../checker/node-overlays.ts';
import { willRunOn } from '../checker/node-rules.ts';
import { toLaunchedNode } from '../launched-node.ts';

/** A node as the scheduler sees it before the pods of the plan arrive. */
export interface ReplayedNode {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Resources;
  readonly bound: readonly Pod[];
  /** DaemonSets whose pods are not among the bound pods. Their pods are bound first. */
  readonly daemonSets: readonly DaemonSet[];
  /** In the order of the plan. */
  readonly planned: readonly Pod[];
}

/** Builds the nodes of the cluster after the plan, each claim launched as its cheapest offering. */
export function listReplayedNodes(observed: ClusterSnapshot, plan: ProvisioningPlan): ReplayedNode[] {
  const snapshot = applyNodeOverlays(observed);
  return computeFinalNodes(snapshot, plan).map((node) => {
    const { name, leaving, taints, bound, arriving: planned } = node;
    const { labels, allocatable } = findNodeShape(snapshot, node);
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

/**
 * @throws Error - no instance type fits the planned node
 */
function findNodeShape(
  snapshot: ClusterSnapshot,
  { name, planned, variants }: FinalNode,
): { labels: Labels; allocatable: Resources } {
  if (planned) return toLaunchedNode(snapshot, planned);
  const [shape] = variants;
  if (!shape) throw new Error(`${name} has no shape`);
  return shape;
}
