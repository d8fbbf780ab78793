import type { NodeSize } from '../../model/nodes/node-class.ts';
import type { Requirements } from '../../model/requirements/requirements.ts';
import type { FeatureGates } from '../../model/settings.ts';
import type { FieldPath, ManifestFinding } from '../finding.ts';

/** What the API server stores and nobody can use: told in a condition, or as a warning. */
export interface Fault extends ManifestFinding {
  readonly rule: string;
}

export const createFault = (rule: string, path: FieldPath, why: string, fix: string): Fault => ({
  code: 'rule-refused',
  rule,
  path,
  what: why,
  why,
  fix,
});

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
