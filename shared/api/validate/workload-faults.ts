import type { FieldPath, ManifestFinding } from '../finding.ts';
import { MANIFEST_KINDS } from '../manifests/kinds.ts';
import type { ManifestObject } from '../manifests/manifest-object.ts';
import type { Fault } from '../runtime-validation/fault.ts';
import { listShareFaults } from '../runtime-validation/on-demand-share-faults.ts';
import { isRecord } from '../schema/schema.ts';

/** Where each kind of workload has the metadata of its pods. */
const POD_METADATA: ReadonlyMap<string, FieldPath> = new Map<string, FieldPath>([
  ['Pod', ['metadata']],
  ['CronJob', ['spec', 'jobTemplate', 'spec', 'template', 'metadata']],
  ...['Deployment', 'StatefulSet', 'ReplicaSet', 'Job', 'ReplicationController'].map(
    (kind) => [kind, ['spec', 'template', 'metadata']] as const,
  ),
]);

/** The kinds of workloads that `simulate` reads. */
const READ_KINDS = ['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job'];

interface WorkloadFindings {
  /** The API server refuses the object for these. */
  readonly refusals: readonly ManifestFinding[];
  readonly warnings: readonly ManifestFinding[];
}

/**
 * Lists the fields of a workload that the API server refuses, or that are a mistake; only those that
 * decide where its pods run are looked at.
 */
export function listWorkloadFindings(written: Pick<ManifestObject, 'apiVersion' | 'kind' | 'value'>): WorkloadFindings {
  const { apiVersion, kind, value } = written;
  const reader = READ_KINDS.includes(kind) ? MANIFEST_KINDS.get(kind) : undefined;
  const version = reader && [reader.group, reader.version].filter((part) => part !== '').join('/');
  if (!reader || version !== apiVersion) return { refusals: [], warnings: listFaults(written) };
  const reading = reader.read(value, { namespace: '', name: '', priorityClasses: undefined });
  return reading.outcome === 'refused'
    ? { refusals: reading.findings, warnings: listFaults(written) }
    : { refusals: [], warnings: [...(reading.warnings ?? []), ...listFaults(written)] };
}

/** Lists the faults in annotations that Mortise reads from pods. */
function listFaults({ kind, value }: Pick<ManifestObject, 'kind' | 'value'>): readonly Fault[] {
  const metadata = POD_METADATA.get(kind);
  if (!metadata) return [];
  const path = [...metadata, 'annotations'];
  const annotations = path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
  if (!isRecord(annotations)) return [];
  const texts = Object.entries(annotations).map(([key, text]) => [key, `${text}`] as const);
  return listShareFaults(Object.fromEntries(texts), 'pods', path);
}
