import type { NodePool } from '../../model/node-pool.ts';
import { allowsValue } from '../../model/requirement.ts';
import { toRequirements } from '../../model/requirements.ts';
import { TENANCY_LABEL, type Tenancy } from './launch-template/template-content.ts';

/**
 * The hardware that a trial of the class is for: whoever may launch on dedicated hosts may launch on
 * shared ones too, so that is asked wherever a pool of the class lets it come to that.
 */
export const trialTenancy = (pools: readonly NodePool[], nodeClass: string): Tenancy =>
  pools.some((pool) => pool.nodeClass.name === nodeClass && admitsDedicated(pool))
    ? 'dedicated'
    : 'default';

function admitsDedicated({ requirements }: NodePool): boolean {
  const wanted = toRequirements(requirements).get(TENANCY_LABEL);
  return wanted !== undefined && allowsValue(wanted, 'dedicated');
}
