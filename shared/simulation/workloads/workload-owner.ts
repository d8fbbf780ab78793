import type { OwnerReference } from '../../model/pods/pod.ts';
import type { Job, PodOwner, Workload } from '../../model/pods/workload.ts';
import { workloadKey } from '../control-plane/api-server.ts';
import type { SimObjectStore } from '../control-plane/object-store.ts';
import { templateHash, uidOf } from '../generated-names.ts';

/** The owner reference in a workload's pods; for a Deployment, its ReplicaSet. */
export function ownerReferenceOf(seed: number, workload: Workload): OwnerReference {
  const key = workloadKey(workload);
  const owner = { kind: workload.kind, name: workload.name, uid: uidOf(seed, key) };
  return workload.kind === 'Deployment'
    ? { ...owner, kind: 'ReplicaSet', name: `${workload.name}-${templateHash(seed, key)}` }
    : owner;
}

/**
 * Returns the pod owner as the API server reports it; none for a DaemonSet, whose pods follow the
 * nodes.
 */
export function toPodOwners(
  seed: number,
  workload: Workload,
  desiredActiveOf: (job: Job) => number,
): readonly PodOwner[] {
  const { namespace, kind } = workload;
  const { name, uid } = ownerReferenceOf(seed, workload);
  const owner = { namespace, name, uid, isFailing: false };
  switch (kind) {
    case 'Deployment':
      return [{ ...owner, kind: 'ReplicaSet', desiredPods: workload.replicas, creates: 'at-once' }];
    case 'StatefulSet':
      return [{ ...owner, kind, desiredPods: workload.replicas, creates: 'one-by-one' }];
    case 'Job':
      return [{ ...owner, kind, desiredPods: desiredActiveOf(workload), creates: 'at-once' }];
    case 'DaemonSet':
      return [];
  }
}

/** Adds the pod-template-hash label, as the Deployment controller does. */
export function withTemplateHash(seed: number, workload: Workload): Workload {
  if (workload.kind !== 'Deployment') return workload;
  const { template } = workload;
  const hash = templateHash(seed, workloadKey(workload));
  const labels = { ...template.labels, 'pod-template-hash': hash };
  return { ...workload, template: { ...template, labels } };
}

/** Returns a lookup of an owner's replica count by uid; `undefined` for owners without a scale. */
export function watchReplicasByOwner(
  seed: number,
  workloads: SimObjectStore<Workload>,
): (ownerUid: string) => number | undefined {
  const replicas = new Map<string, number>();
  for (const workload of workloads.list()) note(workload);
  workloads.watch(({ after }) => after && note(after));

  function note(workload: Workload): void {
    if (workload.kind !== 'Deployment' && workload.kind !== 'StatefulSet') return;
    replicas.set(ownerReferenceOf(seed, workload).uid, workload.replicas);
  }

  return (ownerUid) => replicas.get(ownerUid);
}
