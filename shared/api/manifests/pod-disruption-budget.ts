import * as z from 'zod';
import { readSelector, selectorSchema } from '../builtin-resources/label-selector.ts';
import { metadataSchema } from '../builtin-resources/metadata.ts';
import { readWithSchema, refuse } from '../builtin-resources/read-with-schema.ts';
import { type ParseResult, quote, refuseByRule } from '../finding.ts';
import { type Contribution, mapReading, type ReadContext, readingOf } from './contribution.ts';

const shareSchema = z
  .union([z.string(), z.int()])
  .superRefine((share, ctx) => {
    if (/^[0-9]+%?$/.test(`${share}`)) return;
    const why = 'a whole number of pods, or a percentage of them';
    refuse(ctx, refuseByRule('PodDisruptionBudget', `${quote(`${share}`)} is no share`, why, 'write 1 or 50%'));
  })
  .transform(String)
  .optional();

const podDisruptionBudgetSchema = z.object({
  metadata: metadataSchema,
  spec: z
    .object({
      selector: selectorSchema.optional(),
      minAvailable: shareSchema,
      maxUnavailable: shareSchema,
      unhealthyPodEvictionPolicy: z.enum(['IfHealthyBudget', 'AlwaysAllow']).default('IfHealthyBudget'),
    })
    .superRefine(({ minAvailable, maxUnavailable }, ctx) => {
      if (minAvailable === undefined || maxUnavailable === undefined) return;
      const what = 'minAvailable beside maxUnavailable';
      const why = 'a budget has one of the two';
      refuse(ctx, refuseByRule('PodDisruptionBudget', what, why, 'take one out'));
    }),
});

/** Reads the budget as written. The cluster computes how many disruptions it allows. */
export const readPodDisruptionBudget = (value: unknown, { namespace, name }: ReadContext): ParseResult<Contribution> =>
  mapReading(readWithSchema(podDisruptionBudgetSchema, value), ({ spec }) => {
    const { selector, minAvailable, maxUnavailable, unhealthyPodEvictionPolicy } = spec;
    return readingOf({
      kind: 'podDisruptionBudget',
      budget: {
        namespace,
        name,
        ...(selector && { selector: readSelector(selector) }),
        ...(minAvailable !== undefined && { minAvailable }),
        ...(maxUnavailable !== undefined && { maxUnavailable }),
        unhealthyPodEvictionPolicy,
        disruptionsAllowed: 0,
        currentHealthy: 0,
        desiredHealthy: 0,
        expectedPods: 0,
      },
    });
  });
