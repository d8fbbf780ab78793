import { describe, expect, it } from 'vitest';
import { findDryRunTenancy } from '../../../shared/ec2/node-class/dry-run-tenancy.ts';
import type { RequirementSpec } from '../../../shared/model/requirements/requirement-specs.ts';
import { aNodePool } from '../../support/builders.ts';

const TENANCY = 'karpenter.k8s.aws/instance-tenancy';

describe('the tenancy of a dry run', () => {
  it.each<[readonly RequirementSpec[], string]>([
    [[], 'default'],
    [[{ key: TENANCY, operator: 'In', values: ['default', 'dedicated'] }], 'dedicated'],
    [[{ key: TENANCY, operator: 'In', values: ['dedicated'] }], 'dedicated'],
    [[{ key: TENANCY, operator: 'In', values: ['default'] }], 'default'],
    [[{ key: TENANCY, operator: 'NotIn', values: ['default'] }], 'dedicated'],
  ])('with %j in a pool of the class is %s', (requirements, tenancy) => {
    expect(findDryRunTenancy([aNodePool(), aNodePool({ requirements })], 'default')).toBe(tenancy);
  });

  it('is shared without pools, and whatever pools of other classes require', () => {
    const requirements = [{ key: TENANCY, operator: 'In', values: ['dedicated'] } as const];
    const pool = aNodePool({ requirements });

    expect(findDryRunTenancy([], 'default')).toBe('default');
    expect(findDryRunTenancy([pool], 'another')).toBe('default');
  });
});
