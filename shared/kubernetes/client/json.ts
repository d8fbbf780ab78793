import type { V1ObjectMeta } from '@kubernetes/client-node';

/**
 * A type of `@kubernetes/client-node` as the API server reads it: times are text, and nothing changes. Only types
 * come from the library ([decision 80](../../../docs/decisions/0080-take-the-types-of-written-objects-from-client-node.md)).
 */
export type Json<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Json<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Json<T[Key]> }
      : T;

/** The fields that every whole object has; its kind has more. */
export interface NamedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Json<V1ObjectMeta> & { readonly name: string };
}

/** A whole object of a built-in kind, which we apply. */
export type Manifest<T> = Json<T> & NamedObject;
