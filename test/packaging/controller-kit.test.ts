import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { printSetup } from '../../cli/controller/print-setup.ts';
import { buildKitFiles } from '../../packaging/controller-kit.ts';
import { isRecord } from '../../shared/api/schema/schema.ts';
import { ROLES } from '../../shared/kubernetes/setup/rbac.ts';
import { mortise } from '../cli/call.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const files = buildKitFiles(ROOT);
/** The quota of IAM for a managed policy, without white space. */
const MAX_POLICY_LENGTH = 6_144;

describe('the controller kit', () => {
  it.each(files)('has $path as npm run generate writes it', ({ path, text }) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
  });

  it('has the roles of one version in the chart and in the command', () => {
    const rulesOf = (name: string): unknown => {
      const chart = files.find(({ path }) => path.endsWith(`${name}-rules.json`));
      return JSON.parse(chart?.text ?? '');
    };
    const roleOf = (name: string) => ROLES.find(({ metadata }) => metadata.name === name);

    expect(rulesOf('controller')).toEqual(roleOf('mortise-controller')?.rules);
    expect(rulesOf('lease')).toEqual(roleOf('mortise-owner-lease')?.rules);
  });
});

/** Lists the values that a schema does not name, at all levels, as Helm would refuse them. */
function unknownValues(values: object, schema: unknown, at = ''): string[] {
  if (!isRecord(schema)) return [];
  const { properties, additionalProperties } = schema;
  const schemas = new Map(Object.entries(isRecord(properties) ? properties : {}));
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    const path = at === '' ? name : `${at}.${name}`;
    if (!schemas.has(name)) return additionalProperties === false ? [path] : [];
    return isRecord(value) ? unknownValues(value, schemas.get(name), path) : [];
  });
}

describe('the schema of the values of the chart', () => {
  const read = (file: string): string => readFileSync(join(ROOT, 'charts/mortise', file), 'utf8');
  const schema: unknown = JSON.parse(read('values.schema.json'));
  const values = z.record(z.string(), z.unknown()).parse(parse(read('values.yaml')));

  it('names every value of the chart', () => {
    expect(Object.keys(values).length).toBeGreaterThan(20);
    expect(unknownValues(values, schema)).toEqual([]);
  });

  it.each([
    [{ clusterNam: 'shop' }, 'clusterNam'],
    [{ image: { repositry: 'x' } }, 'image.repositry'],
    [{ serviceAccount: { rolearn: 'x' } }, 'serviceAccount.rolearn'],
    [{ settings: { MAX_NODE: 200 } }, 'settings.MAX_NODE'],
    [{ prometheusRule: { enable: true } }, 'prometheusRule.enable'],
  ])('refuses the misspelt value %j', (wrong, path) => {
    expect(unknownValues(wrong, schema)).toEqual([path]);
  });
});

