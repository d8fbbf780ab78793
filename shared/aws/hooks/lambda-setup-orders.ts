import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { SetupOrders } from '../../ports/cluster-setup.ts';

/**
 * Sends orders as asynchronous invocations.
 *
 * @param name - name of the function that sets up the cluster
 */
export const lambdaSetupOrders = (lambda: LambdaClient, name: string): SetupOrders => ({
  async give(order) {
    await lambda.send(
      new InvokeCommand({
        FunctionName: name,
        InvocationType: 'Event',
        Payload: Buffer.from(JSON.stringify(order)),
      }),
    );
  },
});
