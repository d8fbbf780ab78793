import { planDisruption } from '../../shared/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { applyCommands } from '../support/apply-command.ts';
import type { ConsolidationFigures } from './consolidation.ts';
import { createRunningFleet, type FleetSize } from './inputs/running-fleets.ts';

// Measures one cluster in a process of its own: node measure-consolidation.ts NAME.
const SIZES: Readonly<Record<string, FleetSize>> = {
  '300-nodes-20-pools': { nodes: 300, pods: 9_000, pools: 20 },
  '1000-nodes': { nodes: 1_000, pods: 30_000, pools: 4 },
  '5000-nodes': { nodes: 5_000, pods: 150_000, pools: 4 },
};
const MAX_DECISIONS = 2_000;
const MIB = 2 ** 20;

const [name = ''] = process.argv.slice(2);
const size = SIZES[name];
if (!size) throw new Error(`no cluster is named ${name}`);

let peakHeap = 0;
const sampleHeap = (): void => {
  peakHeap = Math.max(peakHeap, process.memoryUsage().heapUsed);
};

const start = createRunningFleet(size);
const { fresh, end } = measureFresh(start);
// The second decision on the steady state has the indexes of the first.
planDisruption({ ...end }, [], 'steady-1');
const cpu = process.threadCpuUsage();
const { verdicts } = planDisruption({ ...end }, [], 'steady-2');
const steadyMs = toMs(process.threadCpuUsage(cpu));
sampleHeap();

const figures: ConsolidationFigures = {
  name,
  nodes: start.nodes.length,
  pods: start.pods.length,
  fresh,
  steady: { ms: steadyMs, candidatesPerSecond: Math.round(verdicts.length / (steadyMs / 1_000)) },
  peakHeapMib: Math.round(peakHeap / MIB),
};
process.send?.(figures);
process.disconnect?.();

/** Only the decisions are measured, in CPU time; applying them is the cluster's work. */
function measureFresh(from: ClusterSnapshot) {
  let snapshot = from;
  const fresh = { ms: 0, decisions: 0, commands: 0, removedNodes: 0, evictions: 0 };
  let savingHourlyUsd = 0;
  for (; fresh.decisions < MAX_DECISIONS; fresh.decisions++) {
    const before = process.threadCpuUsage();
    const { command, more = [] } = planDisruption(snapshot, [], `move-${fresh.decisions}`);
    fresh.ms += toMs(process.threadCpuUsage(before));
    sampleHeap();
    if (!command) break;
    const commands = [command, ...more];
    fresh.commands += commands.length;
    for (const { candidates, replacements, placements, savingHourlyUsd: saved } of commands) {
      fresh.removedNodes += candidates.length;
      fresh.evictions += [...replacements, ...placements].flatMap(({ pods }) => pods).length;
      savingHourlyUsd += saved;
    }
    snapshot = applyCommands(snapshot, commands);
  }
  const hourlyUsd = snapshot.claims.reduce((sum, { launch }) => sum + priceOf(launch), 0);
  return { fresh: { ...fresh, savingHourlyUsd, hourlyUsd }, end: snapshot };
}

function priceOf(launch: ClusterSnapshot['claims'][number]['launch']): number {
  const offering = start.offerings.find(
    (one) =>
      one.instanceType === launch?.instanceType && one.zone === launch.zone && one.capacityType === launch.capacityType,
  );
  return offering?.hourlyUsd ?? 0;
}

function toMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
