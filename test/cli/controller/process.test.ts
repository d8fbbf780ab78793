import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { type ApiDouble, startApiDouble } from '../../kubernetes/support/api-double.ts';
import { aLivePool, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { expressions } from '../../packaging/monitoring/files.ts';
import { readExpression } from '../../packaging/monitoring/promql.ts';
import { aFolder } from '../call.ts';
import { type Environment, firstLineOf, START_TIMEOUT, type StartedProcess, startProcess } from '../start-process.ts';
import { anEmptyAws } from './empty-aws.ts';

async function aKubeconfig(server: string): Promise<string> {
  const config = {
    'current-context': 'admin@shop',
    contexts: [{ name: 'admin@shop', context: { cluster: 'shop', user: 'admin' } }],
    clusters: [{ name: 'shop', cluster: { server } }],
    users: [{ name: 'admin', user: { token: 'secret' } }],
  };
  return join(await aFolder({ config: JSON.stringify(config) }), 'config');
}

async function aCluster(): Promise<{ readonly double: ApiDouble; readonly kubeconfig: string }> {
  const double = await startApiDouble();
  onTestFinished(double.close);
  double.put(COLLECTIONS.pools, aLivePool());
  return { double, kubeconfig: await aKubeconfig(double.url) };
}

const startSchema = z.object({
  kind: z.literal('Controller'),
  source: z.object({ cluster: z.literal('shop') }),
  result: z.object({
    act: z.boolean(),
    metricsPort: z.number(),
    healthPort: z.number(),
    console: z.url().optional(),
  }),
});

const firstLine = async (running: StartedProcess) => startSchema.parse(await firstLineOf(running));

const get = async (port: number, path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
};

/** The metrics that the chart's alerts and dashboards read. */
const listMonitoredMetrics = (): readonly string[] => expressions.flatMap(({ expr }) => readExpression(expr).metrics);

/** A histogram has one type for all of its series. */
const isServed = (page: string, name: string): boolean =>
  [name, name.replace(/_(bucket|sum|count)$/, '')].some((family) => page.includes(`# TYPE ${family} `));

const messagesIn = (stdout: string): readonly unknown[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => z.object({ message: z.string().optional() }).parse(JSON.parse(line)).message);

describe('mortise controller', { timeout: 150_000 }, () => {
  it('owns the cluster, answers probes and scrapes, and exits with 0 when it is stopped', async () => {
    const { double, kubeconfig } = await aCluster();
    const running = startProcess(['controller', '--kubeconfig', kubeconfig], await anEmptyAws());
    const { result } = await firstLine(running);
    await vi.waitFor(() => expect(messagesIn(running.written.stdout)).toContain('owner'), START_TIMEOUT);

    expect(await get(result.healthPort, '/healthz')).toEqual({ status: 200, text: 'ok\n' });
    expect(await get(result.healthPort, '/readyz')).toEqual({ status: 200, text: 'ok\n' });
    const metrics = await get(result.metricsPort, '/metrics');
    expect(metrics.text).toContain('leader_election_master_status{name="mortise"} 1');
    expect(metrics.text).toContain('karpenter_build_info');
    expect(listMonitoredMetrics().filter((name) => !isServed(metrics.text, name))).toEqual([]);
    await vi.waitFor(async () => {
      const { text: page } = await get(result.metricsPort, '/metrics');
      expect(page).toContain('karpenter_nodepools_allowed_disruptions{nodepool="general",');
    }, START_TIMEOUT);
    expect(await get(result.metricsPort, '/nix')).toMatchObject({ status: 404 });

    running.child.kill('SIGTERM');
    const { code, stdout, stderr } = await running.ended();
    expect(code).toBe(0);
    expect(messagesIn(stdout).at(-1)).toBe('stopped');
    expect(stderr).toContain('no stack serves shop');
    const [lease] = double.table.list(COLLECTIONS.leases);
    expect(lease?.spec).toMatchObject({ holderIdentity: '' });
  });

  it('serves the console of its cluster with --console, and closes it when it is stopped', async () => {
    const { kubeconfig } = await aCluster();
    const argv = ['controller', '--kubeconfig', kubeconfig, '--console', '--port', '0'];
    const running = startProcess(argv, await anEmptyAws());
    const { result } = await firstLine(running);
    const page = result.console ?? '';

    expect(await (await fetch(page)).text()).toContain('<title>');
    const pools = async () => await (await fetch(new URL('/api/pools', page))).json();
    await vi.waitFor(async () => expect(await pools()).toMatchObject({ pools: [{ name: 'general' }] }), START_TIMEOUT);

    running.child.kill('SIGTERM');
    expect((await running.ended()).code).toBe(0);
    await expect(fetch(page)).rejects.toThrow();
  });

  it('sends only reads in a dry run and says so', async () => {
    const { double, kubeconfig } = await aCluster();
    const argv = ['controller', '--kubeconfig', kubeconfig, '--dry-run'];
    const running = startProcess(argv, await anEmptyAws());
    expect((await firstLine(running)).result.act).toBe(false);
    await vi.waitFor(() => expect(double.requests.length).toBeGreaterThan(10), START_TIMEOUT);
    running.child.kill('SIGINT');

    expect((await running.ended()).code).toBe(0);
    expect(double.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('exits with 3 if no API server answers', async () => {
    const kubeconfig = await aKubeconfig('http://127.0.0.1:1');

    const { code, stdout, stderr } = await startProcess(
      ['controller', '--kubeconfig', kubeconfig],
      await anEmptyAws(),
    ).ended();

    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(
      /^error: the API server does not answer\n {2}where: API server of context admin@shop, http:\/\/127\.0\.0\.1:1\n/m,
    );
  });
});

/** Arguments and environment, and the error that the user reads. */
const REFUSED: readonly {
  readonly title: string;
  readonly argv: (kubeconfig: string) => readonly string[];
  readonly env?: Environment;
  readonly code: number;
  readonly messages: readonly string[];
}[] = [
  {
    title: 'no cluster',
    argv: () => ['controller'],
    code: 2,
    messages: ['no cluster is named', '--cluster NAME, or --kubeconfig FILE'],
  },
  {
    title: 'a kubeconfig that is not there',
    argv: () => ['controller', '--kubeconfig', 'nix'],
    code: 2,
    messages: ['cannot open nix', 'no such file or directory'],
  },
  {
    title: 'a context that is not there',
    argv: (kubeconfig) => ['controller', '--kubeconfig', kubeconfig, '--context', 'admin@shopp'],
    code: 2,
    messages: ['--context names the context admin@shopp', 'fix:   admin@shop'],
  },
  {
    title: 'a context without a kubeconfig',
    argv: () => ['controller', '--cluster', 'shop', '--context', 'x'],
    code: 2,
    messages: ['--context needs a kubeconfig'],
  },
  {
    title: 'a dry run that takes over',
    argv: () => ['controller', '--cluster', 'shop', '--dry-run', '--take-over'],
    code: 2,
    messages: ['--dry-run takes nothing over'],
  },
  {
    title: 'settings that are wrong, all of them',
    argv: (kubeconfig) => ['controller', '--kubeconfig', kubeconfig],
    env: { METRICS_PORT: 'http', LOG_LEVEL: 'loud', BATCH_IDLE_DURATION: '20s' },
    code: 2,
    messages: [
      'METRICS_PORT cannot be read',
      'LOG_LEVEL cannot be read',
      'must not be shorter than BATCH_IDLE_DURATION',
    ],
  },
  {
    title: 'no credentials',
    argv: () => ['controller', '--cluster', 'shop', '--region', 'us-east-1'],
    env: { AWS_EC2_METADATA_DISABLED: 'true' },
    code: 4,
    messages: ['no AWS credentials', 'where: EKS cluster shop'],
  },
  {
    title: 'no region',
    argv: () => ['uninstall', '--cluster', 'shop'],
    code: 2,
    messages: ['no AWS region', 'are those of a region', '--region NAME'],
  },
  {
    title: 'definitions taken from who gets the nodes',
    argv: () => ['uninstall', '--cluster', 'shop', '--crds', '--nodes', 'hand-over'],
    code: 2,
    messages: ['leave --crds out'],
  },
  {
    title: 'a fate that nodes do not have',
    argv: () => ['uninstall', '--cluster', 'shop', '--nodes', 'keep'],
    code: 2,
    messages: ['allowed are drain, hand-over'],
  },
];

describe('a call with wrong arguments', { timeout: 90_000 }, () => {
  it.each(REFUSED)('exits with $code for $title and says why', async ({ argv, env, code, messages }) => {
    const kubeconfig = await aKubeconfig('http://127.0.0.1:1');

    const outcome = await startProcess(argv(kubeconfig), env).ended();

    expect({ code: outcome.code, stdout: outcome.stdout }).toEqual({ code, stdout: '' });
    for (const text of messages) expect(outcome.stderr).toContain(text);
    expect(outcome.stderr).not.toContain('    at ');
  });

  it('finds nothing to uninstall in a cluster without a stack', async () => {
    const { kubeconfig } = await aCluster();

    const argv = ['uninstall', '--kubeconfig', kubeconfig, '-o', 'json'];
    const { code, stderr } = await startProcess(argv, await anEmptyAws()).ended();

    expect(code).toBe(5);
    expect(stderr).toContain('no stack serves shop');
  });
});
