import type { ObjectRef } from '../../views.ts';
import type { ClusterModel } from '../store/cluster-model.ts';

/** Moves the selection one level up: from a pod to its node, from a node to nothing. */
export function outOf(
  selected: ObjectRef | undefined,
  model: ClusterModel | undefined,
): ObjectRef | undefined {
  if (selected?.kind !== 'pod') return undefined;
  const pod = model?.pods.get(selected.name);
  const place = pod?.node ?? pod?.nominated;
  return place === undefined ? undefined : { kind: 'node', name: place };
}
