import type { InstanceType, Offering } from '../model/instance-type.ts';
import type { Labels } from '../model/labels.ts';
import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  REGION_LABEL,
  WELL_KNOWN_LABELS,
  ZONE_LABEL,
} from '../model/labels.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { Requirements } from '../model/requirements.ts';
import { allowsValue, matchesLabels, toRequirements } from '../model/requirements.ts';

export interface FleetChoice {
  readonly chosen?: Offering;
  /** Better ones that EC2 had none of, best first. */
  readonly dry: readonly Offering[];
}

/**
 * The offering that CreateFleet takes: spot before on-demand where both are allowed.
 *
 * @param rank - the lower the better, within a capacity type
 */
export function chooseOffering(
  offerings: readonly Offering[],
  rank: (offering: Offering) => number,
  isDry: (offering: Offering) => boolean,
): FleetChoice {
  const ranked = offerings
    .map((offering) => ({ offering, score: rank(offering) }))
    .toSorted((a, b) => order(a.offering) - order(b.offering) || a.score - b.score || byName(a, b));
  const dry: Offering[] = [];
  for (const { offering } of ranked) {
    if (!isDry(offering)) return { chosen: offering, dry };
    dry.push(offering);
  }
  return { dry };
}

const CAPACITY_ORDER = ['reserved', 'spot', 'on-demand'];
const order = ({ capacityType }: Offering): number => CAPACITY_ORDER.indexOf(capacityType);

const byName = (a: { offering: Offering }, b: { offering: Offering }): number =>
  nameOf(a.offering) < nameOf(b.offering) ? -1 : 1;
const nameOf = ({ instanceType, zone }: Offering): string => `${instanceType} ${zone}`;

/** The offerings of the claim's types that its requirements leave. */
export function offeringsFor(
  claim: NodeClaim,
  region: string,
  types: ReadonlyMap<string, InstanceType>,
  offeringsOf: (name: string) => readonly Offering[],
): readonly Offering[] {
  const wanted = wellKnownPart(toRequirements(claim.requirements));
  const perOffering = new Set([ZONE_LABEL, CAPACITY_TYPE_LABEL]);
  const ofType = without(wanted, (key) => !perOffering.has(key));
  const ofOffering = without(wanted, (key) => perOffering.has(key));

  return claim.instanceTypes.flatMap((name) => {
    const type = types.get(name);
    const labels = type && { ...claim.labels, ...labelsOfType(type, region, ofType) };
    if (!labels || !matchesLabels(ofType, labels)) return [];
    return offeringsOf(name).filter((offering) =>
      matchesLabels(ofOffering, offeringLabels(offering)),
    );
  });
}

/** Keys of one's own are the claim's business: the instance gets whatever the claim says. */
const wellKnownPart = (requirements: Requirements): Requirements =>
  without(requirements, (key) => WELL_KNOWN_LABELS.has(key));

const without = (requirements: Requirements, keeps: (key: string) => boolean): Requirements =>
  new Map([...requirements].filter(([key]) => keeps(key)));

const offeringLabels = ({ zone, capacityType }: Omit<Offering, 'hourlyUsd'>): Labels => ({
  [ZONE_LABEL]: zone,
  [CAPACITY_TYPE_LABEL]: capacityType,
});

/** A label that may take one of several values takes the first that is wanted. */
function labelsOfType(type: InstanceType, region: string, wanted: Requirements): Labels {
  const chosen = Object.entries(type.choices ?? {}).map(([key, values]) => {
    const requirement = wanted.get(key);
    const value = values.find((candidate) => !requirement || allowsValue(requirement, candidate));
    return [key, value ?? values[0] ?? ''] as const;
  });
  return {
    [INSTANCE_TYPE_LABEL]: type.name,
    [REGION_LABEL]: region,
    ...type.labels,
    ...Object.fromEntries(chosen),
  };
}

/** The labels that the instance brings along. */
export const launchLabels = (
  claim: NodeClaim,
  type: InstanceType,
  offering: Offering,
  region: string,
): Labels => ({
  ...labelsOfType(type, region, toRequirements(claim.requirements)),
  ...offeringLabels(offering),
});
