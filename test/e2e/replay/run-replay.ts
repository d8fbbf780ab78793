import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { readBundle } from '../../vectors/bundle.ts';
import { caseSchema, type VectorCase } from '../../vectors/case-schema.ts';
import { toSnapshot } from '../../vectors/read-case.ts';
import { readFolder } from '../../vectors/read-folder.ts';
import { replayOffline } from '../../vectors/replay/replay-offline.ts';
import { type PlanReplay, summarizeReplays } from '../../vectors/replay/replay-report.ts';
import { kubernetesClient } from '../lab/kubernetes/kubeconfig-client.ts';
import { createPrograms } from '../lab/programs.ts';
import { createReplayCluster } from './replay-cluster.ts';
import { replayPlan } from './replay-plan.ts';
import { startSchedulerOnly } from './scheduler-only.ts';

/**
 * `npm run --silent e2e:replay -- [--only TEXT] [--offline] [DIR]`: replays our plans for the
 * random cases, or for the cases of a folder, on a real kube-scheduler, with the pods in three
 * orders. Prints the pods without a node as JSON. With --offline no process is started: a model of
 * the scheduler replays the plans within seconds.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    offline: { type: 'boolean', default: false },
  },
});

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const replays = values.offline ? await replayAll(replayOfflineCase) : await replayOnScheduler();
if (replays) process.stdout.write(`${JSON.stringify(summarizeReplays(replays))}\n`);
else process.exitCode = 1;

type ReplayOne = (
  vector: VectorCase,
  snapshot: ClusterSnapshot,
  plan: ProvisioningPlan,
) => PlanReplay | Promise<PlanReplay>;

function replayOfflineCase({ name }: VectorCase, snapshot: ClusterSnapshot, plan: ProvisioningPlan): PlanReplay {
  return replayOffline(name, snapshot, plan);
}

/**
 * @returns undefined if the scheduler failed; the error is printed
 */
async function replayOnScheduler(): Promise<PlanReplay[] | undefined> {
  // Makes the control plane collect garbage less often: memory is plentiful, time is not.
  process.env.GOGC ??= '400';
  const folder = mkdtempSync(join(tmpdir(), 'mortise-replay-'));
  const programs = createPrograms(folder);
  try {
    const { kubeconfig, countPutAside } = await startSchedulerOnly(programs, folder, log);
    const cluster = createReplayCluster(kubernetesClient(kubeconfig), countPutAside);
    return await replayAll((...one) => replayPlan(cluster, ...one));
  } catch (error) {
    log(`${error}\n${programs.tails(10)}`);
    return undefined;
  } finally {
    await programs.endAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function replayAll(replayOne: ReplayOne): Promise<PlanReplay[]> {
  const { cases, catalogs } = readCases();
  const replays: PlanReplay[] = [];
  for (const vector of cases) {
    const snapshot = toSnapshot(vector, catalogs);
    const plan = planProvisioning(snapshot, 'decision-1');
    const startedAt = performance.now();
    const replay = await replayOne(vector, snapshot, plan);
    const tookS = (performance.now() - startedAt) / 1000;
    log(`${vector.name}: ${replay.placed} pods, ${describeReplay(replay)}, ${tookS.toFixed(1)} s`);
    replays.push(replay);
  }
  return replays;
}

function readCases() {
  const [from] = positionals;
  const bundle =
    from === undefined
      ? readBundle(new URL('../../vectors/data/scheduling.json.gz', import.meta.url), caseSchema)
      : readFolder(from, 'scheduling', caseSchema);
  const isSelected = ({ name }: VectorCase): boolean =>
    values.only.length > 0
      ? values.only.some((text) => name.includes(text))
      : from !== undefined || name.startsWith('rnd-');
  return { ...bundle, cases: bundle.cases.filter(isSelected) };
}

function describeReplay({ unbound }: PlanReplay): string {
  return Object.entries(unbound)
    .map(([order, { length }]) => `${order} ${length === 0 ? 'all bound' : `${length} unbound`}`)
    .join(', ');
}
