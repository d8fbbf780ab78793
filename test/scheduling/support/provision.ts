import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { ReasonCode } from '../../../shared/model/explanations/reasons.ts';
import { HOSTNAME_LABEL, INITIALIZED_LABEL, REGISTERED_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../../shared/model/plans.ts';
import { type Pod, podKey } from '../../../shared/model/pods/pod.ts';
import { type LabelSelector, selects } from '../../../shared/model/requirements/selectors.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aSelector } from '../../support/builders.ts';
import { checkPlan } from '../../vectors/check-plan.ts';
import { isCountedInDomain } from '../../vectors/checker/final-nodes.ts';
import { listClaimVariants } from '../../vectors/checker/node-variants.ts';

/** The result of planning once and carrying out the plan. */
export interface ProvisionOutcome {
  readonly plan: ProvisioningPlan;
  /** The cluster with all claims launched and ready and all planned pods bound. */
  readonly after: ClusterSnapshot;
  /** The launched nodes, in the order of the plan. */
  readonly launched: readonly Node[];
  /** Names of unplaced pods. */
  readonly pending: readonly string[];
}

/**
 * Plans once with more pods and carries out the plan: the cheapest instance of each claim is
 * launched and the pods are bound.
 *
 * @throws Error - if the plan is not valid
 */
export function provision(before: ClusterSnapshot, ...pods: readonly Pod[]): ProvisionOutcome {
  const snapshot = { ...before, pods: [...before.pods, ...pods] };
  // The id determines the names of the claims, so it must not depend on the order of the tests.
  const plan = planProvisioning(snapshot, `loop-${before.nodes.length}-${snapshot.pods.length}`);
  const objections = checkPlan(snapshot, plan);
  if (objections.length > 0) throw new Error(objections.slice(0, 5).join('\n'));

  const after = carryOut(snapshot, plan);
  const names = new Set(plan.claims.map(({ claim }) => claim.name));
  return {
    plan,
    after,
    launched: after.nodes.filter(({ name }) => names.has(name)),
    pending: plan.unplaced.flatMap((one) => one.pods.map((key) => key.replace(/^.*\//, ''))),
  };
}

/** Carries out the plan: claims are launched at their cheapest offering, pods are bound. */
export function carryOut(snapshot: ClusterSnapshot, plan: ProvisioningPlan): ClusterSnapshot {
  const machines = plan.claims.map((planned) => launch(snapshot, planned));
  const locations = [...plan.claims.map(({ claim, pods }) => ({ target: claim.name, pods })), ...plan.placements];
  const nodeOfPod = new Map(locations.flatMap(({ target, pods }) => pods.map((key) => [key, target] as const)));
  return {
    ...snapshot,
    nodes: [...snapshot.nodes, ...machines.map(({ node }) => node)],
    claims: [...snapshot.claims, ...machines.map(({ claim }) => claim)],
    pods: snapshot.pods.map((pod) => {
      const node = nodeOfPod.get(podKey(pod));
      return node === undefined ? pod : toBoundPod(pod, node);
    }),
  };
}

/** As `pod`, but running on `nodeName`. */
export function toBoundPod({ unschedulableSince: _, ...pod }: Pod, nodeName: string): Pod {
  return { ...pod, nodeName, phase: 'Running', ready: true, startedAt: pod.createdAt };
}

/** Launches the cheapest offering of the claim, registered and initialized. */
function launch(
  snapshot: ClusterSnapshot,
  { claim, cheapest }: PlannedClaim,
): { readonly node: Node; readonly claim: NodeClaim } {
  const { zone, capacityType, instanceType, hourlyUsd } = cheapest;
  const shape = listClaimVariants(snapshot, claim).find(
    ({ offering }) =>
      offering?.instanceType === instanceType && offering.zone === zone && offering.capacityType === capacityType,
  );
  if (!shape) throw new Error(`${claim.name} cannot be a ${instanceType}`);
  const { allocatable, capacity } = shape;
  const { name, createdAt } = claim;
  const labels = {
    ...shape.labels,
    [HOSTNAME_LABEL]: name,
    [REGISTERED_LABEL]: 'true',
    [INITIALIZED_LABEL]: 'true',
  };
  const providerId = `aws:///${zone}/i-${name}`;
  return {
    node: {
      name,
      uid: name,
      providerId,
      createdAt,
      labels,
      annotations: {},
      taints: claim.taints,
      capacity,
      allocatable,
      ready: true,
      finalizers: [],
    },
    claim: {
      ...claim,
      launch: {
        providerId,
        instanceType,
        zone,
        capacityType,
        hourlyUsd,
        at: createdAt,
        labels,
        capacity,
        allocatable,
      },
      nodeName: name,
      registeredAt: createdAt,
      initializedAt: createdAt,
    },
  };
}

/** Finds the node of a pod. */
export function findNodeOfPod({ after }: ProvisionOutcome, podName: string): Node | undefined {
  const pod = after.pods.find(({ name }) => name === podName);
  return after.nodes.find(({ name }) => name === pod?.nodeName);
}

export const findZoneOfPod = (outcome: ProvisionOutcome, podName: string): string | undefined =>
  findNodeOfPod(outcome, podName)?.labels[ZONE_LABEL];

/** Names of the launched types, sorted. */
export const listLaunchedTypes = ({ plan }: ProvisionOutcome): string[] =>
  plan.claims.map(({ cheapest }) => cheapest.instanceType).toSorted();

/** Number of pods on each node, largest first. */
export const countPodsPerNode = (outcome: ProvisionOutcome): number[] => countPodsPerDomain(outcome, HOSTNAME_LABEL);

/** Number of matching bound pods per domain of a key, sorted: `[1, 1, 2]`. */
export function countPodsPerDomain(
  { after }: ProvisionOutcome,
  key: string = ZONE_LABEL,
  selector: LabelSelector = aSelector(),
): number[] {
  const counts = new Map<string, number>();
  for (const { name, labels } of after.nodes) {
    const domain = ownValue(labels, key);
    if (domain === undefined) continue;
    const here = after.pods.filter(
      (pod) => pod.nodeName === name && isCountedInDomain(pod) && selects(selector, pod.labels),
    );
    counts.set(domain, (counts.get(domain) ?? 0) + here.length);
  }
  return [...counts.values()].filter((count) => count > 0).toSorted((a, b) => a - b);
}

/** Reason codes of the unplaced pods, one list per NodePool. */
export const listReasonCodes = ({ plan }: ProvisionOutcome): ReasonCode[] => [
  ...new Set(plan.unplaced.flatMap(({ pools }) => pools.flatMap(({ reasons }) => reasons.map((r) => r.code)))),
];

/** The types that the only claim may be launched as, sorted. */
export const listOpenTypes = ({ plan }: ProvisionOutcome): string[] =>
  (plan.claims[0]?.claim.instanceTypes ?? []).toSorted();

/** True if the plan puts the pod on an existing node; on `node`, if given. */
export const isPlanned = ({ plan }: ProvisionOutcome, podName: string, node?: string): boolean =>
  plan.placements.some(
    ({ target, pods }) => (node === undefined || target === node) && pods.some((key) => key.endsWith(`/${podName}`)),
  );
