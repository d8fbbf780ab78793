import { aBoundClaim, aStorage, aStorageClass, aVolume } from '../../support/storage.ts';
import { aCluster, aPoolRequiring, need, Z1, Z2, Z3, ZONE } from '../support/fixture.ts';
import { aWebPod, type ExplanationCase, general } from './explanation-case.ts';

/** Volume states and locations. */
export const VOLUME_CASES: readonly ExplanationCase[] = [
  {
    title: 'the volume is in a zone where the pool launches nothing',
    says: [
      '1 of default/web-7c9-x',
      'general: pod needs topology.kubernetes.io/zone In [test-zone-3] for its volumes, pool gives In [test-zone-1, test-zone-2]',
      'allow topology.kubernetes.io/zone In [test-zone-1, test-zone-2, test-zone-3] instead of In [test-zone-1, test-zone-2] in NodePool general (small on-demand, +$0.4147/h)',
    ],
    cluster: aCluster({
      pools: [{ ...aPoolRequiring(need(ZONE, 'In', Z1, Z2)), name: 'general' }],
      storage: aStorage({
        classes: [aStorageClass()],
        claims: [aBoundClaim('data', 'pv-1')],
        volumes: [aVolume('pv-1', { nodeTerms: [[need(ZONE, 'In', Z3)]] })],
      }),
    }),
    pods: [aWebPod({ volumeClaims: ['data'] })],
  },
  {
    title: 'the volume claim does not exist',
    says: [
      '1 of default/web-7c9-x',
      'general: PVC default/data: not found',
      'create PersistentVolumeClaim default/data (small spot, +$0.4147/h)',
    ],
    cluster: aCluster({ pools: [general], storage: aStorage({}) }),
    pods: [aWebPod({ volumeClaims: ['data'] })],
  },
];
