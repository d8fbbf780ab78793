import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { classify } from './classified.ts';
import { compareFacts, type Difference } from './compare.ts';
import { listKarpenterFacts, type ModuleFolder } from './karpenter-facts.ts';
import { listKubeletFacts } from './kubelet-facts.ts';
import { listOurFacts } from './our-facts.ts';

const run = promisify(execFile);

const CORE = 'sigs.k8s.io/karpenter';
const KUBELET = 'k8s.io/kubelet';
const AWS = 'github.com/aws/karpenter-provider-aws';
/** They have metrics of Karpenter. */
const LIBRARIES = ['github.com/awslabs/operatorpkg', 'sigs.k8s.io/controller-runtime'];

/** A module that Go unpacked, and the versions that the proxy lists or that are required, but does not serve. */
interface ServedModule extends ModuleFolder {
  readonly version: string;
  readonly withheld: readonly string[];
}

/**
 * Asks the proxy with Go's own client, outside of any module. Newer modules need a newer Go, which Go
 * fetches through the same proxy.
 */
async function go(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('go', args, {
    cwd: tmpdir(),
    env: { ...process.env, GOTOOLCHAIN: 'auto', GOFLAGS: '-mod=mod' },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

const downloaded = z.object({ Dir: z.string(), GoMod: z.string() });
const listed = z.object({ Versions: z.array(z.string()).default([]) });
const moduleFile = z.object({
  Require: z.array(z.object({ Path: z.string(), Version: z.string() })),
});

/** `undefined` if the proxy does not serve the version. */
async function download(path: string, version: string): Promise<string | undefined> {
  try {
    const answer: unknown = JSON.parse(await go('mod', 'download', '-json', `${path}@${version}`));
    return downloaded.parse(answer).Dir;
  } catch (error) {
    // Go answers with JSON and exit code 1 if the module is not there; anything else is a fault.
    if (z.object({ stdout: z.string().regex(/"Error"/) }).safeParse(error).success) return undefined;
    throw error;
  }
}

/**
 * Fetches a version of a module: the named one, else the newest release that the proxy serves.
 *
 * @throws Error - the proxy serves no such version
 */
async function fetchModule(path: string, named: string | undefined, required?: string): Promise<ServedModule> {
  const { Versions } = listed.parse(JSON.parse(await go('list', '-m', '-versions', '-json', path)));
  const releases = Versions.filter((version) => /^v\d+\.\d+\.\d+$/.test(version)).toReversed();
  const candidates = named === undefined ? [...new Set([...(required ? [required] : []), ...releases])] : [named];
  const withheld: string[] = [];
  for (const version of candidates) {
    // Go's answers are awaited in turn, as an older version is only tried if a newer one is withheld.
    // oxlint-disable-next-line no-await-in-loop
    const folder = await download(path, version);
    if (folder !== undefined) return { path, folder, version, withheld };
    withheld.push(version);
  }
  throw new Error(`${path}: the module proxy serves none of ${candidates.join(', ')}`);
}

/** The version of `path` that the module in `folder` requires. */
async function findRequired(folder: string, path: string): Promise<string | undefined> {
  const text = await go('mod', 'edit', '-json', `${folder}/go.mod`);
  return moduleFile.parse(JSON.parse(text)).Require.find(({ Path }) => Path === path)?.Version;
}

/**
 * Implements `npm run upstream`: compares the surface of the newest Karpenter and the fields of the newest
 * kubelet, or of the versions after `--core`, `--aws` and `--kubelet`, with ours. Exits with 1 if a difference has no line in
 * docs/reference/upstream.md, or a line has no difference.
 */

const { values: named } = parseArgs({
  options: { core: { type: 'string' }, aws: { type: 'string' }, kubelet: { type: 'string' } },
});

const aws = await fetchModule(AWS, named.aws);
const core = await fetchModule(CORE, named.core, await findRequired(aws.folder, CORE));
const kubelet = await fetchModule(KUBELET, named.kubelet);
const libraries = await Promise.all(
  LIBRARIES.map(async (path) => fetchModule(path, await findRequired(core.folder, path))),
);
const theirs = [...listKarpenterFacts(core, aws, libraries), ...listKubeletFacts(kubelet.folder)];
const differences = compareFacts(theirs, listOurFacts());
const page = (name: string): Promise<string> =>
  readFile(new URL(`../../docs/reference/${name}.md`, import.meta.url), 'utf8');
const { unclassified, outdated } = classify(differences, await page('upstream'), await page('metrics'));

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const sayVersions = ({ path, version, withheld }: ServedModule): boolean =>
  say(`${path} ${version}${withheld.length > 0 ? ` (the proxy withholds ${withheld.join(', ')})` : ''}`);
const detail = (difference: Difference): string =>
  `  \`${difference.id}\` ${difference.digest}\n    Karpenter: ${difference.theirs ?? '–'}\n    Mortise: ${difference.ours ?? '–'}`;

sayVersions(core);
sayVersions(aws);
sayVersions(kubelet);
say(
  `${theirs.length} facts, ${differences.length} differences, ${unclassified.length} unclassified, ${outdated.length} outdated lines`,
);
for (const difference of unclassified) say(detail(difference));
for (const id of outdated) say(`  no difference any more: \`${id}\``);
if (unclassified.length + outdated.length > 0) {
  say('Follow Karpenter, or add a line with the reason to docs/reference/upstream.md.');
  process.exitCode = 1;
}
