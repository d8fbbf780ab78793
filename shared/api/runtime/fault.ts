import type { FieldPath, Finding } from '../finding.ts';

/** What the API server stores and nobody can use: told in a condition, or as a warning. */
export interface Fault extends Finding {
  readonly rule: string;
}

export const fault = (rule: string, path: FieldPath, why: string, fix: string): Fault => ({
  code: 'rule-refused',
  rule,
  path,
  what: why,
  why,
  fix,
});
