import type { Labels } from '../labels.ts';
import type { Resources } from '../resources.ts';

export type CapacityType = 'on-demand' | 'spot' | 'reserved';

/**
 * A kind of machine as a NodeClass would run it. Price and availability are the Offering's, so that
 * types stay the same object while prices move.
 */
export interface InstanceType {
  /** As EC2 names it: `m7g.2xlarge`. */
  readonly name: string;
  /** Every well-known label it has; one that is missing does not exist on its nodes. */
  readonly labels: Labels;
  /** Labels that may take one of several values, `kubernetes.io/os` for one. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  readonly capacity: Resources;
  /** Capacity less what kubelet, system and eviction thresholds keep. */
  readonly allocatable: Resources;
  /** What the kubelet keeps, where the NodeClass computes it by type; absent: it computes nothing. */
  readonly reserves?: ComputedReserves;
  /** Nodes have shown it; absent: it is reckoned. */
  readonly isLearned?: true;
  /** Set while planning: the type as it runs in this reservation, and in no other way. */
  readonly reservation?: string;
  /** Set while planning: what NodeOverlays change of the type for a pool. */
  readonly overlay?: TypeOverlay;
}

/** Quantities by resource, as a kubelet reads them: `480m`, `176Mi`. */
export interface ComputedReserves {
  readonly kubeReserved?: Readonly<Record<string, string>>;
  readonly systemReserved?: Readonly<Record<string, string>>;
}

/** A type as some pool sees it. */
export interface TypeOverlay {
  /** Which offerings have its prices; absent: the published ones. */
  readonly market?: string;
  /** Resources that are not the type's own. */
  readonly capacity?: Resources;
}

/** Capacity that the account has set aside: it is paid for, whether instances use it or not. */
export interface OfferingReservation {
  /** `cr-…`. */
  readonly id: string;
  readonly kind: 'default' | 'capacity-block';
  /** Its owner may ask for the capacity back at any time. */
  readonly isInterruptible: boolean;
  /** How many instances it still has room for. */
  readonly free: number;
  /** The EC2NodeClass that selects it; absent: every class may use it. */
  readonly nodeClass?: string;
}

/** Type × zone × capacity type, with a price. */
export interface Offering {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly hourlyUsd: number;
  /** Of a reserved one. */
  readonly reservation?: OfferingReservation;
  /** Set while planning: the market in which it has this price. */
  readonly overlay?: string;
}

/** A part of the catalogue: an absent field matches all. */
export interface OfferingPart {
  readonly instanceType?: string;
  readonly zone?: string;
  readonly capacityType?: CapacityType;
  /** For nodes in this placement group alone; absent: for all, in whatever group. */
  readonly placementGroup?: string;
}

/** A part that has run dry, or is kept out of. */
export interface UnavailableOffering extends OfferingPart {
  readonly until: number;
  /** A zonal shift leads away from it; EC2 may well have capacity. */
  readonly isShifted?: true;
}

/** `spot c7g.large us-east-1a`; the order in which offerings are named everywhere. */
export const formatOffering = (offering: Omit<Offering, 'hourlyUsd'>): string =>
  `${offering.instanceType} ${offering.capacityType} ${offering.zone}`;
