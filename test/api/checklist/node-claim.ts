import { changed, type Fields, nodeClaim, type WrittenRow } from './builders.ts';

const claimOf = (requirement: Fields) => nodeClaim({ requirements: [requirement] });
const types = {
  requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m7i.large'] }],
};
const labelled = { name: 'general-x7k2p', labels: { a: 'b' } };

/** Builds a standalone NodeClaim. */
export const NODE_CLAIM_ROWS: readonly WrittenRow[] = [
  ['79', claimOf({ key: 'karpenter.sh/nodepool', operator: 'In', values: ['a'] }), 'accepted'],
  ['80', claimOf({ key: 'kubernetes.io/hostname', operator: 'Exists' }), 'refused', 'LBL-3'],
  ['81', changed(nodeClaim(types), nodeClaim({ ...types, expireAfter: '1h' })), 'refused', 'NC-01'],
  ['82', nodeClaim({ ...types, resources: { requests: { cpu: '500m' } } }), 'accepted'],
  ['83', changed(nodeClaim(types), nodeClaim(types, labelled)), 'accepted'],
  ['84', claimOf({ key: 'x', operator: 'Gt', values: ['1', '2'] }), 'refused', 'NP-06'],
];
