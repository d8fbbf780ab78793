import { formatShortDuration } from '../model/duration.ts';
import { HOSTNAME_LABEL, INSTANCE_TYPE_LABEL, NODEPOOL_LABEL } from '../model/labels.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { RequirementSpec } from '../model/requirements.ts';
import { CPU, type Resources } from '../model/resources.ts';
import { formatInstant } from '../model/time.ts';
import { conditionsOf } from './node-claim-conditions.ts';

export const TERMINATION_FINALIZER = 'karpenter.sh/termination';
const DEADLINE_ANNOTATION = 'karpenter.sh/nodeclaim-termination-timestamp';

/** The record as a NodeClaim, without its status: what server-side apply is given. */
export function nodeClaimManifest(claim: NodeClaim): object {
  const { drainDeadline, expireAfterMs, terminationGracePeriodMs } = claim;
  return {
    ...TYPE,
    metadata: {
      name: claim.name,
      labels: { ...claim.launch?.labels, ...claim.labels, [NODEPOOL_LABEL]: claim.pool },
      annotations: {
        ...claim.annotations,
        ...(drainDeadline === undefined
          ? {}
          : { [DEADLINE_ANNOTATION]: formatInstant(drainDeadline) }),
      },
      finalizers: [TERMINATION_FINALIZER],
    },
    // The API forbids any change of a spec: nothing in it may depend on how far the claim got.
    spec: {
      nodeClassRef: { ...claim.nodeClass },
      requirements: requirementsOf(claim),
      resources: { requests: quantitiesOf(claim.requests) },
      ...(claim.taints.length > 0 ? { taints: claim.taints } : {}),
      ...(claim.startupTaints.length > 0 ? { startupTaints: claim.startupTaints } : {}),
      expireAfter: expireAfterMs === undefined ? 'Never' : formatShortDuration(expireAfterMs),
      ...(terminationGracePeriodMs === undefined
        ? {}
        : { terminationGracePeriod: formatShortDuration(terminationGracePeriodMs) }),
    },
  };
}

/** The status alone, for the status subresource. */
export function nodeClaimStatus(claim: NodeClaim, generation: number): object {
  const { launch, nodeName, lastPodEventAt } = claim;
  return {
    ...TYPE,
    metadata: { name: claim.name },
    status: {
      ...(nodeName === undefined ? {} : { nodeName }),
      ...(launch
        ? {
            providerID: launch.providerId,
            capacity: quantitiesOf(launch.capacity),
            allocatable: quantitiesOf(launch.allocatable),
          }
        : {}),
      ...(lastPodEventAt === undefined ? {} : { lastPodEventTime: formatInstant(lastPodEventAt) }),
      conditions: conditionsOf(claim, generation),
    },
  };
}

const TYPE = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim' } as const;

/** Its instance types are one more requirement; hostnames belong to nodes and are refused. */
function requirementsOf({ requirements, instanceTypes }: NodeClaim): readonly RequirementSpec[] {
  const ofTypes = requirements.find(({ key }) => key === INSTANCE_TYPE_LABEL);
  const minValues = ofTypes?.minValues;
  return [
    ...requirements.filter(({ key }) => key !== INSTANCE_TYPE_LABEL && key !== HOSTNAME_LABEL),
    {
      key: INSTANCE_TYPE_LABEL,
      operator: 'In',
      values: instanceTypes,
      // The API refuses a list that is shorter.
      ...(minValues !== undefined && minValues <= instanceTypes.length ? { minValues } : {}),
    },
  ];
}

const quantitiesOf = (resources: Resources): Record<string, string> =>
  Object.fromEntries(
    Object.entries(resources).map(([name, amount]) => [
      name,
      name === CPU ? `${amount}m` : `${amount}`,
    ]),
  );
