import { EXPENSIVE_POOL_ANNOTATION, FILL_LAST_ANNOTATION } from '../labels.ts';
import { EXPENSIVE_POOL_TAINT, FILL_LAST_TAINT, type Taint } from '../requirements/taints.ts';
import type { NodeClaim } from './node-claim.ts';

/** Lists the taints by which the node of a claim steers pods from its registration on. */
export const listSteeringTaints = ({ annotations }: Pick<NodeClaim, 'annotations'>): readonly Taint[] => [
  ...(annotations[EXPENSIVE_POOL_ANNOTATION] === 'true' ? [EXPENSIVE_POOL_TAINT] : []),
  ...(annotations[FILL_LAST_ANNOTATION] === 'true' ? [FILL_LAST_TAINT] : []),
];
