import type { WrittenRow } from './builders.ts';
import { ami, changed, classRef, type Fields, nodeClaim, nodeClass, nodePool } from './builders.ts';

const REF = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
const claimOf = (nodeClassRef: Fields) => nodeClaim({ nodeClassRef: { ...REF, ...nodeClassRef } });
const groups = (term: Fields) => nodeClass({ securityGroupSelectorTerms: [term] });
const atLeast = (value: string) => nodeClaim({ requirements: [{ key: 'x', operator: 'Gte', values: [value] }] });

/** Cases that no row of the checklist covers, by their rule. */
export const RULE_ROWS: readonly WrittenRow[] = [
  ['NP-08', changed(nodePool(), classRef({ ...REF, group: 'other' })), 'refused', 'NP-08'],
  ['NP-10 group', classRef({ ...REF, group: '' }), 'refused', 'NP-10'],
  ['NP-10 kind', classRef({ ...REF, kind: '' }), 'refused', 'NP-10'],
  ['NP-10 group of a claim', claimOf({ group: '' }), 'refused', 'NP-10'],
  ['NP-10 kind of a claim', claimOf({ kind: '' }), 'refused', 'NP-10'],
  ['NP-10 name of a claim', claimOf({ name: '' }), 'refused', 'NP-10'],
  ['NP-06 at its edge', atLeast('0'), 'accepted'],
  ['NP-06 below it', atLeast('-1'), 'refused', 'NP-06'],
  ['EC-04 no group', nodeClass({ securityGroupSelectorTerms: [] }), 'refused', ['EC-04', 'EC-05']],
  ['EC-05 id and tags', groups({ id: 'sg-1', tags: { a: 'b' } }), 'refused', 'EC-05'],
  ['EC-05 id and name', groups({ id: 'sg-1', name: 'web' }), 'refused', 'EC-05'],
  [
    'EC-15 beside another term',
    nodeClass({
      amiFamily: 'Bottlerocket',
      amiSelectorTerms: [{ alias: 'al2023@latest' }, { id: 'ami-1' }],
    }),
    'refused',
    ['EC-13', 'EC-15'],
  ],
  ['EC-29 of two words', ami({ alias: 'al2023x@latest' }), 'refused', 'EC-29'],
  ['EC-21', nodeClass({ tags: { 'eks:eks-cluster-name': 'x' } }), 'refused', 'EC-21'],
  ['EC-24', nodeClass({ tags: { 'karpenter.sh/nodeclaim': 'x' } }), 'refused', 'EC-24'],
  ['EC-25', nodeClass({ tags: { 'karpenter.k8s.aws/ec2nodeclass': 'x' } }), 'refused', 'EC-25'],
];
