import { overlay, type WrittenRow } from './builders.ts';

/** Builds a NodeOverlay. */
export const NODE_OVERLAY_ROWS: readonly WrittenRow[] = [
  ['149', overlay({ requirements: [], priceAdjustment: '+10%' }), 'accepted'],
  ['150', overlay({ requirements: undefined }), 'refused', 'required'],
  ['151', overlay({ price: '0.1', priceAdjustment: '-5%' }), 'refused', 'NO-01'],
  ['152a', overlay({ price: '-1' }), 'refused', 'pattern'],
  ['152b', overlay({ price: '1.' }), 'refused', 'pattern'],
  ['152c', overlay({ price: '.5' }), 'refused', 'pattern'],
  ['153a', overlay({ priceAdjustment: '10%' }), 'refused', ['pattern']],
  ['153b', overlay({ priceAdjustment: '-101%' }), 'refused', ['pattern']],
  ['153c', overlay({ priceAdjustment: '0.5' }), 'refused', ['pattern']],
  ['153d', overlay({ priceAdjustment: '+-1' }), 'refused', ['pattern']],
  ['154a', overlay({ priceAdjustment: '-100%' }), 'accepted'],
  ['154b', overlay({ priceAdjustment: '+250%' }), 'accepted'],
  ['154c', overlay({ priceAdjustment: '-0.05' }), 'accepted'],
  ['154d', overlay({ priceAdjustment: '+.5' }), 'accepted'],
  ['155', overlay({ capacity: { cpu: '1' } }), 'refused', 'NO-04'],
  ['156', overlay({ capacity: { 'example.com/disk': '2', 'nvidia.com/gpu': '8' } }), 'accepted'],
  ['157', overlay({ capacity: { 'vpc.amazonaws.com/efa': '1' } }), 'unusable', 'NO-R1'],
  ['158a', overlay({ weight: 0 }), 'refused', 'minimum'],
  ['158b', overlay({ weight: 10001 }), 'refused', 'maximum'],
  ['159', overlay({ requirements: [{ key: 'karpenter.sh/nodepool', operator: 'In', values: ['a'] }] }), 'accepted'],
  [
    '160',
    overlay({
      requirements: [{ key: 'karpenter.k8s.aws/instance-tenancy', operator: 'In', values: ['default'] }],
    }),
    'refused',
    'LBL-4',
  ],
  ['161', overlay({ requirements: [{ key: 'x', operator: 'NotIn', values: [] }] }), 'refused', 'NO-02'],
  ['162', { object: overlay({ price: '0.1' }, 'a'), beside: overlay({ price: '0.2' }, 'b') }, 'accepted', 'Conflict'],
  ['162b', { object: overlay({ price: '0.2' }, 'b'), beside: overlay({ price: '0.1' }, 'a') }, 'accepted'],
];
