import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, describe, expect, it } from 'vitest';
import { commandSchema, runCommand } from '../../functions/webhook-control/handler.ts';
import { controlPortsFrom } from '../../functions/webhook-control/ports.ts';
import { aFakeSetup, anInstallation } from '../controllers/webhooks/fake-setup.ts';
import { NOON } from '../support/builders.ts';
import { SETUP_ENVIRONMENT } from './fixture.ts';

describe('a command of webhook control', () => {
  it.each([
    [{ action: 'keep' }, { action: 'keep' }],
    [{ action: 'restore-hooks' }, { action: 'restore-hooks' }],
    [{ action: 'rotate-token' }, { action: 'rotate-token' }],
    [{ action: 'withdraw-hooks' }, { action: 'withdraw-hooks', by: 'operator', why: 'an operator asked for it' }],
    [
      { action: 'withdraw-hooks', by: 'breaker', why: 'slow' },
      { action: 'withdraw-hooks', by: 'breaker', why: 'slow' },
    ],
  ])('is accepted: %j', (event, command) => {
    expect(commandSchema.parse(event)).toEqual(command);
  });

  it.each([
    [{}],
    [{ action: 'repair' }],
    [{ RequestType: 'Delete', ResponseURL: 'https://example.com/' }],
    ['keep'],
    [undefined],
  ])('is rejected: %j', (event) => {
    expect(() => commandSchema.parse(event)).toThrow();
  });

  it('runs one action on the webhooks', async () => {
    const world = aFakeSetup({ installation: anInstallation(), hooks: 'first' });

    await runCommand(world.ports, { action: 'withdraw-hooks', by: 'operator', why: 'a test' });
    expect(world.hooks).toBeUndefined();
    await runCommand(world.ports, { action: 'keep' });
    expect(world.hooks).toBeUndefined();
    await runCommand(world.ports, { action: 'rotate-token' });
    expect(world.hooks).toBeUndefined();
    await runCommand(world.ports, { action: 'restore-hooks' });
    expect(world.hooks).toBe('first');
    expect(world.installation?.hooks).toEqual({ state: 'placed', since: NOON + 10_000 });
    await runCommand(world.ports, { action: 'rotate-token' });
    expect(world.hooks).toBe('made-1');
  });
});

it('webhook control names a missing setting', () => {
  const { SETUP_FUNCTION: _, ...rest } = SETUP_ENVIRONMENT;
  expect(() => controlPortsFrom(rest)).toThrow('SETUP_FUNCTION');
});

describe('a request for the set-up', () => {
  const lambda = mockClient(LambdaClient);
  afterAll(() => lambda.restore());

  it('is an event for its function, which repairs what is missing', async () => {
    lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
    await controlPortsFrom(SETUP_ENVIRONMENT).requestSetup();
    const [call] = lambda.commandCalls(InvokeCommand);
    const { FunctionName, InvocationType, Payload } = call?.args[0].input ?? {};
    expect({ FunctionName, InvocationType }).toEqual({
      FunctionName: SETUP_ENVIRONMENT.SETUP_FUNCTION,
      InvocationType: 'Event',
    });
    expect(JSON.parse(new TextDecoder().decode(Payload instanceof Uint8Array ? Payload : undefined))).toEqual({
      action: 'repair',
    });
  });
});
