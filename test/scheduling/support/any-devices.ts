import fc from 'fast-check';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { GIB } from '../../../shared/model/resources.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import {
  aChoice,
  aClaimTemplate,
  aDevice,
  aDeviceClaim,
  aSliceOf,
  requestFor,
  someDevices,
} from '../../support/devices.ts';
import type { ClusterFeature } from './any-cluster.ts';

const TEMPLATES = [
  aClaimTemplate('one', requestFor([aChoice()])),
  aClaimTemplate('two', requestFor([aChoice({ count: 2 })])),
  aClaimTemplate('all', requestFor([aChoice({ count: 'all' })])),
  aClaimTemplate('part', requestFor([aChoice({ capacity: { memory: 3 * GIB } })])),
];

const SHAREABLE = aDevice('shared', {
  shareable: true,
  capacity: { memory: { value: 8 * GIB, policy: { byDefault: 2 * GIB } } },
});

const claimsOf = (request: string): Partial<PodSpec> => {
  if (request === 'none') return {};
  const from = request === 'ours' ? { claim: 'ours' } : { template: request };
  return { deviceClaims: [{ name: 'gpu', ...from }] };
};

/** Adds pods with device claims; every second node has such devices. */
export const anyDevices: fc.Arbitrary<ClusterFeature> = fc
  .record({
    deviceRequests: fc.array(fc.constantFrom('none', 'none', 'one', 'two', 'all', 'part', 'ours'), {
      minLength: 4,
      maxLength: 4,
    }),
    own: fc.integer({ min: 1, max: 3 }),
    shares: fc.boolean(),
  })
  .map(
    ({ deviceRequests: requests, own, shares }): ClusterFeature =>
      (cluster) => ({
        ...cluster,
        settings: { ...(cluster.settings ?? DEFAULT_SETTINGS), ignoreDraRequests: false },
        pods: cluster.pods.map((pod) => {
          const request = requests[Number(pod.labels.app?.replace('app-', '')) - 10] ?? 'none';
          const claims = pod.nodeName === undefined && pod.namespace === 'default' ? claimsOf(request) : {};
          return { ...pod, spec: { ...pod.spec, ...claims } };
        }),
        devices: someDevices({
          templates: TEMPLATES,
          claims: [aDeviceClaim('ours')],
          slices: cluster.nodes
            .filter((_, index) => index % 2 === 0)
            .map(({ name }) =>
              aSliceOf(name, shares ? [SHAREABLE] : Array.from({ length: own }, (_, at) => aDevice(`gpu-${at}`))),
            ),
        }),
      }),
  );
