import type { NodeClassRef } from '../model/node-pool.ts';

/** A class of another kind belongs to somebody else, with its pools. */
export const isOurClass = ({ group, kind }: NodeClassRef): boolean =>
  group === 'karpenter.k8s.aws' && kind === 'EC2NodeClass';
