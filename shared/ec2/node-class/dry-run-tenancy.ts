import type { NodePool } from '../../model/nodes/node-pool.ts';
import { allowsValue } from '../../model/requirements/requirement.ts';
import { toRequirements } from '../../model/requirements/requirements.ts';
import { TENANCY_LABEL, type Tenancy } from './launch-template/template-content.ts';

/**
 * The hardware that a trial of the class is for: whoever may launch on dedicated hosts may launch on
 * shared ones too, so that is asked wherever a pool of the class lets it come to that.
 */
export const findDryRunTenancy = (pools: readonly NodePool[], nodeClass: string): Tenancy =>
  pools.some((pool) => pool.nodeClass.name === nodeClass && allowsDedicated(pool))
    ? 'dedicated'
    : 'default';

function allowsDedicated({ requirements }: NodePool): boolean {
  const wanted = toRequirements(requirements).get(TENANCY_LABEL);
  return wanted !== undefined && allowsValue(wanted, 'dedicated');
}
