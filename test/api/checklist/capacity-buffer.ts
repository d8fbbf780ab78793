import { buffer, type WrittenRow } from './builders.ts';

/** Builds a CapacityBuffer. */
export const CAPACITY_BUFFER_ROWS: readonly WrittenRow[] = [
  ['163', buffer({ podTemplateRef: { name: 'p' }, replicas: 2 }), 'accepted'],
  ['164', buffer({ podTemplateRef: { name: 'p' } }), 'refused', 'CB-01'],
  ['165', buffer({ podTemplateRef: { name: 'p' }, limits: { cpu: '1' } }), 'accepted'],
  [
    '166',
    buffer({
      podTemplateRef: { name: 'p' },
      scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'web' },
      replicas: 1,
    }),
    'refused',
    'CB-02',
  ],
  ['167', buffer(), 'unusable', 'CB-R1'],
  ['168', buffer({ scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'web' }, percentage: 25 }), 'accepted'],
  [
    '169',
    buffer({
      scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'web' },
      percentage: 25,
      replicas: 5,
    }),
    'accepted',
  ],
  [
    '170',
    buffer({
      scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'web' },
      percentage: 25,
      limits: { cpu: '2' },
    }),
    'accepted',
  ],
  ['171', buffer({ scalableRef: { apiGroup: 'apps', kind: 'DaemonSet', name: 'x' } }), 'unusable', 'CB-R1'],
  ['172a', buffer({ podTemplateRef: { name: '' }, replicas: 1 }), 'refused', 'minLength'],
  [
    '172b',
    buffer({ scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'web' }, replicas: -1 }),
    'refused',
    'minimum',
  ],
  [
    '172c',
    buffer({ scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'web' }, percentage: -1 }),
    'refused',
    'minimum',
  ],
];
