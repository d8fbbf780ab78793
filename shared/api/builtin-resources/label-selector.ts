import * as z from 'zod';
import type { LabelSelector } from '../../model/requirements/selectors.ts';
import { textsSchema } from './metadata.ts';

/** A Kubernetes label selector. It has four operators, unlike node affinity. */
export const selectorSchema = z.object({
  matchLabels: textsSchema.optional(),
  matchExpressions: z
    .array(
      z.object({
        key: z.string(),
        operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: z.array(z.string()).optional(),
      }),
    )
    .optional(),
});

export const readSelector = ({
  matchLabels = {},
  matchExpressions = [],
}: z.output<typeof selectorSchema>): LabelSelector => ({
  matchLabels,
  matchExpressions: matchExpressions.map(({ key, operator, values = [] }) => ({
    key,
    operator,
    values,
  })),
});
