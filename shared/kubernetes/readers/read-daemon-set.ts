import * as z from 'zod';
import { textsSchema } from '../../api/builtin-resources/metadata.ts';
import {
  type PriorityClass,
  priorityClassSchema,
  readPriorityClass as readWrittenClass,
} from '../../api/builtin-resources/priority-class.ts';
import { refuseByRule } from '../../api/finding.ts';
import { readDaemonSet as readWritten } from '../../api/manifests/workloads.ts';
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
    const { namespace, name } = written.metadata;
    const reading = readWritten(written, { namespace, name, priorityClasses });
    if (reading.outcome === 'refused') return reading;
    const { value: manifest } = reading;
    if (manifest.kind !== 'workload' || manifest.workload.kind !== 'DaemonSet') {
      return NOT_A_DAEMON_SET;
    }
    const { template, ...daemonSet } = manifest.workload;
    return {
      outcome: 'read',
      value: {
        ...daemonSet,
        annotations: pickReadAnnotations(daemonSet.annotations),
        template: {
          ...template,
          annotations: pickReadAnnotations(template.annotations),
          spec: templates.share(template.spec),
        },
      },
    };
  });

const NOT_A_DAEMON_SET = {
  outcome: 'refused' as const,
  findings: [{ path: [], ...refuseByRule('DaemonSet', 'another kind', 'not a DaemonSet', '') }],
};

export const readPriorityClass = (raw: unknown): LiveReading<PriorityClass> =>
  readLive('PriorityClass', priorityClassSchema, raw, (written) => ({
    outcome: 'read',
    value: readWrittenClass(written.metadata.name ?? '', written),
  }));
