import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { writeNotice } from '../../packaging/notice.ts';
import { buildSbom, toNpmComponent } from '../../packaging/sbom.ts';
import { aFolder } from '../cli/call.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

const LIBRARIES = [
  { name: '@scope/one', version: '1.0.0', license: 'MIT', text: 'same' },
  { name: 'two', version: '2.0.0', license: '(MIT OR Apache-2.0)', text: 'same' },
  { name: 'two', version: '2.0.0', license: '(MIT OR Apache-2.0)', text: 'same' },
];

describe('the files of a release', () => {
  it('list each bundled library once in the bill of materials, by its package URL', () => {
    const subject = { name: 'mortise', version: '0.1.0', license: 'Apache-2.0' };
    const one = 'pkg:npm/%40scope/one@1.0.0';
    const two = 'pkg:npm/two@2.0.0';

    expect(buildSbom(subject, LIBRARIES.map(toNpmComponent))).toMatchObject({
      components: [
        { purl: one, licenses: [{ license: { id: 'MIT' } }] },
        { purl: two, licenses: [{ expression: '(MIT OR Apache-2.0)' }] },
      ],
      dependencies: [{ ref: 'pkg:npm/mortise@0.1.0', dependsOn: [one, two] }],
    });
  });

  it('name libraries with the same licence text together', () => {
    expect(writeNotice(LIBRARIES).match(/^same$/gm)).toHaveLength(1);
  });

  it('have one version: that of the package is that of the chart', async () => {
    const chart: unknown = parse(await read('charts/mortise/Chart.yaml'));
    const { version } = packageJson;

    expect(chart).toMatchObject({ version, appVersion: version });
  });
});

const workflowSchema = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.object({ steps: z.array(z.object({ run: z.string().optional() })) }),
  ),
});

describe('the workflows', () => {
  it.each(['ci', 'audit', 'release'])('run scripts that exist in %s', async (name) => {
    const workflow = workflowSchema.parse(parse(await read(`.github/workflows/${name}.yml`)));
    const commands = Object.values(workflow.jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run }) => run ?? []),
    );
    const scripts = commands.flatMap((command) => /npm run (\S+)/.exec(command)?.[1] ?? []);

    expect(scripts.filter((script) => !Object.hasOwn(packageJson.scripts, script))).toEqual([]);
    expect(workflow.permissions).toEqual({ contents: 'read' });
    if (name !== 'audit') expect(commands).toContain('.ci/run');
  });
});

describe('the action for GitHub', () => {
  /** Runs its script with a command `mortise` that fails for `failsOn`, and records each call. */
  async function check(env: Readonly<Record<string, string>>, failsOn = 'nothing') {
    const folder = await aFolder();
    const bin = join(folder, 'bin');
    await mkdir(bin);
    const command = `#!/bin/sh\nprintf '%s|' "$@"; echo\n[ "$1" != "${failsOn}" ]\n`;
    await writeFile(join(bin, 'mortise'), command, { mode: 0o755 });
    const summary = join(folder, 'summary');
    const { PATH = '' } = process.env;
    const outcome = await promisify(execFile)(join(ROOT, '.github/action/check.sh'), {
      env: { PATH: `${bin}:${PATH}`, GITHUB_STEP_SUMMARY: summary, ...env },
    }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      (error: { code: number; stdout: string }) => ({ code: error.code, stdout: error.stdout }),
    );
    return { ...outcome, summary: await readFile(summary, 'utf8') };
  }

  it('validates each file, also one with a space or a quote in its name', async () => {
    const { code, stdout } = await check({ FILES: "pools\nit's a $(file)\n" });

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "validate|-f|pools|-f|it's a $(file)|--no-color|\n",
    });
  });

  it('simulates after the validation, and fails with the code of the simulation', async () => {
    const env = { FILES: 'pools', SIMULATE_FOR: '2h', FAIL_ON: 'unplaced' };
    const { code, stdout, summary } = await check(env, 'simulate');

    expect(code).toBe(1);
    expect(stdout).toContain('simulate|-f|pools|--for|2h|--seed|1|--fail-on|unplaced|--no-color|');
    expect(summary).toMatch(/^### mortise validate\n\n {4}validate[\s\S]*### mortise simulate/);
  });

  it('does not simulate manifests that are refused', async () => {
    const { code, stdout } = await check({ FILES: 'pools', SIMULATE_FOR: '2h' }, 'validate');

    expect(code).toBe(1);
    expect(stdout).not.toContain('simulate');
  });

  it('passes every input that its description names to the script', async () => {
    const action: unknown = parse(await read('action.yml'));
    const { inputs } = z.object({ inputs: z.record(z.string(), z.unknown()) }).parse(action);
    const text = await read('action.yml');

    for (const name of Object.keys(inputs)) expect(text).toContain(`\${{ inputs.${name} }}`);
  });
});
