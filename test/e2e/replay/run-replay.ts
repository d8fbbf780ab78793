import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { readBundle } from '../../vectors/bundle.ts';
import { caseSchema, type VectorCase } from '../../vectors/case-schema.ts';
import { snapshotOf } from '../../vectors/read-case.ts';
import { readFolder } from '../../vectors/read-folder.ts';
import { replayOffline } from '../../vectors/replay/replay-offline.ts';
import { type Replay, replayReport } from '../../vectors/replay/replay-report.ts';
import { kubernetesClient } from '../lab/kubernetes-client.ts';
import { createPrograms } from '../lab/programs.ts';
import { createReplayCluster } from './replay-cluster.ts';
import { replayPlan } from './replay-plan.ts';
import { startSchedulerOnly } from './scheduler-only.ts';

/**
 * `npm run --silent e2e:replay -- [--only TEXT] [--offline] [DIR]`: our plans of the random cases (or
 * of a folder of cases) on a real kube-scheduler, the pods in three orders. Prints what stays unbound
 * as JSON. With --offline nothing is started: a likeness of the scheduler answers within seconds.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    offline: { type: 'boolean', default: false },
  },
});

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const replays = values.offline ? await replayAll(offline) : await replayOnScheduler();
if (replays) process.stdout.write(`${JSON.stringify(replayReport(replays))}\n`);
else process.exitCode = 1;

type ReplayOne = (
  vector: VectorCase,
  snapshot: ClusterSnapshot,
  plan: ProvisioningPlan,
) => Replay | Promise<Replay>;

function offline({ name }: VectorCase, snapshot: ClusterSnapshot, plan: ProvisioningPlan): Replay {
  return replayOffline(name, snapshot, plan);
}

/** @returns nothing when the scheduler failed us; it was said how */
async function replayOnScheduler(): Promise<Replay[] | undefined> {
  // Memory is there, time is short: the parts of the control plane collect garbage less often.
  process.env.GOGC ??= '400';
  const folder = mkdtempSync(join(tmpdir(), 'mortise-replay-'));
  const programs = createPrograms(folder);
  try {
    const { kubeconfig, countPutAside } = await startSchedulerOnly(programs, folder, say);
    const cluster = createReplayCluster(kubernetesClient(kubeconfig), countPutAside);
    return await replayAll((...one) => replayPlan(cluster, ...one));
  } catch (error) {
    say(`${error}\n${programs.tails(10)}`);
    return undefined;
  } finally {
    await programs.endAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function replayAll(replayOne: ReplayOne): Promise<Replay[]> {
  const { cases, catalogs } = readCases();
  const replays: Replay[] = [];
  for (const vector of cases) {
    const snapshot = snapshotOf(vector, catalogs);
    const plan = planProvisioning(snapshot, 'decision-1');
    const began = performance.now();
    const replay = await replayOne(vector, snapshot, plan);
    const tookS = (performance.now() - began) / 1000;
    say(`${vector.name}: ${replay.placed} pods, ${textOf(replay)}, ${tookS.toFixed(1)} s`);
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
  const isMeant = ({ name }: VectorCase): boolean =>
    values.only.length > 0
      ? values.only.some((text) => name.includes(text))
      : from !== undefined || name.startsWith('rnd-');
  return { ...bundle, cases: bundle.cases.filter(isMeant) };
}

function textOf({ unbound }: Replay): string {
  return Object.entries(unbound)
    .map(([order, { length }]) => `${order} ${length === 0 ? 'all bound' : `${length} unbound`}`)
    .join(', ');
}
