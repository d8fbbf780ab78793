import { describe, expect, it } from 'vitest';
import { aTemplate, type Context } from './fixture.ts';

/** Options that add policies or resources with ARNs. */
const ALL: Context = {
  account: '123456789012',
  eventSource: 'poll',
  functionSubnets: 'subnet-0a1b2c3d',
  functionSecurityGroups: 'sg-0c1d2e3f',
  eventKinds: 'all',
  zonalShifts: 'true',
};

/** The ARNs of a template, joined from their parts; the partition may be a parameter. */
function listArns(context: Context): readonly string[] {
  const text = JSON.stringify(aTemplate(context).toJSON())
    .replaceAll('{"Ref":"AWS::Partition"}', '"$PARTITION"')
    .replaceAll(/","(?=\$PARTITION)|(?<=\$PARTITION)","/g, '');
  return [...new Set(text.match(/arn:[^"\\ ]*/g))];
}

describe.each([
  ['cn-north-1', 'aws-cn'],
  ['us-gov-west-1', 'aws-us-gov'],
])('a stack in %s', (region, partition) => {
  it(`has no ARN of another partition than ${partition}`, () => {
    const arns = listArns({ ...ALL, region });

    expect(arns.length).toBeGreaterThan(20);
    expect(arns.filter((arn) => !new RegExp(`^arn:(${partition}|\\$PARTITION):`).test(arn))).toEqual([]);
  });

  it('names no host of another partition', () => {
    const hosts = JSON.stringify(aTemplate({ ...ALL, region }).toJSON()).match(
      /https:\/\/[\w.-]+\.amazonaws\.com(?:\.cn)?/g,
    );
    const isOfPartition = (host: string): boolean => host.endsWith('.cn') === (partition === 'aws-cn');

    expect((hosts ?? []).filter((host) => !isOfPartition(host))).toEqual([]);
  });
});
