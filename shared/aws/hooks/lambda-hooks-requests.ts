import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { HooksRequests } from '../../ports/cluster-setup.ts';

/**
 * Sends requests as asynchronous invocations.
 *
 * @param name - name of the function that places and withdraws webhooks
 */
export const lambdaHooksRequests = (lambda: LambdaClient, name: string): HooksRequests => ({
  async send(request) {
    await lambda.send(
      new InvokeCommand({
        FunctionName: name,
        InvocationType: 'Event',
        Payload: Buffer.from(JSON.stringify(request)),
      }),
    );
  },
});
