import { describe, expect, it } from 'vitest';
import { mortise } from '../call.ts';
import { NODES } from '../manifests.ts';

/** A change to valid manifests and the error that it causes. */
const REFUSED = [
  {
    code: 'yaml-syntax',
    text: 'kind: Pod\nmetadata: {name: a, labels: [b\n',
    error: ['error: YAML cannot be read', '  where: pools.yaml:3:1, document 1'],
  },
  {
    code: 'unknown-operator',
    text: NODES.replace('operator: In', 'operator: Im'),
    error: [
      'error: operator "Im" is unknown',
      '  where: pools.yaml:23:21, document 2, NodePool general, spec.template.spec.requirements[0].operator',
    ],
  },
  {
    code: 'bad-quantity',
    text: NODES.replace('64Gi', '64GiB'),
    error: [
      'error: "64GiB" is no quantity',
      '  where: pools.yaml:17:13, document 2, NodePool general, spec.limits.memory',
    ],
  },
  {
    code: 'missing-reference',
    text: NODES.replace('name: default}', 'name: gpu}'),
    error: [
      'error: no EC2NodeClass gpu',
      '  where: pools.yaml:20:74, document 2, NodePool general, spec.template.spec.nodeClassRef.name',
    ],
  },
  {
    code: 'unknown-field',
    text: NODES.replace('  limits:\n    memory', '  limitz:\n    memory'),
    error: ['error: no field limitz', '  where: pools.yaml:16:3, document 2, NodePool general, spec.limitz'],
  },
];

describe('a refused manifest exits with 1 and names the place', () => {
  it.for(REFUSED)('for $code', async ({ text, error }) => {
    const call = { files: { 'pools.yaml': text } };
    const { code, stdout, stderr } = await mortise(['simulate', '-f', 'pools.yaml'], call);
    const lines = stderr.split('\n');

    expect({ code, stdout, error: lines.slice(0, 2) }).toEqual({ code: 1, stdout: '', error });
    // Tests of the reader check the sentences; this test checks that only these two are printed.
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^ {2}why: {3}\S/),
      expect.stringMatching(/^ {2}fix: {3}\S/),
      '',
    ]);
  });

  it.for(REFUSED)('for $code, as JSON', async ({ code, text }) => {
    const call = { files: { 'pools.yaml': text } };
    const { stderr } = await mortise(['simulate', '-f', '.', '-o', 'json'], call);

    expect(JSON.parse(stderr)).toMatchObject({
      kind: 'Error',
      code,
      exitCode: 1,
      retriable: false,
    });
  });

  it('from stdin with the file name "-"', async () => {
    const stdin = NODES.replace('64Gi', '64GiB');

    expect((await mortise(['simulate', '-f', '-'], { stdin })).stderr).toContain('where: -:17:13');
  });
});

describe('many errors', () => {
  const files = {
    'pools.yaml': Array.from({ length: 54 }, (_, index) =>
      NODES.slice(NODES.indexOf('---')).replace('64Gi', '64GiB').replace('general', `pool-${index}`),
    ).join(''),
    'class.yaml': NODES.slice(0, NODES.indexOf('---')),
  };
  const count = (stderr: string): number => stderr.match(/^error: /gm)?.length ?? 0;

  it('are cut after twenty, with the number of the others', async () => {
    const { stderr } = await mortise(['simulate', '-f', '.'], { files });

    expect(count(stderr)).toBe(20);
    expect(stderr).toMatch(/\nand 34 more, --all\n$/);
  });

  it('are all printed with --all', async () => {
    expect(count((await mortise(['simulate', '-f', '.', '--all'], { files })).stderr)).toBe(54);
  });
});

describe('files without anything to simulate', () => {
  it('exit with 2', async () => {
    const files = { 'map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n' };

    expect(await mortise(['simulate', '-f', '.'], { files })).toEqual({
      code: 2,
      stdout: '',
      stderr: [
        'error: nothing to simulate',
        '  where: .',
        '  why:   no NodePool, no workload and no pod in there',
        '  fix:   name other files: these hold ConfigMap\n',
      ].join('\n'),
    });
  });

  it('exit with 2 if stdin is empty', async () => {
    const { code, stderr } = await mortise(['simulate', '-f', '-'], { stdin: '' });

    expect(code).toBe(2);
    expect(stderr).toContain('error: nothing to simulate\n  where: stdin\n');
  });
});
