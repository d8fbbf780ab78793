import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { HOSTNAME_LABEL, type Labels } from '../../../shared/model/labels.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { listSteeringTaints } from '../../../shared/model/nodes/steering-taints.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../../shared/model/plans.ts';
import { isTerminal, isTerminating } from '../../../shared/model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../../shared/model/pods/pod.ts';
import { isMovedFromNode } from '../../../shared/model/pods/restarts.ts';
import {
  DISRUPTED_TAINT,
  isEphemeralTaint,
  isSameTaint,
  type Taint,
} from '../../../shared/model/requirements/taints.ts';
import type { Resources } from '../../../shared/model/resources.ts';
import { listClaimVariants, type NodeVariant } from './node-variants.ts';

/** A node as kube-scheduler will find it after the plan has been carried out. */
export interface FinalNode {
  readonly name: string;
  /** The claim that the plan adds; undefined for existing nodes and claims. */
  readonly planned?: PlannedClaim;
  /** True if its pods are moving away and it takes no more. */
  readonly leaving: boolean;
  readonly taints: readonly Taint[];
  /** Every variant that it may have: one for a node, one per offering for a claim. */
  readonly variants: readonly NodeVariant[];
  /** Unfinished pods that stay on it. */
  readonly bound: readonly Pod[];
  /** Pods that the plan places on it. */
  readonly arriving: readonly Pod[];
}

export function computeFinalNodes(snapshot: ClusterSnapshot, plan: ProvisioningPlan): FinalNode[] {
  const pods = new Map(snapshot.pods.map((pod) => [podKey(pod), pod]));
  const find = (keys: readonly string[]): Pod[] => keys.flatMap((key) => pods.get(key) ?? []);
  const targets = Map.groupBy(plan.placements, ({ target }) => target);
  const arrivingAt = (name: string) => find(targets.get(name)?.flatMap((placement) => placement.pods) ?? []);

  const claimOf = new Map(
    snapshot.claims.flatMap((claim) => (claim.launch ? [[claim.launch.providerId, claim] as const] : [])),
  );
  const withNode = new Set(snapshot.nodes.map(({ providerId = '' }) => claimOf.get(providerId)));
  return [
    ...snapshot.nodes.map((node) => {
      const claim = claimOf.get(node.providerId ?? '');
      return toFinalNode(snapshot, node, claim, arrivingAt(node.name));
    }),
    ...snapshot.claims
      .filter((claim) => !withNode.has(claim) && claim.terminatedAt === undefined)
      .map((claim) => toFinalNodeOfClaim(snapshot, claim, arrivingAt(claim.name))),
    ...plan.claims.map((planned) => toFinalNewNode(snapshot, planned, find(planned.pods))),
  ];
}

function toFinalNode(
  snapshot: ClusterSnapshot,
  node: Node,
  claim: NodeClaim | undefined,
  arriving: readonly Pod[],
): FinalNode {
  const initialized = claim === undefined || claim.initializedAt !== undefined;
  const registered = claim === undefined || claim.registeredAt !== undefined;
  const labels = {
    [HOSTNAME_LABEL]: node.name,
    ...(registered ? {} : getClaimLabels(claim)),
    ...node.labels,
  };
  const taints = registered ? node.taints : [...node.taints, ...claim.taints];
  const leaving =
    node.deletionAt !== undefined ||
    claim?.deletingAt !== undefined ||
    node.taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT));
  const bound = snapshot.pods.filter((pod) => pod.nodeName === node.name && !isTerminal(pod));
  return {
    name: node.name,
    leaving,
    taints: initialized ? taints : withoutTemporaryTaints(taints, claim.startupTaints),
    variants: [
      {
        name: node.name,
        labels,
        allocatable: initialized ? node.allocatable : withExpected(node.allocatable, claim.launch?.allocatable),
        capacity: claim?.launch?.capacity ?? node.capacity,
      },
    ],
    bound: leaving ? bound.filter((pod) => !isMovedFromNode(pod, snapshot)) : bound,
    arriving,
  };
}

function toFinalNodeOfClaim(snapshot: ClusterSnapshot, claim: NodeClaim, arriving: readonly Pod[]): FinalNode {
  const { launch } = claim;
  const labels = getClaimLabels(claim);
  return {
    name: claim.name,
    leaving: claim.deletingAt !== undefined,
    taints: [...withoutTemporaryTaints(claim.taints, claim.startupTaints), ...listSteeringTaints(claim)],
    variants: launch
      ? [
          {
            name: claim.name,
            labels,
            allocatable: launch.allocatable,
            capacity: launch.capacity,
          },
        ]
      : // The claim may have been launched before its offering became unavailable.
        listClaimVariants({ ...snapshot, unavailable: [] }, claim),
    bound: [],
    arriving,
  };
}

const toFinalNewNode = (snapshot: ClusterSnapshot, planned: PlannedClaim, arriving: readonly Pod[]): FinalNode => ({
  name: planned.claim.name,
  planned,
  leaving: false,
  // Startup taints are removed before pods are bound.
  taints: [...planned.claim.taints, ...listSteeringTaints(planned.claim)],
  variants: listClaimVariants(snapshot, planned.claim),
  bound: [],
  arriving,
});

const getClaimLabels = (claim: NodeClaim): Labels => ({
  [HOSTNAME_LABEL]: claim.name,
  ...claim.labels,
  ...claim.launch?.labels,
});

const withoutTemporaryTaints = (taints: readonly Taint[], startup: readonly Taint[]): Taint[] =>
  taints.filter((taint) => !isEphemeralTaint(taint) && !startup.some((one) => isSameTaint(one, taint)));

/** A kubelet reports devices late, as zero or not at all. */
const withExpected = (reported: Resources, expected: Resources = {}): Resources => ({
  ...expected,
  ...Object.fromEntries(Object.entries(reported).filter(([, amount]) => amount !== 0)),
});

/** True for pods that kube-scheduler counts in a domain: neither finished nor terminating. */
export const isCountedInDomain = (pod: Pod): boolean => !isTerminal(pod) && !isTerminating(pod);
