import { EC2_TYPES } from '../../shared/ec2/catalogue/ec2-types.ts';
import { toNodeSize } from '../../shared/ec2/catalogue/effective-kubelet.ts';
import type { NodeSize } from '../../shared/model/nodes/node-class.ts';

/** Lists the sizes of all bundled types, for expressions in kubelet settings. */
export const listNodeSizes = (): readonly NodeSize[] =>
  EC2_TYPES.map((type) => toNodeSize(type, { amiFamily: 'AL2023' }, 0));
