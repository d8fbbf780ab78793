import type { FieldPath } from '../finding.ts';
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

/** Lists the faults in annotations that Mortise reads from pods. The rest of a workload is not judged. */
export function listWorkloadFaults({
  kind,
  value,
}: Pick<ManifestObject, 'kind' | 'value'>): readonly Fault[] {
  const metadata = POD_METADATA.get(kind);
  if (!metadata) return [];
  const path = [...metadata, 'annotations'];
  const annotations = path.reduce<unknown>(
    (inner, key) => (isRecord(inner) ? inner[key] : undefined),
    value,
  );
  if (!isRecord(annotations)) return [];
  const texts = Object.entries(annotations).map(([key, text]) => [key, `${text}`] as const);
  return listShareFaults(Object.fromEntries(texts), 'pods', path);
}
