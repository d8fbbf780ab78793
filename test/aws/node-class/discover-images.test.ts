import { DescribeImagesCommand, type DescribeImagesCommandInput, EC2Client, type Image } from '@aws-sdk/client-ec2';
import { GetParameterCommand, ParameterNotFound, SSMClient, SSMServiceException } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { discoverImages } from '../../../shared/aws/node-class/discover-images.ts';
import { MissingRightError } from '../../../shared/model/errors.ts';
import { formatInstant, MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { aWrittenClass } from '../../support/node-classes.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ssmClient = new SSMClient({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
const ssm = mockClient(ssmClient);
beforeEach(() => {
  ec2.reset();
  ssm.reset();
});

describe('images', () => {
  const discover = discoverImages({ ec2: client, ssm: ssmClient });
  const STANDARD = /x86_64\/standard\/recommended/;
  const image = (over: Partial<Image> = {}): Image => ({
    ImageId: 'ami-1',
    Name: 'one',
    Architecture: 'x86_64',
    CreationDate: formatInstant(NOON),
    ...over,
  });
  const find = (terms: readonly object[], now = NOON) =>
    discover(aWrittenClass({ amiFamily: 'AL2023', amiSelectorTerms: terms }).spec, '1.34', now);
  const lastRequest = () => ec2.commandCalls(DescribeImagesCommand).at(-1)?.args[0].input;

  /** Parameters whose names match hold the id; the others do not exist. */
  function publish(names: RegExp, Value: string): void {
    ssm.on(GetParameterCommand).callsFake(({ Name = '' }: { Name?: string }) => {
      if (!names.test(Name)) throw new ParameterNotFound({ message: '', $metadata: {} });
      return { Parameter: { Value } };
    });
  }

  it('of an alias are those of its existing parameters', async () => {
    publish(STANDARD, 'ami-1');
    ec2.on(DescribeImagesCommand).resolves({ Images: [image()] });

    expect(await find([{ alias: 'al2023@latest' }])).toEqual([
      {
        id: 'ami-1',
        name: 'one',
        deprecated: false,
        createdAt: NOON,
        requirements: [
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'DoesNotExist' },
          { key: 'karpenter.k8s.aws/instance-accelerator-count', operator: 'DoesNotExist' },
        ],
      },
    ]);
    expect(lastRequest()).toMatchObject({
      Filters: [
        { Name: 'state', Values: ['available'] },
        { Name: 'image-id', Values: ['ami-1'] },
      ],
      IncludeDeprecated: true,
    });
  });

  it('of an alias are empty if no parameter exists', async () => {
    publish(/nothing/, '');

    expect(await find([{ alias: 'al2023@latest' }])).toEqual([]);
    expect(ec2.commandCalls(DescribeImagesCommand)).toEqual([]);
  });

  it('are those that the parameter names now, deprecated or not, without a cache', async () => {
    ssm
      .on(GetParameterCommand)
      .resolvesOnce({ Parameter: { Value: 'ami-1' } })
      .resolves({ Parameter: { Value: 'ami-2' } });
    ec2.on(DescribeImagesCommand).callsFake(({ Filters = [] }: DescribeImagesCommandInput) => ({
      Images: Filters.filter(({ Name }) => Name === 'image-id').flatMap(({ Values = [] }) =>
        Values.map((ImageId) => image({ ImageId })),
      ),
    }));
    const terms = [{ ssmParameter: '/mine' }];

    expect((await find(terms)).map(({ id }) => id)).toEqual(['ami-1']);
    expect((await find(terms)).map(({ id }) => id)).toEqual(['ami-2']);
  });

  it('are deprecated from their deprecation time on', async () => {
    publish(STANDARD, 'ami-1');
    const DeprecationTime = formatInstant(NOON + 30 * MINUTE_MS);
    ec2.on(DescribeImagesCommand).resolves({ Images: [image({ DeprecationTime })] });

    expect(await find([{ alias: 'al2023@latest' }])).toMatchObject([{ deprecated: false }]);
    expect(await find([{ alias: 'al2023@latest' }], NOON + 40 * MINUTE_MS)).toMatchObject([{ deprecated: true }]);
  });

  it.each([
    ['of our account and Amazon by name', { name: 'a*' }, ['self', 'amazon']],
    ['of the given owner by name', { name: 'a*', owner: '012345678901' }, ['012345678901']],
    ['of any owner by tags', { tags: { a: 'b' } }, undefined],
    ['of the owner with tags', { tags: { a: 'b' }, owner: 'self' }, ['self']],
  ])('are %s', async (_, term, owners) => {
    ec2.on(DescribeImagesCommand).resolves({ Images: [image()] });

    await find([term]);

    expect(lastRequest()?.Owners).toEqual(owners);
  });

  it('by id are one request without an owner', async () => {
    ec2.on(DescribeImagesCommand).resolves({ Images: [image()] });

    await find([{ id: 'ami-1' }, { id: 'ami-2' }]);

    expect(lastRequest()).toMatchObject({
      Filters: [{ Name: 'state' }, { Name: 'image-id', Values: ['ami-1', 'ami-2'] }],
    });
    expect(lastRequest()).not.toHaveProperty('Owners');
  });

  it.each([
    ['that does not exist', /nothing/, ''],
    ['that holds something else', /mine/, 'foo'],
  ])('are not found by a parameter %s', async (_, names, value) => {
    publish(names, value);

    expect(await find([{ ssmParameter: '/mine/ami' }])).toEqual([]);
  });

  it('of a parameter that may not be read are an error with the right and the option that gives it', async () => {
    const answer = { name: 'AccessDeniedException', message: 'not authorized' };
    const denied = new SSMServiceException({ ...answer, $fault: 'client', $metadata: {} });
    ssm.on(GetParameterCommand).rejects(denied);

    const images = find([{ ssmParameter: '/mine/ami' }]);
    await expect(images).rejects.toThrow(MissingRightError);
    await expect(images).rejects.toThrow(
      'no right to ssm:GetParameter on /mine/ami: name it in the option imageParameters (not authorized)',
    );
  });

  it('are found by a custom parameter', async () => {
    publish(/mine/, 'ami-1');
    ec2.on(DescribeImagesCommand).resolves({ Images: [image()] });

    expect(await find([{ ssmParameter: '/mine/ami' }])).toMatchObject([{ id: 'ami-1' }]);
  });

  it('of other architectures are ignored, whatever their tags', async () => {
    const Tags = [{ Key: 'kubernetes.io/arch', Value: 'arm64' }];
    const Images = [image({ ImageId: 'ami-i386', Architecture: 'i386' }), image({ Tags })];
    ec2.on(DescribeImagesCommand).resolves({ Images });

    expect(await find([{ tags: { a: 'b' } }])).toMatchObject([
      {
        id: 'ami-1',
        requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      },
    ]);
  });
});
