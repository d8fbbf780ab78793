import * as z from 'zod';

/** Strings by key, for labels, annotations and selectors. */
export const textsSchema = z.record(z.string(), z.string());
