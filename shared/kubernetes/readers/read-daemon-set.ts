import * as z from 'zod';
import { textsSchema } from '../../api/builtin-resources/metadata.ts';
import { podTemplateSchema, readPodTemplate } from '../../api/builtin-resources/pod-template.ts';
import {
  type PriorityClass,
  priorityClassSchema,
  readPriorityClass as readWrittenClass,
  resolvePriority,
} from '../../api/builtin-resources/priority-class.ts';
import { readWithSchema } from '../../api/builtin-resources/read-with-schema.ts';
import { quoteUnlessName, refuseByRule } from '../../api/finding.ts';
import { pickReadAnnotations } from '../../model/labels.ts';
import type { DaemonSet } from '../../model/pods/workload.ts';
import { type LiveReading, readLive } from './live-object.ts';
import type { PodTemplateReader } from './read-pod-template.ts';

const schema = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    annotations: textsSchema.default({}),
  }),
  spec: z.object({ template: z.unknown() }),
});
/**
 * The fields that decisions depend on. The status is left out because it changes with every pod.
 */
export type LiveDaemonSet = z.output<typeof schema>;

export const pickDaemonSet = (raw: unknown): LiveReading<LiveDaemonSet> =>
  readLive('DaemonSet', schema, raw, (value) => ({ outcome: 'read', value }));

/**
 * A DaemonSet names its priority class; only admission of its pods resolves the name, so it is
 * resolved here.
 */
export const readDaemonSet = (
  templates: PodTemplateReader,
  priorityClasses: readonly PriorityClass[],
  live: LiveDaemonSet,
): LiveReading<DaemonSet> =>
  readLive('DaemonSet', schema, live, (written) => {
    const { namespace, name, annotations } = written.metadata;
    const reading = readWithSchema(templateSchema, written);
    if (reading.outcome === 'refused') return reading;
    const { template: writtenTemplate } = reading.value.spec;
    const priority = resolvePriority(writtenTemplate.spec, priorityClasses);
    if (!priority) return refuseClass(writtenTemplate.spec.priorityClassName ?? '');
    const template = readPodTemplate(writtenTemplate, priority);
    return {
      outcome: 'read',
      value: {
        kind: 'DaemonSet',
        namespace,
        name,
        annotations: pickReadAnnotations(annotations),
        template: {
          ...template,
          annotations: pickReadAnnotations(template.annotations),
          spec: templates.share(template.spec),
        },
      },
    };
  });

const templateSchema = z.object({ spec: z.object({ template: podTemplateSchema }) });

/** The API server refuses the pods of such a DaemonSet. */
const refuseClass = (name: string) => ({
  outcome: 'refused' as const,
  findings: [
    {
      path: ['spec', 'template', 'spec', 'priorityClassName'],
      ...refuseByRule(
        'priorityClassName',
        `no PriorityClass ${quoteUnlessName(name)}`,
        'the API server refuses pods of an unknown class',
        'create it',
      ),
    },
  ],
});

export const readPriorityClass = (raw: unknown): LiveReading<PriorityClass> =>
  readLive('PriorityClass', priorityClassSchema, raw, (written) => ({
    outcome: 'read',
    value: readWrittenClass(written.metadata.name ?? '', written),
  }));
