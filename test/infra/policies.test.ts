import { describe, expect, it } from 'vitest';
import { holds } from '../support/iam/conditions.ts';
import { evaluate } from '../support/iam/evaluate.ts';
import { parsePolicy } from '../support/iam/policy.ts';
import { doPatternsOverlap, findPolicyFaults } from '../support/iam/reference.ts';
import { deployOptionSet, keyIn, OPTION_SETS, VIRGINIA } from '../support/iam/stacks/option-sets.ts';
import { controllerProcess } from '../support/iam/stacks/processes.ts';
import { listStatements } from '../support/iam/stacks/roles.ts';

describe('each policy of the stack', () => {
  it.each(Object.keys(OPTION_SETS))(
    'with the options of %s has, before statements are merged, only actions with a resource and keys with an effect',
    async (set) => {
      const statements = [...listStatements(deployOptionSet(set, 'unmerged').resources).values()];
      expect(statements.length).toBeGreaterThan(10);
      expect(await findPolicyFaults(statements.flat())).toEqual([]);
    },
  );

  // "All service principals names have been standardized to their global form."
  // docs.aws.amazon.com/cdk, feature flag @aws-cdk/aws-iam:standardizedServicePrincipals
  it.each(['default', 'China', 'GovCloud'])(
    'with the options of %s is of a role that a service assumes by its name in every partition',
    (set) => {
      const roles = deployOptionSet(set).resources.filter(({ type }) => type === 'AWS::IAM::Role');
      const trusted = roles.map(({ properties }) => JSON.stringify(properties.AssumeRolePolicyDocument));
      const services = trusted.flatMap((text) => /"Service":"([^"]+)"/.exec(text)?.[1] ?? text);
      expect([...new Set(services)].toSorted()).toEqual([
        'ec2.amazonaws.com',
        'lambda.amazonaws.com',
        'scheduler.amazonaws.com',
      ]);
    },
  );

  it('of the controller has the same', async () => {
    const { statements } = await controllerProcess(VIRGINIA, {
      variables: {
        ...{ EVENT_KINDS: 'all', EVENT_BUS: 'default', INTERRUPTION_QUEUE: 'notices' },
        ...{ ENABLE_ZONAL_SHIFT: 'true', VOLUME_KEYS: keyIn(VIRGINIA), IMAGE_PARAMETERS: '/a' },
      },
      isBesideStack: true,
    });
    expect(await findPolicyFaults(statements)).toEqual([]);
  });

  it.each([
    ['an action that does not exist', 'ec2:RunInstance', '*', {}, ['ec2:RunInstance does not exist']],
    [
      'a resource for an action without any',
      'ec2:DescribeImages',
      'arn:aws:ec2:us-east-1:1:image/*',
      {},
      ['ec2:DescribeImages arn:aws:ec2:us-east-1:1:image/*'],
    ],
    [
      'a resource of another type',
      'sqs:SendMessage',
      'arn:aws:s3:::bucket',
      {},
      ['sqs:SendMessage arn:aws:s3:::bucket'],
    ],
    [
      'a key of other actions',
      'sqs:SendMessage',
      '*',
      { StringEquals: { 'ec2:CreateAction': 'RunInstances' } },
      ['sqs:SendMessage ec2:CreateAction'],
    ],
    [
      'tags in a request that has none',
      'ec2:TerminateInstances',
      '*',
      { StringEquals: { 'aws:RequestTag/owner': 'me' } },
      [],
    ],
    [
      'a key of its resource',
      'ec2:TerminateInstances',
      'arn:aws:ec2:us-east-1:1:instance/*',
      { StringEquals: { 'aws:ResourceTag/owner': 'me' } },
      [],
    ],
  ])('is checked for %s', async (_, Action, Resource, Condition, faults) => {
    const statement = { Effect: 'Allow', Action, Resource, Condition };
    const listed = await findPolicyFaults(parsePolicy('test', { Statement: [statement] }));
    expect(listed).toEqual(faults.map((fault) => `test #1: ${fault}`));
  });
});

