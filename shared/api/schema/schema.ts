/** Plain JSON data. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A validation rule in CEL, which the API server evaluates as well. */
export interface Rule {
  /** The id, for example `NP-05`. Scripts and tests match on it, so it is never reused. */
  readonly id: string;
  /** A CEL expression over `self`. If it also uses `oldSelf`, it applies to updates only. */
  readonly cel: string;
  /** The requirement, as a sentence without its full stop. */
  readonly why: string;
  readonly fix: string;
  /** A fix that depends on the value; undefined for `fix`. */
  fixOf?(value: unknown): string | undefined;
  /** The field to report, below the one that has the rule: `.kind`. */
  readonly at?: `.${string}`;
}

/** Words for error messages about a text that a pattern refuses. */
export interface Wording {
  /** For example `duration`. */
  readonly noun: string;
  /** The allowed texts, in words. */
  readonly grammar: string;
  readonly example: string;
  /** Guesses the intended text. */
  readonly meant?: (text: string) => string | undefined;
}

/**
 * A structural schema of OpenAPI v3, with the additional facts that we need about a field. The CRD,
 * the TypeScript type, the reference page and `mortise validate` derive from it.
 *
 * @see Kubernetes, apiextensions.k8s.io/v1 JSONSchemaProps
 */
export interface SchemaNode {
  readonly description?: string;
  /** `undefined` for any type, or for a whole number or a string if `intOrString` is set. */
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly format?: 'int32' | 'int64' | 'date-time';
  readonly intOrString?: true;
  readonly default?: Json;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  /** The schema of every value of a map. */
  readonly values?: SchemaNode;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listKeys?: readonly string[];
  /** Server-side apply replaces the map or object as a whole. */
  readonly isAtomic?: true;
  /** Fields that are not named are kept without validation. */
  readonly isOpen?: true;
  readonly rules?: readonly Rule[];
  readonly wording?: Wording;
  /** Fields and values of earlier versions, each with what to write today. */
  readonly former?: Readonly<Record<string, string>>;
}

declare const described: unique symbol;

/** A schema of values of type `T`, with defaults filled in. */
export type Schema<T> = SchemaNode & { readonly [described]?: T };

/** A schema of an optional field that the API server fills in with `default`. */
export interface DefaultedSchema<T> extends SchemaNode {
  readonly [described]?: T;
  readonly default: Json;
}

/** The type that the schema describes. It exists only at compile time. */
export type DescribedSchema<S> = S extends { readonly [described]?: infer T } ? T : never;

/** True if `value` is a JSON object. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
