import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caseSchema } from './case-schema.ts';
import { readFolder } from './read-folder.ts';

const PROGRAM = fileURLToPath(new URL('./run-vectors.ts', import.meta.url));

const offering = (capacityType: string, price: number) => ({ zone: 'a', capacityType, price });
const CATALOG = [
  {
    name: 'm.large',
    capacity: { cpu: '2', memory: '8Gi', pods: '29' },
    overhead: { kubeReserved: { cpu: '100m' } },
    offerings: [offering('on-demand', 0.1), offering('spot', 0.04)],
  },
];

/** One pod with one CPU; spot of the only type is the best offering. */
const aCase = (name: string, totalPrice: number, over: object = {}) => ({
  name,
  catalog: 'tiny',
  nodePools: [
    {
      metadata: { name: 'default' },
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
            requirements: [],
          },
        },
      },
    },
  ],
  pods: [
    {
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] },
    },
  ],
  expected: {
    newNodeClaims: [{ nodePool: 'default', pods: ['default/web'] }],
    totalPrice,
    stability: {
      totalPrice: { min: totalPrice, max: totalPrice },
      newNodes: { min: 1, max: 1 },
      scheduledPods: { min: 1, max: 1 },
    },
  },
  ...over,
});

const NO = { min: 0, max: 0 };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mortise-vectors-'));
  write('catalogs/tiny.json', CATALOG);
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, content: unknown): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(file, path.endsWith('.gz') ? gzipSync(text) : text);
}

const run = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

describe('npm run vectors', () => {
  it('exits with 0 if every case passes, and writes the plans with their nodes', () => {
    write('scheduling/hand/cheap.json', aCase('cheap', 0.08));
    write('scheduling/large/packed.json.gz', aCase('packed', 0.1));
    const plans = join(folder, 'plans');

    const { status, stdout } = run('scheduling', join(folder, 'scheduling'), '--json', '--plans', plans);

    expect(JSON.parse(stdout)).toEqual({
      cases: 2,
      passed: 2,
      failed: [],
      priceRatio: { median: 0.45, max: 0.5, total: 0.444444 },
      nodeRatio: 1,
    });
    expect(status).toBe(0);
    expect(JSON.parse(readFileSync(join(plans, 'cheap.json'), 'utf8'))).toMatchObject({
      newNodeClaims: [
        {
          nodePool: 'default',
          pods: ['default/web'],
          instanceTypes: ['m.large'],
          cheapest: { instanceType: 'm.large', zone: 'a', capacityType: 'spot', price: 0.04 },
          node: {
            instanceType: 'm.large',
            zone: 'a',
            capacityType: 'spot',
            labels: {
              'karpenter.sh/nodepool': 'default',
              'node.kubernetes.io/instance-type': 'm.large',
              'topology.kubernetes.io/zone': 'a',
              'karpenter.sh/capacity-type': 'spot',
            },
            taints: [],
            allocatable: { cpu: '1900m', memory: '8Gi', pods: '29' },
          },
        },
      ],
      existingNodes: [],
      unschedulable: {},
      totalPrice: 0.04,
    });
  });

  it('exits with 1 if a case fails, and explains it', () => {
    write('cheap.json', aCase('cheap', 0.08));
    write('dear.json', aCase('dear', 0.01));

    const { status, stdout } = run('scheduling', folder);

    expect(JSON.parse(stdout)).toMatchObject({
      cases: 2,
      passed: 1,
      failed: [{ case: 'dear', why: '$0.04/h, the reference pays $0.01/h' }],
    });
    expect(status).toBe(1);
  });

  it('decides the cases of running clusters', () => {
    const { pods: _, ...cluster } = aCase('idle', 0);
    const expected = { command: null, byMethod: {}, stability: { savings: NO, deleted: NO } };
    write('consolidation/idle.json', { ...cluster, expected });

    const { status, stdout } = run('consolidation', folder, '--json');

    expect(JSON.parse(stdout)).toEqual({
      cases: 1,
      passed: 1,
      failed: [],
      commands: { ours: 0, reference: 0 },
      savingHourlyUsd: { ours: 0, reference: 0 },
    });
    expect(status).toBe(0);
  });

  it('exits with 2 and one sentence if something cannot be read', () => {
    write('broken.json', '{ "name": ');

    const { status, stdout, stderr } = run('scheduling', folder, '--json');

    expect(stderr).toMatch(/^\S+broken\.json cannot be read: .+\.\n$/);
    expect([status, stdout]).toEqual([2, '']);
  });

  it('exits with 2 if the arguments are invalid', () => {
    const { status, stderr } = run('validation', folder);

    expect(status).toBe(2);
    expect(run('consolidation', folder, '--plans', 'x')).toMatchObject({ status: 2 });
    expect(stderr).toMatch(/^Usage: /);
    expect(run('scheduling', folder, '--plan')).toMatchObject({ status: 2 });
  });
});

describe('a folder of cases', () => {
  const read = () => readFolder(folder, 'scheduling', caseSchema);

  it('has its lists of instance types next to it or above it', () => {
    write('scheduling/hand/one.json', aCase('one', 1));

    expect(read().catalogs('tiny')).toEqual(CATALOG);
    expect(() => read().catalogs('other')).toThrow(/No catalogs\/other\.json stands in .+\./);
  });

  it.each([
    ['a case without a decision', { name: 'one' }, /one\.json is no case at expected: .+\./],
    ['a list', [], /one\.json is no case: .+\./],
    ['a file that is no archive', 'text', /one\.json\.gz cannot be read: .+\./, 'one.json.gz'],
  ])('is rejected with %s', (_, content, message, path = 'one.json') => {
    write('one.json', content);
    if (path !== 'one.json') {
      rmSync(join(folder, 'one.json'));
      writeFileSync(join(folder, path), `${content}`);
    }

    expect(read).toThrow(message);
  });

  it('is rejected if it has no case or does not exist', () => {
    expect(read).toThrow('holds no case.');
    expect(() => readFolder(join(folder, 'no'), 'scheduling', caseSchema)).toThrow(/is no folder\.$/);
  });
});
