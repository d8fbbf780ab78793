import { staticHash } from '../../../api/static-hash.ts';
import type { ResolvedNodeClass } from '../../../ports/node-classes.ts';

/**
 * Digest of all but image and type that decides how much of a node pods can use. Classes with equal
 * ones learn from each other's nodes.
 *
 * @param reservedEnis - of the cluster: the kubelet is told how many pods are left
 */
export function setupOf({ written }: Pick<ResolvedNodeClass, 'written'>, reservedEnis = 0): string {
  const { amiFamily, amiSelectorTerms, kubelet, userData } = written.spec;
  const { blockDeviceMappings, instanceStorePolicy } = written.spec;
  return staticHash({
    amiFamily,
    aliases: amiSelectorTerms.map(({ alias }) => alias?.split('@')[0]),
    kubelet,
    userData,
    blockDeviceMappings,
    instanceStorePolicy,
    ...(reservedEnis > 0 && { reservedEnis }),
  });
}
