import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { TaintEffect, Toleration } from '../requirements/taints.ts';

/** The value of one attribute of a device, which has exactly one kind of value. */
export type AttributeValue =
  | { readonly bool: boolean }
  | { readonly int: number }
  | { readonly string: string }
  /** A semantic version. */
  | { readonly version: string };

/** The share of a shared device's capacity that one claim consumes. */
export interface CapacityPolicy {
  /** The amount if a claim names none; `undefined` for all of it. */
  readonly byDefault?: number;
  /** The allowed amounts in ascending order. A request is rounded up to one of them. */
  readonly valid?: readonly number[];
  /** The allowed amounts as a range: from `min` in steps up to `max`. */
  readonly range?: { readonly min: number; readonly max?: number; readonly step?: number };
}

export interface DeviceCapacity {
  readonly value: number;
  readonly policy?: CapacityPolicy;
}

export interface DeviceTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: TaintEffect | 'None';
}

/**
 * The amounts that a device takes from counters that it shares with others, for example partitions
 * of a GPU.
 */
export interface CounterUse {
  readonly set: string;
  readonly counters: Readonly<Record<string, number>>;
}

/** The nodes that can use a device. */
export type DeviceNodes =
  | { readonly node: string }
  /** Any of these terms must hold. */
  | { readonly nodeTerms: readonly (readonly RequirementSpec[])[] }
  | 'everywhere';

/**
 * One device of a ResourceSlice. Attribute names without a domain belong to the domain of the
 * driver.
 */
export interface Device {
  readonly name: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly capacity: Readonly<Record<string, DeviceCapacity>>;
  readonly uses?: readonly CounterUse[];
  /** Several claims may use parts of it at the same time. */
  readonly shareable?: true;
  readonly taints?: readonly DeviceTaint[];
  /** Set if the nodes differ from device to device. */
  readonly reach?: DeviceNodes;
}

/** A ResourceSlice: devices of one pool of one driver. */
export interface DeviceSlice {
  readonly name: string;
  readonly driver: string;
  readonly pool: string;
  /** Slices of older generations are obsolete. */
  readonly generation: number;
  /** The number of slices of this generation in a complete pool. */
  readonly slicesInPool: number;
  /** `undefined` if each device has its own nodes. */
  readonly reach?: DeviceNodes;
  readonly devices: readonly Device[];
  /** Counters that devices of the pool share, by counter set and name. */
  readonly counters: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Selects the slices of the newest generation of a pool. */
export function selectNewestSlices(pool: readonly DeviceSlice[]): {
  readonly slices: readonly DeviceSlice[];
  /** True if all slices are present. Nothing is allocated from a pool that is being updated. */
  readonly isComplete: boolean;
} {
  const newest = Math.max(...pool.map(({ generation }) => generation));
  const slices = pool.filter(({ generation }) => generation === newest);
  return { slices, isComplete: slices.length === slices[0]?.slicesInPool };
}

/** A DeviceClass. */
export interface DeviceClass {
  readonly name: string;
  /** CEL selectors; all must hold. */
  readonly selectors: readonly string[];
}

/** One way to satisfy a device request. */
export interface DeviceSelection {
  /** `request`, or `request/alternative`. */
  readonly name: string;
  readonly deviceClass: string;
  /** CEL selectors, in addition to those of the class. */
  readonly selectors: readonly string[];
  /** The number of devices; `all` for every device that matches. */
  readonly count: number | 'all';
  /** Admin access, which does not exclude other users of the device. */
  readonly adminAccess?: true;
  readonly tolerations: readonly Toleration[];
  /** Minimum amounts, by capacity name. */
  readonly capacity: Readonly<Record<string, number>>;
}

export interface DeviceRequest {
  readonly name: string;
  /** The first alternative that is available is used. */
  readonly choices: readonly DeviceSelection[];
}

export interface DeviceConstraint {
  /** Names of requests or of their alternatives; empty for all requests. */
  readonly requests: readonly string[];
  /** The attribute that all devices must share, or in which they must all differ. */
  readonly attribute: string;
  readonly kind: 'match' | 'distinct';
}

/** The requests and constraints of a claim. */
export interface DeviceClaimSpec {
  readonly requests: readonly DeviceRequest[];
  readonly constraints: readonly DeviceConstraint[];
}

export interface AllocatedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly adminAccess?: true;
  /** The consumed amounts of a shared device; `undefined` for the whole device. */
  readonly consumed?: Readonly<Record<string, number>>;
}

/** A ResourceClaim. */
export interface DeviceClaim {
  readonly namespace: string;
  readonly name: string;
  readonly request: DeviceClaimSpec;
  readonly allocation?: {
    readonly devices: readonly AllocatedDevice[];
    /** The nodes that can use it: any of these terms must hold; empty for every node. */
    readonly nodeTerms: readonly (readonly RequirementSpec[])[];
  };
  /** UIDs of the pods that may use it now. */
  readonly holders: readonly string[];
  readonly deleting: boolean;
}

/** A ResourceClaimTemplate. */
export interface DeviceClaimTemplate {
  readonly namespace: string;
  readonly name: string;
  readonly request: DeviceClaimSpec;
}

/** All objects that the placement of pods with device claims depends on. */
export interface Devices {
  readonly slices: readonly DeviceSlice[];
  readonly classes: readonly DeviceClass[];
  readonly claims: readonly DeviceClaim[];
  readonly templates: readonly DeviceClaimTemplate[];
}

/** A device claim in a pod spec. */
export interface PodDeviceClaim {
  /** The name by which containers refer to it. */
  readonly name: string;
  /** A ResourceClaim in the pod's namespace. */
  readonly claim?: string;
  /** A ResourceClaimTemplate in the pod's namespace: the pod gets its own claim. */
  readonly template?: string;
}

/**
 * A claim for which the planner must find devices, including the selectors of its DeviceClasses.
 */
export interface ResolvedDeviceClaim {
  /** For people. */
  readonly claim: string;
  /** `namespace/name` of a claim that several pods may use: all of them share its devices. */
  readonly shared?: string;
  readonly deviceRequest: DeviceClaimSpec;
}
