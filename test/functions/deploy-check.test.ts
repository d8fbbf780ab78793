import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { checkConcurrency, readUnreserved } from '../../functions/deploy-check/handler.ts';
import type { CloudFormationRequest } from '../../functions/support/cloud-formation/cloud-formation-request.ts';
import './fixture.ts';

const aRequest = (over: Partial<CloudFormationRequest> = {}): CloudFormationRequest => ({
  RequestType: 'Create',
  ResponseURL: 'https://example.com/',
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'DeployCheck',
  ResourceProperties: { concurrency: '10' },
  ...over,
});
const from = (concurrency: string) => ({
  RequestType: 'Update' as const,
  OldResourceProperties: { concurrency },
});

describe("the check of the account's concurrency", () => {
  it('names the option, the quota and both figures if there is no room', async () => {
    await expect(checkConcurrency(aRequest(), async () => 109)).rejects.toThrow(
      'intakeConcurrency reserves 10 concurrent executions for the webhooks, but the account has ' +
        '109 unreserved, and Lambda keeps 100 of them. Raise the Lambda quota "Concurrent ' +
        'executions" (L-B99A9384) in Service Quotas, or deploy with -c intakeConcurrency=none.',
    );
  });

  it('succeeds if exactly the room that Lambda keeps remains', async () => {
    expect(await checkConcurrency(aRequest(), async () => 110)).toEqual({});
  });

  it('counts the present reservation as room', async () => {
    const check = (old: string) => checkConcurrency(aRequest(from(old)), async () => 104);
    expect(await check('6')).toEqual({});
    await expect(check('5')).rejects.toThrow('the account has 104 unreserved');
  });

  it.each([
    ['the stack is deleted', aRequest({ RequestType: 'Delete' })],
    ['the reservation shrinks', aRequest(from('20'))],
    ['it stays', aRequest(from('10'))],
  ])('reads nothing if %s', async (_, request) => {
    const read = () => Promise.reject(new Error('must not be called'));
    expect(await checkConcurrency(request, read)).toEqual({});
  });

  it.each([
    ['cannot be read', () => Promise.reject(new Error('denied'))],
    ['is missing', async () => undefined],
  ])('lets the deployment go on if the figure %s', async (_, read) => {
    expect(await checkConcurrency(aRequest(), read)).toEqual({});
  });

  it('reads what no function of the account reserves', async () => {
    const lambda = new LambdaClient({ region: 'us-east-1' });
    mockClient(lambda)
      .on(GetAccountSettingsCommand)
      .resolves({ AccountLimit: { UnreservedConcurrentExecutions: 990 } });
    expect(await readUnreserved(lambda)).toBe(990);
  });
});