describe('mortise controller --print-setup', () => {
  it('prints CRDs, ClusterRole and binding for kubectl', async () => {
    const { code, stdout } = await mortise(['controller', '--print-setup', 'kubernetes', '-o', 'text']);

    expect(code).toBe(0);
    const names = stdout.split('---\n').map((text) => /^kind: (.+)$[\s\S]*?^ {2}name: (.+)$/m.exec(text));
    expect(names.map((match) => match?.slice(1).join(' '))).toEqual([
      'CustomResourceDefinition nodepools.karpenter.sh',
      'CustomResourceDefinition nodeclaims.karpenter.sh',
      'CustomResourceDefinition ec2nodeclasses.karpenter.k8s.aws',
      'CustomResourceDefinition nodeoverlays.karpenter.sh',
      'CustomResourceDefinition capacitybuffers.autoscaling.x-k8s.io',
      'ClusterRole mortise-controller',
      'ClusterRole mortise-owner-lease',
      'ClusterRoleBinding mortise-controller',
      'RoleBinding mortise-owner-lease',
    ]);
  });

  it('prints a policy that IAM accepts, with the values of the account', async () => {
    const values = { cluster: 'shop', region: 'cn-north-1', account: '123456789012' };
    const flags = Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
    const { stdout } = await mortise([
      ...['controller', '--print-setup', 'iam', '--node-role', 'Nodes', '-o', 'text'],
      ...flags,
    ]);

    expect(JSON.stringify(JSON.parse(stdout)).length).toBeLessThan(MAX_POLICY_LENGTH);
    expect(stdout).toContain('"arn:aws-cn:iam::123456789012:role/Nodes"');
    expect(stdout).toContain('"aws:ResourceTag/kubernetes.io/cluster/shop": "owned"');
    expect(stdout).not.toMatch(/<[a-z-]+>|Fn::|"Ref"/);
  });

  it('adds the rights for the event bus and the queue that the controller will use', async () => {
    const values = { cluster: 'shop', region: 'eu-west-1', account: '123456789012' };
    const flags = Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
    const { stdout } = await mortise(
      [...['controller', '--print-setup', 'iam', '--node-role', 'Nodes', '-o', 'text'], ...flags],
      { env: { EVENT_KINDS: 'all', EVENT_BUS: 'ops', INTERRUPTION_QUEUE: 'notices' } },
    );

    expect(JSON.stringify(JSON.parse(stdout)).length).toBeLessThan(MAX_POLICY_LENGTH);
    expect(stdout).toContain('"arn:aws:events:eu-west-1:123456789012:event-bus/ops"');
    expect(stdout).toContain('"events:source": "mortise"');
    expect(stdout).toContain('"arn:aws:sqs:eu-west-1:123456789012:notices"');
  });

  it.each([
    [undefined, false],
    ['false', false],
    ['true', true],
  ])('adds the right to read zonal shifts if the controller will follow them: %s', async (value, isAdded) => {
    const env = value === undefined ? {} : { ENABLE_ZONAL_SHIFT: value };
    const flags = ['--cluster', 'shop', '--region', 'eu-west-1', '--account', '123456789012'];
    const { stdout } = await mortise(['controller', '--print-setup', 'iam', '-o', 'text', ...flags], { env });

    expect(stdout.includes('arc-zonal-shift:GetManagedResource')).toBe(isAdded);
    expect(
      stdout.includes('"arc-zonal-shift:ResourceIdentifier": "arn:aws:eks:eu-west-1:123456789012:cluster/shop"'),
    ).toBe(isAdded);
  });

  it('adds the rights for keys of volumes and for image parameters', async () => {
    const values = ['--cluster', 'shop', '--region', 'cn-north-1', '--account', '123456789012'];
    const key = 'arn:aws-cn:kms:cn-north-1:123456789012:key/0a1b2c3d';
    const env = { VOLUME_KEYS: `${key},${key}0`, IMAGE_PARAMETERS: '/images/*' };
    const { stdout } = await mortise(
      ['controller', '--print-setup', 'iam', '--node-role', 'Nodes', '-o', 'text', ...values],
      { env },
    );

    expect(stdout).toContain('"kms:ViaService": "ec2.cn-north-1.amazonaws.com.cn"');
    expect(stdout).toContain(`"${key}0"`);
    expect(stdout).toContain('"arn:aws-cn:ssm:cn-north-1:123456789012:parameter/images/*"');
    expect(stdout).not.toMatch(/<[a-z-]+>/);
  });

  it('prints the rights on the records of a stack, with all names of the stack', async () => {
    const stack = {
      ...{ name: 'Mortise-shop', table: 'State', bucket: 'snapshots', learnedTable: 'learned' },
      id: 'arn:aws:cloudformation:eu-west-1:123456789012:stack/Mortise-shop/0',
      interruptionQueue: 'https://sqs.eu-west-1.amazonaws.com/123456789012/notices',
      keys: ['arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d'],
    };
    const answer = await printSetup('stack', { region: 'eu-west-1' }, {}, async () => stack);
    const text = JSON.stringify(answer.result);

    for (const name of [
      ...['dynamodb:eu-west-1:123456789012:table/State', ':table/learned', 's3:::snapshots/views/*'],
      ...['sqs:eu-west-1:123456789012:notices', 'kms:eu-west-1:123456789012:key/0a1b2c3d'],
    ]) {
      expect(text).toContain(name);
    }
    expect(text).not.toMatch(/<[a-z-]+>/);
  });

  it('says that there is no stack whose records could be used', async () => {
    await expect(printSetup('stack', { cluster: 'shop' }, {}, async () => undefined)).rejects.toThrow(
      'no stack serves shop',
    );
  });

  it('refuses kinds of events that do not exist', async () => {
    const { code, stderr } = await mortise(['controller', '--print-setup', 'iam'], {
      env: { EVENT_KINDS: 'NodeLanded' },
    });

    expect(code).toBe(2);
    expect(stderr).toContain('EVENT_KINDS');
  });

  it('leaves placeholders where a value is not given', async () => {
    const { stdout } = await mortise(['controller', '--print-setup', 'iam', '-o', 'text']);

    const placeholders = new Set(stdout.match(/<[a-z-]+>/g));
    expect([...placeholders].toSorted()).toEqual(['<account>', '<cluster>', '<node-role>', '<partition>', '<region>']);
  });
});
