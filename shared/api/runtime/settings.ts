import type { Requirements } from '../../model/requirements.ts';

/** What a judgement depends on beside the object. */
export interface RuntimeSettings {
  /** 36 for Kubernetes 1.36. */
  readonly kubernetesMinor: number;
  /** The feature gates that are on. */
  readonly gates: ReadonlySet<string>;
  /** How many instance types with spot capacity meet requirements; absent: nobody knows. */
  spotTypesOf?(requirements: Requirements): number;
}
