import type { Node } from '../../model/nodes/node.ts';
import type { NodeSelectorTerm } from '../../model/pods/pod.ts';
import type { Storage, VolumeClaim } from '../../model/pods/storage.ts';
import { matchesLabels, toRequirements } from '../../model/requirements/requirements.ts';
import type { SimPodClass } from '../control-plane/pod-store.ts';

/** Whether a node reaches all volumes that the pods of the class ask for. */
export type VolumeFilter = (podClass: SimPodClass) => (node: Node) => boolean;

/**
 * Volumes stay where they are; one that is still to be made is made wherever its first pod is, and
 * does not keep others there. Without `storage` nothing is known of volumes, and all are in reach.
 */
export function createVolumeFilter(storage: Storage | undefined): VolumeFilter {
  if (!storage) return () => () => true;
  const claims = new Map(storage.claims.map((one) => [`${one.namespace}/${one.name}`, one]));
  const volumes = new Map(storage.volumes.map((one) => [one.name, one]));
  const classes = new Map(storage.classes.map((one) => [one.name, one]));

  /** Undefined: the pod waits. */
  const findNodeTerms = (
    claim: VolumeClaim | undefined,
  ): readonly NodeSelectorTerm[] | undefined => {
    if (claim?.volume !== undefined) return volumes.get(claim.volume)?.nodeTerms;
    const byDefault = storage.classes.find(({ isDefault }) => isDefault);
    const storageClass =
      claim?.storageClass === undefined ? byDefault : classes.get(claim.storageClass);
    return claim && storageClass?.waitsForPod ? storageClass.nodeTerms : undefined;
  };

  return ({ namespace, spec }) => {
    const requiredTerms = spec.volumeClaims.map((name) =>
      findNodeTerms(claims.get(`${namespace}/${name}`)),
    );
    return (node) =>
      requiredTerms.every((terms) => terms !== undefined && matchesTerms(terms, node));
  };
}

const matchesTerms = (terms: readonly NodeSelectorTerm[], { labels }: Node): boolean =>
  terms.length === 0 || terms.some((term) => matchesLabels(toRequirements(term), labels));
