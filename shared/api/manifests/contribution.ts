import type { Labels } from '../../model/labels.ts';
import type { EC2NodeClass } from '../../model/nodes/node-class.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { NodeOverlay } from '../../model/offerings/node-overlay.ts';
import type { Pod, PodTemplate } from '../../model/pods/pod.ts';
import type { StorageClass, Volume, VolumeClaim } from '../../model/pods/storage.ts';
import type { PodDisruptionBudget, Service, Workload } from '../../model/pods/workload.ts';
import type { Metadata } from '../builtin-resources/metadata.ts';
import { readPodTemplate, type WrittenPodTemplate } from '../builtin-resources/pod-template.ts';
import { type PriorityClass, resolvePriority } from '../builtin-resources/priority-class.ts';
import { type FieldPath, type ManifestFinding, type ParseResult, quoteUnlessName } from '../finding.ts';
import type { WrittenBuffer } from '../stored-objects/capacity-buffer.ts';
import { listPodFindings, type RestartPolicy } from '../workload-rules/pod-rules.ts';
import { listPodWarnings } from '../workload-rules/resource-rules.ts';
import type { SkipCause } from './cluster-manifests.ts';

/** The part of a cluster that one object defines. */
export type Contribution =
  | { readonly kind: 'pool'; readonly pool: NodePool }
  | { readonly kind: 'nodeClass'; readonly nodeClass: EC2NodeClass }
  | { readonly kind: 'workload'; readonly workload: Workload }
  | { readonly kind: 'pod'; readonly pod: Pod }
  | { readonly kind: 'podDisruptionBudget'; readonly budget: PodDisruptionBudget }
  | { readonly kind: 'service'; readonly service: Service }
  | { readonly kind: 'overlay'; readonly overlay: NodeOverlay }
  | { readonly kind: 'buffer'; readonly buffer: WrittenBuffer }
  | { readonly kind: 'volumeClaim'; readonly claim: VolumeClaim }
  | {
      readonly kind: 'volume';
      readonly volume: Volume;
      /** The claim that it is bound to, or will be. */
      readonly reservedFor?: Pick<VolumeClaim, 'namespace' | 'name'>;
    }
  | { readonly kind: 'storageClass'; readonly storageClass: StorageClass }
  | { readonly kind: 'namespace'; readonly name: string; readonly labels: Labels }
  | { readonly kind: 'priorityClass'; readonly priorityClass: PriorityClass }
  /** The object is valid and has no effect on a simulated cluster. */
  | { readonly kind: 'skipped'; readonly cause?: SkipCause };

/** The information that a reader gets besides the object. */
export interface ReadContext {
  readonly namespace: string;
  readonly name: string;
  /** `undefined` if they are unknown: nothing is then said about missing ones. */
  readonly priorityClasses: readonly PriorityClass[] | undefined;
}

export const readingOf = <T>(value: T, warnings: readonly ManifestFinding[] = []): ParseResult<T> => ({
  outcome: 'read',
  value,
  ...(warnings.length > 0 && { warnings }),
});

/** Applies `change` to the value, unless the reading was refused. Warnings of both steps are kept. */
export function mapReading<T, U>(reading: ParseResult<T>, change: (value: T) => ParseResult<U>): ParseResult<U> {
  if (reading.outcome === 'refused') return reading;
  const changed = change(reading.value);
  if (changed.outcome === 'refused' || !reading.warnings) return changed;
  return readingOf(changed.value, [...reading.warnings, ...(changed.warnings ?? [])]);
}

/** The fields that all workloads share. */
export interface WorkloadBase {
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Labels;
  readonly template: PodTemplate;
}

/**
 * Reads the fields that all workloads share, and refuses pods that the API server would refuse.
 *
 * @param policies - the restart policies that the kind allows
 * @param path - leads to the template
 */
export function readWorkloadBase(
  { namespace, name, priorityClasses }: ReadContext,
  { annotations = {} }: Metadata,
  template: WrittenPodTemplate,
  policies: readonly RestartPolicy[],
  path: FieldPath = ['spec', 'template'],
): ParseResult<WorkloadBase> {
  const findings = listPodFindings(template, path, policies);
  if (findings.length > 0) return { outcome: 'refused', findings };
  const { spec } = template;
  const priority = resolvePriority(spec, priorityClasses ?? []);
  const base = {
    namespace,
    name,
    annotations,
    template: readPodTemplate(template, priority ?? { value: spec.priority ?? 0 }),
  };
  const isUnknown = priority === undefined && priorityClasses !== undefined;
  return readingOf(base, [
    ...(isUnknown ? [describeMissingPriority(spec, path)] : []),
    ...listPodWarnings(spec, [...path, 'spec']),
  ]);
}

/** The API server refuses such pods, but the class is usually in the cluster and not in the files. */
const describeMissingPriority = (
  { priorityClassName = '', priority = 0 }: WrittenPodTemplate['spec'],
  path: FieldPath,
): ManifestFinding => ({
  code: 'missing-reference',
  path: [...path, 'spec', 'priorityClassName'],
  what: `no PriorityClass ${quoteUnlessName(priorityClassName)}`,
  why: `not in the files: the priority is taken as ${priority}`,
  fix: 'add it',
});

/** Says why a simulated cluster does not run such pods; `undefined` if it does. */
export const findOtherScheduler = ({
  schedulerName = DEFAULT_SCHEDULER,
}: WrittenPodTemplate['spec']): SkipCause | undefined =>
  schedulerName === DEFAULT_SCHEDULER || schedulerName === ''
    ? undefined
    : { why: 'other-scheduler', scheduler: schedulerName };

const DEFAULT_SCHEDULER = 'default-scheduler';
