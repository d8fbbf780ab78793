import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../../cli/program.ts';
import { aFolder, mortise } from '../call.ts';
import { aWaitingPod, startForeignCluster } from '../cluster/foreign-cluster.ts';
import { aPod, NODES } from '../manifests.ts';

/** These change a cluster or an account, run until they are stopped, or need AWS: only their words are read. */
const CHANGING = new Set([
  ...['controller', 'deploy', 'destroy', 'diff', 'template', 'try-launch', 'uninstall'],
  // AWS would be asked.
  'catalogue',
]);
const SERVING = new Set(['console', 'start']);

/** The answer to an example that names an object or a record which the cluster of this test lacks. */
const ELSEWHERE = /has no stack, so there is no record|no (?:node or )?NodeClaim general-7xk2p/;

const ANSWERS = new Set([0, 1, 6]);

const NOWHERE = { write: () => {} };
const QUIET = { stdin: process.stdin, stdout: NOWHERE, stderr: NOWHERE, env: {}, cwd: '/' };
const EXAMPLES = readExamples();

describe('an example of the help', () => {
  it('exists for each command', () => {
    expect(EXAMPLES.length).toBeGreaterThan(50);
  });

  it.each(EXAMPLES.filter(({ verb }) => !CHANGING.has(verb)))('runs: $line', async (example) => {
    const stop = new AbortController();
    if (SERVING.has(example.verb)) setTimeout(() => stop.abort('SIGINT'), 1_000);

    const { code, stderr } = await callInFolder(example.argv, stop.signal);

    if (ELSEWHERE.test(stderr)) return;
    const isExpected = SERVING.has(example.verb) ? isStopped(code) : ANSWERS.has(code);
    expect({ isExpected, code, stderr }).toMatchObject({ isExpected: true });
  });

  it.each(EXAMPLES.filter(({ verb }) => CHANGING.has(verb)))(
    'has flags and arguments that exist: $line',
    async ({ argv }) => {
      const calls: string[] = [];
      const program = buildProgram(QUIET, async () => void calls.push('run'));

      await program.parseAsync(argv, { from: 'user' });

      expect(calls).toEqual(['run']);
    },
  );
});

const isStopped = (code: number): boolean => code === 0 || code === 130;

interface HelpExample {
  readonly verb: string;
  readonly line: string;
  readonly argv: readonly string[];
}

/** Reads the examples from the help of the program and of each command. */
function readExamples(): readonly HelpExample[] {
  const program = buildProgram(QUIET, async () => {});
  const helps = [program, ...program.commands].map((command) => command.helpInformation());
  const lines = helps.flatMap((help) =>
    [...help.matchAll(/^ {2}(.*\bmortise .*?) {3,}#/gm)].map(([, line = '']) => line),
  );
  return [...new Set(lines)].map((line) => {
    const [, command = ''] = /\bmortise (.*?)(?: [|>] .*|\)?)$/.exec(line) ?? [];
    const argv = [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
    return { verb: argv[0] ?? '', line, argv };
  });
}

/** Calls the command in a folder with all files that examples name, beside a cluster `shop`. */
async function callInFolder(argv: readonly string[], stop: AbortSignal) {
  const pods = ['checkout-6c9d-x2v8q', 'checkout-1', 'checkout-2'].map((name) => aWaitingPod('web', name));
  const shop = await startForeignCluster([], pods);
  const config = {
    ...shop,
    contexts: [...shop.contexts, { ...shop.contexts[0], name: 'staging' }],
  };
  const kubeconfig = JSON.stringify(config);
  const example = (file: string) =>
    readFileSync(join(import.meta.dirname, '../../../examples/web-three-zones', file), 'utf8');
  const stdin = argv.at(-1) === '-' ? { stdin: NODES } : {};
  const files = {
    'pools.yaml': NODES,
    'apps/a/web.yaml': aPod('web', '{cpu: "1"}'),
    'k8s/all.yaml': NODES,
    'eu-north-1.json': JSON.stringify({
      ...{ at: 0, region: 'eu-north-1', onDemandUsd: { 'm5.large': 0.1 }, spotUsd: {} },
      zones: { 'm5.large': ['eu-north-1a'] },
    }),
    'old/pools.yaml': NODES,
    'examples/web-three-zones/nodes.yaml': example('nodes.yaml'),
    'examples/web-three-zones/web.yaml': example('web.yaml'),
    '.kube/config': kubeconfig,
    'admin.conf': kubeconfig,
    ...(argv.includes('shop.snapshot.json.gz') && {
      'shop.snapshot.json.gz': await takeSnapshot(kubeconfig),
    }),
  };
  const home = await aFolder(files);
  const words = argv.map((word) => word.replace(/^~/, home));
  return await mortise(words, { files, env: { HOME: home }, stop, ...stdin });
}

async function takeSnapshot(kubeconfig: string): Promise<Uint8Array> {
  const folder = await aFolder({ config: kubeconfig });
  const file = join(folder, 'shop.snapshot.json.gz');
  await mortise(['snapshot', '--kubeconfig', join(folder, 'config'), '--out', file]);
  return readFileSync(file);
}
