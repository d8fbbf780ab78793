import type { ClusterSnapshot } from '../../../../shared/model/cluster-snapshot.ts';
import { HOSTNAME_LABEL, NODEPOOL_LABEL, ZONE_LABEL } from '../../../../shared/model/labels.ts';
import type { HostPort } from '../../../../shared/model/pods/pod.ts';
import type { Storage } from '../../../../shared/model/pods/storage.ts';
import { DEFAULT_SETTINGS } from '../../../../shared/model/settings.ts';
import { aNode, aPodSpec, nodeLabels, podsOf, resources } from '../../../support/builders.ts';
import { aChoice, aDevice, aSliceOf, requestFor, someDevices } from '../../../support/devices.ts';
import { aBoundClaim, aStorage, aStorageClass, aVolume } from '../../../support/storage.ts';
import { aTypicalPool } from '../ec2-snapshot.ts';
import {
  createHostilePods,
  createHostileSnapshot,
  HOSTILE_NAMESPACE,
  type HostileInput,
  range,
} from './hostile-pods.ts';

const ports = (count: number, first: number): readonly HostPort[] =>
  range(count, (id) => ({ port: first + id, protocol: 'TCP', ip: '' }));

const withPorts = (pods: number, count: number, distinct: boolean) => (): ClusterSnapshot =>
  createHostileSnapshot(
    createHostilePods(pods, (pod) => ({
      hostPorts: ports(count, distinct ? 1_024 + pod * count : 1_024 + (pod % 2)),
    })),
  );

const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;

/** Each pod has `perPod` claims whose volumes allow two zones, in `terms` terms each. */
const createStorage = (pods: number, perPod: number, terms: number): Storage =>
  aStorage({
    classes: [aStorageClass()],
    claims: range(pods * perPod, (id) => aBoundClaim(`data-${id}`, `volume-${id}`, { namespace: HOSTILE_NAMESPACE })),
    volumes: range(pods * perPod, (id) =>
      aVolume(`volume-${id}`, {
        nodeTerms: range(terms, (term) => [
          { key: ZONE_LABEL, operator: 'In' as const, values: [ZONES[(id + term) % 3] ?? ''] },
          {
            key: `example.com/rack-${id % perPod}`,
            operator: 'NotIn' as const,
            values: [`${term}`],
          },
        ]),
      }),
    ),
  });

/** Nodes with devices, none of them in use, and pods whose claims ask for most of them. */
function createDeviceSnapshot(): ClusterSnapshot {
  const nodes = range(20, (id) =>
    aNode({
      name: `gpu-${id}`,
      labels: nodeLabels({ [HOSTNAME_LABEL]: `gpu-${id}` }),
      allocatable: resources(64, 256, { pods: 110 }),
    }),
  );
  return createHostileSnapshot(
    createHostilePods(100, (pod) => ({
      deviceClaims: [{ name: 'gpu', template: `claim-${pod}` }],
    })),
    {
      settings: { ...DEFAULT_SETTINGS, ignoreDraRequests: false },
      nodes,
      devices: someDevices({
        slices: nodes.map(({ name }) =>
          aSliceOf(
            name,
            range(32, (id) => aDevice(`gpu-${id}`, { attributes: { index: { int: id }, pair: { int: id % 5 } } })),
          ),
        ),
        templates: range(100, (pod) => ({
          namespace: HOSTILE_NAMESPACE,
          name: `claim-${pod}`,
          request: requestFor(
            range(6, (id) =>
              aChoice({
                name: `request-${id}`,
                count: 3,
                selectors: [
                  `device.attributes["gpu.example.com"].index > ${pod % 7} && device.attributes["gpu.example.com"].pair != ${id % 5}`,
                ],
              }),
            ),
            [{ kind: 'match', requests: [], attribute: 'gpu.example.com/pair' }],
          ),
        })),
      }),
    },
  );
}

const longText = (id: number, length: number) => `${id}-`.padEnd(length, 'x');

/** Pods with ports, volumes, devices, names or numbers that make plans long. */
export const RESOURCE_INPUTS: readonly HostileInput[] = [
  { name: 'ports-60x100', snapshot: withPorts(60, 100, true) },
  { name: 'ports-equal-200x100', snapshot: withPorts(200, 100, false) },
  { name: 'ports-200x500', snapshot: withPorts(120, 500, true) },
  {
    name: 'volumes-100x12',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(100, (pod) => ({
          volumeClaims: range(12, (id) => `data-${pod * 12 + id}`),
        })),
        { storage: createStorage(100, 12, 3) },
      ),
  },
  {
    name: 'ephemeral-volumes-500x20',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(500, () => ({
          ephemeralVolumes: range(20, (id) => ({ name: `scratch-${id}`, storageClass: 'gp3' })),
        })),
        { storage: createStorage(1, 1, 1) },
      ),
  },
  { name: 'devices-100x6', snapshot: createDeviceSnapshot },
  {
    name: 'long-labels-5000',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(
          5_000,
          () => ({}),
          (pod) => ({
            name: longText(pod, 253),
            labels: Object.fromEntries(range(100, (id) => [`example.com/${longText(id, 63)}`, longText(pod, 63)])),
          }),
        ),
      ),
  },
  {
    name: 'requests-10000-classes',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(10_000, (pod) => ({
          requests: { cpu: 100 + pod, memory: 1_000_000 * (1_000 + ((pod * 7) % 5_000)), pods: 1 },
        })),
      ),
  },
  {
    name: 'priorities-1000',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(1_000, (pod) => ({
          priority: pod % 2 === 0 ? pod : 1_000 - pod,
          requests: resources(1 + (pod % 7), 1, { pods: 1 }),
        })),
        { pools: [aTypicalPool({ limits: { cpu: 1_000_000 } })] },
      ),
  },
  {
    name: 'stuck-5',
    snapshot: () =>
      createHostileSnapshot([
        ...createHostilePods(5, (pod) => ({
          nodeSelector: pod < 3 ? { [NODEPOOL_LABEL]: `missing-${pod}` } : {},
          ...(pod >= 3 && { requests: resources(10_000, 1, { pods: 1 }) }),
        })),
      ]),
  },
  {
    name: 'stuck-500',
    snapshot: () =>
      createHostileSnapshot([
        ...createHostilePods(500, (pod) => ({
          requiredNodeTerms: [[{ key: ZONE_LABEL, operator: 'In', values: ['us-east-1a', `zone-${pod}`] }]],
          requests: resources(10_000 + pod, 1, { pods: 1 }),
        })),
      ]),
  },
  {
    name: 'over-the-limit-2000',
    snapshot: () =>
      createHostileSnapshot(
        range(40, (id) =>
          podsOf(50, {
            namespace: HOSTILE_NAMESPACE,
            name: `hostile-${id}`,
            spec: aPodSpec({ requests: resources(1 + id / 10, 2, { pods: 1 }) }),
          }),
        ).flat(),
        { pools: [aTypicalPool({ limits: { cpu: 2_000_000 } })] },
      ),
  },
];
