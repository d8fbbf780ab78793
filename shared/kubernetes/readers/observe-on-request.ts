import type { Pod } from '../../model/pod.ts';
import type { EpochMs } from '../../model/time.ts';
import type { ClusterObjects, ObservationWish } from '../../ports/cluster.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import type { DeviceLister } from './observe-devices.ts';
import { observeOwners } from './observe-owners.ts';
import { listServices } from './observe-services.ts';

interface Sources {
  readonly api: KubernetesApi;
  readonly listDevices: DeviceLister;
}

/** What is read only for who asks for it. */
export async function observeWished(
  { api, listDevices }: Sources,
  { owners = false, services = false, devices = false }: ObservationWish,
  pods: readonly Pod[],
  now: EpochMs,
): Promise<Pick<ClusterObjects, 'owners' | 'quotas' | 'services' | 'devices'>> {
  const [found, listed, seen] = await Promise.all([
    owners ? observeOwners(api, pods, now) : undefined,
    services ? listServices(api) : undefined,
    devices && pods.some(claimsDevices) ? listDevices() : undefined,
  ]);
  return { ...found, ...(listed && { services: listed }), ...(seen && { devices: seen }) };
}

/** Where no pod claims any, nobody has to know of devices. */
const claimsDevices = ({ spec }: Pod): boolean => spec.deviceClaims !== undefined;
