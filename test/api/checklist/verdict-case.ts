import * as z from 'zod';
import { readBundle } from '../../vectors/bundle.ts';

const objectSchema = z.record(z.string(), z.unknown());

const verdictSchema = z.object({
  verdict: z.enum(['accepted', 'rejected']),
  causes: z.array(z.object({ field: z.string(), reason: z.string() })).default([]),
  /** The stored form of an accepted object, with defaults. */
  defaulted: objectSchema.exactOptional(),
});
export type Evaluation = z.output<typeof verdictSchema>;

const caseSchema = verdictSchema.extend({
  name: z.string(),
  rule: z.string(),
  why: z.string(),
  file: z.string(),
  object: objectSchema.nullable().exactOptional(),
  /** The text as kubectl reads it; `object` is its result. */
  yaml: z.string().exactOptional(),
  /** An update: `new` replaces this stored object. */
  old: objectSchema.exactOptional(),
  new: objectSchema.exactOptional(),
  subresource: z.literal('status').exactOptional(),
  /** Rows of the table of deviations from Karpenter's CRDs. */
  ours: verdictSchema.extend({ deviation: z.array(z.int()) }).exactOptional(),
});

/** A manifest with the verdict of a real API server with Karpenter's CRDs. */
export type VerdictCase = z.output<typeof caseSchema>;

/** Reads all cases. */
export const verdictCases = (): readonly VerdictCase[] =>
  readBundle(new URL('../../vectors/data/validation.json.gz', import.meta.url), caseSchema).cases;

/** The verdict that our CRDs must give. */
export const expectedOf = (one: VerdictCase): Evaluation => one.ours ?? one;

/**
 * True if one path is a prefix of the other: a list rule may be reported at the list or at an item.
 */
export const isSamePlace = (own: string, servers: string): boolean => {
  // For some errors the API server names no field, and for an owner reference no index.
  const field = servers === '<nil>' ? '' : servers.replace('ownerReferences.', 'ownerReferences[0].');
  return own.startsWith(field) || field.startsWith(own);
};

/** Formats the path like the API server: `spec.limits.cpu`, `spec.taints[0].key`. */
export const serverPath = (path: readonly (string | number)[]): string =>
  path
    .map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${segment}`))
    .join('')
    .slice(1);
