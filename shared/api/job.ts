import * as z from 'zod';
import {
  type Contribution,
  mapReading,
  type ReadContext,
  read,
  readWorkloadBase,
} from './contribution.ts';
import { badDuration } from './durations.ts';
import type { Finding, Reading } from './finding.ts';
import { metadataSchema } from './metadata.ts';
import { podTemplateSchema } from './pod-template.ts';
import { readWithSchema } from './read-with-schema.ts';
import { parseRunFor, RUN_FOR_ANNOTATION, sleepMs } from './run-for.ts';

const schema = z.object({
  metadata: metadataSchema,
  spec: z.object({
    completions: z.int32().min(0).optional(),
    parallelism: z.int32().min(0).default(1),
    suspend: z.boolean().default(false),
    template: podTemplateSchema,
  }),
});
type WrittenJob = z.output<typeof schema>;

export const readJob = (value: unknown, context: ReadContext): Reading<Contribution> =>
  mapReading(readWithSchema(schema, value), (job) =>
    mapReading(readWorkloadBase(context, job.metadata, job.spec.template), (base) =>
      mapReading(runForOf(job), (runForMs) =>
        read({
          kind: 'workload',
          workload: {
            kind: 'Job',
            ...base,
            // Without completions the pods share one queue of work, and each ends when it is empty.
            completions: job.spec.completions ?? job.spec.parallelism,
            parallelism: job.spec.suspend ? 0 : job.spec.parallelism,
            ...(runForMs === undefined ? {} : { runForMs }),
          },
        }),
      ),
    ),
  );

/** What the Job's annotation says, else its template's, else the container that only sleeps. */
function runForOf({ metadata, spec: { template } }: WrittenJob): Reading<number | undefined> {
  const places = [
    { path: ['metadata', 'annotations'], annotations: metadata.annotations },
    {
      path: ['spec', 'template', 'metadata', 'annotations'],
      annotations: template.metadata?.annotations,
    },
  ];
  for (const { path, annotations = {} } of places) {
    const text = annotations[RUN_FOR_ANNOTATION];
    if (text === undefined) continue;
    const ms = parseRunFor(text);
    return ms === undefined ? refuseRunFor(text, [...path, RUN_FOR_ANNOTATION]) : read(ms);
  }
  return read(sleepMs(template.spec.containers));
}

const refuseRunFor = (text: string, path: Finding['path']): Reading<never> => ({
  outcome: 'refused',
  findings: [{ path, ...badDuration(text, /./, 'a duration above zero, like 90s, 3m or 1.5h') }],
});
