import type { ReadGap } from '../../shared/kubernetes/client/partial-api.ts';

/** Says for each kind what its reader does not know, or decides without, if it may not be read. */
const CONSEQUENCES: Readonly<Record<string, string>> = {
  pods: 'free room, pending pods and their reasons are unknown',
  nodes: 'nodes, their cost and free room are unknown',
  nodepools: 'plans assume one NodePool for each node group, with the families c, m and r',
  nodeclaims: 'starting nodes and the reasons why nodes stay are unknown',
  ec2nodeclasses: 'it is unknown which instance types a NodePool can launch',
  daemonsets: 'new nodes are planned without the pods of DaemonSets',
  poddisruptionbudgets: 'removals are proposed as if no PodDisruptionBudget existed',
  priorityclasses: 'the pods of DaemonSets count with priority 0',
  namespaces: 'namespace selectors of affinity rules match nothing',
  persistentvolumeclaims: 'the zones of volumes are unknown',
  persistentvolumes: 'the zones of volumes are unknown',
  storageclasses: 'the zones of volumes are unknown',
  csinodes: 'the number of volumes that a node can attach is unknown',
  volumeattachments: 'it is unknown which volumes are attached',
  services: 'it is unknown which pods kube-scheduler spreads by default',
  replicasets: 'it is unknown how many pods their owners have still to create',
  statefulsets: 'it is unknown how many pods their owners have still to create',
  jobs: 'it is unknown how many pods their owners have still to create',
  resourcequotas: 'it is unknown how many pods a quota still allows',
  resourceslices: 'it is unknown which devices the nodes have',
  deviceclasses: 'it is unknown which devices the claims of pods ask for',
  resourceclaims: 'it is unknown which devices pods claim',
  resourceclaimtemplates: 'it is unknown which devices pods claim',
  nodeoverlays: 'the prices and sizes that NodeOverlays set are unknown',
  capacitybuffers: 'the room that CapacityBuffers keep is unknown',
  events: 'it is unknown what Karpenter says about its launches and nodes',
  leases: 'it is unknown which autoscaler owns the cluster',
};

const consequenceOf = ({ resource }: ReadGap): string => CONSEQUENCES[resource] ?? 'decisions leave them out';

/** Karpenter's kinds are missing in clusters that something else scales. */
const KARPENTER_KINDS: ReadonlySet<string> = new Set(['nodepools', 'nodeclaims', 'ec2nodeclasses']);

/** Gaps that change the picture most come first. */
const WEIGHTS: readonly string[] = ['pods', 'nodes', 'nodepools', 'poddisruptionbudgets'];

const byWeight = (
  [, [a]]: readonly [string, readonly ReadGap[]],
  [, [b]]: readonly [string, readonly ReadGap[]],
): number => weightOf(a) - weightOf(b);

function weightOf(gap: ReadGap | undefined): number {
  const index = WEIGHTS.indexOf(gap?.resource ?? '');
  return index < 0 ? WEIGHTS.length : index;
}

/** One sentence for each consequence, the most important first. */
export function describeGaps(gaps: readonly ReadGap[]): readonly string[] {
  const missing = gaps.filter(({ resource, cause }) => cause === 'not-served' && KARPENTER_KINDS.has(resource));
  const others = gaps.filter((gap) => !missing.includes(gap));
  const byConsequence = Map.groupBy(others, consequenceOf);
  return [
    ...(missing.some(({ resource }) => resource === 'nodepools')
      ? ['The cluster has no NodePools: plans assume one for each node group, with the families c, m and r.']
      : []),
    ...[...byConsequence].toSorted(byWeight).map(([consequence, kinds]) => {
      const names = kinds.map(({ resource }) => resource).join(', ');
      const isForbidden = kinds.some(({ cause }) => cause === 'forbidden');
      return isForbidden
        ? `Not allowed to list and watch ${names}: ${consequence}.`
        : `The cluster does not serve ${names}: ${consequence}.`;
    }),
  ];
}
