import * as z from 'zod';
import { parseGoDuration } from '../../model/duration.ts';
import type { Workload } from '../../model/pods/workload.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { WrittenContainer } from '../builtin-resources/containers.ts';
import { selectorSchema } from '../builtin-resources/label-selector.ts';
import { type Metadata, metadataSchema } from '../builtin-resources/metadata.ts';
import { podTemplateSchema, type WrittenPodTemplate } from '../builtin-resources/pod-template.ts';
import { describeBadDuration } from '../builtin-resources/quantities.ts';
import { readWithSchema } from '../builtin-resources/read-with-schema.ts';
import { readVolumeClaimTemplate, volumeClaimTemplateSchema } from '../builtin-resources/storage.ts';
import type { ManifestFinding, ParseResult } from '../finding.ts';
import { listOwnerSelectorFindings } from '../workload-rules/pod-rules.ts';
import {
  type Contribution,
  findOtherScheduler,
  mapReading,
  type ReadContext,
  readingOf,
  readWorkloadBase,
  type WorkloadBase,
} from './contribution.ts';

const replicatedSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({
    replicas: z.int32().min(0).default(1),
    selector: selectorSchema.optional(),
    template: podTemplateSchema,
  }),
});

interface WrittenSpec {
  readonly selector?: z.output<typeof selectorSchema> | undefined;
  readonly template: WrittenPodTemplate;
}

/** Reads a workload whose pods run until it is deleted, and that finds them by its selector. */
function readLasting(
  context: ReadContext,
  metadata: Metadata,
  { selector, template }: WrittenSpec,
): ParseResult<WorkloadBase> {
  const findings = listOwnerSelectorFindings(selector, template);
  const base = readWorkloadBase(context, metadata, template, ['Always']);
  if (findings.length === 0) return base;
  const others = base.outcome === 'refused' ? base.findings : [];
  return { outcome: 'refused', findings: [...findings, ...others] };
}

/** Leaves out workloads whose pods have another scheduler. */
function leaveToOtherScheduler({ spec }: WrittenPodTemplate, workload: Workload): ParseResult<Contribution> {
  const cause = findOtherScheduler(spec);
  return readingOf(cause ? { kind: 'skipped', cause } : { kind: 'workload', workload });
}

/** Reads a Deployment, or a ReplicaSet without an owner: both keep a number of equal pods. */
export const readDeployment = (value: unknown, context: ReadContext): ParseResult<Contribution> =>
  mapReading(readWithSchema(replicatedSchema, value), ({ metadata, spec }) =>
    mapReading(readLasting(context, metadata, spec), (base) =>
      leaveToOtherScheduler(spec.template, {
        kind: 'Deployment',
        ...base,
        replicas: spec.replicas,
      }),
    ),
  );

const statefulSetSchema = replicatedSchema.extend({
  spec: replicatedSchema.shape.spec.extend({
    volumeClaimTemplates: z.array(volumeClaimTemplateSchema).default([]),
  }),
});

export const readStatefulSet = (value: unknown, context: ReadContext): ParseResult<Contribution> =>
  mapReading(readWithSchema(statefulSetSchema, value), ({ metadata, spec }) => {
    const { replicas, volumeClaimTemplates: claims } = spec;
    return mapReading(readLasting(context, metadata, spec), (base) =>
      leaveToOtherScheduler(spec.template, {
        kind: 'StatefulSet',
        ...base,
        replicas,
        ...(claims.length > 0 && { volumeClaimTemplates: claims.map(readVolumeClaimTemplate) }),
      }),
    );
  });

const daemonSetSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({ selector: selectorSchema.optional(), template: podTemplateSchema }),
});

/** Reads a DaemonSet. Its pods count on each node, also if another scheduler binds them. */
export const readDaemonSet = (value: unknown, context: ReadContext): ParseResult<Contribution> =>
  mapReading(readWithSchema(daemonSetSchema, value), ({ metadata, spec }) =>
    mapReading(readLasting(context, metadata, spec), (base) =>
      readingOf({ kind: 'workload', workload: { kind: 'DaemonSet', ...base } }),
    ),
  );

