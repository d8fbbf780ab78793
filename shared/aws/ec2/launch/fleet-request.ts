import { createHash } from 'node:crypto';
import type {
  _InstanceType,
  CreateFleetCommandInput,
  DefaultTargetCapacityType,
  FleetLaunchTemplateConfigRequest,
  FleetLaunchTemplateOverridesRequest,
  FleetReservationType,
  Tag,
} from '@aws-sdk/client-ec2';
import {
  buildLaunchTags,
  type TemplateClass,
} from '../../../ec2/node-class/launch-template/template-content.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { NodeSubnet } from '../../../model/nodes/resolved-node-class.ts';
import type {
  CapacityType,
  Offering,
  OfferingReservation,
} from '../../../model/offerings/instance-type.ts';
import type { LaunchRequest } from '../../../ports/cloud.ts';
import { toTags } from '../../node-class/template-data.ts';

export const CLAIM_TAG = 'karpenter.sh/nodeclaim';
export const CLUSTER_TAG = 'eks:eks-cluster-name';
/** Only what carries it was launched by us, and only that may we end unasked. */
export const LAUNCH_TAG = 'mortise.sh/launch';

/** What a request is made of, besides the claim and what it may become. */
export interface FleetRequestContext {
  readonly cluster: string;
  readonly nodeClass: TemplateClass;
  readonly templates: readonly FleetTemplate[];
  /** How many instances this attempt has launched already, in a call whose answer nobody got. */
  readonly launchedCount: number;
}

/** A launch template by name, and the instance types that start from it. */
export interface FleetTemplate {
  readonly name: string;
  readonly instanceTypes: readonly string[];
}

/** What one request may be answered with: all of one capacity type. */
export interface FleetChoice {
  readonly capacityType: CapacityType;
  readonly offerings: readonly Offering[];
  /** The one that all of them are in, where they are reserved. */
  readonly reservation?: Pick<OfferingReservation, 'id' | 'kind' | 'isInterruptible'>;
}

/**
 * Asks for instances, at once or not at all. The same attempt of a launch gives the same request, so
 * that EC2 can recognise a repeated one; therefore no prices are in it: both strategies go by EC2's
 * own.
 */
export function buildFleetRequest(
  launch: LaunchRequest,
  choice: FleetChoice & { readonly count: number },
  { cluster, nodeClass, templates, launchedCount }: FleetRequestContext,
): CreateFleetCommandInput {
  const { capacityType, offerings, reservation } = choice;
  const Tags = buildTags(launch, nodeClass);
  const [claim] = launch.claims;
  // A fleet's context tells EC2 of choices that a claim with fewer types no longer has.
  const { context } = hasAnnotation(claim, RELAXED) ? {} : nodeClass.written.spec;
  const typeOrder = hasAnnotation(claim, OVERLAID) ? claim?.instanceTypes : undefined;
  return {
    Type: 'instant',
    ClientToken: buildClientToken(launch, cluster, [
      reservation?.id ?? capacityType,
      launchedCount,
    ]),
    ...(context && { Context: context }),
    LaunchTemplateConfigs: templates.flatMap((template) =>
      toConfig(template, offerings, nodeClass.subnets, typeOrder),
    ),
    ...buildTarget(choice, typeOrder !== undefined),
    TagSpecifications: (['instance', 'volume', 'fleet'] as const).map((ResourceType) => ({
      ResourceType,
      Tags,
    })),
  };
}

/** What a plan notes on a claim. */
const RELAXED = 'karpenter.sh/nodeclaim-min-values-relaxed';
const OVERLAID = 'karpenter.sh/price-overlay-applied';
const hasAnnotation = (claim: NodeClaim | undefined, key: string): boolean =>
  claim?.annotations[key] === 'true';

/** Where people have set prices of their own, the claim's order counts, not EC2's prices. */
const toPriority = (
  typeOrder: readonly string[] | undefined,
  type = '',
): Pick<FleetLaunchTemplateOverridesRequest, 'Priority'> =>
  typeOrder ? { Priority: typeOrder.indexOf(type) } : {};

type Target = Pick<
  CreateFleetCommandInput,
  'TargetCapacitySpecification' | 'SpotOptions' | 'OnDemandOptions' | 'ReservedCapacityOptions'
>;

/** How many, of what, and what EC2 is to go by. An ordinary reservation is filled as on demand. */
function buildTarget(
  { capacityType, reservation, count }: FleetChoice & { readonly count: number },
  isOrdered: boolean,
): Target {
  const of = (DefaultTargetCapacityType: DefaultTargetCapacityType): Target => ({
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType },
  });
  if (capacityType === 'spot') {
    const AllocationStrategy = isOrdered
      ? 'capacity-optimized-prioritized'
      : 'price-capacity-optimized';
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

/** EC2 refuses a template without any override. */
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

/** EC2 takes one subnet for each zone: the first, which has the most free addresses. */
function toOverride(
  { instanceType, zone }: Offering,
  subnets: readonly NodeSubnet[],
): FleetLaunchTemplateOverridesRequest[] {
  const subnet = subnets.find((candidate) => candidate.zone === zone);
  if (!subnet) return [];
  // The SDK closes the list of names; EC2 adds to it every month.
  const InstanceType = instanceType as _InstanceType;
  return [{ InstanceType, SubnetId: subnet.id, AvailabilityZone: zone }];
}

/** EC2 takes 64 characters; names of clusters and launches may be longer. */
function buildClientToken(
  { id, attempt }: LaunchRequest,
  cluster: string,
  [capacityType, launchedCount]: readonly [string, number],
): string {
  const text = JSON.stringify([cluster, id]);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
  // What is left of a request is another one: under its token EC2 would refuse it.
  const rest = launchedCount > 0 ? `-${launchedCount}` : '';
  return `${digest}-${attempt}-${capacityType}${rest}`;
}

/** Instances that are launched together carry nobody's name: the launch record knows whose they are. */
function buildTags({ id, claims }: LaunchRequest, nodeClass: TemplateClass): Tag[] {
  const [claim] = claims;
  if (!claim) throw new Error(`launch ${id} is for no claim`);
  return toTags({
    ...buildLaunchTags(claim, nodeClass),
    ...(claims.length === 1 && { [CLAIM_TAG]: claim.name }),
    [LAUNCH_TAG]: id,
  });
}
