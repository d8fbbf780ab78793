import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { writeNotice } from '../../packaging/notice.ts';
import { buildSbom, toNpmComponent } from '../../packaging/sbom.ts';

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

  it('name the sources of data in the notice, and that the marks of others are theirs', () => {
    const notice = writeNotice([]);

    for (const source of ['Amazon Web Services', 'getmoto/moto', 'amazon-vpc-cni-k8s', 'not affiliated']) {
      expect(notice).toContain(source);
    }
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
    z.object({
      permissions: z.record(z.string(), z.string()).default({}),
      steps: z.array(z.object({ run: z.string().optional(), uses: z.string().optional() })),
    }),
  ),
});

describe('the workflows', () => {
  it.each(['ci', 'audit', 'release'])('run scripts that exist in %s', async (name) => {
    const workflow = workflowSchema.parse(parse(await read(`.github/workflows/${name}.yml`)));
    const commands = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    const scripts = commands.flatMap((command) => /npm run (\S+)/.exec(command)?.[1] ?? []);

    expect(scripts.filter((script) => !Object.hasOwn(packageJson.scripts, script))).toEqual([]);
    expect(workflow.permissions).toEqual({ contents: 'read' });
    if (name !== 'audit') expect(commands).toContain('.ci/run');
  });

  it('publish only in a job that runs no code of the repository, and without a stored token', async () => {
    const text = await read('.github/workflows/release.yml');
    const { build, publish } = workflowSchema.parse(parse(text)).jobs;
    const commands = publish?.steps.flatMap(({ run }) => run ?? []) ?? [];
    const actions = publish?.steps.flatMap(({ uses }) => uses ?? []) ?? [];

    expect(build?.permissions).toEqual({});
    expect(publish?.permissions).toMatchObject({ 'id-token': 'write', attestations: 'write' });
    expect(actions.filter((action) => /checkout/.test(action))).toEqual([]);
    expect(commands.filter((command) => /npm (?:ci|run|install|exec)|npx|\.ci/.test(command))).toEqual([]);
    expect(text).not.toContain('secrets.');
    expect(actions.filter((action) => action.startsWith('actions/attest-'))).toHaveLength(3);
  });
});
