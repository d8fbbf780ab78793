import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { CorruptibleRow } from '../runtime/unreadable-rows.ts';
import { createDraws, type Draws } from './draws.ts';
import {
  type Action,
  type Fault,
  type FaultSource,
  type History,
  type Incident,
  listNames,
  type NodeFault,
  type Part,
  type PoolEdit,
  type Runtime,
  SERVICES,
} from './history.ts';

/*
 * Each function draws apart from the rest of a history, which therefore stays the same for a seed
 * when a kind of fault is added.
 */

const LATER_PARTS = 0x5bd1_e995;
const STATE_INCIDENTS = 0x2545_f491;
const READ_FAULTS = 0x1b87_3593;
const TABLE = 0x27d4_eb2f;
const WATCHES = 0x1656_67b1;
const REPAIR = 0x5851_f42d;
const FULL_POOL = 0x4c95_7f2d;

export function generateLaterParts(seed: number, parts: readonly Part[]): readonly Part[] {
  const draw = createDraws(seed ^ LATER_PARTS);
  const deployments = parts.flatMap((part) =>
    part.kind === 'workload' && !part.isStateful && !part.isProtected ? [part.name] : [],
  );
  const later: Part[] = [];
  if (draw.chance(0.5)) later.push({ kind: 'free-moves' });
  for (const workload of deployments) if (draw.chance(0.15)) later.push({ kind: 'restart-when-blocked', workload });
  return later;
}

const ROWS: readonly [CorruptibleRow, ...CorruptibleRow[]] = [
  'NodeClaim',
  'NodeClaim',
  'Launch',
  'Launch',
  'Command',
  'Commit',
  'Nomination',
];

export function generateSpoiltRows(seed: number, activeMs: number): readonly Incident[] {
  const draw = createDraws(~seed);
  if (!draw.chance(0.3)) return [];
  return Array.from({ length: draw.between(1, 6) }, () => ({
    atMs: draw.between(0, activeMs),
    kind: 'spoil-row' as const,
    row: draw.of(ROWS),
    pick: draw.between(0, 100),
    forMs: draw.between(1, 30) * MINUTE_MS,
  }));
}

/** Objects of the cluster change under the controllers. */
export function generateStateIncidents(seed: number, activeMs: number, parts: readonly Part[]): readonly Incident[] {
  const draw = createDraws(seed ^ STATE_INCIDENTS);
  const workloads = listNames(parts, 'workload');
  const pools = listNames(parts, 'pool');
  return Array.from({ length: draw.between(1, 5) }, () => ({
    atMs: draw.between(0, activeMs),
    ...generateStateIncident(draw, workloads, pools),
  })).toSorted((a, b) => a.atMs - b.atMs);
}

function generateStateIncident(draw: Draws, workloads: readonly string[], pools: readonly string[]): Action {
  const pick = draw.between(0, 100);
  const forMs = draw.between(1, 8) * MINUTE_MS;
  const pool = pools[pick % pools.length] ?? 'general';
  const workload = workloads[pick % workloads.length] ?? 'web';
  const actions: readonly [() => Action, ...(() => Action)[]] = [
    () => ({ kind: 'flap-node', pick, forMs }),
    () => ({ kind: 'second-node', pick }),
    () => ({ kind: 'strip-claim', pick }),
    () => ({ kind: 'strip-labels', pick }),
    () => ({ kind: 'delete-pool', pool, forMs }),
    () => ({
      ...{ kind: 'edit-pool', pool, forMs },
      edit: draw.of<PoolEdit>(['zone', 'instance-type', 'limits']),
    }),
    () => ({ kind: 'break-class', isDeleted: draw.chance(0.5), forMs }),
    () => ({ kind: 'deny-evictions', workload, forMs }),
    () => ({ kind: 'interrupt-all' }),
  ];
  return draw.of(actions)();
}

