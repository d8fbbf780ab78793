import type { OwnerReference } from '../model/pod.ts';
import type { Workload } from '../model/workload.ts';
import { workloadKey } from './api-server.ts';
import type { ObjectStore } from './object-store.ts';
import { templateHash, uidOf } from './pod-names.ts';

/** What the pods of a workload name as their owner: for a Deployment, its ReplicaSet. */
export function ownerOf(seed: number, workload: Workload): OwnerReference {
  const key = workloadKey(workload);
  const owner = { kind: workload.kind, name: workload.name, uid: uidOf(seed, key) };
  return workload.kind === 'Deployment'
    ? { ...owner, kind: 'ReplicaSet', name: `${workload.name}-${templateHash(seed, key)}` }
    : owner;
}

/** A Deployment labels its pods with the hash that names their ReplicaSet. */
export function withTemplateHash(seed: number, workload: Workload): Workload {
  if (workload.kind !== 'Deployment') return workload;
  const { template } = workload;
  const hash = templateHash(seed, workloadKey(workload));
  const labels = { ...template.labels, 'pod-template-hash': hash };
  return { ...workload, template: { ...template, labels } };
}

/** Finds what the owner of a pod is scaled to; absent for what has no scale. */
export function replicasByOwner(
  seed: number,
  workloads: ObjectStore<Workload>,
): (ownerUid: string) => number | undefined {
  const replicas = new Map<string, number>();
  for (const workload of workloads.list()) note(workload);
  workloads.watch(({ after }) => after && note(after));

  function note(workload: Workload): void {
    if (workload.kind !== 'Deployment' && workload.kind !== 'StatefulSet') return;
    replicas.set(ownerOf(seed, workload).uid, workload.replicas);
  }

  return (ownerUid) => replicas.get(ownerUid);
}
