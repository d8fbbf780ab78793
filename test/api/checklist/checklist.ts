import type { Fields, Written, WrittenRow } from './builders.ts';
import { CAPACITY_BUFFER_ROWS } from './capacity-buffer.ts';
import { EC2_NODE_CLASS_ROWS } from './ec2-node-class.ts';
import { KUBELET_ROWS } from './kubelet.ts';
import { NODE_CLAIM_ROWS } from './node-claim.ts';
import { NODE_OVERLAY_ROWS } from './node-overlay.ts';
import { NODE_POOL_ROWS } from './node-pool.ts';
import { RULE_ROWS } from './rules.ts';

/** One row of the checklist: 172 rows, some of several parts, and then cases for single rules. */
export interface ChecklistRow extends Written {
  readonly row: string;
  readonly verdict: 'accepted' | 'refused' | 'unusable';
  readonly rules: readonly string[];
}

const readRow = ([row, written, verdict, rules = []]: WrittenRow): ChecklistRow => ({
  row,
  ...(isChange(written) ? written : { object: written }),
  verdict,
  rules: [rules].flat(),
});

const isChange = (written: Fields | Written): written is Written => 'object' in written;

/**
 * Manifests with the verdict of the API server and of the controllers. Two runners share the table: `mortise validate` in
 * the unit tests, and a real kube-apiserver with our CRDs in the e2e tests.
 */
export const CHECKLIST: readonly ChecklistRow[] = [
  ...NODE_POOL_ROWS,
  ...NODE_CLAIM_ROWS,
  ...EC2_NODE_CLASS_ROWS,
  ...KUBELET_ROWS,
  ...NODE_OVERLAY_ROWS,
  ...CAPACITY_BUFFER_ROWS,
  ...RULE_ROWS,
].map(readRow);