/** Reads that are old, and requests that take effect late. */
export function generateReadFaults(seed: number, activeMs: number): readonly Fault[] {
  const draw = createDraws(seed ^ READ_FAULTS);
  const sources: readonly [() => FaultSource, ...(() => FaultSource)[]] = [
    () => ({
      ...{ kind: 'hidden-instances', ms: draw.between(30, 240) * SECOND_MS },
      probability: draw.of([0.3, 1]),
    }),
    () => ({
      ...{ kind: 'stale-view', ms: draw.between(1, 4) * SECOND_MS },
      probability: draw.of([0.1, 0.5, 1]),
    }),
    () => ({ kind: 'stale-list', ms: draw.between(1, 15) * 100, probability: draw.of([0.3, 1]) }),
    () => ({
      ...{ kind: 'late-effect', service: draw.of(SERVICES), ms: 30 * SECOND_MS },
      probability: 0.7,
    }),
    () => ({ kind: 'overlapping-run', probability: draw.of([0.1, 0.5]) }),
  ];
  return Array.from({ length: draw.between(1, 3) }, () => ({
    ...drawWindow(draw, activeMs),
    ...draw.of(sources)(),
  }));
}

/** The table is restored from a backup, or emptied. */
export function generateTableIncidents(seed: number, activeMs: number): readonly Incident[] {
  const draw = createDraws(seed ^ TABLE);
  if (!draw.chance(0.08)) return [];
  const atMs = draw.between(Math.floor(activeMs / 3), activeMs);
  const byMs = draw.between(1, 8) * MINUTE_MS;
  return [{ atMs, kind: 'set-table-back', ...(draw.chance(0.7) && { byMs }) }];
}

/** Nodes become unhealthy, some for longer than Mortise waits, and are repaired. */
export function generateRepair(seed: number, activeMs: number): Pick<History, 'parts' | 'incidents'> {
  const draw = createDraws(seed ^ REPAIR);
  if (!draw.chance(0.3)) return { parts: [], incidents: [] };
  const incidents = Array.from({ length: draw.between(2, 6) }, () => ({
    atMs: draw.between(0, activeMs),
    kind: 'unhealthy-node' as const,
    pick: draw.between(0, 100),
    fault: draw.of<NodeFault>(['gpu-reset', 'gpu-reset', 'gpu-broken', 'storage']),
    forMs: draw.between(5, 60) * MINUTE_MS,
  }));
  return {
    parts: [{ kind: 'node-repair', reboots: draw.chance(0.7), terminatesFirst: draw.chance(0.5) }],
    incidents,
  };
}

/** A static pool at its limit, whose template changes. */
export function generateFullPool(seed: number, activeMs: number): Pick<History, 'parts' | 'incidents'> {
  const draw = createDraws(seed ^ FULL_POOL);
  if (!draw.chance(0.25)) return { parts: [], incidents: [] };
  const pool: Part = {
    ...{ kind: 'pool', name: 'full', weight: 0, isSpot: false, consolidateAfterMs: 0 },
    budget: draw.between(1, 2),
    replicas: draw.between(1, 3),
    ...(draw.chance(0.8) && { isFull: true as const }),
  };
  return {
    parts: draw.chance(0.7) ? [pool, { kind: 'terminate-first' }] : [pool],
    incidents: Array.from({ length: draw.between(1, 3) }, () => ({
      atMs: draw.between(2 * MINUTE_MS, activeMs),
      kind: 'drift' as const,
      pool: 'full',
    })),
  };
}

/** The faults of the watches of `mortise controller`. */
export function generateWatchFaults(seed: number, activeMs: number, runtime: Runtime): readonly Fault[] {
  if (runtime === 'functions') return [];
  const draw = createDraws(seed ^ WATCHES);
  const sources: readonly [() => FaultSource, ...(() => FaultSource)[]] = [
    // A half-open connection ends within 20 s, and an API server that hangs within 75 s.
    () => ({ kind: 'silent-watch', ms: draw.of([20, 75]) * SECOND_MS, probability: 0.1 }),
    () => ({ kind: 'cut-watch', ms: draw.between(1, 20) * SECOND_MS, probability: 0.1 }),
    () => ({ kind: 'late-watch', ms: draw.between(1, 10) * SECOND_MS, probability: 0.3 }),
  ];
  return Array.from({ length: draw.between(1, 4) }, () => ({
    ...drawWindow(draw, activeMs),
    ...draw.of(sources)(),
  }));
}

function drawWindow(draw: Draws, activeMs: number): Pick<Fault, 'fromMs' | 'toMs'> {
  if (draw.chance(0.4)) return { fromMs: 0, toMs: activeMs };
  const fromMs = draw.between(0, activeMs);
  return { fromMs, toMs: Math.min(activeMs, fromMs + draw.between(60, 400) * SECOND_MS) };
}
