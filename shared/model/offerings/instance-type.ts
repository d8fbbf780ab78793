import type { Labels } from '../labels.ts';
import type { Resources } from '../resources.ts';

export type CapacityType = 'on-demand' | 'spot' | 'reserved';

/**
 * An instance type as a NodeClass runs it. Price and availability belong to the Offering, so that
 * types stay the same objects while prices move.
 */
export interface InstanceType {
  /** The name in EC2, for example `m7g.2xlarge`. */
  readonly name: string;
  /** All its well-known labels. A key that is missing does not exist on its nodes. */
  readonly labels: Labels;
  /** Labels that may take one of several values, for example `kubernetes.io/os`. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  readonly capacity: Resources;
  /** Capacity minus the reservations of kubelet and system and the eviction thresholds. */
  readonly allocatable: Resources;
  /**
   * The kubelet reservations that the NodeClass computes for each type; `undefined` if it has no
   * expressions.
   */
  readonly reserves?: ComputedReserves;
  /** True if nodes have reported the amounts; otherwise they are estimates. */
  readonly isLearned?: true;
  /** Set by the planner: the type as it runs in this reservation only. */
  readonly reservation?: string;
  /** Set by the planner: the type as this commitment covers it, and how much of it an instance uses. */
  readonly commitment?: { readonly id: string; readonly units: number };
  /** Set by the planner: the changes that NodeOverlays make for a pool. */
  readonly overlay?: TypeOverlay;
}

/** True for a type without a hypervisor: `m7g.metal`, `c7i.metal-48xl`. */
export const isBareMetal = ({ labels }: Pick<InstanceType, 'labels'>): boolean =>
  (labels['karpenter.k8s.aws/instance-size'] ?? '').startsWith('metal');

/** Quantities by resource, as a kubelet reads them: `480m`, `176Mi`. */
export interface ComputedReserves {
  readonly kubeReserved?: Readonly<Record<string, string>>;
  readonly systemReserved?: Readonly<Record<string, string>>;
}

/** The view of a type that NodeOverlays give some pools. */
export interface TypeOverlay {
  /** Names the price list of its offerings; `undefined` for the published prices. */
  readonly market?: string;
  /** Resources that overlays add. */
  readonly capacity?: Resources;
}

/** Capacity that the account has reserved and pays for, whether instances use it or not. */
export interface OfferingReservation {
  /** `cr-…`. */
  readonly id: string;
  readonly kind: 'default' | 'capacity-block';
  /** The owner may reclaim the capacity at any time. */
  readonly isInterruptible: boolean;
  /** The number of instances that still fit. */
  readonly free: number;
  /** The EC2NodeClass that selects it; `undefined` if every class may use it. */
  readonly nodeClass?: string;
}

/** Instance type × zone × capacity type, with a price. */
export interface Offering {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly hourlyUsd: number;
  /** Set for reserved offerings. */
  readonly reservation?: OfferingReservation;
  /** Set by the planner: the commitment because of which the offering costs nothing more. */
  readonly commitment?: string;
  /** Set by the planner: the price list that this price is from. */
  readonly overlay?: string;
}

/** A set of offerings. A field that is `undefined` matches all values. */
export interface OfferingPart {
  readonly instanceType?: string;
  readonly zone?: string;
  readonly capacityType?: CapacityType;
  /** For nodes in this placement group only; `undefined` for all nodes. */
  readonly placementGroup?: string;
  /** For nodes in this capacity reservation only; `undefined` for all nodes. */
  readonly reservationId?: string;
}

/** Offerings without capacity, or in a zone that the cluster is shifted away from. */
export interface UnavailableOffering extends OfferingPart {
  readonly until: number;
  /** A zonal shift leads away from the zone, although EC2 may have capacity. */
  readonly isShifted?: true;
}

/** Formats the offering as `spot c7g.large us-east-1a`, the order that is used everywhere. */
export const formatOffering = (offering: Omit<Offering, 'hourlyUsd'>): string =>
  `${offering.instanceType} ${offering.capacityType} ${offering.zone}`;
