/** Plain JSON data. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A condition on a value that types and patterns cannot say, judged by the API server as well. */
export interface Rule {
  /** `NP-05`: scripts and tests match on it, so it is never given to another rule. */
  readonly id: string;
  /** CEL over `self`; over `oldSelf` too, it is judged on updates alone. */
  readonly cel: string;
  /** What must hold, as a sentence without its full stop. */
  readonly why: string;
  readonly fix: string;
  /** The field to name, below the one that carries the rule: `.kind`. */
  readonly at?: `.${string}`;
}

/** How to speak about a text that a pattern refuses. */
export interface Wording {
  /** `duration`, for "is no duration". */
  readonly noun: string;
  /** What is allowed, in words. */
  readonly grammar: string;
  readonly example: string;
  /** What somebody who wrote `text` may have meant. */
  readonly meant?: (text: string) => string | undefined;
}

/**
 * A structural schema of OpenAPI v3, as far as a CustomResourceDefinition may hold one, with what
 * else is to be known of the field. All that is generated comes from it: the CRD, the TypeScript
 * type, the reference page, the verdict of `mortise validate`.
 *
 * @see Kubernetes, apiextensions.k8s.io/v1 JSONSchemaProps
 */
export interface SchemaNode {
  readonly description?: string;
  /** Absent: anything, or a whole number or a string where `intOrString` is set. */
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
  /** A map or an object that server-side apply replaces as a whole. */
  readonly isAtomic?: true;
  /** Fields that are not named are kept and not judged. */
  readonly isOpen?: true;
  readonly rules?: readonly Rule[];
  readonly wording?: Wording;
}

declare const described: unique symbol;

/** A schema of values of type `T`, defaults filled in. */
export type Schema<T> = SchemaNode & { readonly [described]?: T };

/** What the schema describes. */
export type DescribedSchema<S> = S extends { readonly [described]?: infer T } ? T : never;

/** Whether `value` is a map, as JSON has it. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
