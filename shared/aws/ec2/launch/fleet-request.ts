import { createHash } from 'node:crypto';
import type {
  _InstanceType,
  CreateFleetCommandInput,
  DefaultTargetCapacityType,
  FleetLaunchTemplateConfigRequest,
  FleetLaunchTemplateOverridesRequest,
  FleetReservationType,
  ResourceType,
  TagSpecification,
} from '@aws-sdk/client-ec2';
import { buildLaunchTags, type TemplateClass } from '../../../ec2/node-class/launch-template/template-content.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { NodeSubnet } from '../../../model/nodes/resolved-node-class.ts';
import type { CapacityType, Offering, OfferingReservation } from '../../../model/offerings/instance-type.ts';
import type { LaunchRequest } from '../../../ports/cloud.ts';
import { toTags } from '../../node-class/template-data.ts';

export const CLAIM_TAG = 'karpenter.sh/nodeclaim';
export const CLUSTER_TAG = 'eks:eks-cluster-name';
/** Marks the instances that Mortise launched. Mortise terminates no other instance on its own. */
export const LAUNCH_TAG = 'mortise.sh/launch';

/** The inputs of a request besides the launch and the choice. */
export interface FleetRequestContext {
  readonly cluster: string;
  readonly nodeClass: TemplateClass;
  readonly templates: readonly FleetTemplate[];
  /**
   * The number of instances that this attempt has launched in an earlier call whose response was
   * lost.
   */
  readonly launchedCount: number;
}

/** A launch template by name, and the instance types that use it. */
export interface FleetTemplate {
  readonly name: string;
  readonly instanceTypes: readonly string[];
}

/** The offerings of one CreateFleet request, all of one capacity type. */
export interface FleetChoice {
  readonly capacityType: CapacityType;
  readonly offerings: readonly Offering[];
  /** The reservation of all the offerings, if they are reserved. */
  readonly reservation?: Pick<OfferingReservation, 'id' | 'kind' | 'isInterruptible'>;
}

/**
 * Builds an instant CreateFleet request. The same attempt of a launch gives the same request, so
 * that EC2 can recognise a repeated one. The request therefore contains no prices: both allocation
 * strategies use EC2's own.
 */
export function buildFleetRequest(
  launch: LaunchRequest,
  choice: FleetChoice & { readonly count: number },
  { cluster, nodeClass, templates, launchedCount }: FleetRequestContext,
): CreateFleetCommandInput {
  const { capacityType, offerings, reservation } = choice;
  const [claim] = launch.claims;
  // The fleet context would tell EC2 about choices that a claim with relaxed minValues no longer
  // has.
  const { context } = hasAnnotation(claim, RELAXED) ? {} : nodeClass.written.spec;
  const typeOrder = hasAnnotation(claim, OVERLAID) ? claim?.instanceTypes : undefined;
  return {
    Type: 'instant',
    ClientToken: buildClientToken(launch, cluster, [reservation?.id ?? capacityType, launchedCount]),
    ...(context && { Context: context }),
    LaunchTemplateConfigs: templates.flatMap((template) => toConfig(template, offerings, nodeClass.subnets, typeOrder)),
    ...buildTarget(choice, typeOrder !== undefined),
    TagSpecifications: tagCreated(['instance', 'volume', 'fleet'], launch, nodeClass),
  };
}

/** Annotations that a plan sets on a claim. */
const RELAXED = 'karpenter.sh/nodeclaim-min-values-relaxed';
const OVERLAID = 'karpenter.sh/price-overlay-applied';
const hasAnnotation = (claim: NodeClaim | undefined, key: string): boolean => claim?.annotations[key] === 'true';

/** If a NodeOverlay sets prices, the claim's order of types decides, not EC2's prices. */
const toPriority = (
  typeOrder: readonly string[] | undefined,
  type = '',
): Pick<FleetLaunchTemplateOverridesRequest, 'Priority'> => (typeOrder ? { Priority: typeOrder.indexOf(type) } : {});

