import { createHash } from 'node:crypto';
import type {
  _InstanceType,
  CreateFleetCommandInput,
  FleetLaunchTemplateOverridesRequest,
  Tag,
} from '@aws-sdk/client-ec2';
import type { Offering } from '../model/instance-type.ts';
import { NODECLASS_LABEL, NODEPOOL_LABEL } from '../model/labels.ts';
import type { NodeClaim } from '../model/node-claim.ts';

export const CLAIM_TAG = 'karpenter.sh/nodeclaim';
export const CLUSTER_TAG = 'eks:eks-cluster-name';
/** Only what carries it was launched by us, and only that may we end unasked. */
export const LAUNCH_TAG = 'mortise.sh/launch';

export interface Subnet {
  readonly id: string;
  readonly zone: string;
}

export interface FleetSettings {
  readonly cluster: string;
  /** EC2 takes one subnet for each zone: the first of a zone is used. */
  readonly subnets: readonly Subnet[];
  readonly launchTemplateId: string;
}

/** What one request may be answered with: all of them spot, or all of them on demand. */
export interface FleetChoice {
  readonly capacityType: 'spot' | 'on-demand';
  readonly offerings: readonly Offering[];
}

/**
 * Asks for one instance, at once or not at all. Equal claims give equal requests, so that EC2 can
 * recognise a repeated one; therefore no prices are in it: both strategies go by EC2's own.
 */
export function fleetRequest(
  claim: NodeClaim,
  { capacityType, offerings }: FleetChoice,
  settings: FleetSettings,
): CreateFleetCommandInput {
  const tags = launchTags(claim, settings.cluster);
  return {
    Type: 'instant',
    ClientToken: `${launchId(claim, settings.cluster)}-${capacityType}`,
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: {
          LaunchTemplateId: settings.launchTemplateId,
          Version: '$Latest',
        },
        Overrides: offerings.flatMap((offering) => toOverride(offering, settings.subnets)),
      },
    ],
    TargetCapacitySpecification: {
      TotalTargetCapacity: 1,
      DefaultTargetCapacityType: capacityType,
    },
    ...(capacityType === 'spot'
      ? { SpotOptions: { AllocationStrategy: 'price-capacity-optimized' } }
      : { OnDemandOptions: { AllocationStrategy: 'lowest-price' } }),
    TagSpecifications: (['instance', 'volume', 'fleet'] as const).map((ResourceType) => ({
      ResourceType,
      Tags: tags,
    })),
  };
}

function toOverride(
  { instanceType, zone }: Offering,
  subnets: readonly Subnet[],
): FleetLaunchTemplateOverridesRequest[] {
  const subnet = subnets.find((candidate) => candidate.zone === zone);
  if (!subnet) return [];
  // The SDK closes the list of names; EC2 adds to it every month.
  const InstanceType = instanceType as _InstanceType;
  return [{ InstanceType, SubnetId: subnet.id, AvailabilityZone: zone }];
}

/** One claim stands for one instance, so the claim is the launch; a name alone may come again. */
const launchId = ({ name, uid }: NodeClaim, cluster: string): string =>
  createHash('sha256')
    .update(JSON.stringify([cluster, name, uid]))
    .digest('hex')
    .slice(0, 32);

function launchTags(claim: NodeClaim, cluster: string): Tag[] {
  const tags = {
    [`kubernetes.io/cluster/${cluster}`]: 'owned',
    [CLUSTER_TAG]: cluster,
    [NODEPOOL_LABEL]: claim.pool,
    [NODECLASS_LABEL]: claim.nodeClass.name,
    [CLAIM_TAG]: claim.name,
    [LAUNCH_TAG]: launchId(claim, cluster),
  };
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}
