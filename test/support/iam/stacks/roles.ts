import * as z from 'zod';
import { parsePolicy, type Statement } from '../policy.ts';
import type { Location, Resource } from './deployed-template.ts';

/** A function of the stack with the role that its code has. */
export interface DeployedFunction {
  /** The folder below `functions`. */
  readonly entry: string;
  readonly arn: string;
  readonly role: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly statements: readonly Statement[];
  /** The URL of the queue whose messages start it. */
  readonly ownQueue?: string;
}

const policyProperties = z.object({
  PolicyDocument: z.unknown(),
  Roles: z.array(z.string()).default([]),
});

/** Lists the policy statements of each role, by its name. */
export function listStatements(resources: readonly Resource[]): ReadonlyMap<string, readonly Statement[]> {
  const byRole = new Map<string, readonly Statement[]>();
  for (const { id, type, properties } of resources) {
    if (type !== 'AWS::IAM::Policy' && type !== 'AWS::IAM::ManagedPolicy') continue;
    const { PolicyDocument, Roles } = policyProperties.parse(properties);
    for (const role of Roles) {
      byRole.set(role, [...(byRole.get(role) ?? []), ...parsePolicy(id, PolicyDocument)]);
    }
  }
  return byRole;
}

const functionProperties = z.object({
  Role: z.string(),
  Environment: z.object({ Variables: z.record(z.string(), z.coerce.string()) }).default({ Variables: {} }),
});

const mappingProperties = z.object({ EventSourceArn: z.string(), FunctionName: z.string() });

/** Lists the functions with code of ours. */
export function listFunctions(
  resources: readonly Resource[],
  { partition, region, account, urlSuffix }: Location,
): readonly DeployedFunction[] {
  const statements = listStatements(resources);
  const queues = new Map(
    resources
      .filter(({ type }) => type === 'AWS::Lambda::EventSourceMapping')
      .map(({ properties }) => mappingProperties.parse(properties))
      .map(({ EventSourceArn, FunctionName }) => [FunctionName, EventSourceArn.split(':').at(-1)]),
  );
  return resources
    .filter(({ type }) => type === 'AWS::Lambda::Function')
    .flatMap(({ id, properties }) => {
      const { Role, Environment } = functionProperties.parse(properties);
      const entry = Environment.Variables.POWERTOOLS_SERVICE_NAME;
      const role = Role.split('/').at(-1) ?? '';
      if (entry === undefined) return [];
      const queue = queues.get(id);
      return [
        {
          ...{ entry, role, arn: `arn:${partition}:lambda:${region}:${account}:function:${id}` },
          ...(queue !== undefined && {
            ownQueue: `https://sqs.${region}.${urlSuffix}/${account}/${queue}`,
          }),
          environment: Environment.Variables,
          statements: statements.get(role) ?? [],
        },
      ];
    });
}
