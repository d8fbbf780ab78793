import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import Table from 'cli-table3';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import type { DisruptionInput } from '../../shared/ports/decision-log.ts';
import { createDecisionRecorder } from '../../shared/record/decision-recorder.ts';
import { readDecision } from '../../shared/record/read-decision.ts';
import { NOON } from '../support/builders.ts';
import { aTypicalPool, createEc2Snapshot } from './inputs/ec2-snapshot.ts';
import { createRunningNode, createRunningPod } from './inputs/running-cluster.ts';
import { createBenchmarkRandom } from './inputs/seeded-random.ts';
import { aFieldTemplate } from './inputs/workloads.ts';

const PODS_PER_NODE = 30;
const PODS_PER_DEPLOYMENT = 60;

interface RecordFigures {
  readonly nodes: number;
  readonly pods: number;
  /** The first record of a process: frame, catalogue and prices included. */
  readonly firstKb: number;
  readonly firstWriteCpuMs: number;
  /** A record after one of a hundred pods and nodes has changed. */
  readonly laterKb: number;
  readonly laterWriteCpuMs: number;
  readonly readCpuMs: number;
  readonly heapMib: number;
}

/**
 * `npm run --silent bench -- record [--json]` measures the size of recorded decisions, compressed, and
 * the CPU time that writing and reading them takes, compression included.
 */
export async function benchRecord(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean', default: false } },
  });
  const figures: RecordFigures[] = [];
  for (const nodes of [100, 1_000, 5_000]) figures.push(await measureRecords(nodes));
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ records: figures })}\n`);
    return;
  }
  const table = new Table({
    head: ['nodes', 'pods', 'first kB', 'cpu ms', 'later kB', 'cpu ms', 'read cpu ms', 'heap MiB'],
  });
  for (const row of figures) {
    const { nodes, pods, firstKb, laterKb, readCpuMs, heapMib } = row;
    const { firstWriteCpuMs, laterWriteCpuMs } = row;
    const cells = [nodes, pods, firstKb, firstWriteCpuMs, laterKb, laterWriteCpuMs, readCpuMs];
    table.push([...cells, heapMib].map((cell) => Math.round(cell)));
  }
  process.stdout.write(`${table.toString()}\n`);
}

async function measureRecords(nodes: number): Promise<RecordFigures> {
  const first = createFleet(nodes);
  const later = changeOnePercent(first);
  const store = createCompressedStore();
  const recorder = createDecisionRecorder(store, 'bench');

  const firstWriteCpuMs = await measureCpuMs(() => recorder.record(toDecision(first, 'd-1')));
  const firstBytes = store.takeBytes();
  const laterWriteCpuMs = await measureCpuMs(() => recorder.record(toDecision(later, 'd-2')));
  const laterBytes = store.takeBytes();
  const readCpuMs = await measureCpuMs(async () => {
    readDecision(store.read('d-2'), (hash) => store.read(hash));
  });
  return {
    nodes,
    pods: first.pods.length,
    firstKb: firstBytes / 1_000,
    firstWriteCpuMs,
    laterKb: laterBytes / 1_000,
    laterWriteCpuMs,
    readCpuMs,
    heapMib: process.memoryUsage().heapUsed / 2 ** 20,
  };
}

/** A running cluster; names and uids are random as in a real one, so that they do not compress. */
function createFleet(count: number): ClusterSnapshot {
  const random = createBenchmarkRandom(7);
  const pool = aTypicalPool({});
  const empty = createEc2Snapshot({ pools: [pool], pods: [] });
  const [types = []] = Object.values(empty.instanceTypes);
  const usual = types.filter(({ name }) => /^[cmr]7g\.(2x|4x|8x)?large$/.test(name));
  const [fallback] = types;
  if (!fallback) throw new Error('the catalogue has no types');
  const uid = (): string => [8, 4, 4, 4, 12].map((length) => hexDigits(random.below, length)).join('-');

  const fleet = Array.from({ length: count }, (_, index) =>
    createRunningNode(pool, usual[index % usual.length] ?? fallback, index),
  );
  const templates = Array.from({ length: Math.ceil((count * PODS_PER_NODE) / PODS_PER_DEPLOYMENT) }, (_, index) =>
    aFieldTemplate(random, index),
  );
  const pods = fleet.flatMap(({ node }, nodeIndex) =>
    Array.from({ length: PODS_PER_NODE }, (_, index): Pod => {
      const number = (nodeIndex * PODS_PER_NODE + index) % templates.length;
      const template = templates[number];
      const name = `app-${number}-${hexDigits(random.below, 10)}`;
      const owner = { kind: 'ReplicaSet', name: `app-${number}`, uid: `rs-${number}` };
      if (!template) throw new Error('there are no templates');
      return {
        ...createRunningPod(template, node.name, name),
        uid: uid(),
        owner,
        createdAt: NOON - random.below(86_400_000),
      };
    }),
  );
  return {
    ...empty,
    nodes: fleet.map(({ node }) => ({ ...node, uid: uid() })),
    claims: fleet.map(({ claim }) => ({ ...claim, uid: uid() })),
    pods,
  };
}

const hexDigits = (below: (limit: number) => number, length: number): string =>
  Array.from({ length }, () => below(16).toString(16)).join('');

/** One of a hundred pods was replaced, and one of a hundred nodes reports another state. */
function changeOnePercent(snapshot: ClusterSnapshot): ClusterSnapshot {
  const isChanged = (index: number): boolean => index % 100 === 0;
  return {
    ...snapshot,
    takenAt: snapshot.takenAt + 60_000,
    pods: snapshot.pods.map((pod, index) =>
      isChanged(index) ? { ...pod, name: `${pod.name}-new`, uid: `${pod.uid}-new` } : pod,
    ),
    nodes: snapshot.nodes.map((node, index) => (isChanged(index) ? { ...node, ready: false } : node)),
  };
}

function toDecision(snapshot: ClusterSnapshot, id: string) {
  const input: DisruptionInput = { kind: 'disruption', snapshot, running: [] };
  const command = {
    id,
    reason: 'Empty',
    decidedAt: snapshot.takenAt,
    candidates: ['claim-1'],
    replacements: [],
    placements: [],
    savingHourlyUsd: 0.1,
  } as const;
  return {
    kind: 'disruption',
    id,
    at: snapshot.takenAt,
    input,
    plan: { command, verdicts: [] },
  } as const;
}

function createCompressedStore() {
  const entries = new Map<string, Uint8Array>();
  let bytes = 0;
  return {
    async put(path: string, json: string): Promise<'stored'> {
      const compressed = gzipSync(json);
      bytes += compressed.byteLength;
      entries.set(path.replace(/^.*\//, '').replace('.json.gz', ''), compressed);
      return 'stored';
    },
    read: (name: string): unknown => JSON.parse(gunzipSync(entries.get(name) ?? new Uint8Array()).toString('utf8')),
    takeBytes(): number {
      const taken = bytes;
      bytes = 0;
      return taken;
    },
  };
}

async function measureCpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
