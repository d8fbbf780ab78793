import type { AmiFamily } from '../../model/nodes/node-class.ts';

/** The differences between AMI families that affect a node's capacity. */
export interface AmiFamilyTraits {
  readonly os: 'linux' | 'windows';
  /** Without `maxPods`, the VPC addresses limit the number of pods; otherwise the limit is 110. */
  readonly limitsPodsByEnis: boolean;
  /** The kubelet reserves memory for as many pods as the interfaces allow, whatever `maxPods`. */
  readonly reservesForEniPods: boolean;
  readonly readsPodsPerCore: boolean;
  /** Size of the volume that holds pods' data, if no mapping configures it. */
  readonly rootVolumeGib: number;
  /** `node.kubernetes.io/windows-build`. */
  readonly windowsBuild?: string;
}

const AMAZON_LINUX: AmiFamilyTraits = {
  os: 'linux',
  limitsPodsByEnis: true,
  reservesForEniPods: true,
  readsPodsPerCore: true,
  rootVolumeGib: 20,
};

const WINDOWS: AmiFamilyTraits = {
  os: 'windows',
  limitsPodsByEnis: false,
  reservesForEniPods: false,
  readsPodsPerCore: true,
  rootVolumeGib: 50,
};

/**
 * @see Karpenter's AWS provider, the feature flags of its AMI families
 */
export const AMI_FAMILIES: Readonly<Record<AmiFamily, AmiFamilyTraits>> = {
  AL2: AMAZON_LINUX,
  AL2023: AMAZON_LINUX,
  Custom: AMAZON_LINUX,
  Bottlerocket: { ...AMAZON_LINUX, reservesForEniPods: false, readsPodsPerCore: false },
  Windows2019: { ...WINDOWS, windowsBuild: '10.0.17763' },
  Windows2022: { ...WINDOWS, windowsBuild: '10.0.20348' },
  Windows2025: { ...WINDOWS, windowsBuild: '10.0.26100' },
};
