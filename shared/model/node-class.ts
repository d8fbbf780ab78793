import type { Resources } from './resources.ts';

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
  readonly hash: string;
}
