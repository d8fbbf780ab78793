import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Autoscaler } from './autoscaler.ts';
import type { MortiseOptions } from './options/options.ts';

/** The stack of `cdk deploy -c cluster=<name>`: Mortise for one cluster. */
export class MortiseStack extends Stack {
  constructor(scope: Construct, id: string, options: MortiseOptions) {
    super(scope, id, {
      description: `Mortise, the node autoscaler of the EKS cluster ${options.cluster}`,
      ...(options.target && { env: options.target }),
    });
    // With this id, a resource has the same logical id as directly below the stack.
    new Autoscaler(this, 'Default', options);
  }
}
