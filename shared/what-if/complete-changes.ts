import { withDriftMarks } from '../disruption/drift/mark-drift.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { INITIALIZED_LABEL, REGISTERED_LABEL } from '../model/labels.ts';
import type { Node } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { PlannedClaim } from '../model/plans.ts';
import { isActive, isAwaitingNode } from '../model/pods/disruption-pods.ts';
import type { Pod } from '../model/pods/pod.ts';
import { isDaemon } from '../model/pods/workload.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../model/requirements/taints.ts';
import { applyPlan } from '../scheduling/explanation/cluster-after-plan.ts';
import { removeNodes } from './remove-nodes.ts';

/**
 * Returns the snapshot with everything at its end that is under way: nodes that start are ready,
 * nodes and pods that leave are gone, kube-scheduler has looked at every pending pod, and nodes that
 * do not match their NodePool are marked. A claim that EC2 has not answered yet is left out: its pods
 * are planned again.
 */
export function completeChanges(snapshot: ClusterSnapshot): ClusterSnapshot {
  const { takenAt } = snapshot;
  const staying = removeNodes(
    snapshot,
    ({ node, claim }) => isLeaving(node, claim) || (claim !== undefined && !claim.launch),
  );
  const nodeNames = new Set(staying.nodes.map(({ name }) => name));
  const hasNode = ({ nodeName }: NodeClaim) => nodeName !== undefined && nodeNames.has(nodeName);
  const started = applyPlan(
    {
      ...staying,
      claims: staying.claims
        .filter(hasNode)
        .map((claim) => ({ ...claim, registeredAt: takenAt, initializedAt: takenAt, ...claim })),
      nodes: staying.nodes,
    },
    {
      claims: staying.claims.filter((claim) => !hasNode(claim)).flatMap(toPlanned),
      placements: [],
    },
  );
  const starting = new Map(
    staying.claims.flatMap((claim) =>
      claim.initializedAt === undefined && claim.nodeName !== undefined ? [[claim.nodeName, claim]] : [],
    ),
  );
  return withDriftMarks({
    ...started,
    nominations: {},
    nodes: started.nodes.map((node) => toReadyNode(node, starting.get(node.name))),
    pods: started.pods.filter(isActive).map((pod) => toEvaluated(pod, takenAt)),
  });
}

const isLeaving = (node: Node | undefined, claim: NodeClaim | undefined): boolean =>
  node?.deletionAt !== undefined ||
  claim?.deletingAt !== undefined ||
  (node?.taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT)) ?? false);

/** The claim as it was planned, for the instance that it got. */
const toPlanned = (claim: NodeClaim): readonly PlannedClaim[] =>
  claim.launch ? [{ claim, pods: [], cheapest: claim.launch }] : [];

function toReadyNode(node: Node, claim: NodeClaim | undefined): Node {
  if (!claim) return node;
  const labels = { ...node.labels, [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' };
  return { ...node, labels, taints: claim.taints, ready: true };
}

function toEvaluated(pod: Pod, now: number): Pod {
  if (!isAwaitingNode(pod) || isDaemon(pod) || pod.spec.schedulingGates.length > 0) return pod;
  const { nominatedNodeName: _, ...waiting } = pod;
  return { ...waiting, unschedulableSince: pod.unschedulableSince ?? now };
}
