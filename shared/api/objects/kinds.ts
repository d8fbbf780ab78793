import type { CustomKind } from '../schema/custom-kind.ts';
import { CAPACITY_BUFFER } from './capacity-buffer.ts';
import { EC2_NODE_CLASS } from './ec2-node-class.ts';
import { NODE_CLAIM } from './node-claim.ts';
import { NODE_OVERLAY } from './node-overlay.ts';
import { NODE_POOL } from './node-pool.ts';

/** Every kind of object that we serve. */
export const CUSTOM_KINDS: readonly CustomKind[] = [
  NODE_POOL,
  NODE_CLAIM,
  EC2_NODE_CLASS,
  NODE_OVERLAY,
  CAPACITY_BUFFER,
];
