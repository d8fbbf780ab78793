import * as z from 'zod';

/** One of the words of a type. A word that the type has and the schema lacks does not compile. */
export const oneOf = <T extends string>(words: { readonly [W in T]: W }) => z.enum(words);

/** The zod schemas of an object, one per field. A field that the type has and the schema lacks does not compile: it would be lost when the object is stored. */
export type FieldsOf<T> = { readonly [K in keyof Required<T>]: z.ZodType };
