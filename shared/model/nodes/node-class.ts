import type { Resources } from '../resources.ts';
import type { EpochMs } from '../time.ts';

export type AmiFamily = 'AL2' | 'AL2023' | 'Bottlerocket' | 'Windows2019' | 'Windows2022' | 'Windows2025' | 'Custom';

/** Kubelet settings that change how much of a node pods can use. */
export interface KubeletSettings {
  readonly maxPods?: number;
  readonly podsPerCore?: number;
  readonly kubeReserved?: Resources;
  readonly systemReserved?: Resources;
  /** Signal (`memory.available`, `nodefs.available`) to quantity or percentage, as written. */
  readonly evictionHard?: Readonly<Record<string, string>>;
  /**
   * Values that differ by instance type. They count only if the feature gate NodeClassCEL is on.
   */
  readonly expressions?: KubeletExpressions;
}

/** CEL expressions that are evaluated for each instance type. */
export interface KubeletExpressions {
  readonly maxPods?: string;
  /** By resource, like the fields of the same name. */
  readonly kubeReserved?: Readonly<Record<string, string>>;
  readonly systemReserved?: Readonly<Record<string, string>>;
}

/** A network interface that every node of a class has. */
export interface ClassInterface {
  /** Indexes of network card and device, both counted from 0. */
  readonly card: number;
  readonly device: number;
  readonly type: 'interface' | 'efa-only';
}

/** The part of an EC2NodeClass that instance types and launches depend on. */
export interface EC2NodeClass {
  readonly name: string;
  readonly uid: string;
  readonly amiFamily: AmiFamily;
  readonly kubelet: KubeletSettings;
  /**
   * Size of the volume that holds ephemeral storage; `undefined` for the default of the AMI family.
   */
  readonly rootVolumeBytes?: number;
  readonly instanceStorePolicy?: 'RAID0';
  /** `undefined` for the single interface that EC2 adds. */
  readonly networkInterfaces?: readonly ClassInterface[];
  /** Nodes need nested virtualization. */
  readonly nestsVirtualization?: true;
  /** Nodes need configurable connection tracking. */
  readonly tracksConnections?: true;
  /** Nodes need support for Nitro Enclaves. */
  readonly runsEnclaves?: true;
  readonly hash: string;
}

/** The properties of an instance type that kubelet expressions may use. */
export interface NodeSize {
  readonly instanceType: string;
  readonly vcpus: number;
  /** The advertised memory. */
  readonly memoryMib: number;
  /** The number of interfaces of the default network card. */
  readonly enis: number;
  /** Including the interface's own address. */
  readonly ipsPerEni: number;
  /**
   * In the expression for `maxPods` the default number of pods; in all other expressions the
   * effective one.
   */
  readonly maxPods: number;
}

/** Evaluates an expression to a whole number. Returns `undefined` if it fails for this size. */
export type ComputeSize = (expression: string, size: NodeSize) => number | undefined;

/** The state of an EC2NodeClass that decides if nodes can be launched from it. */
export interface NodeClassReadiness {
  readonly name: string;
  /** Increases with each change of the spec. */
  readonly generation?: number;
  /** `undefined` if the class is ready. */
  readonly notReady?: NotReady;
}

/** Why no node can be launched: a condition reason and a sentence. */
export interface NotReady {
  readonly condition: string;
  readonly message: string;
  /** When the class was created or changed; only if it was not evaluated since. */
  readonly classWrittenAt?: EpochMs;
}

/**
 * The condition reasons of a class that does not exist, that is being deleted, and that is not
 * evaluated yet.
 */
export const NODE_CLASS_NOT_FOUND = 'NodeClassNotFound';
export const NODE_CLASS_TERMINATING = 'NodeClassTerminating';
export const NODE_CLASS_UNKNOWN = 'NodeClassReadinessUnknown';

export const describeMissingClass = (name: string): NotReady => ({
  condition: NODE_CLASS_NOT_FOUND,
  message: `there is no EC2NodeClass ${name}`,
});
