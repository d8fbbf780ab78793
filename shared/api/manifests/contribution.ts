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
import { type FieldPath, type ParseResult, quoteUnlessName } from '../finding.ts';
import type { WrittenBuffer } from '../stored-objects/capacity-buffer.ts';

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
  | { readonly kind: 'volume'; readonly volume: Volume }
  | { readonly kind: 'storageClass'; readonly storageClass: StorageClass }
  | { readonly kind: 'namespace'; readonly name: string; readonly labels: Labels }
  | { readonly kind: 'priorityClass'; readonly priorityClass: PriorityClass }
  /** The object is valid and has no effect on a simulated cluster. */
  | { readonly kind: 'skipped' };

/** The information that a reader gets besides the object. */
export interface ReadContext {
  readonly namespace: string;
  readonly name: string;
  readonly priorityClasses: readonly PriorityClass[];
}

export const readingOf = <T>(value: T): ParseResult<T> => ({ outcome: 'read', value });

/** Applies `change` to the value, unless the reading was refused. */
export const mapReading = <T, U>(
  reading: ParseResult<T>,
  change: (value: T) => ParseResult<U>,
): ParseResult<U> => (reading.outcome === 'read' ? change(reading.value) : reading);

/** Reads the fields that all workloads share. `path` leads to `template`. */
export function readWorkloadBase(
  { namespace, name, priorityClasses }: ReadContext,
  { annotations = {} }: Metadata,
  template: WrittenPodTemplate,
  path: FieldPath = ['spec', 'template'],
): ParseResult<{ namespace: string; name: string; annotations: Labels; template: PodTemplate }> {
  const priority = resolvePriority(template.spec, priorityClasses);
  if (!priority) return noPriorityClass(`${template.spec.priorityClassName}`, path);
  return readingOf({ namespace, name, annotations, template: readPodTemplate(template, priority) });
}

const noPriorityClass = (name: string, path: FieldPath): ParseResult<never> => ({
  outcome: 'refused',
  findings: [
    {
      code: 'missing-reference',
      path: [...path, 'spec', 'priorityClassName'],
      what: `no PriorityClass ${quoteUnlessName(name)}`,
      why: 'not in the files, and the API server refuses pods of an unknown class',
      fix: 'add it, or take priorityClassName out',
    },
  ],
});