type Target = Pick<
  CreateFleetCommandInput,
  'TargetCapacitySpecification' | 'SpotOptions' | 'OnDemandOptions' | 'ReservedCapacityOptions'
>;

/**
 * Builds the count, the capacity type and the allocation strategy. A default reservation is filled
 * as on-demand.
 */
function buildTarget(
  { capacityType, reservation, count }: FleetChoice & { readonly count: number },
  isOrdered: boolean,
): Target {
  const of = (DefaultTargetCapacityType: DefaultTargetCapacityType): Target => ({
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType },
  });
  if (capacityType === 'spot') {
    const AllocationStrategy = isOrdered ? 'capacity-optimized-prioritized' : 'price-capacity-optimized';
    return { ...of('spot'), SpotOptions: { AllocationStrategy } };
  }
  if (reservation?.kind === 'capacity-block') return of('capacity-block');
  if (reservation?.isInterruptible) {
    const ReservationTypes: FleetReservationType[] = ['interruptible-capacity-reservation'];
    return { ...of('reserved-capacity'), ReservedCapacityOptions: { ReservationTypes } };
  }
  const AllocationStrategy = isOrdered ? 'prioritized' : 'lowest-price';
  return { ...of('on-demand'), OnDemandOptions: { AllocationStrategy } };
}

/** Returns nothing for a template without overrides, which EC2 would refuse. */
function toConfig(
  { name, instanceTypes }: FleetTemplate,
  offerings: readonly Offering[],
  subnets: readonly NodeSubnet[],
  typeOrder: readonly string[] | undefined,
): FleetLaunchTemplateConfigRequest[] {
  const Overrides = offerings
    .filter(({ instanceType }) => instanceTypes.includes(instanceType))
    .flatMap((offering) => toOverride(offering, subnets))
    .map((override) => ({ ...override, ...toPriority(typeOrder, override.InstanceType) }));
  if (Overrides.length === 0) return [];
  const LaunchTemplateSpecification = { LaunchTemplateName: name, Version: '$Latest' };
  return [{ LaunchTemplateSpecification, Overrides }];
}

/** EC2 takes one subnet per zone: the first, which has the most free addresses. */
function toOverride(
  { instanceType, zone }: Offering,
  subnets: readonly NodeSubnet[],
): FleetLaunchTemplateOverridesRequest[] {
  const subnet = subnets.find((candidate) => candidate.zone === zone);
  if (!subnet) return [];
  // The SDK's union of names lags behind EC2, which adds types every month.
  const InstanceType = instanceType as _InstanceType;
  return [{ InstanceType, SubnetId: subnet.id, AvailabilityZone: zone }];
}

/** EC2 limits the token to 64 characters; names of clusters and launches may be longer. */
function buildClientToken(
  { id, attempt }: LaunchRequest,
  cluster: string,
  [capacityType, launchedCount]: readonly [string, number],
): string {
  const text = JSON.stringify([cluster, id]);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
  // A request for the remaining instances differs, and EC2 would refuse it under the same token.
  const suffix = launchedCount > 0 ? `-${launchedCount}` : '';
  return `${digest}-${attempt}-${capacityType}${suffix}`;
}

/**
 * Tags everything that a request creates. A role may launch only what carries the cluster's tags from
 * its creation, so that a request without them is denied, dry runs included.
 *
 * Instances that are launched together have no claim tag: the launch record maps them to claims.
 */
export function tagCreated(
  kinds: readonly ResourceType[],
  { id, claims }: Pick<LaunchRequest, 'id' | 'claims'>,
  nodeClass: TemplateClass,
): TagSpecification[] {
  const [claim] = claims;
  if (!claim) throw new Error(`launch ${id} is for no claim`);
  const Tags = toTags({
    ...buildLaunchTags(claim, nodeClass),
    ...(claims.length === 1 && { [CLAIM_TAG]: claim.name }),
    [LAUNCH_TAG]: id,
  });
  return kinds.map((kind) => ({ ResourceType: kind, Tags }));
}
