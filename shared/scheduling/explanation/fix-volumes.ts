import type { Reason } from '../../model/explanations/reasons.ts';
import { findNearestWord } from '../../model/nearest-word.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { type Pod, toObjectName } from '../../model/pods/pod.ts';
import { toClaimKey } from '../../model/pods/storage.ts';
import type { Problem } from '../input/problem.ts';
import { CLAIM_NOT_FOUND } from '../pods/storage-index.ts';
import type { FixProposal } from './fix-proposal.ts';

/**
 * Proposes to create the missing PersistentVolumeClaim; its volume is then provisioned where the
 * pod is placed.
 */
export function proposeVolumeClaim(
  _: NodePool,
  { fields: { claim = '', state } }: Reason,
  pods: readonly Pod[],
  { snapshot }: Problem,
): FixProposal[] {
  if (state !== CLAIM_NOT_FOUND) return [];
  const name = toObjectName(claim);
  return [
    {
      kind: 'create-volume-claim',
      object: `PersistentVolumeClaim/${name}`,
      path: 'metadata.name',
      to: claim,
      snapshot,
      pods: pods.map((pod) => ({
        ...pod,
        spec: {
          ...pod.spec,
          volumeClaims: pod.spec.volumeClaims.filter((one) => one !== name),
        },
      })),
    },
  ];
}

/** Names the StorageClass that the claim probably means. */
export function proposeStorageClass(
  _: NodePool,
  { fields: { claim: key = '' } }: Reason,
  pods: readonly Pod[],
  { snapshot }: Problem,
): FixProposal[] {
  const { storage } = snapshot;
  const claim = storage?.claims.find((one) => toClaimKey(one) === key);
  const names = storage?.classes.map(({ name }) => name) ?? [];
  const from = claim?.storageClass;
  if (!storage || !claim || from === undefined || names.includes(from)) return [];
  const to = findNearestWord(from, names);
  if (to === undefined) return [];
  const claims = storage.claims.map((one) => (one === claim ? { ...claim, storageClass: to } : one));
  return [
    {
      kind: 'correct-storage-class',
      object: `PersistentVolumeClaim/${claim.name}`,
      path: 'spec.storageClassName',
      ...{ from, to },
      snapshot: { ...snapshot, storage: { ...storage, claims } },
      pods,
    },
  ];
}
