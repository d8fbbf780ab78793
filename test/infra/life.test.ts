import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { aTemplate, type Context } from './fixture.ts';

const resourcesSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.record(z.string(), z.unknown()).default({}),
      DependsOn: z.union([z.string(), z.array(z.string())]).default([]),
      DeletionPolicy: z.string().optional(),
    }),
  ),
});

const resourcesOf = (template: Template) => Object.entries(resourcesSchema.parse(template.toJSON()).Resources);

const VARIANTS: readonly Context[] = [
  {},
  { eventSource: 'poll' },
  { hookVpcEndpoint: 'vpce-0a1b2c3d4e5f60718' },
  { nodeRoles: 'KarpenterNodeRole-demo' },
  { cluster: 'c'.repeat(100) },
];

/** The property with the physical name; without it, CloudFormation generates one. */
const NAME_PROPERTIES: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable': 'TableName',
  // Its principal is the name.
  'AWS::EKS::AccessEntry': 'PrincipalArn',
  'AWS::IAM::Role': 'RoleName',
  'AWS::S3::Bucket': 'BucketName',
};

describe('a stack that is destroyed, or whose first deployment fails', () => {
  it.each(VARIANTS)('leaves no name behind that the next deployment needs: %j', (context) => {
    const retained = resourcesOf(aTemplate(context)).filter(([, { DeletionPolicy = 'Delete' }]) =>
      DeletionPolicy.startsWith('Retain'),
    );
    // A rollback keeps what has the policy Retain.
    expect(retained.filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain')).toEqual([]);
    expect(retained.filter(([, { Type }]) => !(Type in NAME_PROPERTIES))).toEqual([]);
    const named = retained.filter(([, { Type, Properties }]) => {
      const name = Properties[NAME_PROPERTIES[Type] ?? ''];
      return name !== undefined && !isGenerated(JSON.stringify(name));
    });
    expect(named).toEqual([]);
  });

  it('runs no schedule before the set-up has succeeded, so that nothing is written that a rollback could not delete', () => {
    const template = aTemplate();
    const [setup = ''] = Object.keys(template.findResources('Custom::MortiseClusterSetup'));
    const all = new Map(resourcesOf(template));
    const isAfterSetup = (id: string): boolean =>
      id === setup || referencesOf(all.get(id)).some((next) => all.has(next) && isAfterSetup(next));
    const schedules = Object.keys(template.findResources('AWS::Scheduler::Schedule'));

    expect(schedules).toHaveLength(6);
    expect(schedules.filter((id) => !isAfterSetup(id))).toEqual([]);
  });
});

/** A part of the stack's id is another one in each stack, and so is the role of an access entry. */
const isGenerated = (name: string): boolean =>
  name.includes('{"Ref":"AWS::StackId"}') || /^\{"Fn::GetAtt":\["NodeRole\w+","Arn"\]\}$/.test(name);

/** Lists the logical ids that a resource waits for. */
const referencesOf = (resource: unknown): readonly string[] => {
  const text = JSON.stringify(resource ?? {});
  const named = [...text.matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)].map(([, id = '']) => id);
  const listed = z.object({ DependsOn: z.union([z.string(), z.array(z.string())]).default([]) });
  return [...named, ...[listed.parse(resource ?? {}).DependsOn].flat()];
};
