import type { Node } from '../model/node.ts';
import type { NodeSelectorTerm } from '../model/pod.ts';
import { matchesLabels, toRequirements } from '../model/requirements.ts';
import type { Storage, VolumeClaim } from '../model/storage.ts';
import type { PodClass } from './pod-store.ts';

/** Whether a node reaches all volumes that the pods of the class ask for. */
export type VolumeReach = (podClass: PodClass) => (node: Node) => boolean;

/**
 * Volumes stay where they are; one that is still to be made is made wherever its first pod is, and
 * does not keep others there. Without `storage` nothing is known of volumes, and all are in reach.
 */
export function volumeReach(storage: Storage | undefined): VolumeReach {
  if (!storage) return () => () => true;
  const claims = new Map(storage.claims.map((one) => [`${one.namespace}/${one.name}`, one]));
  const volumes = new Map(storage.volumes.map((one) => [one.name, one]));
  const classes = new Map(storage.classes.map((one) => [one.name, one]));

  /** Undefined: the pod waits. */
  const termsOf = (claim: VolumeClaim | undefined): readonly NodeSelectorTerm[] | undefined => {
    if (claim?.volume !== undefined) return volumes.get(claim.volume)?.nodeTerms;
    const byDefault = storage.classes.find(({ isDefault }) => isDefault);
    const storageClass =
      claim?.storageClass === undefined ? byDefault : classes.get(claim.storageClass);
    return claim && storageClass?.waitsForPod ? storageClass.nodeTerms : undefined;
  };

  return ({ namespace, spec }) => {
    const wanted = spec.volumeClaims.map((name) => termsOf(claims.get(`${namespace}/${name}`)));
    return (node) => wanted.every((terms) => terms !== undefined && isReached(terms, node));
  };
}

const isReached = (terms: readonly NodeSelectorTerm[], { labels }: Node): boolean =>
  terms.length === 0 || terms.some((term) => matchesLabels(toRequirements(term), labels));
