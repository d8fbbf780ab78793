import * as z from 'zod';
import { admit } from '../admission/admit.ts';
import { priorityClassSchema, readPriorityClass } from '../builtin-resources/priority-class.ts';
import { readWithSchema } from '../builtin-resources/read-with-schema.ts';
import {
  readStorageClass,
  readVolume,
  readVolumeClaim,
  storageClassSchema,
  volumeClaimSchema,
  volumeSchema,
} from '../builtin-resources/storage.ts';
import { CAPACITY_BUFFER } from '../custom-resources/capacity-buffer.ts';
import { EC2_NODE_CLASS } from '../custom-resources/ec2-node-class.ts';
import { NODE_CLAIM } from '../custom-resources/node-claim.ts';
import { NODE_OVERLAY } from '../custom-resources/node-overlay.ts';
import { NODE_POOL } from '../custom-resources/node-pool.ts';
import { type ParseResult, quoteUnlessName } from '../finding.ts';
import type { CustomKind } from '../schema/custom-kind.ts';
import { readCapacityBuffer } from '../stored-objects/capacity-buffer.ts';
import { isOurClass, readEC2NodeClass } from '../stored-objects/ec2-node-class.ts';
import { readNodeOverlay } from '../stored-objects/node-overlay.ts';
import { readNodePool } from '../stored-objects/node-pool.ts';
import { readStored, type StoredObject } from '../stored-objects/read-stored.ts';
import { type Contribution, mapReading, type ReadContext, readingOf } from './contribution.ts';
import { readPod } from './pod.ts';
import { readPodDisruptionBudget } from './pod-disruption-budget.ts';
import { readNamespace, readService } from './service.ts';
import { readDaemonSet, readDeployment, readJob, readStatefulSet } from './workloads.ts';

/** Adds the namespace, which a manifest may omit. */
const writtenClaimSchema = volumeClaimSchema.extend({
  metadata: volumeClaimSchema.shape.metadata.extend({ namespace: z.string().default('') }),
});

const readVolumeClaimManifest = (value: unknown, { namespace }: ReadContext): ParseResult<Contribution> =>
  mapReading(readWithSchema(writtenClaimSchema, value), (written) => {
    const metadata = { ...written.metadata, namespace };
    return readingOf({ kind: 'volumeClaim', claim: readVolumeClaim({ ...written, metadata }) });
  });

const readVolumeManifest = (value: unknown): ParseResult<Contribution> =>
  mapReading(readWithSchema(volumeSchema, value), (written) =>
    readingOf({
      kind: 'volume',
      volume: readVolume(written),
      ...(written.spec.claimRef && { reservedFor: written.spec.claimRef }),
    }),
  );

const readStorageClassManifest = (value: unknown): ParseResult<Contribution> =>
  mapReading(readWithSchema(storageClassSchema, value), (written) =>
    readingOf({ kind: 'storageClass', storageClass: readStorageClass(written, 0) }),
  );

/** A kind of object that is read from manifests. */
export interface ManifestKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly isNamespaced: boolean;
  read(value: unknown, context: ReadContext): ParseResult<Contribution>;
}

/** Reads an object of our own kinds, and refuses what the API server would refuse. */
const readOurs = <Spec, T>(
  kind: CustomKind<Spec>,
  value: unknown,
  change: (object: StoredObject<Spec>) => ParseResult<T>,
): ParseResult<T> => {
  const admission = admit(kind, value);
  return admission.outcome === 'accepted'
    ? mapReading(readStored(kind, admission.object), change)
    : { outcome: 'refused', findings: admission.objections };
};

const SKIPPED: ParseResult<Contribution> = readingOf({ kind: 'skipped' });
const apps = { group: 'apps', version: 'v1', isNamespaced: true };
const core = { group: '', version: 'v1' };

