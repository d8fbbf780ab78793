import type { Node } from '../../model/nodes/node.ts';
import type { NodeSelectorTerm } from '../../model/pods/pod.ts';
import type { Storage, VolumeClaim } from '../../model/pods/storage.ts';
import { matchesLabels, toRequirements } from '../../model/requirements/requirements.ts';
import type { SimPodClass } from '../control-plane/pod-store.ts';

/** Returns a test for nodes that can attach all volumes of the class's pods. */
export type VolumeFilter = (podClass: SimPodClass) => (node: Node) => boolean;

/**
 * Builds the filter from PersistentVolumes and StorageClasses. Existing volumes keep their
 * topology; a volume that is not provisioned yet follows its first pod and does not restrict the
 * others. Without `storage` every node passes.
 */
export function createVolumeFilter(storage: Storage | undefined): VolumeFilter {
  if (!storage) return () => () => true;
  const claims = new Map(storage.claims.map((one) => [`${one.namespace}/${one.name}`, one]));
  const volumes = new Map(storage.volumes.map((one) => [one.name, one]));
  const classes = new Map(storage.classes.map((one) => [one.name, one]));

  /** `undefined` means that the pod has to wait for its volume. */
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
