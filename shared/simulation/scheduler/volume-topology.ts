import type { Node } from '../../model/nodes/node.ts';
import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { NodeSelectorTerm, Pod } from '../../model/pods/pod.ts';
import type { ApiServer } from '../control-plane/api-server.ts';
import type { SimPodClass } from '../control-plane/pod-store.ts';
import { matchesTerms, type StorageStore } from '../control-plane/storage-store.ts';

/** Returns a test for nodes that can attach all volumes of the class's pods. */
type VolumeFilter = (podClass: SimPodClass) => (node: Node) => boolean;

/**
 * Builds the filter from PersistentVolumes and StorageClasses. If the storage of the cluster is
 * unknown, every node passes.
 */
export const createVolumeFilter =
  (storage: StorageStore): VolumeFilter =>
  ({ namespace, spec }) => {
    if (spec.volumeClaims.length === 0) return () => true;
    let version: ReturnType<StorageStore['current']>;
    let termsByClaim: readonly (readonly NodeSelectorTerm[] | undefined)[] = [];
    return ({ labels }) => {
      const current = storage.current();
      if (!current) return true;
      if (version !== current) {
        version = current;
        termsByClaim = spec.volumeClaims.map((name) => storage.findNodeTerms(storage.findClaim(namespace, name)));
      }
      return termsByClaim.every((terms) => terms !== undefined && matchesTerms(terms, labels));
    };
  };

/**
 * True if another pod has a volume of the pod that only one pod at a time may use.
 *
 * @see kubernetes, plugin VolumeRestrictions: ReadWriteOncePod
 */
export function isVolumeTaken({ storage, pods }: ApiServer, pod: Pod): boolean {
  const { namespace, spec, uid } = pod;
  const exclusive = spec.volumeClaims.filter((name) => storage.findClaim(namespace, name)?.oncePod);
  return (
    exclusive.length > 0 &&
    pods
      .list()
      .some(
        (other) =>
          other.uid !== uid &&
          other.namespace === namespace &&
          other.nodeName !== undefined &&
          !isTerminal(other) &&
          other.spec.volumeClaims.some((name) => exclusive.includes(name)),
      )
  );
}
