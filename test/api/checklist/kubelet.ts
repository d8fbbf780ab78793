import { type Fields, kubelet, nodeClass, type Written, type WrittenRow } from './builders.ts';

const onBottlerocket = (fields: Fields) =>
  nodeClass({ amiSelectorTerms: [{ alias: 'bottlerocket@latest' }], kubelet: fields });

const withExpressions = (fields: Fields): Written => ({
  object: kubelet(fields),
  gates: ['NodeClassCEL'],
});

/** Kubelet settings of a class. The API server stores any settings. */
export const KUBELET_ROWS: readonly WrittenRow[] = [
  ['136', kubelet({ maxPods: 110, evictionHard: { 'memory.available': '5%' } }), 'accepted'],
  ['137a', kubelet({ maxPodz: 1 }), 'accepted', 'KU-01'],
  ['137c', kubelet({ failCgroupV1: false, defaultPodSysctls: { a: '1' } }), 'accepted'],
  ['137d', onBottlerocket({ maxPodz: 1 }), 'accepted', 'KU-01'],
  ['137e', kubelet({ failCgroupV1: 'no' }), 'unusable', 'KU-01'],
  ['137b', kubelet({ maxPods: [1] }), 'unusable', 'KU-01'],
  ['138', kubelet({ topologyManagerPolicy: 'single-numa-node' }), 'accepted'],
  ['138b', onBottlerocket({ topologyManagerPolicy: 'single-numa-node' }), 'unusable', 'KU-10'],
  ['139', kubelet({ registerWithTaints: [] }), 'unusable', 'KU-02'],
  ['140a', kubelet({ evictionHard: { 'mem.free': '5%' } }), 'unusable', 'KU-03'],
  ['140b', kubelet({ evictionHard: { 'memory.available': '101%' } }), 'unusable', 'KU-03'],
  ['140c', kubelet({ evictionHard: { 'memory.available': '-1Mi' } }), 'unusable', 'KU-03'],
  ['141a', kubelet({ evictionSoft: { 'memory.available': '5%' } }), 'unusable', 'KU-04'],
  ['141b', kubelet({ evictionSoftGracePeriod: { 'memory.available': '1m' } }), 'unusable', 'KU-04'],
  [
    '142a',
    kubelet({
      evictionSoft: { 'memory.available': '5%' },
      evictionSoftGracePeriod: { 'memory.available': '30' },
    }),
    'unusable',
    'KU-03',
  ],
  [
    '142b',
    kubelet({
      evictionSoft: { 'memory.available': '5%' },
      evictionSoftGracePeriod: { 'memory.available': '-5s' },
    }),
    'unusable',
    'KU-03',
  ],
  ['143a', kubelet({ kubeReserved: { gpu: '1' } }), 'unusable', 'KU-05'],
  ['143b', kubelet({ systemReserved: { cpu: '-1' } }), 'unusable', 'KU-05'],
  ['144a', kubelet({ imageGCHighThresholdPercent: 70, imageGCLowThresholdPercent: 70 }), 'unusable', 'KU-06'],
  ['144b', kubelet({ imageGCHighThresholdPercent: 101 }), 'unusable', 'KU-06'],
  ['145', kubelet({ podsPerCore: -1 }), 'unusable', 'KU-06'],
  ['145b', onBottlerocket({ podsPerCore: 4 }), 'unusable', 'KU-10'],
  ['146', kubelet({ maxPods: 'vcpus * 8' }), 'unusable', 'KU-07'],
  ['147', withExpressions({ maxPods: 'vcpus * 8' }), 'accepted'],
  ['147b', withExpressions({ maxPods: 'min(110, max_pods)' }), 'accepted'],
  ['148', withExpressions({ kubeReserved: { cpu: 'nosuch * 2' } }), 'unusable', 'KU-08'],
  ['148b', withExpressions({ maxPods: 'instance_type' }), 'unusable', 'KU-08'],
  ['148c', kubelet({ kubeReserved: { cpu: 'nosuch * 2' } }), 'unusable', 'KU-07'],
];
