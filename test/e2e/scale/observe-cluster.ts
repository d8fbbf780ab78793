import { readFile, writeFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { gunzipJson, gzipText } from '../../../shared/aws/gzip-json.ts';
import { createHttpTransport } from '../../../shared/kubernetes/client/http-transport.ts';
import { createKubernetesApi } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { claimKubernetesCluster, warmKubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import type { ViewStore } from '../../../shared/ports/view-store.ts';
import { readViewFile, writeViewFile } from '../../../shared/record/view-file.ts';
import { nodeName, providerIdOf } from './cluster-content.ts';

/**
 * A cold start of a function up to the point where it decides, in a process whose heap is limited as
 * Lambda limits it. Arguments: the action, the address of the API server, the file of the view.
 */
const [, , action = '', url = '', viewFile = ''] = process.argv;

const clock = { now: () => Date.now() };
const api = createKubernetesApi({
  userAgent: 'test',
  transport: createHttpTransport({ url }),
  tokens: { token: async () => '', renew() {} },
});

let viewBytes = 0;
let storeMs = 0;
const views: ViewStore = {
  async load(since) {
    if (action !== 'from-view' && action !== 'from-old-view') return undefined;
    const bytes = await readFile(viewFile);
    viewBytes = bytes.length;
    const view = readViewFile(await gunzipJson(bytes), 'measured');
    return view.takenAt < since ? undefined : view;
  },
  async save(_, { take }) {
    const view = take();
    const bytes = view && (await gzipText(writeViewFile(view, 'measured')));
    viewBytes = bytes?.length ?? 0;
    if (bytes) await writeFile(viewFile, bytes);
  },
};

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

async function run(): Promise<object> {
  if (action === 'claim-step' || action === 'drain-step') {
    const cluster = claimKubernetesCluster({ api, clock });
    const instance = { providerId: providerIdOf(7), nodeName: nodeName(7) };
    const budgets = action === 'drain-step';
    const objects = await cluster.observeClaim?.({ claim: 'general-1', instance, budgets });
    const { length } = objects?.podDisruptionBudgets ?? [];
    return { pods: objects?.pods.length, nodes: objects?.nodes.length, budgets: length };
  }
  const cluster = warmKubernetesCluster({ api, clock, views });
  const { pods, nodes } = await cluster.observe();
  const [atMs, atCpuMs] = [performance.now(), cpuMs()];
  if (action === 'from-lists') await cluster.storeView?.();
  storeMs = performance.now() - atMs;
  return { pods: pods.length, nodes: nodes.length, observedAfterCpuMs: Math.round(atCpuMs) };
}

const counts = await run();
const figures = {
  ...counts,
  seconds: performance.now() / 1_000 - storeMs / 1_000,
  cpuSeconds: cpuMs() / 1_000,
  storeSeconds: storeMs / 1_000,
  peakMib: process.resourceUsage().maxRSS / 1_024,
  viewBytes,
};
process.send?.(figures);
process.exit();
