import { describe, expect, it } from 'vitest';
import { codesOf, convert, type Fields, nodeTemplate, only } from './conversions.ts';

describe('an AWSNodeTemplate', () => {
  it('becomes an EC2NodeClass', () => {
    const { spec, codes } = only(nodeTemplate({ tags: { team: 'a' }, detailedMonitoring: true }));

    expect(spec).toEqual({
      instanceProfile: 'profile',
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { tier: 'private' } }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      metadataOptions: { httpPutResponseHopLimit: 1 },
      tags: { team: 'a' },
      detailedMonitoring: true,
    });
    expect(codes).toEqual([]);
  });

  it.each<[string, Fields, Fields, readonly string[]]>([
    ['an empty value is any', { subnetSelector: { a: '' } }, { subnetSelectorTerms: [{ tags: { a: '*' } }] }, []],
    [
      'row 185: lists combine',
      { subnetSelector: { a: 'x,y', b: 'p, q' } },
      {
        subnetSelectorTerms: [
          { tags: { a: 'x', b: 'p' } },
          { tags: { a: 'x', b: 'q' } },
          { tags: { a: 'y', b: 'p' } },
          { tags: { a: 'y', b: 'q' } },
        ],
      },
      [],
    ],
    [
      'ids win',
      { subnetSelector: { 'aws::ids': 'subnet-1,subnet-2', a: 'b' } },
      { subnetSelectorTerms: [{ id: 'subnet-1' }, { id: 'subnet-2' }] },
      ['W-06'],
    ],
    [
      'names and owners of images',
      { amiSelector: { 'aws::name': 'a,b', 'aws::owners': 'self' } },
      {
        amiFamily: 'AL2023',
        amiSelectorTerms: [
          { name: 'a', owner: 'self' },
          { name: 'b', owner: 'self' },
        ],
      },
      [],
    ],
    ['tags of images', { amiSelector: { a: 'b' } }, { amiSelectorTerms: [{ tags: { a: 'b' } }] }, ['W-11']],
    ['no family is AL2', { amiFamily: undefined }, { amiSelectorTerms: [{ alias: 'al2@latest' }] }, ['W-14', 'W-16']],
    ['no profile is a role to be named', { instanceProfile: undefined }, { role: '$KARPENTER_NODE_ROLE' }, ['W-02']],
    [
      'no metadata options',
      { metadataOptions: undefined },
      {
        metadataOptions: {
          httpEndpoint: 'enabled',
          httpProtocolIPv6: 'disabled',
          httpPutResponseHopLimit: 2,
          httpTokens: 'required',
        },
      },
      ['W-07'],
    ],
    [
      'a hop limit left open',
      { metadataOptions: { httpTokens: 'optional' } },
      { metadataOptions: { httpTokens: 'optional', httpPutResponseHopLimit: 2 } },
      ['W-07'],
    ],
    [
      'tags that are written anyway',
      { tags: { 'karpenter.sh/provisioner-name': 'x', a: 'b' } },
      { tags: { a: 'b' } },
      ['W-05'],
    ],
    [
      'a virtual device',
      {
        blockDeviceMappings: [{ deviceName: '/dev/xvda', virtualName: 'ephemeral0', ebs: { volumeSize: '9Gi' } }],
      },
      { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '9Gi' } }] },
      ['W-04'],
    ],
    [
      'Ubuntu with an image',
      { amiFamily: 'Ubuntu', amiSelector: { 'aws-ids': 'ami-1' } },
      {
        amiFamily: 'AL2',
        amiSelectorTerms: [{ id: 'ami-1' }],
        blockDeviceMappings: [
          {
            deviceName: '/dev/sda1',
            rootVolume: true,
            ebs: { volumeSize: '20Gi', volumeType: 'gp3', encrypted: true },
          },
        ],
      },
      ['W-15'],
    ],
  ])('is converted with a message about %s', (_, fields, expected, codes) => {
    const converted = only(nodeTemplate(fields));

    expect(converted.spec).toMatchObject(expected);
    expect(converted.codes).toEqual(codes);
  });

  it.each<[string, Fields, string]>([
    ['a launch template', { launchTemplate: 'mine' }, 'X-06'],
    ['owners alone', { amiSelector: { 'aws::owners': 'self' } }, 'X-07'],
    ['more than 30 combinations', { subnetSelector: { a: '1,2,3,4,5,6', b: '1,2,3,4,5,6' } }, 'X-08'],
    ['a custom family without image', { amiFamily: 'Custom' }, 'X-10'],
    ['Ubuntu without image', { amiFamily: 'Ubuntu' }, 'X-11'],
  ])('is not converted with %s', (_, fields, code) => {
    const conversion = convert([nodeTemplate(fields)]);

    expect(codesOf(conversion)).toContain(code);
    expect(conversion.objects).toEqual([]);
  });

  it('gets the role that the user has requested', () => {
    expect(only(nodeTemplate(), { role: 'r' })).toMatchObject({
      spec: { role: 'r' },
      codes: ['W-03'],
    });
  });
});
