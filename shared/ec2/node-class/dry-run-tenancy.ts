import type { NodePool } from '../../model/nodes/node-pool.ts';
import { allowsValue } from '../../model/requirements/requirement.ts';
import { toRequirements } from '../../model/requirements/requirements.ts';
import { TENANCY_LABEL, type Tenancy } from './launch-template/template-content.ts';

/**
 * Returns the tenancy for the dry run of a class: dedicated if a pool of the class allows it,
 * because the permission for dedicated includes shared hardware.
 */
export const findDryRunTenancy = (pools: readonly NodePool[], nodeClass: string): Tenancy =>
  pools.some((pool) => pool.nodeClass.name === nodeClass && allowsDedicated(pool)) ? 'dedicated' : 'default';

function allowsDedicated({ requirements }: NodePool): boolean {
  const requirement = toRequirements(requirements).get(TENANCY_LABEL);
  return requirement !== undefined && allowsValue(requirement, 'dedicated');
}
