import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { describe, expect, it } from 'vitest';
import { Mortise } from '../../infra/mortise.ts';
import { allowed, aTemplate, NO_BUNDLES, rightsOf, WORKERS } from './fixture.ts';

const OTHERS = ['EventIntake', 'ClusterSetup', 'WebhookControl', 'Poll', 'CatalogRefresh'];
const PUT = 'events:PutEvents';

describe('published events', () => {
  const template = aTemplate({ eventKinds: 'PodsWaiting,CapReached', eventBus: 'platform' });

  it('may be put by the workers on one bus, with the source mortise', () => {
    const rights = WORKERS.map((name) => rightsOf(template, name).filter(({ actions }) => actions.includes(PUT)));

    const resource = 'arn:<AWS::Partition>:events:<AWS::Region>:<AWS::AccountId>:event-bus/platform';
    const conditions = { StringEquals: { 'events:source': 'mortise' } };
    expect(rights).toEqual(WORKERS.map(() => [{ actions: [PUT], resources: [resource], conditions }]));
  });

  it('may not be put by any other function', () => {
    expect(OTHERS.flatMap((name) => allowed(rightsOf(template, name), 'events:Put'))).toEqual([]);
  });

  it('are named to the functions with their bus', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({
          ...{ EVENT_KINDS: 'PodsWaiting,CapReached', EVENT_BUS: 'platform' },
          POWERTOOLS_SERVICE_NAME: 'provisioning',
        }),
      },
    });
  });

  it('go to the default bus unless another one is named', () => {
    const [right] = rightsOf(aTemplate({ eventKinds: 'all' }), 'Sweep').filter(({ actions }) => actions.includes(PUT));
    expect(right?.resources).toEqual([expect.stringMatching(/:event-bus\/default$/)]);
  });

  it('go to a bus that the app of the construct creates', () => {
    const stack = new Stack(new App({ context: NO_BUNDLES }), 'Platform');
    const eventBus = new EventBus(stack, 'Bus');
    new Mortise(stack, 'Autoscaler', { cluster: 'shop', eventKinds: ['all'], eventBus });

    const name: unknown = stack.resolve(eventBus.eventBusName);
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({ EVENT_BUS: name }),
      },
    });
  });

  it('give no function a right or a variable unless the option is set', () => {
    const usual = aTemplate();
    expect([...WORKERS, ...OTHERS].flatMap((name) => allowed(rightsOf(usual, name), 'events:Put'))).toEqual([]);
    expect(JSON.stringify(usual.toJSON())).not.toMatch(/EVENT_KINDS|EVENT_BUS/);
  });
});
