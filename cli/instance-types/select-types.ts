import { findIncompatibility } from '../../shared/ec2/catalogue/compatibility.ts';
import type { Ec2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { type TypeSettings, toInstanceType } from '../../shared/ec2/catalogue/instance-types.ts';
import type { RegionCatalogue } from '../../shared/ec2/catalogue/region-catalogue.ts';
import { weighType } from '../../shared/ec2/catalogue/type-weight.ts';
import {
  CAPACITY_TYPE_LABEL,
  normaliseLabelKey,
  REGION_LABEL,
  WELL_KNOWN_LABELS,
  ZONE_ID_LABEL,
  ZONE_LABEL,
} from '../../shared/model/labels.ts';
import type { EC2NodeClass } from '../../shared/model/nodes/node-class.ts';
import type { InstanceType, Offering } from '../../shared/model/offerings/instance-type.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import { allowsAbsence, allowsValue, type Requirement } from '../../shared/model/requirements/requirement.ts';
import { formatRequirement } from '../../shared/model/requirements/requirement-specs.ts';
import type { Requirements } from '../../shared/model/requirements/requirements.ts';
import type { Resources } from '../../shared/model/resources.ts';
import { type Exclusion, exclusion } from './exclusion.ts';

export interface TypeRequirements {
  readonly nodeClass: EC2NodeClass;
  /** Requirements of the pool, the pod template and the flags; all must hold. */
  readonly requirements: Requirements;
  /** Resources that one node must provide. */
  readonly requests: Resources;
  /** Settings for allocatable resources; undefined for the defaults. */
  readonly types?: TypeSettings;
}

/** An offering of the region; without a price if none is known. */
export type ListedOffering = Pick<Offering, 'zone' | 'capacityType'> & Partial<Pick<Offering, 'hourlyUsd'>>;

/** A type that the pool may launch, with its cheapest offering first. */
export interface Candidate {
  readonly outcome: 'kept';
  readonly type: InstanceType;
  readonly offerings: readonly ListedOffering[];
  /** The lowest price, or the weight of the type in a region without prices. */
  readonly cost: number;
}

interface Excluded {
  readonly outcome: 'excluded';
  readonly name: string;
  readonly reason: Exclusion;
}

export type TypeEligibility = Candidate | Excluded;

/** Evaluates an instance type and returns the first reason against it. */
export function judgeType(ec2Type: Ec2Type, requirements: TypeRequirements, sold: RegionCatalogue): TypeEligibility {
  const { name } = ec2Type;
  const excluded = (reason: Exclusion): Excluded => ({ outcome: 'excluded', name, reason });

  const why = findIncompatibility(ec2Type, requirements.nodeClass);
  if (why !== undefined) return excluded(exclusion('nodeclass-incompatible', { why }));

  const derived = toInstanceType(ec2Type, requirements.nodeClass, requirements.types);
  if (!derived) return excluded(exclusion('nodeclass-incompatible', { why: NO_PODS }));
  const type = { ...derived, labels: { ...derived.labels, [REGION_LABEL]: sold.region } };
  const reason = labelConflict(type, requirements.requirements) ?? shortage(type, requirements.requests);
  if (reason) return excluded(reason);

  const { offerings, lacks } = offeringsFor(ec2Type, requirements.requirements, sold);
  if (lacks) return excluded(lacks);
  const priceOf = ({ hourlyUsd = Infinity }: ListedOffering): number => hourlyUsd;
  return {
    outcome: 'kept',
    type,
    offerings: offerings.toSorted((a, b) => priceOf(a) - priceOf(b)),
    cost: sold.prices ? Math.min(...offerings.map(priceOf)) : weighType(ec2Type),
  };
}

const NO_PODS = 'spec.kubelet.maxPods cannot be computed for it';

/** Keys that belong to an offering; all others belong to the type. */
const PER_OFFERING: ReadonlySet<string> = new Set([ZONE_LABEL, ZONE_ID_LABEL, CAPACITY_TYPE_LABEL]);

function labelConflict(type: InstanceType, requirements: Requirements): Exclusion | undefined {
  for (const [written, requirement] of requirements) {
    const key = normaliseLabelKey(written);
    if (PER_OFFERING.has(key) || !isOfTypes(key)) continue;
    const values = [ownValue(type.labels, key) ?? ownValue(type.choices, key) ?? []].flat();
    const holds =
      values.length === 0 ? allowsAbsence(requirement) : values.some((value) => allowsValue(requirement, value));
    if (!holds) return conflict(key, requirement, values);
  }
  return undefined;
}

/** A NodePool's own labels are on its nodes whatever their type. */
const isOfTypes = (key: string): boolean => WELL_KNOWN_LABELS.has(key) && !key.startsWith('karpenter.sh/');

const conflict = (key: string, requirement: Requirement, values: readonly string[]): Exclusion =>
  exclusion('requirement-conflict', {
    key,
    wanted: formatRequirement(requirement),
    given: values.length === 0 ? 'absent' : values.join(', '),
  });

function shortage({ allocatable }: InstanceType, requests: Resources): Exclusion | undefined {
  const short = Object.entries(requests).find(([resource, amount]) => amount > (ownValue(allocatable, resource) ?? 0));
  if (!short) return undefined;
  const [resource, amount] = short;
  return exclusion('too-large', {
    resource,
    request: amount,
    free: ownValue(allocatable, resource) ?? 0,
  });
}

interface Offered {
  readonly offerings: readonly ListedOffering[];
  /** The reason why there are no offerings. */
  readonly lacks?: Exclusion;
}

function offeringsFor({ name, isSpot }: Ec2Type, requirements: Requirements, sold: RegionCatalogue): Offered {
  const zoneRequirement = requirements.get(ZONE_LABEL);
  const capacityRequirement = requirements.get(CAPACITY_TYPE_LABEL);
  const all = sold.zonesOf(name);
  const zones = all.filter((zone) => !zoneRequirement || allowsValue(zoneRequirement, zone));
  if (zones.length === 0) {
    const requestedValues = zoneRequirement ? formatRequirement(zoneRequirement) : '';
    const fields = { region: sold.region, sold: all.join(', '), wanted: requestedValues };
    return { offerings: [], lacks: exclusion('no-offering-in-zone', fields) };
  }

  const priced = sold.prices
    ? listPriced(name, zones, sold)
    : zones.flatMap((zone) => listUnpriced(name, zone, isSpot, sold));
  if (priced.length === 0) return { offerings: [], lacks: exclusion('no-price', {}) };

  const offerings = priced.filter(
    ({ capacityType }) => !capacityRequirement || allowsValue(capacityRequirement, capacityType),
  );
  if (offerings.length > 0 || !capacityRequirement) return { offerings };
  const given = [...new Set(priced.map(({ capacityType }) => capacityType))];
  return { offerings: [], lacks: conflict(CAPACITY_TYPE_LABEL, capacityRequirement, given) };
}

function listPriced(
  name: string,
  zones: readonly string[],
  { prices, spotUsd }: RegionCatalogue,
): readonly ListedOffering[] {
  const onDemand = prices?.onDemandUsd(name);
  return zones.flatMap((zone): ListedOffering[] => {
    const spot = spotUsd?.(name, zone);
    return [
      ...(onDemand === undefined ? [] : [{ zone, capacityType: 'on-demand' as const, hourlyUsd: onDemand }]),
      ...(spot === undefined ? [] : [{ zone, capacityType: 'spot' as const, hourlyUsd: spot }]),
    ];
  });
}

/** A spot price may be known where no price list is. */
function listUnpriced(
  name: string,
  zone: string,
  isSpot: boolean,
  { spotUsd }: RegionCatalogue,
): readonly ListedOffering[] {
  const hourlyUsd = spotUsd?.(name, zone);
  const isSold = isSpot && (spotUsd === undefined || hourlyUsd !== undefined);
  return [
    { zone, capacityType: 'on-demand' },
    ...(isSold ? [{ zone, capacityType: 'spot' as const, ...(hourlyUsd !== undefined && { hourlyUsd }) }] : []),
  ];
}
