import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { aTemplate, type Context } from './fixture.ts';

const resourcesSchema = z.record(
  z.string(),
  z.object({
    Type: z.string(),
    Properties: z.record(z.string(), z.unknown()).default({}),
    DependsOn: z.union([z.string(), z.array(z.string())]).default([]),
  }),
);
type Resources = z.output<typeof resourcesSchema>;

const resourcesOf = (template: Template): Resources => resourcesSchema.parse(template.toJSON().Resources);

/** Lists the logical ids that a value refers to. */
const listReferences = (value: unknown): readonly string[] =>
  [...JSON.stringify(value).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)].map(([, id = '']) => id);

/** CloudFormation deletes a resource before all of these. */
function findDependencies(id: string, resources: Resources): ReadonlySet<string> {
  const all = new Set<string>();
  const pending = [id];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const resource = resources[next];
    if (!resource) continue;
    const direct = [...listReferences(resource.Properties), ...[resource.DependsOn].flat()];
    for (const one of direct) {
      if (all.has(one) || !(one in resources)) continue;
      all.add(one);
      pending.push(one);
    }
  }
  return all;
}

/** The resources that the function of a custom resource needs while it is deleted. */
function listNeeded(serviceToken: unknown, resources: Resources): readonly string[] {
  const [fn = ''] = listReferences(serviceToken);
  const [role = ''] = listReferences(resources[fn]?.Properties.Role);
  const ofRole = Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
    const roles = Type === 'AWS::EKS::AccessEntry' ? Properties.PrincipalArn : Properties.Roles;
    const gives = Type === 'AWS::EKS::AccessEntry' || Type.startsWith('AWS::IAM::');
    return gives && listReferences(roles ?? '').includes(role) ? [id] : [];
  });
  return [fn, role, ...ofRole];
}

const VARIANTS: readonly Context[] = [
  {},
  { eventSource: 'poll' },
  { nodeRoles: 'KarpenterNodeRole-demo' },
  {
    ...{ account: '123456789012', region: 'eu-west-1' },
    ...{ functionSubnets: 'subnet-0a1b2c3d', functionSecurityGroups: 'sg-0c1d2e3f' },
    kmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d',
  },
];

/**
 * CloudFormation deletes whatever nothing else refers to at once, and calls the function of a custom
 * resource some time later.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-dependson.html
 */
describe('the deletion of the stack', () => {
  it.each(VARIANTS)('calls no function without its rights: %j', (context) => {
    const resources = resourcesOf(aTemplate(context));
    const custom = Object.entries(resources).filter(([, { Type }]) => Type.startsWith('Custom::'));
    expect(custom.length).toBeGreaterThan(0);

    const missing = custom.flatMap(([id, { Properties }]) => {
      const dependencies = findDependencies(id, resources);
      const needed = listNeeded(Properties.ServiceToken, resources);
      expect(needed.length).toBeGreaterThan(2);
      return needed.filter((one) => !dependencies.has(one)).map((one) => `${id} is deleted while ${one} may be gone`);
    });
    expect(missing).toEqual([]);
  });
});
