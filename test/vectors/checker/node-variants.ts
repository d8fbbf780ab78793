import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import {
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  type Labels,
  RESERVATION_ID_LABEL,
  ZONE_LABEL,
} from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { InstanceType, Offering } from '../../../shared/model/offerings/instance-type.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import { allowsValue } from '../../../shared/model/requirements/requirement.ts';
import { type Requirements, toRequirements } from '../../../shared/model/requirements/requirements.ts';
import type { Resources } from '../../../shared/model/resources.ts';

/** One possible launch of a claim: a type in a zone with a capacity type. */
export interface NodeVariant {
  readonly name: string;
  readonly labels: Labels;
  readonly allocatable: Resources;
  readonly capacity: Resources;
  /** undefined for a running node. */
  readonly offering?: Offering;
}

/** Lists every variant that the claim's requirements and the current offerings allow. */
export function listClaimVariants(snapshot: ClusterSnapshot, claim: NodeClaim): NodeVariant[] {
  const names = new Set(claim.instanceTypes);
  const types = (ownValue(snapshot.instanceTypes, claim.pool) ?? []).filter(({ name }) => names.has(name));
  const requirements = toRequirements(claim.requirements);
  const own = { ...claim.labels, [HOSTNAME_LABEL]: claim.name };
  return types.flatMap((type) => {
    const labels = { ...type.labels, ...own, [INSTANCE_TYPE_LABEL]: type.name };
    return listAvailableOfferings(snapshot, type.name)
      .filter((offering) => isAllowed(requirements, offering))
      .flatMap((offering) => listTypeVariants(type, offering, labels, requirements));
  });
}

const isAllowed = (requirements: Requirements, { zone, capacityType, reservation }: Offering): boolean =>
  allows(requirements, ZONE_LABEL, zone) &&
  allows(requirements, CAPACITY_TYPE_LABEL, capacityType) &&
  (reservation === undefined || allows(requirements, RESERVATION_ID_LABEL, reservation.id));

const allows = (requirements: Requirements, key: string, value: string): boolean => {
  const requirement = requirements.get(key);
  return requirement === undefined || allowsValue(requirement, value);
};

/** Lists several variants if the type leaves a label open and the claim does not decide it. */
function listTypeVariants(
  { name, choices = {}, allocatable, capacity }: InstanceType,
  offering: Offering,
  labels: Labels,
  requirements: Requirements,
): NodeVariant[] {
  const { zone, capacityType, reservation } = offering;
  const location = { [ZONE_LABEL]: zone, [CAPACITY_TYPE_LABEL]: capacityType };
  let forms: Labels[] = [{ ...labels, ...location, ...(reservation && { [RESERVATION_ID_LABEL]: reservation.id }) }];
  for (const [key, values] of Object.entries(choices)) {
    const open = values.filter((value) => allows(requirements, key, value));
    forms = forms.flatMap((form) => open.map((value) => ({ ...form, [key]: value })));
  }
  return forms.map((form) => ({
    name: `${name} ${capacityType} ${zone}`,
    labels: form,
    allocatable,
    capacity,
    offering,
  }));
}

// Cached: a few snapshots are read thousands of times.
const indexes = new WeakMap<ClusterSnapshot, Map<string, Offering[]>>();

/** Lists the available offerings of a type. */
export function listAvailableOfferings(snapshot: ClusterSnapshot, type: string): readonly Offering[] {
  let index = indexes.get(snapshot);
  if (!index) {
    const available = snapshot.offerings.filter((offering) => isAvailable(snapshot, offering));
    index = Map.groupBy(available, ({ instanceType }) => instanceType);
    indexes.set(snapshot, index);
  }
  return index.get(type) ?? [];
}

const isAvailable = ({ unavailable, takenAt }: ClusterSnapshot, offering: Offering): boolean =>
  !unavailable.some(
    ({ instanceType, zone, capacityType, reservationId, until }) =>
      until > takenAt &&
      (instanceType === undefined || instanceType === offering.instanceType) &&
      (zone === undefined || zone === offering.zone) &&
      (capacityType === undefined || capacityType === offering.capacityType) &&
      (reservationId === undefined || reservationId === offering.reservation?.id),
  );
