import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { TaintEffect, Toleration } from '../requirements/taints.ts';

/** What a driver says of a device under one name; exactly one kind of value. */
export type AttributeValue =
  | { readonly bool: boolean }
  | { readonly int: number }
  | { readonly string: string }
  /** A semantic version. */
  | { readonly version: string };

/** How much of a capacity one claim takes of a device that several may share. */
export interface CapacityPolicy {
  /** Where a claim does not say; absent: all of it. */
  readonly byDefault?: number;
  /** What a claim may take, ascending; what it asks for is rounded up to one of them. */
  readonly valid?: readonly number[];
  /** The same as a range: `least`, then in steps, up to `most`. */
  readonly range?: { readonly least: number; readonly most?: number; readonly step?: number };
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

/** What a device takes of counters that it shares with others, partitions of one GPU for example. */
export interface CounterUse {
  readonly set: string;
  readonly counters: Readonly<Record<string, number>>;
}

/** From where a device can be used. */
export type DeviceNodes =
  | { readonly node: string }
  /** Any one of these must hold. */
  | { readonly nodeTerms: readonly (readonly RequirementSpec[])[] }
  | 'everywhere';

/** One device of a ResourceSlice. Names without a domain are in that of the driver. */
export interface Device {
  readonly name: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly capacity: Readonly<Record<string, DeviceCapacity>>;
  readonly uses?: readonly CounterUse[];
  /** Several claims may have parts of it at once. */
  readonly shareable?: true;
  readonly taints?: readonly DeviceTaint[];
  /** Where it differs from device to device of a slice. */
  readonly reach?: DeviceNodes;
}

/** A ResourceSlice: some devices of one pool of one driver. */
export interface DeviceSlice {
  readonly name: string;
  readonly driver: string;
  readonly pool: string;
  /** Slices of older generations are about to vanish. */
  readonly generation: number;
  /** How many slices of this generation the pool has once it is complete. */
  readonly slicesInPool: number;
  /** Absent: each device says it. */
  readonly reach?: DeviceNodes;
  readonly devices: readonly Device[];
  /** What devices of the pool share, by set, then by name. */
  readonly counters: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** The slices of one pool that count: those of the newest generation. */
export function selectNewestSlices(pool: readonly DeviceSlice[]): {
  readonly slices: readonly DeviceSlice[];
  /** All are there: from a pool that is being changed nothing is allocated. */
  readonly complete: boolean;
} {
  const newest = Math.max(...pool.map(({ generation }) => generation));
  const slices = pool.filter(({ generation }) => generation === newest);
  return { slices, complete: slices.length === slices[0]?.slicesInPool };
}

/** A DeviceClass. */
export interface DeviceClass {
  readonly name: string;
  /** In CEL; all must hold. */
  readonly selectors: readonly string[];
}

/** One way to satisfy a request. */
export interface DeviceSelection {
  /** `request`, or `request/alternative`. */
  readonly name: string;
  readonly deviceClass: string;
  /** In CEL, beside those of the class. */
  readonly selectors: readonly string[];
  /** How many devices; `all`: every one that matches. */
  readonly count: number | 'all';
  /** Looks on, beside whoever uses the device. */
  readonly adminAccess?: true;
  readonly tolerations: readonly Toleration[];
  /** Least amounts, by name of the capacity. */
  readonly capacity: Readonly<Record<string, number>>;
}

export interface DeviceRequest {
  readonly name: string;
  /** The first that can be had. */
  readonly choices: readonly DeviceSelection[];
}

export interface DeviceConstraint {
  /** Names of requests, or of alternatives of them; none: all. */
  readonly requests: readonly string[];
  /** An attribute that all devices have with one value, or each with another. */
  readonly attribute: string;
  readonly kind: 'match' | 'distinct';
}

/** What a claim asks for. */
export interface RequestedDevices {
  readonly requests: readonly DeviceRequest[];
  readonly constraints: readonly DeviceConstraint[];
}

export interface AllocatedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly adminAccess?: true;
  /** Parts that were taken of a shared device; absent: all of it. */
  readonly consumed?: Readonly<Record<string, number>>;
}

/** A ResourceClaim. */
export interface DeviceClaim {
  readonly namespace: string;
  readonly name: string;
  readonly wish: RequestedDevices;
  readonly allocation?: {
    readonly devices: readonly AllocatedDevice[];
    /** Where it can be used: any one of these; none at all means everywhere. */
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
  readonly wish: RequestedDevices;
}

/** Everything that pods with claims of devices hang on. */
export interface Devices {
  readonly slices: readonly DeviceSlice[];
  readonly classes: readonly DeviceClass[];
  readonly claims: readonly DeviceClaim[];
  readonly templates: readonly DeviceClaimTemplate[];
}

/** How a pod names a claim of devices. */
export interface PodDeviceClaim {
  /** As its containers call it. */
  readonly name: string;
  /** A ResourceClaim in the pod's namespace. */
  readonly claim?: string;
  /** A ResourceClaimTemplate there: the pod gets a claim of its own. */
  readonly template?: string;
}

/** A claim that a plan has to find devices for, with the selectors of its classes written in. */
export interface WantedDevices {
  /** For people. */
  readonly claim: string;
  /** `namespace/name` of a claim that other pods may name too: all of them get the same devices. */
  readonly shared?: string;
  readonly wish: RequestedDevices;
}
