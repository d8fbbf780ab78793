import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { HOSTNAME_LABEL, INITIALIZED_LABEL, REGION_LABEL, REGISTERED_LABEL } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { buildLaunchLabels } from '../../model/offerings/claim-offerings.ts';
import { ownValue } from '../../model/own-value.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../model/plans.ts';
import { podKey } from '../../model/pods/pod.ts';

/**
 * Returns the snapshot as it would be after the plan: each claim is launched at its cheapest
 * offering, and its pods are bound and running.
 */
export function applyPlan(
  snapshot: ClusterSnapshot,
  { claims, placements }: Pick<ProvisioningPlan, 'claims' | 'placements'>,
): ClusterSnapshot {
  const launched = claims.flatMap((planned) => createNodeOfClaim(planned, snapshot));
  const targets = [...claims.map(({ claim, pods }) => ({ target: claim.name, pods })), ...placements];
  const nodeByPod = new Map(targets.flatMap(({ target, pods }) => pods.map((pod) => [pod, target])));
  return {
    ...snapshot,
    nodes: [...snapshot.nodes, ...launched.map(({ node }) => node)],
    claims: [...snapshot.claims, ...launched.map(({ claim }) => claim)],
    pods: snapshot.pods.map((pod) => {
      const nodeName = nodeByPod.get(podKey(pod));
      return nodeName === undefined ? pod : { ...pod, nodeName };
    }),
  };
}

/** Returns an empty list for an unknown type; the plan was then made from another snapshot. */
function createNodeOfClaim(
  { claim, cheapest }: PlannedClaim,
  { instanceTypes }: ClusterSnapshot,
): { readonly node: Node; readonly claim: NodeClaim }[] {
  const type = ownValue(instanceTypes, claim.pool)?.find(({ name }) => name === cheapest.instanceType);
  if (!type) return [];
  const { name, createdAt, taints } = claim;
  const { capacity, allocatable } = type;
  const region = type.labels[REGION_LABEL] ?? '';
  const labels = buildLaunchLabels(claim, region, type, cheapest);
  const providerId = `planned:///${name}`;
  const node: Node = {
    name,
    uid: name,
    providerId,
    createdAt,
    taints,
    capacity,
    allocatable,
    labels: {
      ...claim.labels,
      ...labels,
      [HOSTNAME_LABEL]: name,
      [REGISTERED_LABEL]: 'true',
      [INITIALIZED_LABEL]: 'true',
    },
    annotations: {},
    ready: true,
    finalizers: [],
  };
  const { instanceType, zone, capacityType, hourlyUsd } = cheapest;
  const offering = { instanceType, zone, capacityType, hourlyUsd };
  const launch = { providerId, ...offering, at: createdAt, labels, capacity, allocatable };
  const ready = { registeredAt: createdAt, initializedAt: createdAt };
  return [{ node, claim: { ...claim, ...ready, launch, nodeName: name } }];
}
