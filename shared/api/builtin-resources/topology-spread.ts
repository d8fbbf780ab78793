import * as z from 'zod';
import type { TopologySpreadConstraint } from '../../model/pods/pod.ts';
import { readSelector, selectorSchema } from './label-selector.ts';

export const topologySpreadSchema = z.object({
  topologyKey: z.string(),
  maxSkew: z.int().min(1),
  whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
  labelSelector: selectorSchema.optional(),
  matchLabelKeys: z.array(z.string()).default([]),
  minDomains: z.int().min(1).optional(),
  nodeAffinityPolicy: z.enum(['Honor', 'Ignore']).default('Honor'),
  nodeTaintsPolicy: z.enum(['Honor', 'Ignore']).default('Ignore'),
});

export const readTopologySpread = ({
  topologyKey,
  labelSelector,
  minDomains,
  ...same
}: z.output<typeof topologySpreadSchema>): TopologySpreadConstraint => ({
  ...same,
  key: topologyKey,
  ...(labelSelector && { selector: readSelector(labelSelector) }),
  ...(minDomains !== undefined && { minDomains }),
});
