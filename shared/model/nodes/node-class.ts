import type { Resources } from '../resources.ts';

export type AmiFamily =
  | 'AL2'
  | 'AL2023'
  | 'Bottlerocket'
  | 'Windows2019'
  | 'Windows2022'
  | 'Windows2025'
  | 'Custom';

/** What of a kubelet's configuration changes how much of a node pods can use. */
export interface KubeletSettings {
  readonly maxPods?: number;
  readonly podsPerCore?: number;
  readonly kubeReserved?: Resources;
  readonly systemReserved?: Resources;
  /** Signal (`memory.available`, `nodefs.available`) to quantity or percentage, as written. */
  readonly evictionHard?: Readonly<Record<string, string>>;
  /** What differs from type to type; it counts only with the feature gate NodeClassCEL. */
  readonly expressions?: KubeletExpressions;
}

/** Sizes that are computed for each instance type, each a text of CEL. */
export interface KubeletExpressions {
  readonly maxPods?: string;
  /** By resource, like the fields of these names. */
  readonly kubeReserved?: Readonly<Record<string, string>>;
  readonly systemReserved?: Readonly<Record<string, string>>;
}

/** A network interface that every node of a class has, by its place. */
export interface ClassInterface {
  /** Both counted from 0. */
  readonly card: number;
  readonly device: number;
  readonly type: 'interface' | 'efa-only';
}

/** An EC2NodeClass, reduced to what instance types and launches depend on. */
export interface EC2NodeClass {
  readonly name: string;
  readonly uid: string;
  readonly amiFamily: AmiFamily;
  readonly kubelet: KubeletSettings;
  /** Size of the volume that pods' ephemeral storage lives on; absent: the family's default. */
  readonly rootVolumeBytes?: number;
  readonly instanceStorePolicy?: 'RAID0';
  /** Absent: the one that EC2 adds. */
  readonly networkInterfaces?: readonly ClassInterface[];
  /** Whether nodes are to run virtual machines of their own; absent: no. */
  readonly nestsVirtualization?: true;
  /** Whether it is said how long connections are remembered; absent: no. */
  readonly tracksConnections?: true;
  readonly hash: string;
}

/** What expressions of a NodeClass's kubelet may know of an instance type. */
export interface NodeSize {
  readonly instanceType: string;
  readonly vcpus: number;
  /** As advertised. */
  readonly memoryMib: number;
  /** Interfaces of the default network card. */
  readonly enis: number;
  /** The interface's own address included. */
  readonly ipsPerEni: number;
  /** For `maxPods` itself the usual number of pods; for all else the one that holds. */
  readonly maxPods: number;
}

/** What an expression comes to, as a whole number. Absent: it cannot be computed for this size. */
export type ComputeSize = (expression: string, size: NodeSize) => number | undefined;