/** How long a simulated pod of the Job runs, as a Go duration. */
const RUN_FOR_ANNOTATION = 'simulation.mortise.sh/run-for';

/** Parses a duration above zero to milliseconds. Returns `undefined` for anything else. */
function parseRunFor(text: string): number | undefined {
  const ms = parseGoDuration(text);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

const UNITS: Readonly<Record<string, number>> = {
  '': SECOND_MS,
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};
const SLEEP = /^(?:\S*\/)?sleep\s+(\d+(?:\.\d+)?)([smhd]?)$/;
const SHELL = /^(?:\S*\/)?(?:ba|da|a)?sh$/;

/** Computes how long the containers run if all of them only sleep; otherwise `undefined`. */
function computeLongestSleepMs(containers: readonly WrittenContainer[]): number | undefined {
  const all = containers.map(computeSleepMs);
  return all.every((ms) => ms !== undefined) ? Math.max(...all) : undefined;
}

function computeSleepMs({ command = [], args = [] }: WrittenContainer): number | undefined {
  const [program = '', flag, ...script] = [...command, ...args];
  const words = SHELL.test(program) && flag === '-c' ? script : [...command, ...args];
  const [, amount, unit = ''] = SLEEP.exec(words.join(' ').trim()) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] ?? SECOND_MS);
}

const jobSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({
    completions: z.int32().min(0).optional(),
    parallelism: z.int32().min(0).default(1),
    suspend: z.boolean().default(false),
    template: podTemplateSchema,
  }),
  status: z
    .object({
      conditions: z
        .array(z.object({ type: z.string(), status: z.string() }))
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type WrittenJob = z.output<typeof jobSchema>;

export const readJob = (value: unknown, context: ReadContext): ParseResult<Contribution> =>
  mapReading(readWithSchema(jobSchema, value), (job): ParseResult<Contribution> => {
    if (hasEnded(job)) return readingOf({ kind: 'skipped', cause: { why: 'ended' } });
    const { template } = job.spec;
    return mapReading(readWorkloadBase(context, job.metadata, template, JOB_POLICIES), (base) =>
      mapReading(readRunFor(job), (runForMs) =>
        leaveToOtherScheduler(template, {
          kind: 'Job',
          ...base,
          // Without completions the pods share a work queue, and each of them ends when the queue
          // is empty.
          completions: job.spec.completions ?? job.spec.parallelism,
          parallelism: job.spec.suspend ? 0 : job.spec.parallelism,
          ...(runForMs !== undefined && { runForMs }),
        }),
      ),
    );
  });

/** A pod that restarts for ever would never complete the Job. */
const JOB_POLICIES = ['Never', 'OnFailure'] as const;

/** True for a Job that was copied from a cluster in which it has ended. */
const hasEnded = ({ status }: WrittenJob): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );

/**
 * Reads the annotation of the Job, or that of its template, or else the sleep of its containers.
 */
function readRunFor({ metadata, spec: { template } }: WrittenJob): ParseResult<number | undefined> {
  const locations = [
    { path: ['metadata', 'annotations'], annotations: metadata.annotations },
    {
      path: ['spec', 'template', 'metadata', 'annotations'],
      annotations: template.metadata?.annotations,
    },
  ];
  for (const { path, annotations = {} } of locations) {
    const text = annotations[RUN_FOR_ANNOTATION];
    if (text === undefined) continue;
    const ms = parseRunFor(text);
    return ms === undefined ? refuseRunFor(text, [...path, RUN_FOR_ANNOTATION]) : readingOf(ms);
  }
  return readingOf(computeLongestSleepMs(template.spec.containers));
}

const refuseRunFor = (text: string, path: ManifestFinding['path']): ParseResult<never> => ({
  outcome: 'refused',
  findings: [{ path, ...describeBadDuration(text, /./, 'a duration above zero, like 90s, 3m or 1.5h') }],
});
