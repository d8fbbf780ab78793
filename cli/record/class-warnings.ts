import type { ClusterManifests } from '../../shared/api/manifests/cluster-manifests.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { listSkippedWarnings } from '../manifests/cluster-manifests.ts';

/** Tells what the EC2NodeClasses of manifests change in a snapshot, which contains none. */
export const listClassWarnings = (
  { pools, nodeClasses }: Pick<ClusterManifests, 'pools' | 'nodeClasses'>,
  snapshot: Pick<ClusterSnapshot, 'pools' | 'claims'>,
): readonly string[] =>
  nodeClasses.flatMap(({ name }) => {
    const users = [...snapshot.pools, ...pools].filter(({ nodeClass }) => nodeClass.name === name);
    if (users.length === 0) return [`EC2NodeClass ${name}: no NodePool refers to it`];
    const nodes = snapshot.claims.filter(({ nodeClass }) => nodeClass.name === name).length;
    if (nodes === 0) return [];
    const drifting = nodes === 1 ? 'its node drifts' : `its ${nodes} nodes drift`;
    return [`EC2NodeClass ${name}: counts as changed, so ${drifting}; types and zones stay as recorded`];
  });

/** Tells which objects a replay does not use: the pods of a decision are those of its record. */
export function listUnusedWarnings(manifests: ClusterManifests): readonly string[] {
  const { workloads, pods, podDisruptionBudgets } = manifests;
  const { services = [], overlays = [], buffers = [], storage, namespaces } = manifests;
  const inUse = new Set([...workloads, ...pods].map(({ namespace }) => namespace));
  const others = Object.keys(namespaces ?? {}).filter((name) => !inUse.has(name));
  const unused: readonly (readonly [string, number])[] = [
    ['workloads', workloads.length],
    ['pods', pods.length],
    ['PodDisruptionBudgets', podDisruptionBudgets.length],
    ['Services', services.length],
    ['NodeOverlays', overlays.length],
    ['CapacityBuffers', buffers.length],
    ['volumes', Object.values(storage ?? {}).flat().length],
    ['Namespaces', others.length],
  ];
  const kinds = unused.flatMap(([kind, count]) => (count > 0 ? [`${kind} (${count})`] : []));
  return [
    ...(kinds.length > 0
      ? [`not used, because a replay takes NodePools and EC2NodeClasses only: ${kinds.join(', ')}`]
      : []),
    ...listSkippedWarnings(manifests),
  ];
}
