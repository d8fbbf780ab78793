import type { FeatureGates } from '../../model/feature-gates.ts';
import type { Requirements } from '../../model/requirements.ts';

/** What expressions of the kubelet may know of an instance type. */
export interface NodeSize {
  readonly instanceType: string;
  readonly vcpus: number;
  readonly memoryMib: number;
  readonly enis: number;
  readonly ipsPerEni: number;
  /** Pods that its addresses are enough for. */
  readonly maxPods: number;
}

/** What a judgement depends on beside the object. */
export interface RuntimeSettings {
  /** 36 for Kubernetes 1.36. */
  readonly kubernetesMinor: number;
  readonly gates: FeatureGates;
  /** How many instance types with spot capacity meet requirements; absent: nobody knows. */
  spotTypesOf?(requirements: Requirements): number;
  /** The instance types that expressions must work for; absent: none is known. */
  readonly nodeSizes?: readonly NodeSize[];
}
