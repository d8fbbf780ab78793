import { readFileSync } from 'node:fs';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { allowed, asText, aTemplate, rightsOf } from './fixture.ts';

const ARC = 'arc-zonal-shift:';
const ASK = `${ARC}GetManagedResource`;
const CLUSTER = 'arn:<AWS::Partition>:eks:<AWS::Region>:<AWS::AccountId>:cluster/demo';
const EVERY_FUNCTION = [
  ...['Provisioning', 'NodeLifecycle', 'Disruption', 'Interruption', 'Sweep', 'NodeClass'],
  ...['EventIntake', 'ClusterSetup', 'WebhookControl', 'Poll', 'CatalogRefresh'],
];

describe('zonal shifts', () => {
  const template = aTemplate({ enableZonalShift: 'true' });

  it('are read from ARC by the sweep and by cluster-setup, for one cluster', () => {
    const asking = EVERY_FUNCTION.filter((name) => allowed(rightsOf(template, name), ARC).length > 0);
    expect(asking).toEqual(['Sweep', 'ClusterSetup']);
    for (const name of asking) {
      const [right] = rightsOf(template, name).filter(({ actions }) => actions.includes(ASK));
      expect(right).toMatchObject({ actions: [ASK], resources: ['*'] });
      expect(asText(right?.conditions.StringEquals?.[`${ARC}ResourceIdentifier`])).toBe(CLUSTER);
    }
  });

  it('are known to all functions that launch, terminate or plan', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ ENABLE_ZONAL_SHIFT: 'true' }) },
    });
  });

  it('trigger the sweep when ARC reports a change', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { source: ['aws.arc-zonal-shift'] },
      Targets: [
        Match.objectLike({
          InputTransformer: { InputTemplate: Match.stringLikeRegexp('"sweep"') },
        }),
      ],
    });
  });

  it('raise an alarm if ARC cannot be read, which docs/operations.md explains', () => {
    template.hasResourceProperties('AWS::Logs::MetricFilter', {
      FilterPattern: '{ $.event.kind = "shifts-unknown" }',
    });
    expect(readFileSync('docs/operations.md', 'utf8')).toContain('`ShiftsUnknown`');
  });

  it('are ignored unless the option is set', () => {
    const usual = aTemplate();
    expect(EVERY_FUNCTION.flatMap((name) => allowed(rightsOf(usual, name), ARC))).toEqual([]);
    expect(JSON.stringify(usual.toJSON())).not.toMatch(/zonal|ShiftsUnknown/i);
    expect(() => aTemplate({ enableZonalShift: 'yes' })).toThrow('must be true or false');
  });
});
