import * as z from 'zod';

/**
 * An enum schema for a union of strings. A member that the union has and the schema lacks does not
 * compile.
 */
export const oneOf = <T extends string>(words: { readonly [W in T]: W }) => z.enum(words);

/**
 * The zod schemas of an object's fields. A field that the type has and the schema lacks does not
 * compile: it would be lost when the object is stored.
 */
export type FieldsOf<T> = { readonly [K in keyof Required<T>]: z.ZodType };
