import * as z from 'zod';
import { readBundle } from '../../vectors/bundle.ts';

const objectSchema = z.record(z.string(), z.unknown());

const verdictSchema = z.object({
  verdict: z.enum(['accepted', 'rejected']),
  causes: z.array(z.object({ field: z.string(), reason: z.string() })).default([]),
  /** What is stored of an accepted object, defaults written out. */
  defaulted: objectSchema.exactOptional(),
});
export type Verdict = z.output<typeof verdictSchema>;

const caseSchema = verdictSchema.extend({
  name: z.string(),
  rule: z.string(),
  why: z.string(),
  file: z.string(),
  object: objectSchema.nullable().exactOptional(),
  /** The text matters: `object` is what kubectl reads in it. */
  yaml: z.string().exactOptional(),
  /** An update: this is stored, `new` replaces it. */
  old: objectSchema.exactOptional(),
  new: objectSchema.exactOptional(),
  subresource: z.literal('status').exactOptional(),
  /** The rows of the table of deviations that decide otherwise than Karpenter's CRDs. */
  ours: verdictSchema.extend({ deviation: z.array(z.int()) }).exactOptional(),
});

/** A manifest with the verdict that Karpenter's CRDs get from a real API server. */
export type VerdictCase = z.output<typeof caseSchema>;

/** All of them. */
export const verdictCases = (): readonly VerdictCase[] =>
  readBundle(new URL('../../vectors/data/validation.json.gz', import.meta.url), caseSchema).cases;

/** The verdict that our CRDs must get. */
export const expectedOf = (one: VerdictCase): Verdict => one.ours ?? one;

/** Whether one path leads to the other: a rule of a list may be told of the list or of an item. */
export const isSamePlace = (own: string, servers: string): boolean => {
  // For some errors the API server names no field, and for an owner it leaves out which.
  const field =
    servers === '<nil>' ? '' : servers.replace('ownerReferences.', 'ownerReferences[0].');
  return own.startsWith(field) || field.startsWith(own);
};

/** The path as the API server writes it: `spec.limits.cpu`, `spec.taints[0].key`. */
export const serverPath = (path: readonly (string | number)[]): string =>
  path
    .map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${segment}`))
    .join('')
    .slice(1);
