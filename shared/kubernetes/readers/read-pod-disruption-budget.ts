import * as z from 'zod';
import { refuseByRule } from '../../api/finding.ts';
import { readPodDisruptionBudget as readWritten } from '../../api/manifests/pod-disruption-budget.ts';
import type { PodDisruptionBudget } from '../../model/pods/workload.ts';
import { type LiveReading, readLive } from './live-object.ts';

const count = z.int().default(0);

const schema = z.looseObject({
  metadata: z.looseObject({ name: z.string(), namespace: z.string(), generation: count }),
  status: z
    .object({
      disruptionsAllowed: count,
      currentHealthy: count,
      desiredHealthy: count,
      expectedPods: count,
      observedGeneration: count,
    })
    .prefault({}),
});

export const readPodDisruptionBudget = (raw: unknown): LiveReading<PodDisruptionBudget> =>
  readLive('PodDisruptionBudget', schema, raw, (written) => {
    const { metadata, status } = written;
    const { namespace, name } = metadata;
    const reading = readWritten(written, { namespace, name, priorityClasses: [] });
    if (reading.outcome === 'refused') return reading;
    if (reading.value.kind !== 'podDisruptionBudget') return NOT_A_BUDGET;

    const { disruptionsAllowed, observedGeneration, ...counts } = status;
    // The count belongs to an older selector; the eviction API also refuses until it is updated.
    const isCounted = observedGeneration >= metadata.generation;
    return {
      outcome: 'read',
      value: {
        ...reading.value.budget,
        disruptionsAllowed: isCounted ? disruptionsAllowed : 0,
        ...counts,
      },
    };
  });

const NOT_A_BUDGET = {
  outcome: 'refused' as const,
  findings: [{ path: [], ...refuseByRule('PodDisruptionBudget', 'another kind', 'not a budget', '') }],
};