export const MANIFEST_KINDS: ReadonlyMap<string, ManifestKind> = new Map<string, ManifestKind>([
  [
    'NodePool',
    {
      group: 'karpenter.sh',
      version: 'v1',
      isNamespaced: false,
      read: (value, { name }) =>
        readOurs(NODE_POOL, value, (written): ParseResult<Contribution> => {
          const ref = written.spec.template.spec.nodeClassRef;
          if (isOurClass(ref)) return readingOf({ kind: 'pool', pool: readNodePool(name, written) });
          const nodeClass = `${quoteUnlessName(ref.kind)} of ${quoteUnlessName(ref.group)}`;
          return readingOf({ kind: 'skipped', cause: { why: 'other-node-class', nodeClass } });
        }),
    },
  ],
  [
    'NodeClaim',
    {
      group: 'karpenter.sh',
      version: 'v1',
      isNamespaced: false,
      read: (value) => readOurs(NODE_CLAIM, value, () => SKIPPED),
    },
  ],
  [
    'EC2NodeClass',
    {
      group: 'karpenter.k8s.aws',
      version: 'v1',
      isNamespaced: false,
      read: (value, { name }) =>
        readOurs(EC2_NODE_CLASS, value, (written) =>
          mapReading(readEC2NodeClass(name, written), (nodeClass) => readingOf({ kind: 'nodeClass', nodeClass })),
        ),
    },
  ],
  ['Deployment', { ...apps, read: readDeployment }],
  ['ReplicaSet', { ...apps, read: readDeployment }],
  ['StatefulSet', { ...apps, read: readStatefulSet }],
  ['DaemonSet', { ...apps, read: readDaemonSet }],
  ['Job', { group: 'batch', version: 'v1', isNamespaced: true, read: readJob }],
  ['Pod', { ...core, isNamespaced: true, read: readPod }],
  ['Namespace', { ...core, isNamespaced: false, read: readNamespace }],
  ['Service', { ...core, isNamespaced: true, read: readService }],
  [
    'NodeOverlay',
    {
      group: 'karpenter.sh',
      version: 'v1alpha1',
      isNamespaced: false,
      read: (value, { name }) =>
        readOurs(NODE_OVERLAY, value, ({ spec }) =>
          readingOf({
            kind: 'overlay',
            overlay: readNodeOverlay({ name, uid: name, generation: 1 }, spec),
          }),
        ),
    },
  ],
  ['PersistentVolumeClaim', { ...core, isNamespaced: true, read: readVolumeClaimManifest }],
  ['PersistentVolume', { ...core, isNamespaced: false, read: readVolumeManifest }],
  [
    'StorageClass',
    {
      group: 'storage.k8s.io',
      version: 'v1',
      isNamespaced: false,
      read: readStorageClassManifest,
    },
  ],
  [
    'CapacityBuffer',
    {
      group: 'autoscaling.x-k8s.io',
      version: 'v1beta1',
      isNamespaced: true,
      read: (value, identity) =>
        readOurs(CAPACITY_BUFFER, value, ({ spec }) => {
          const buffer = readCapacityBuffer(identity, spec);
          return buffer ? readingOf({ kind: 'buffer', buffer }) : SKIPPED;
        }),
    },
  ],
  ['PodDisruptionBudget', { group: 'policy', version: 'v1', isNamespaced: true, read: readPodDisruptionBudget }],
  [
    'PriorityClass',
    {
      group: 'scheduling.k8s.io',
      version: 'v1',
      isNamespaced: false,
      read: (value, { name }) =>
        mapReading(readWithSchema(priorityClassSchema, value), (written) =>
          readingOf({ kind: 'priorityClass', priorityClass: readPriorityClass(name, written) }),
        ),
    },
  ],
]);

/** Kinds of Karpenter's alpha API, by group, with their successors. */
export const SUPERSEDED: ReadonlyMap<string, string> = new Map([
  ['karpenter.sh/Provisioner', 'NodePool'],
  ['karpenter.sh/Machine', 'NodeClaim'],
  ['karpenter.k8s.aws/AWSNodeTemplate', 'EC2NodeClass'],
]);
