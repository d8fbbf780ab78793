import * as z from 'zod/mini';
import { parseJson } from '../../shared/aws/parse-json.ts';

const maybeNode = z.nullish(
  z.object({ spec: z.optional(z.object({ providerID: z.optional(z.string()) })) }),
);

const reviewSchema = z.object({
  request: z.object({
    uid: z.string(),
    dryRun: z.optional(z.boolean()),
    name: z.optional(z.string()),
    resource: z.object({ group: z.string(), resource: z.string() }),
    object: maybeNode,
    oldObject: maybeNode,
  }),
});

/** What little of a call is read. None of it is believed. */
export interface Review {
  readonly uid: string;
  readonly dryRun: boolean;
  /** As in `nodepools.karpenter.sh`; of the core group the plural alone. */
  readonly resource: string;
  readonly name: string;
  /** Of a Node. */
  readonly providerId?: string;
}

/** Absent: not a call of the API server's. */
export function parseReview(body: string): Review | undefined {
  const { data } = z.safeParse(reviewSchema, parseJson(body));
  if (!data) return undefined;

  const { uid, dryRun = false, name = '', resource, object, oldObject } = data.request;
  const providerId = object?.spec?.providerID ?? oldObject?.spec?.providerID;
  return {
    uid,
    dryRun,
    name,
    resource: [resource.resource, resource.group].filter((part) => part !== '').join('.'),
    ...(providerId !== undefined && { providerId }),
  };
}
