import * as z from 'zod';
import type { Pod } from '../../model/pods/pod.ts';
import type { Service } from '../../model/pods/workload.ts';
import type { EpochMs } from '../../model/time.ts';
import type { ClusterObjects, ObservationScope } from '../../ports/cluster.ts';
import { ApiForbiddenError } from '../client/api-errors.ts';
import { SERVICES } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects } from '../client/list-objects.ts';
import { readLive } from './live-object.ts';
import type { DeviceLister } from './observe-devices.ts';
import { observeOwners } from './observe-owners.ts';

interface ObservationSources {
  readonly api: KubernetesApi;
  readonly listDevices: DeviceLister;
}

/** Reads the optional parts of an observation that the caller requested. */
export async function observeOnRequest(
  { api, listDevices }: ObservationSources,
  { owners = false, services = false, devices = false }: ObservationScope,
  pods: readonly Pod[],
  now: EpochMs,
): Promise<Pick<ClusterObjects, 'owners' | 'quotas' | 'services' | 'devices'>> {
  const [ownersAndQuotas, listedServices, listedDevices] = await Promise.all([
    owners ? observeOwners(api, pods, now) : undefined,
    services ? listServices(api) : undefined,
    devices && pods.some(hasDeviceClaims) ? listDevices() : undefined,
  ]);
  return {
    ...ownersAndQuotas,
    ...(listedServices && { services: listedServices }),
    ...(listedDevices && { devices: listedDevices }),
  };
}

/** If no pod claims a device, devices are not listed. */
const hasDeviceClaims = ({ spec }: Pod): boolean => spec.deviceClaims !== undefined;

const serviceSchema = z.object({
  metadata: z.object({ namespace: z.string(), name: z.string() }),
  spec: z.object({ selector: z.record(z.string(), z.string()).default({}) }).prefault({}),
});

/**
 * Lists the Services that select pods. Without the right to list them there are none, so no pods
 * are spread by Service.
 */
async function listServices(api: KubernetesApi): Promise<readonly Service[]> {
  const read = (raw: unknown) =>
    readLive(SERVICES.kind, serviceSchema, raw, (value) => ({ outcome: 'read' as const, value }));
  try {
    const { parsed } = await listObjects(api, { resource: SERVICES, read });
    return [...parsed.values()].flatMap((one) => {
      if (one.outcome !== 'read') return [];
      const { metadata, spec } = one.value;
      return Object.keys(spec.selector).length > 0 ? [{ ...metadata, ...spec }] : [];
    });
  } catch (error) {
    if (error instanceof ApiForbiddenError) return [];
    throw error;
  }
}
