import type { Pod } from '../model/pod.ts';
import type { EpochMs } from '../model/time.ts';
import type { ClusterObjects, ObservationWish } from '../ports/cluster.ts';
import type { KubernetesApi } from './kubernetes-api.ts';
import { observeOwners } from './observe-owners.ts';
import { listServices } from './observe-services.ts';

/** What is read only for who asks for it. */
export async function observeWished(
  api: KubernetesApi,
  { owners = false, services = false }: ObservationWish,
  pods: readonly Pod[],
  now: EpochMs,
): Promise<Pick<ClusterObjects, 'owners' | 'quotas' | 'services'>> {
  const [found, listed] = await Promise.all([
    owners ? observeOwners(api, pods, now) : undefined,
    services ? listServices(api) : undefined,
  ]);
  return { ...found, ...(listed && { services: listed }) };
}
