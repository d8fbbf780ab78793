import type { AccountCheck } from './check-sources.ts';
import { fail, ok, warn } from './finding.ts';

export const STACK_CHECKS: readonly AccountCheck[] = [
  {
    ...{ group: 'stack', name: 'state', stages: ['before'] },
    rights: ['cloudformation:DescribeStacks'],
    async find({ stackName, readStackStatus }) {
      const status = await readStackStatus();
      if (status === undefined) return [ok(`no stack ${stackName}`)];
      const about = `${stackName} is ${status}`;
      if (status.endsWith('_IN_PROGRESS')) {
        return [fail(`${about}: CloudFormation changes it`, 'wait until it has finished')];
      }
      if (status === 'DELETE_FAILED' || status === 'ROLLBACK_FAILED') {
        const fix = `aws cloudformation delete-stack --stack-name ${stackName}; its events name what it could not delete`;
        return [fail(`${about}: it can only be deleted`, fix)];
      }
      if (status === 'UPDATE_ROLLBACK_FAILED') {
        const fix = `aws cloudformation continue-update-rollback --stack-name ${stackName}`;
        return [fail(`${about}: it cannot be updated`, fix)];
      }
      if (status === 'ROLLBACK_COMPLETE') {
        return [
          warn(`${about}: the first deployment failed, and the CDK removes it first`, 'its events name the cause'),
        ];
      }
      return [ok(about)];
    },
  },
];
