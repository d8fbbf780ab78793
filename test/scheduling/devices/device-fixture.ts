import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import type { InstanceType } from '../../../shared/model/offerings/instance-type.ts';
import type { Device, DeviceClaimSpec, Devices } from '../../../shared/model/pods/devices.ts';
import type { Pod, PodSpec } from '../../../shared/model/pods/pod.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { aClaimTemplate, aDevice } from '../../support/devices.ts';
import { aCluster, type ClusterOptions, fakeType } from '../support/fixture.ts';
import { type ProvisionOutcome, provision } from '../support/provision.ts';
import { observedDevices } from './observed-nodes.ts';

/** A pod with a claim of its own, from the template `wish`. */
export const CLAIMING_FROM_TEMPLATE: Partial<PodSpec> = {
  deviceClaims: [{ name: 'gpu', template: 'wish' }],
};

/** A pod that names a claim. */
export const claiming = (...claims: readonly string[]): Partial<PodSpec> => ({
  deviceClaims: claims.map((claim) => ({ name: claim, claim })),
});

/** A type with room for any pods of these tests; only its devices matter. */
export const ROOMY = fakeType('roomy', { cpus: 16, gib: 32, pods: 20 });

export const createGpus = (count: number): Device[] => Array.from({ length: count }, (_, at) => aDevice(`gpu-${at}`));

/**
 * A cluster that serves device claims, in which one full node shows the devices of type `roomy`.
 */
export function withDevices(
  deviceOfType: readonly Device[],
  devices: Partial<Devices> = {},
  options: ClusterOptions = {},
): ClusterSnapshot {
  const types: readonly InstanceType[] = options.types ?? [ROOMY];
  const observed = observedDevices(deviceOfType.length > 0 ? [[ROOMY, deviceOfType]] : [], devices);
  return aCluster({
    ...options,
    types,
    settings: { ...DEFAULT_SETTINGS, ignoreDraRequests: false },
    nodes: [...observed.nodes, ...(options.nodes ?? [])],
    devices: observed.devices,
  });
}

/** Plans once for pods with this claim, where new nodes will have these devices. */
export const provisionWithDevices = (
  request: DeviceClaimSpec,
  deviceOfType: readonly Device[],
  ...pods: readonly Pod[]
): ProvisionOutcome => provision(withDevices(deviceOfType, { templates: [aClaimTemplate('wish', request)] }), ...pods);

/** The reason of the first unplaced pod as text. */
export const findFirstReason = ({ plan }: ProvisionOutcome): string | undefined => {
  const reason = plan.unplaced[0]?.pools[0]?.reasons[0];
  return reason && formatReason(reason);
};