describe('the evaluation of a request', () => {
  const allow = { Effect: 'Allow', Action: 'ec2:*', Resource: '*' };
  const ask = (statements: readonly object[], action: string, resource = '*', context = {}) =>
    evaluate(parsePolicy('test', { Statement: statements }), { action, resource, context });

  it('denies what no statement allows, and names the statement that allows', () => {
    expect(ask([allow], 's3:GetObject')).toEqual({ isAllowed: false });
    expect(ask([allow], 'EC2:runInstances').by?.name).toBe('test #1');
  });

  it('denies what one statement denies, whatever others allow', () => {
    const deny = { ...allow, Effect: 'Deny', Action: 'ec2:RunInstances' };
    const { isAllowed, by } = ask([allow, deny], 'ec2:RunInstances');
    expect({ isAllowed, by: by?.name }).toEqual({ isAllowed: false, by: 'test #2' });
    expect(ask([allow, deny], 'ec2:CreateFleet').isAllowed).toBe(true);
  });

  it.each([
    ['arn:aws:s3:::bucket/views/*', 'arn:aws:s3:::bucket/views/a/b', true],
    ['arn:aws:s3:::bucket/views/*', 'arn:aws:s3:::bucket/decisions/a', false],
    ['arn:aws:ec2:*:1:instance/*', 'arn:aws:ec2:us-east-1:1:instance/i-1', true],
    ['arn:aws:ec2:*:instance/i-1', 'arn:aws:ec2:us-east-1:1:instance/i-1', false],
    ['arn:aws:iam::1:role/node?', 'arn:aws:iam::1:role/nodes', true],
    ['arn:aws:iam::1:role/a.c', 'arn:aws:iam::1:role/abc', false],
  ])('compares the resource %s with %s', (Resource, resource, isAllowed) => {
    const statement = { Effect: 'Allow', Action: '*', Resource };
    expect(ask([statement], 'a:b', resource).isAllowed).toBe(isAllowed);
  });

  it('leaves out what NotAction and NotResource name', () => {
    const statement = { Effect: 'Allow', NotAction: 'iam:*', NotResource: 'arn:aws:s3:::secret/*' };
    expect(ask([statement], 's3:GetObject', 'arn:aws:s3:::open/a').isAllowed).toBe(true);
    expect(ask([statement], 's3:GetObject', 'arn:aws:s3:::secret/a').isAllowed).toBe(false);
    expect(ask([statement], 'iam:PassRole', 'arn:aws:s3:::open/a').isAllowed).toBe(false);
  });

  it.each([
    ['StringEquals', ['a', 'b'], { k: 'b' }, true],
    ['StringEquals', ['a'], {}, false],
    ['StringEqualsIfExists', ['a'], {}, true],
    ['StringNotEquals', ['a'], {}, true],
    ['StringNotEquals', ['a'], { k: 'a' }, false],
    ['StringLike', ['a*'], { k: 'abc' }, true],
    ['ArnLike', ['arn:aws:lambda:*:*:function:*'], { k: 'arn:aws:lambda:us-east-1:1:function:f' }, true],
    ['ArnEquals', ['arn:aws:iam::1:role/x'], { k: 'arn:aws:iam::1:role/y' }, false],
    ['Bool', ['true'], { k: 'True' }, true],
    ['Null', ['true'], {}, true],
    ['Null', ['true'], { k: 'a' }, false],
    ['ForAllValues:StringEquals', ['a', 'b'], { k: ['a', 'b'] }, true],
    ['ForAllValues:StringEquals', ['a'], { k: ['a', 'b'] }, false],
    ['ForAllValues:StringEquals', ['a'], {}, true],
    ['ForAnyValue:StringEquals', ['a'], { k: ['a', 'b'] }, true],
    ['ForAnyValue:StringEquals', ['a'], {}, false],
  ])('with %s of %j and the context %j gives %s', (operator, values, context, result) => {
    expect(holds(operator, 'k', values, context)).toBe(result);
  });

  it('compares keys without case, and keys of tags with case', () => {
    expect(holds('StringEquals', 'AWS:requesttag/Owner', ['me'], { 'aws:RequestTag/Owner': 'me' })).toBe(true);
    expect(holds('StringEquals', 'aws:RequestTag/owner', ['me'], { 'aws:RequestTag/Owner': 'me' })).toBe(false);
  });

  it('refuses what it does not know', () => {
    expect(() => holds('NumericLessThan', 'k', ['1'], { k: '0' })).toThrow('NumericLessThan');
    expect(() => holds('StringEquals', 'k', [`\${aws:username}`], { k: 'a' })).toThrow('variables');
  });

  it.each([
    ['a*c', 'ab*', true],
    ['*', '', true],
    ['a', 'b', false],
    ['log-group:x:*', 'log-group:*:log-stream:*', true],
  ])('finds out whether %s and %s overlap', (one, other, result) => {
    expect(doPatternsOverlap(one, other)).toBe(result);
  });
});
