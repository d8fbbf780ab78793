import type { Finding } from '../finding.ts';

/**
 * Why a field is refused, as the API server names it.
 *
 * @see k8s.io/apimachinery metav1.CauseType; `UnknownField` is what strict decoding finds
 */
export type Cause =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueTypeInvalid'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueDuplicate'
  | 'UnknownField';

/** A field that the API server refuses. */
export interface Objection extends Finding {
  readonly rule: string;
  readonly cause: Cause;
}

const BLOCKING: ReadonlySet<Cause> = new Set<Cause>([
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueTypeInvalid',
  'FieldValueTooLong',
  'FieldValueTooMany',
]);

/** Rules in CEL are not judged of an object whose shape is wrong. */
export const isBlocking = ({ cause }: Objection): boolean => BLOCKING.has(cause);
