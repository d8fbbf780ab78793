import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { clusterArn } from '../cluster-arn.ts';
import type { Right } from './allow.ts';
import type { Fleet } from './fleet.ts';

/** Allows reading the zonal shifts of the cluster from ARC. */
export const readZonalShifts = (fleet: Fleet): Right => ({
  wildcardReason: 'ARC names resources of others: the condition says which cluster.',
  statements: [
    new PolicyStatement({
      actions: ['arc-zonal-shift:GetManagedResource'],
      resources: ['*'],
      conditions: { StringEquals: { 'arc-zonal-shift:ResourceIdentifier': clusterArn(fleet) } },
    }),
  ],
});
