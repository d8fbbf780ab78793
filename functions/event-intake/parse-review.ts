import * as z from 'zod/mini';
import { parseJson } from '../../shared/aws/parse-json.ts';

const maybeNode = z.nullish(z.object({ spec: z.optional(z.object({ providerID: z.optional(z.string()) })) }));

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

/** The fields that we read from the AdmissionReview. Untrusted input. */
export interface Review {
  readonly uid: string;
  readonly dryRun: boolean;
  /** Plural and group, as in `nodepools.karpenter.sh`; the plural alone for the core group. */
  readonly resource: string;
  readonly name: string;
  /** Set for a Node. */
  readonly providerId?: string;
}

/** Parses an AdmissionReview. Returns undefined if the body is not one. */
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
