import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUNDLING } from '../../infra/bundling/bundling.ts';
import { allowed, aTemplate, rightsOf } from './fixture.ts';

/** Functions that call these services: construct and folder. */
const FUNCTIONS = {
  Provisioning: 'provisioning',
  NodeLifecycle: 'node-lifecycle',
  Disruption: 'disruption',
  Sweep: 'sweep',
  NodeClass: 'node-class',
  CatalogRefresh: 'catalog-refresh',
} as const;
type FunctionName = keyof typeof FUNCTIONS;
const NAMES = Object.keys(FUNCTIONS) as FunctionName[];

/** Actions of adapters that sign their requests without an SDK client. */
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  'shared/aws/eks/arc-zonal-shifts.ts': ['arc-zonal-shift:GetManagedResource'],
  'shared/aws/eks/cluster-registry.ts': ['eks:DescribeCluster'],
};

const SERVICES: Readonly<Record<string, string>> = {
  'client-ec2': 'ec2',
  'client-iam': 'iam',
  'client-ssm': 'ssm',
  'client-eks': 'eks',
  'client-pricing': 'pricing',
  'client-eventbridge': 'events',
};

/** Permissions that a call needs besides its own, and the call that needs them. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  'ec2:CreateFleet': ['ec2:RunInstances', 'ec2:CreateTags', 'iam:PassRole'],
  'iam:CreateInstanceProfile': ['iam:TagInstanceProfile'],
  'eks:CreateAccessEntry': ['iam:PassRole'],
  'iam:AddRoleToInstanceProfile': ['iam:PassRole'],
};

const template = aTemplate({
  enableZonalShift: 'true',
  eventKinds: 'all',
  committedCapacity: '{readReservedInstances: true}',
});
const isOfService = (action: string): boolean =>
  [...Object.values(SERVICES), 'arc-zonal-shift'].some((service) =>
    action.startsWith(`${service}:`),
  );
const granted = (name: string): readonly string[] =>
  allowed(rightsOf(template, name), '').filter(isOfService);

let called: Readonly<Record<FunctionName, ReadonlySet<string>>>;
beforeAll(async () => {
  const entries = NAMES.map(async (name) => [name, await callsOf(FUNCTIONS[name])] as const);
  called = Object.fromEntries(await Promise.all(entries)) as typeof called;
});

/** Lists the actions of all SDK commands in a bundle's files. */
async function callsOf(folder: string): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    entryPoints: [`functions/${folder}/handler.ts`],
    target: BUNDLING.target,
    mainFields: BUNDLING.mainFields,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    metafile: true,
  });
  const own = Object.keys(metafile.inputs).filter((file) => file.startsWith('shared/aws/'));
  const calls = (await Promise.all(own.map(actionsIn))).flat();
  return new Set(calls.flatMap((call) => [call, ...(IMPLIED[call] ?? [])]));
}

/** Lists the commands that a file sends to the services whose clients it imports. */
async function actionsIn(file: string): Promise<readonly string[]> {
  const signed = SIGNED[file];
  if (signed) return signed;
  const text = await readFile(file, 'utf8');
  const imports = text.matchAll(/import \{([^}]*)\} from '@aws-sdk\/(client-\w+)'/g);
  return [...imports].flatMap(([, names = '', client = '']) => {
    const service = SERVICES[client];
    if (service === undefined) return [];
    const commands = names.matchAll(/\b(?:(\w+)Command|paginate(\w+))\b/g);
    return [...commands].map(([, sent, paged]) => `${service}:${sent ?? paged ?? ''}`);
  });
}

describe('the permissions of a function', () => {
  it.each(NAMES)('contain nothing that %s never calls', (name) => {
    expect(granted(name).filter((action) => !called[name].has(action))).toEqual([]);
  });

  it('are together exactly what the adapters call', () => {
    const all = new Set(NAMES.flatMap((name) => [...called[name]]));
    const rights = new Set(NAMES.flatMap(granted));
    expect([...rights].toSorted()).toEqual([...all].toSorted());
  });
});
