import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { aFolder } from '../cli/call.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLE = join(ROOT, 'examples/web-three-zones');

const aClass = (fields = '') => `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: nodes
  amiSelectorTerms: [{alias: bottlerocket@latest}]
  subnetSelectorTerms: [{tags: {tier: private}}]
  securityGroupSelectorTerms: [{id: sg-1}]
  ${fields}
`;
const aPool = (fields = '') => `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  ${fields}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: []
`;
const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n';

interface Run {
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the script of the action, with the real command, as a job does. */
async function check({ files, env = {} }: Run) {
  const folder = await aFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const summary = join(folder, 'summary');
  const { PATH = '' } = process.env;
  const outcome = await promisify(execFile)(join(ROOT, '.github/action/check.sh'), {
    cwd: folder,
    env: {
      PATH: `${join(ROOT, 'node_modules/.bin')}:${PATH}`,
      FILES: 'cluster',
      GITHUB_STEP_SUMMARY: summary,
      ...env,
    },
  }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => ({ code: error.code, stdout: error.stdout }),
  );
  const annotations = outcome.stdout.split('\n').filter((line) => line.startsWith('::'));
  return { ...outcome, annotations, summary: await readFile(summary, 'utf8').catch(() => '') };
}

/** Ten folders, each with the exit code and the annotations of its job. */
const CASES: readonly (readonly [title: string, run: Run, code: number, annotations: RegExp[]])[] = [
  ['valid objects', { files: { 'cluster/a.yaml': `${aClass()}---\n${aPool()}` } }, 0, []],
  [
    'a refused object in a folder two levels below',
    { files: { 'cluster/a.yaml': aClass(), 'cluster/pools/eu/b.yaml': aPool('weight: 0') } },
    1,
    [/^::error file=cluster\/pools\/eu\/b\.yaml,line=5,col=11,title=NodePool\/general::spec\.weight: /],
  ],
  [
    'an object that the controllers do not use',
    { files: { 'cluster/a.yaml': aClass('kubelet: {podsPerCore: 4}') } },
    1,
    [/^::error file=cluster\/a\.yaml,line=9,col=26,title=EC2NodeClass\/default::.*podsPerCore/],
  ],
  [
    'a warning',
    { files: { 'cluster/a.yaml': `${aClass()}---\n${aPool('limits: {cpu: "-1"}')}` } },
    0,
    [/^::warning file=cluster\/a\.yaml,line=\d+,.*negative limit/],
  ],
  ['no manifest', { files: { 'cluster/readme.txt': '' } }, 2, [/^::error::nothing to read$/]],
  ['a path that does not exist', { files: {} }, 2, [/^::error::cannot open cluster$/]],
  [
    'no object that Mortise validates',
    { files: { 'cluster/a.yaml': NAMESPACE } },
    1,
    [/^::error::nothing was validated/],
  ],
  [
    'YAML that cannot be read',
    { files: { 'cluster/a.yaml': 'a: [\n' } },
    1,
    [/^::error file=cluster\/a\.yaml,line=\d+,/],
  ],
  [
    'a Helm template',
    { files: { 'cluster/a.yaml': aPool('weight: {{ .Values.weight }}') } },
    1,
    [/^::error file=cluster\/a\.yaml,/],
  ],
  [
    'names with spaces, commas, colons and code',
    {
      files: { "it's a, $(touch hacked): b/a.yaml": aPool('weight: 0') },
      env: { FILES: "it's a, $(touch hacked): b\n\n" },
    },
    1,
    [/^::error file=it's a%2C \$\(touch hacked\)%3A b\/a\.yaml,line=5,/],
  ],
];

describe('the action for GitHub', () => {
  it.each(CASES)('ends for a folder with %s as its objects deserve', async (_, run, code, expected) => {
    const outcome = await check(run);

    expect({ code: outcome.code, count: outcome.annotations.length }).toEqual({
      code,
      count: expected.length,
    });
    for (const [index, pattern] of expected.entries()) {
      expect(outcome.annotations[index]).toMatch(pattern);
    }
    expect(outcome.summary).toMatch(/^### mortise validate\n\n {4}/);
  });

  it('simulates the workloads of all folders, and fails if pods stay without a node', async () => {
    const folder = await aFolder();
    await cp(EXAMPLE, join(folder, 'cluster/example'), { recursive: true });
    const placed = await check({
      files: {},
      env: { FILES: join(folder, 'cluster'), SIMULATE_FOR: '10m' },
    });
    const blocked = await check({
      files: {},
      env: { FILES: join(ROOT, 'examples/blocked'), SIMULATE_FOR: '10m' },
    });

    expect({ placed: placed.code, blocked: blocked.code }).toEqual({ placed: 0, blocked: 1 });
    expect(placed.summary).toContain('### mortise simulate');
    expect(blocked.annotations).toEqual([expect.stringContaining('the simulation ends with pods')]);
  });

  it('fails if no file is named', async () => {
    const { code, annotations } = await check({ files: {}, env: { FILES: '\n' } });

    expect({ code, annotations }).toEqual({
      code: 2,
      annotations: ['::error::the input files names nothing'],
    });
  });

  it('passes every input that its description names to the script, and runs its own checkout', async () => {
    const text = await readFile(join(ROOT, 'action.yml'), 'utf8');
    const { inputs } = z.object({ inputs: z.record(z.string(), z.unknown()) }).parse(parse(text));

    for (const name of Object.keys(inputs)) expect(text).toContain(`\${{ inputs.${name} }}`);
    expect(text).toContain('npm ci --omit=dev --no-audit --no-fund --prefix "$GITHUB_ACTION_PATH"');
  });
});
