import { HOSTNAME_LABEL, INSTANCE_TYPE_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { MIB } from '../../../shared/model/resources.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import { aFakeWorld, type FakeWorld } from '../../controllers/support/fake-ports.ts';
import {
  aNode,
  aPodSpec,
  aPodTemplate,
  aRunningPod,
  aTypeOf,
  NOON,
  nodeLabels,
  offeringsOf,
  ZONES,
} from '../../support/builders.ts';
import { aRunningFleet } from '../../support/limits/planned-fleet.ts';

const TYPES = ['m5.xlarge', 'm5a.xlarge', 'm6i.xlarge'].map((name) => aTypeOf(name, 4, 16));
const PODS_PER_NODE = 20;
/** Each node has room for two more such pods: a replacement must be launched for most. */
const POD_REQUESTS = { cpu: 180, memory: 256 * MIB, pods: 1 };
/** Claims of one launch share their contents. */
const CLAIMS_PER_LAUNCH = 50;

export interface FullFleet {
  readonly world: FakeWorld;
  readonly claims: readonly NodeClaim[];
}

/** A cluster of equal nodes with 20 pods each, which has grown long ago. Pods of 20 owners share each node. */
export function aFullFleet(count: number): FullFleet {
  const claims = aRunningFleet(count, CLAIMS_PER_LAUNCH).map(toFullNode);
  const owners = Array.from({ length: PODS_PER_NODE }, (_, index) => {
    const name = `web-${index}`;
    const template = aPodTemplate({
      labels: { app: name },
      spec: aPodSpec({ requests: POD_REQUESTS }),
    });
    return { ...template, owner: { kind: 'ReplicaSet', name, uid: `rs-${name}` } };
  });
  const nodes = claims.map(({ nodeName: name = '', launch }) =>
    aNode({
      name,
      ...(launch && {
        providerId: launch.providerId,
        labels: { ...nodeLabels(), ...launch.labels, [HOSTNAME_LABEL]: name },
        capacity: launch.capacity,
        allocatable: launch.allocatable,
      }),
    }),
  );
  const pods = nodes.flatMap((node, index) =>
    owners.map((pod) => aRunningPod(node.name, { ...pod, name: `${pod.owner.name}-${index}` })),
  );
  const world = aFakeWorld({ nodes, pods });
  world.catalogue = {
    types: TYPES,
    offerings: TYPES.flatMap(({ name }) => offeringsOf(name, 0.192, ZONES)),
  };
  world.launch = (claim) => {
    const type = TYPES.find(({ name }) => claim.instanceTypes.includes(name)) ?? TYPES[0];
    const like = claims[0]?.launch;
    if (!like || !type) throw new Error('a fleet without nodes');
    const { name: instanceType, capacity, allocatable } = type;
    const providerId = `aws:///${like.zone}/i-${claim.name}`;
    const launch = { ...like, providerId, instanceType, capacity, allocatable, at: NOON };
    return { outcome: 'launched', launch, unavailable: [] };
  };
  return { world, claims };
}

function toFullNode(claim: NodeClaim, index: number): NodeClaim {
  const type = TYPES[index % TYPES.length];
  const { launch } = claim;
  if (!launch || !type) throw new Error('a claim without a launch');
  const { name: instanceType, capacity, allocatable } = type;
  const labels = {
    ...launch.labels,
    [INSTANCE_TYPE_LABEL]: instanceType,
    [ZONE_LABEL]: launch.zone,
  };
  return {
    ...claim,
    createdAt: NOON - HOUR_MS,
    launch: { ...launch, instanceType, capacity, allocatable, labels },
  };
}
