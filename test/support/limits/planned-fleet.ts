import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, REGION_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { Launch, NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { InstanceType } from '../../../shared/model/offerings/instance-type.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { ALL_EC2_TYPES, createEc2Snapshot } from '../../benchmarks/inputs/ec2-snapshot.ts';
import { aPod, NOON, resources } from '../builders.ts';

/** The instance id of the claim with this number, of the length that EC2 gives. */
export const instanceIdOf = (index: number): string => `i-0${String(index).padStart(16, '0')}`;

const uuidOf = (index: number): string => `4f9d1c52-7d0e-4c5b-9a55-${String(index).padStart(12, '0')}`;

/**
 * Builds claims as the planner makes them for a pool of all c, m and r types, as they are stored once
 * their nodes run.
 *
 * @param perLaunch - the number of claims that share a launch
 */
export function aRunningFleet(count: number, perLaunch = 10): readonly NodeClaim[] {
  const templates = new Map<number, NodeClaim>();
  return Array.from({ length: count }, (_, index) => {
    const group = Math.floor(index / perLaunch);
    const planned = templates.get(group) ?? planClaim(group);
    templates.set(group, planned);
    return toRunning(planned, group, index);
  });
}

/** Plans a claim for one pod; the size depends on the number of the launch. */
function planClaim(launch: number): NodeClaim {
  const pod = aPod();
  const requests = resources(1 + (launch % 7), 2 + (launch % 13));
  const pods = [aPod({ spec: { ...pod.spec, requests } })];
  const [planned] = planProvisioning(createEc2Snapshot({ pods }), `p-lrw3k2-${launch}`).claims;
  if (!planned) throw new Error('the pod needs no node');
  return planned.claim;
}

function toRunning(planned: NodeClaim, group: number, index: number): NodeClaim {
  const type = findType(planned.instanceTypes[0] ?? '');
  const at = NOON + index;
  return {
    ...planned,
    name: `general-${index.toString(36).padStart(5, '0')}`,
    uid: uuidOf(index),
    poolUid: uuidOf(0),
    launchId: `p-lrw3k2-${group}-0`,
    expects: { [uuidOf(group)]: 4 },
    podsWaitedSince: at,
    nodeName: `ip-10-0-${index >> 8}-${index % 256}.us-east-1.compute.internal`,
    registeredAt: at + 40 * SECOND_MS,
    initializedAt: at + 50 * SECOND_MS,
    podRunningAt: at + MINUTE_MS,
    lastPodEventAt: at + MINUTE_MS,
    launch: aTypicalLaunch(type, index),
  };
}

function aTypicalLaunch(type: InstanceType, index: number): Launch {
  const zone = `us-east-1${'abc'[index % 3]}`;
  const zonal = { [ZONE_LABEL]: zone, 'topology.k8s.aws/zone-id': `use1-az${index % 3}` };
  return {
    providerId: `aws:///${zone}/${instanceIdOf(index)}`,
    instanceType: type.name,
    zone,
    capacityType: 'spot',
    hourlyUsd: 0.0389,
    imageId: 'ami-0123456789abcdef0',
    setup: '0f1e2d3c4b5a6978',
    subnetId: `subnet-0123456789abcde0${index % 3}`,
    securityGroupIds: ['sg-0123456789abcdef0', 'sg-0123456789abcdef1'],
    nodeClassHash: '4950366118253097694',
    nodeClassHashVersion: 'v4',
    calledAt: NOON + index,
    at: NOON + index,
    labels: {
      ...type.labels,
      ...zonal,
      [CAPACITY_TYPE_LABEL]: 'spot',
      [INSTANCE_TYPE_LABEL]: type.name,
      [REGION_LABEL]: 'us-east-1',
    },
    capacity: type.capacity,
    allocatable: type.allocatable,
  };
}

function findType(name: string): InstanceType {
  const type = ALL_EC2_TYPES.find((one) => one.name === name);
  if (!type) throw new Error(`there is no type ${name}`);
  return type;
}
