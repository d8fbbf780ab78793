import { findIncompatibility } from '../../shared/ec2/catalogue/compatibility.ts';
import type { Ec2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { type TypeSettings, toInstanceType } from '../../shared/ec2/catalogue/instance-types.ts';
import {
  CAPACITY_TYPE_LABEL,
  labelValue,
  normaliseLabelKey,
  REGION_LABEL,
  WELL_KNOWN_LABELS,
  ZONE_ID_LABEL,
  ZONE_LABEL,
} from '../../shared/model/labels.ts';
import type { EC2NodeClass } from '../../shared/model/nodes/node-class.ts';
import type { InstanceType, Offering } from '../../shared/model/offerings/instance-type.ts';
import {
  allowsAbsence,
  allowsValue,
  type Requirement,
} from '../../shared/model/requirements/requirement.ts';
import { formatRequirement } from '../../shared/model/requirements/requirement-specs.ts';
import type { Requirements } from '../../shared/model/requirements/requirements.ts';
import type { Resources } from '../../shared/model/resources.ts';
import { type Exclusion, exclusion } from './exclusion.ts';

/** What EC2 sells in the region that is looked at. */
export interface Sold {
  readonly region: string;
  /** All that there are, whether some zone sells them or not. */
  readonly types: readonly Ec2Type[];
  /** Day of the list of on-demand prices. */
  readonly pricesOf: string;
  /** Absent: they are made up. */
  readonly spotPrices?: 'ec2';
  zonesOf(instanceType: string): readonly string[];
  onDemandUsd(instanceType: string): number | undefined;
  spotUsd(instanceType: string, zone: string): number | undefined;
}

export interface Wishes {
  readonly nodeClass: EC2NodeClass;
  /** Of which pool, template and flags; all must hold. */
  readonly requirements: Requirements;
  /** What one node must have room for. */
  readonly requests: Resources;
  /** How types are reckoned; absent: as usual. */
  readonly types?: TypeSettings;
}

/** A type that nodes may be launched as, cheapest offering first. */
export interface Candidate {
  readonly outcome: 'kept';
  readonly type: InstanceType;
  readonly offerings: readonly Offering[];
}

interface Excluded {
  readonly outcome: 'excluded';
  readonly name: string;
  readonly reason: Exclusion;
}

export type Verdict = Candidate | Excluded;

/** Whether nodes may be of the type, and the first reason why not. */
export function judgeType(ec2Type: Ec2Type, wishes: Wishes, sold: Sold): Verdict {
  const { name } = ec2Type;
  const excluded = (reason: Exclusion): Excluded => ({ outcome: 'excluded', name, reason });

  const why = findIncompatibility(ec2Type, wishes.nodeClass);
  if (why !== undefined) return excluded(exclusion('nodeclass-incompatible', { why }));

  const derived = toInstanceType(ec2Type, wishes.nodeClass, wishes.types);
  if (!derived) return excluded(exclusion('nodeclass-incompatible', { why: NO_PODS }));
  const type = { ...derived, labels: { ...derived.labels, [REGION_LABEL]: sold.region } };
  const reason = labelConflict(type, wishes.requirements) ?? shortage(type, wishes.requests);
  if (reason) return excluded(reason);

  const { offerings, lacks } = offeringsFor(name, wishes.requirements, sold);
  if (lacks) return excluded(lacks);
  return {
    outcome: 'kept',
    type,
    offerings: offerings.toSorted((a, b) => a.hourlyUsd - b.hourlyUsd),
  };
}

const NO_PODS = 'spec.kubelet.maxPods cannot be computed for it';

/** Keys that an offering decides; the rest is the type's, or of no concern to it. */
const PER_OFFERING: ReadonlySet<string> = new Set([ZONE_LABEL, ZONE_ID_LABEL, CAPACITY_TYPE_LABEL]);

function labelConflict(type: InstanceType, requirements: Requirements): Exclusion | undefined {
  for (const [written, requirement] of requirements) {
    const key = normaliseLabelKey(written);
    if (PER_OFFERING.has(key) || !isOfTypes(key)) continue;
    const values = [labelValue(type.labels, key) ?? type.choices?.[key] ?? []].flat();
    const holds =
      values.length === 0
        ? allowsAbsence(requirement)
        : values.some((value) => allowsValue(requirement, value));
    if (!holds) return conflict(key, requirement, values);
  }
  return undefined;
}

/** A NodePool's own label is on its nodes whatever their type. */
const isOfTypes = (key: string): boolean =>
  WELL_KNOWN_LABELS.has(key) && !key.startsWith('karpenter.sh/');

const conflict = (key: string, requirement: Requirement, values: readonly string[]): Exclusion =>
  exclusion('requirement-conflict', {
    key,
    wanted: formatRequirement(requirement),
    given: values.length === 0 ? 'absent' : values.join(', '),
  });

function shortage({ allocatable }: InstanceType, requests: Resources): Exclusion | undefined {
  const short = Object.entries(requests).find(
    ([resource, amount]) => amount > (allocatable[resource] ?? 0),
  );
  if (!short) return undefined;
  const [resource, amount] = short;
  return exclusion('too-large', { resource, request: amount, free: allocatable[resource] ?? 0 });
}

interface Offered {
  readonly offerings: readonly Offering[];
  /** Why there are none. */
  readonly lacks?: Exclusion;
}

function offeringsFor(name: string, requirements: Requirements, sold: Sold): Offered {
  const zoneWish = requirements.get(ZONE_LABEL);
  const capacityWish = requirements.get(CAPACITY_TYPE_LABEL);
  const all = sold.zonesOf(name);
  const zones = all.filter((zone) => !zoneWish || allowsValue(zoneWish, zone));
  if (zones.length === 0) {
    const wanted = zoneWish ? formatRequirement(zoneWish) : '';
    const fields = { region: sold.region, sold: all.join(', '), wanted };
    return { offerings: [], lacks: exclusion('no-offering-in-zone', fields) };
  }

  const onDemand = sold.onDemandUsd(name);
  const priced = zones.flatMap((zone): Offering[] => {
    const spot = sold.spotUsd(name, zone);
    return [
      ...(onDemand === undefined
        ? []
        : [{ instanceType: name, zone, capacityType: 'on-demand' as const, hourlyUsd: onDemand }]),
      ...(spot === undefined
        ? []
        : [{ instanceType: name, zone, capacityType: 'spot' as const, hourlyUsd: spot }]),
    ];
  });
  if (priced.length === 0) return { offerings: [], lacks: exclusion('no-price', {}) };

  const offerings = priced.filter(
    ({ capacityType }) => !capacityWish || allowsValue(capacityWish, capacityType),
  );
  if (offerings.length > 0 || !capacityWish) return { offerings };
  const given = [...new Set(priced.map(({ capacityType }) => capacityType))];
  return { offerings: [], lacks: conflict(CAPACITY_TYPE_LABEL, capacityWish, given) };
}
