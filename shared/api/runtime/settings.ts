import type { FeatureGates } from '../../model/feature-gates.ts';
import type { NodeSize } from '../../model/node-size.ts';
import type { Requirements } from '../../model/requirements.ts';

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
