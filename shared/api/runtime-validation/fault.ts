import type { NodeSize } from '../../model/nodes/node-class.ts';
import type { Requirements } from '../../model/requirements/requirements.ts';
import type { FeatureGates } from '../../model/settings.ts';
import type { FieldPath, ManifestFinding } from '../finding.ts';

/**
 * A fault that the API server accepts but that makes an object unusable. It is reported as a
 * condition or a warning.
 */
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

/** Tells which values of a label exist, for example the names of all instance types. */
export interface LabelValues {
  /** False if no instance type, zone or region has the value; undefined if that is not known. */
  isKnown(key: string, value: string): boolean | undefined;
  findNearest(key: string, value: string): string | undefined;
}

/** The inputs of the validation besides the object. */
export interface RuntimeSettings {
  /** 36 for Kubernetes 1.36. */
  readonly kubernetesMinor: number;
  readonly gates: FeatureGates;
  /**
   * Counts the instance types that meet requirements, up to `maxCount`; `undefined` if the catalogue is
   * unknown.
   */
  countTypes?(requirements: Requirements, options: { readonly maxCount: number; readonly isSpot: boolean }): number;
  /** The values that labels of instance types can have; `undefined` if the catalogue is unknown. */
  readonly labelValues?: LabelValues;
  /**
   * Finds why a controller refuses a stored EC2NodeClass whose settings are valid one by one, such as user
   * data that its images cannot parse.
   */
  findClassRefusal?(
    object: unknown,
    settings: RuntimeSettings,
  ): { readonly reason: string; readonly message: string } | undefined;
  /** The instance types for which expressions must work; `undefined` if none is known. */
  readonly nodeSizes?: readonly NodeSize[];
}
