import * as z from 'zod';

/** One of the words of a type. A word that the type has and the schema lacks does not compile. */
export const oneOf = <T extends string>(words: { readonly [W in T]: W }) => z.enum(words);
