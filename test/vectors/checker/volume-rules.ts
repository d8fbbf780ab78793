import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { HOSTNAME_LABEL } from '../../../shared/model/labels.ts';
import type { NodeSelectorTerm, Pod } from '../../../shared/model/pods/pod.ts';
import type { Storage } from '../../../shared/model/pods/storage.ts';
import { matchesLabels, toRequirements } from '../../../shared/model/requirements/requirements.ts';
import type { FinalNode } from './final-nodes.ts';

/** kube-scheduler's VolumeBinding and NodeVolumeLimits filters, after the plan. */
export function findVolumeViolations({ storage }: ClusterSnapshot, nodes: readonly FinalNode[]): string[] {
  if (!storage) return [];
  return nodes.flatMap((node) => [
    ...node.arriving.flatMap((pod) => findReachViolations(node, pod, storage)),
    ...(node.arriving.length > 0 ? findAttachLimitViolations(node, storage) : []),
  ]);
}

interface VolumeUse {
  readonly claim: string;
  readonly state: 'ready' | 'not ready';
  readonly terms: readonly NodeSelectorTerm[];
  readonly driver: string | undefined;
}

const listVolumeUses = ({ namespace, name, spec }: Pod, storage: Storage): VolumeUse[] => [
  ...spec.volumeClaims.map((claim) => findVolumeUse(namespace, claim, undefined, storage)),
  ...(spec.ephemeralVolumes ?? []).map((volume) =>
    findVolumeUse(namespace, `${name}-${volume.name}`, { class: volume.storageClass }, storage),
  ),
];

function findVolumeUse(
  namespace: string,
  name: string,
  ephemeral: { readonly class: string | undefined } | undefined,
  { claims, volumes, classes }: Storage,
): VolumeUse {
  const claim = claims.find((one) => one.namespace === namespace && one.name === name);
  const key = `${namespace}/${name}`;
  const volume = volumes.find((one) => one.name === claim?.volume);
  if (volume) {
    const terms = volume.onHost ? volume.nodeTerms.map(withoutHost) : volume.nodeTerms;
    const ready = claim?.bound && !claim.lost && !claim.deleting && !volume.deleting;
    return { claim: key, state: ready ? 'ready' : 'not ready', terms, driver: volume.driver };
  }
  const expected = claim ? claim.storageClass : ephemeral?.class;
  const ofName = classes.find((one) => one.name === expected);
  const newest = classes.toSorted((a, b) => b.createdAt - a.createdAt).find((one) => one.isDefault);
  const made = expected === undefined ? newest : ofName;
  const existing = (claim ?? ephemeral) !== undefined && claim?.volume === undefined;
  const ready = existing && made?.waitsForPod && !claim?.lost && !claim?.deleting;
  const terms = made?.nodeTerms ?? [];
  return { claim: key, state: ready ? 'ready' : 'not ready', terms, driver: made?.driver };
}

/** A new node does not bring back the old host. */
const withoutHost = (term: NodeSelectorTerm): NodeSelectorTerm => term.filter(({ key }) => key !== HOSTNAME_LABEL);

const findReachViolations = (node: FinalNode, pod: Pod, storage: Storage): string[] =>
  listVolumeUses(pod, storage).flatMap(({ claim, state, terms }) => {
    if (state === 'not ready') return [`${claim} of ${pod.name} is not ready`];
    if (terms.length === 0) return [];
    return node.variants
      .filter(({ labels }) => !terms.some((term) => matchesLabels(toRequirements(term), labels)))
      .map(() => `${node.name} does not reach ${claim}`);
  });

function findAttachLimitViolations(node: FinalNode, storage: Storage): string[] {
  const limits = storage.drivers.find(({ name }) => name === node.name)?.attachLimits ?? {};
  return Object.entries(limits).flatMap(([driver, max]) => {
    const claims = new Set(
      [...node.bound, ...node.arriving]
        .flatMap((pod) => listVolumeUses(pod, storage))
        .filter((use) => use.driver === driver)
        .map(({ claim }) => claim),
    );
    return claims.size > max ? [`${node.name} attaches ${claims.size} volumes of ${driver}, and can ${max}`] : [];
  });
}
