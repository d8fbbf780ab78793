import type { Labels } from '../labels.ts';
import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  REGION_LABEL,
  RESERVATION_ID_LABEL,
  RESERVATION_INTERRUPTIBLE_LABEL,
  RESERVATION_TYPE_LABEL,
  WELL_KNOWN_LABELS,
  ZONE_LABEL,
} from '../labels.ts';
import type { NodeClaim } from '../nodes/node-claim.ts';
import { allowsValue } from '../requirements/requirement.ts';
import { matchesLabels, type Requirements, toRequirements } from '../requirements/requirements.ts';
import type { InstanceType, Offering, OfferingReservation } from './instance-type.ts';

/** Label keys whose value depends on the offering rather than the type. */
const OFFERING_KEYS: ReadonlySet<string> = new Set([
  ZONE_LABEL,
  CAPACITY_TYPE_LABEL,
  RESERVATION_ID_LABEL,
  RESERVATION_TYPE_LABEL,
  RESERVATION_INTERRUPTIBLE_LABEL,
]);

/**
 * Lists the offerings that a claim may be launched as: those of its types, in their order, that
 * satisfy its requirements.
 *
 * @param types - by name, as nodes of the claim's NodeClass would run them
 */
export function listOfferingsForClaim(
  claim: NodeClaim,
  region: string,
  types: ReadonlyMap<string, InstanceType>,
  offeringsOf: (instanceType: string) => readonly Offering[],
): readonly Offering[] {
  // Custom keys are not checked: the node gets whatever value the claim has.
  const requirements = filterRequirements(toRequirements(claim.requirements), (key) => WELL_KNOWN_LABELS.has(key));
  const typeRequirements = filterRequirements(requirements, (key) => !OFFERING_KEYS.has(key));
  const offeringRequirements = filterRequirements(requirements, (key) => OFFERING_KEYS.has(key));

  return claim.instanceTypes.flatMap((name) => {
    const type = types.get(name);
    if (!type) return [];
    const labels = { ...claim.labels, ...buildTypeLabels(type, region, typeRequirements) };
    if (!matchesLabels(typeRequirements, labels)) return [];
    return offeringsOf(name).filter((offering) => matchesLabels(offeringRequirements, toOfferingLabels(offering)));
  });
}

/** Builds the labels that follow from the instance, whatever the claim says. */
export const buildLaunchLabels = (
  claim: NodeClaim,
  region: string,
  type: InstanceType,
  offering: Omit<Offering, 'hourlyUsd'>,
): Labels => ({
  ...buildTypeLabels(type, region, toRequirements(claim.requirements)),
  ...toOfferingLabels(offering),
});

const filterRequirements = (requirements: Requirements, keeps: (key: string) => boolean): Requirements =>
  new Map([...requirements].filter(([key]) => keeps(key)));

const toOfferingLabels = ({ zone, capacityType, reservation }: Omit<Offering, 'hourlyUsd'>): Labels => ({
  [ZONE_LABEL]: zone,
  [CAPACITY_TYPE_LABEL]: capacityType,
  ...(reservation && toReservationLabels(reservation)),
});

/** Returns the labels of nodes that run in the reservation. */
export const toReservationLabels = ({
  id,
  kind,
  isInterruptible,
}: Pick<OfferingReservation, 'id' | 'kind' | 'isInterruptible'>): Labels => ({
  [RESERVATION_ID_LABEL]: id,
  [RESERVATION_TYPE_LABEL]: kind,
  [RESERVATION_INTERRUPTIBLE_LABEL]: `${isInterruptible}`,
});

/** A label that may take one of several values takes the first that the requirements allow. */
function buildTypeLabels(type: InstanceType, region: string, requirements: Requirements): Labels {
  const chosen = Object.entries(type.choices ?? {}).map(([key, values]) => {
    const requirement = requirements.get(key);
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
