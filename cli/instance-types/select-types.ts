import { findIncompatibility } from '../../shared/ec2/catalogue/compatibility.ts';
import type { Ec2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { type TypeSettings, toInstanceType } from '../../shared/ec2/catalogue/instance-types.ts';
import type { RegionCatalogue } from '../../shared/ec2/catalogue/region-catalogue.ts';
import { weighType } from '../../shared/ec2/catalogue/type-weight.ts';
import {
  CAPACITY_TYPE_LABEL,
  REGION_LABEL,
  WELL_KNOWN_LABELS,
  ZONE_ID_LABEL,
  ZONE_LABEL,
} from '../../shared/model/labels.ts';
import type { EC2NodeClass } from '../../shared/model/nodes/node-class.ts';
import type { InstanceType } from '../../shared/model/offerings/instance-type.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import { formatAmount } from '../../shared/model/quantity.ts';
import { allowsValue, isIn } from '../../shared/model/requirements/requirement.ts';
import { formatRequirement } from '../../shared/model/requirements/requirement-specs.ts';
import { findConflict, type Requirements } from '../../shared/model/requirements/requirements.ts';
import type { Resources } from '../../shared/model/resources.ts';
import { toLabelValues } from '../catalogue/bundled-types.ts';
import type { InstanceTypes } from '../documents/instance-types.ts';

export interface TypeRequirements {
  readonly nodeClass: EC2NodeClass;
  /** Requirements of the pool, the pod template and the flags; all must hold. */
  readonly requirements: Requirements;
  /** Resources that one node must provide. */
  readonly requests: Resources;
  /** Settings for allocatable resources. */
  readonly settings: TypeSettings;
}

export type ListedOffering = InstanceTypes['types'][number]['offerings'][number];
type Exclusion = InstanceTypes['excluded'][number]['reason'];

/** A type that the pool may launch. */
export interface Candidate {
  readonly outcome: 'kept';
  readonly name: string;
  readonly type: InstanceType;
  /** The cheapest first. */
  readonly offerings: readonly ListedOffering[];
  /** The lowest price, or the weight of the type in a region without prices. */
  readonly cost: number;
}

export type TypeEligibility =
  | Candidate
  | { readonly outcome: 'excluded'; readonly name: string; readonly reason: Exclusion };

/** Evaluates an instance type and returns the first reason against it. */
export function judgeType(
  ec2Type: Ec2Type,
  { nodeClass, requirements, requests, settings }: TypeRequirements,
  sold: RegionCatalogue,
): TypeEligibility {
  const { name } = ec2Type;
  const why = findIncompatibility(ec2Type, nodeClass);
  const derived = toInstanceType(ec2Type, nodeClass, settings);
  if (why !== undefined || !derived) {
    const text = why ?? 'spec.kubelet.maxPods cannot be computed for it';
    return { outcome: 'excluded', name, reason: { code: 'nodeclass-incompatible', text, fields: { why: text } } };
  }

  const type = { ...derived, labels: { ...derived.labels, [REGION_LABEL]: sold.region } };
  const offerings = listOfferings(ec2Type, requirements, sold);
  const reason =
    findRequirementConflict(type, offerings, requirements, sold) ??
    findShortage(type, requests) ??
    (offerings.length > 0 ? undefined : NO_PRICE);
  if (reason) return { outcome: 'excluded', name, reason };

  const allowed = offerings.filter(({ capacityType }) => allows(requirements, CAPACITY_TYPE_LABEL, capacityType));
  const priceOf = ({ hourlyUsd = Infinity }: ListedOffering): number => hourlyUsd;
  return {
    ...{ outcome: 'kept', name, type },
    offerings: allowed.toSorted((a, b) => priceOf(a) - priceOf(b)),
    cost: sold.prices ? Math.min(...allowed.map(priceOf)) : weighType(ec2Type),
  };
}

const allows = (requirements: Requirements, key: string, value: string): boolean => {
  const requirement = requirements.get(key);
  return !requirement || allowsValue(requirement, value);
};

const NO_PRICE: Exclusion = { code: 'no-price', text: 'no price is known, so it cannot be weighed', fields: {} };

/** @param offerings - those in the zones of the requirements, of any capacity type */
function findRequirementConflict(
  type: InstanceType,
  offerings: readonly ListedOffering[],
  requirements: Requirements,
  { region, zonesOf }: RegionCatalogue,
): Exclusion | undefined {
  const zones = zonesOf(type.name);
  const values = new Map([...toLabelValues(type), [ZONE_LABEL, isIn(...zones)]]);
  if (offerings.length > 0) {
    values.set(CAPACITY_TYPE_LABEL, isIn(...offerings.map(({ capacityType }) => capacityType)));
  }
  const conflict = findConflict(
    values,
    new Map([...requirements].filter(([key]) => values.has(key) || isOfTypes(key))),
  );
  const wanted = conflict ? formatRequirement(conflict.expected) : '';
  if (conflict && conflict.key !== ZONE_LABEL) {
    const { key, given } = conflict;
    const fields = { key, wanted, given: given ? [...given.values].join(', ') : 'absent' };
    return { code: 'requirement-conflict', text: `${key} is ${fields.given}, wanted ${wanted}`, fields };
  }
  if (!conflict && zones.length > 0) return undefined;
  const fields = { region, sold: zones.join(', '), wanted };
  const text = zones.length === 0 ? `no zone of ${region} sells it` : `is sold in ${fields.sold}; wanted ${wanted}`;
  return { code: 'no-offering-in-zone', text, fields };
}

/** A NodePool's own labels are on its nodes whatever their type; zone ids are not in the catalogue. */
const isOfTypes = (key: string): boolean =>
  WELL_KNOWN_LABELS.has(key) && !key.startsWith('karpenter.sh/') && key !== ZONE_ID_LABEL;

function findShortage({ allocatable }: InstanceType, requests: Resources): Exclusion | undefined {
  for (const [resource, request] of Object.entries(requests)) {
    const free = ownValue(allocatable, resource) ?? 0;
    if (request <= free) continue;
    const text = `needs ${formatAmount(resource, request)} ${resource}, has ${formatAmount(resource, free)}`;
    return { code: 'too-large', text, fields: { resource, request: `${request}`, free: `${free}` } };
  }
  return undefined;
}

/** In a region with prices, an offering without a price is left out; elsewhere a spot price may be known. */
const listOfferings = (
  { name, isSpot }: Ec2Type,
  requirements: Requirements,
  { zonesOf, prices, spotUsd }: RegionCatalogue,
): readonly ListedOffering[] =>
  zonesOf(name)
    .filter((zone) => allows(requirements, ZONE_LABEL, zone))
    .flatMap((zone): ListedOffering[] => {
      const onDemand = prices?.onDemandUsd(name);
      const spot = spotUsd?.(name, zone);
      const isSpotSold = spot !== undefined || (!prices && isSpot && !spotUsd);
      return [
        ...(prices && onDemand === undefined ? [] : [toOffering(zone, 'on-demand', onDemand)]),
        ...(isSpotSold ? [toOffering(zone, 'spot', spot)] : []),
      ];
    });

const toOffering = (
  zone: string,
  capacityType: ListedOffering['capacityType'],
  hourlyUsd: number | undefined,
): ListedOffering => ({ zone, capacityType, ...(hourlyUsd !== undefined && { hourlyUsd }) });
