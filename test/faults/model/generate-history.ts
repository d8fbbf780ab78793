import { createMulberry32 } from '../../../shared/model/random.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { ZONES } from '../../support/builders.ts';
import type { CorruptibleRow } from '../runtime/unreadable-rows.ts';
import type {
  Fault,
  ForeignFlavour,
  History,
  Incident,
  Part,
  Service,
  WorkloadPart,
} from './history.ts';

const MIN_ACTIVE_MS = 8 * MINUTE_MS;
const MAX_ACTIVE_MS = 20 * MINUTE_MS;

/** Generates the history of a seed. Equal seeds give equal histories. */
export function generateHistory(seed: number): History {
  const draw = createDraws(seed);
  const activeMs = draw.between(MIN_ACTIVE_MS, MAX_ACTIVE_MS);
  const common = generateParts(draw);
  const parts = [...common, ...generateLaterParts(seed, common)];
  return {
    seed,
    activeMs,
    parts,
    incidents: [...generateIncidents(draw, activeMs, parts), ...generateSpoiltRows(seed, activeMs)],
    faults: generateFaults(draw, activeMs),
  };
}

interface Draws {
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  of<T>(values: readonly [T, ...T[]]): T;
}

function createDraws(seed: number): Draws {
  const random = createMulberry32(Math.imul(seed, 0x9e37_79b9));
  const between = (low: number, high: number): number =>
    low + Math.floor(random() * (high - low + 1));
  return {
    chance: (probability) => random() < probability,
    between,
    of: (values) => values[between(0, values.length - 1)] ?? values[0],
  };
}

function generateParts(draw: Draws): readonly Part[] {
  const parts: Part[] = generatePools(draw);
  const names = ['web', 'api', 'cart', 'db'].slice(0, draw.between(1, 4));
  parts.push(...names.map((name) => generateWorkload(draw, name)));
  if (draw.chance(0.5)) parts.push({ kind: 'cloud-controller' });
  if (draw.chance(0.3)) {
    const flavour = draw.of<ForeignFlavour>(['auto-mode', 'managed-node-group', 'self-managed']);
    parts.push({ kind: 'foreign-node', flavour });
  }
  if (draw.chance(0.2)) parts.push({ kind: 'karpenter-node', name: 'general-adopted' });
  if (draw.chance(0.25)) {
    const launchesPerMinute = draw.between(1, 4);
    parts.push({ kind: 'launch-caps', launchesPerMinute, hourlyUsd: draw.of([1.2, 2, 4]) });
  }
  if (draw.chance(0.2)) parts.push({ kind: 'clock-skew', maxMs: 15 * SECOND_MS });
  if (draw.chance(0.5)) parts.push({ kind: 'no-client-tokens' });
  if (draw.chance(0.15)) parts.push({ kind: 'no-webhooks' });
  return parts;
}

function generatePools(draw: Draws): Part[] {
  const names = draw.chance(0.35) ? ['general', 'other'] : ['general'];
  const pools = names.map(
    (name): Part => ({
      kind: 'pool',
      name,
      weight: draw.between(0, 2),
      isSpot: draw.chance(0.4),
      budget: draw.of([1, 1, 2, 5]),
      consolidateAfterMs: draw.of([0, 30 * SECOND_MS, 2 * MINUTE_MS]),
      ...(draw.chance(0.2) && { expireAfterMs: draw.between(8, 15) * MINUTE_MS }),
      ...(draw.chance(0.3) && { terminationGracePeriodMs: draw.between(1, 5) * MINUTE_MS }),
      ...(draw.chance(0.2) && { hasStartupTaint: true as const }),
    }),
  );
  if (draw.chance(0.15)) {
    pools.push({
      kind: 'pool',
      name: 'static',
      weight: 0,
      isSpot: false,
      budget: 1,
      consolidateAfterMs: 0,
      replicas: draw.between(1, 3),
    });
  }
  return pools;
}

const generateWorkload = (draw: Draws, name: string): WorkloadPart => ({
  kind: 'workload',
  name,
  isStateful: draw.chance(0.25),
  replicas: draw.between(1, 6),
  cpu: draw.of([0.5, 1, 2, 3]),
  ...(draw.chance(0.5) && { maxUnavailable: draw.of([1, 1, 2]) }),
  ...(draw.chance(0.25) && { spread: draw.of(['zone', 'host']) }),
  ...(draw.chance(0.15) && { hasVolumes: true as const }),
  ...(draw.chance(0.07) && { isProtected: true as const }),
  gracePeriodMs: draw.of([5, 30, 60]) * SECOND_MS,
});

function generateIncidents(
  draw: Draws,
  activeMs: number,
  parts: readonly Part[],
): readonly Incident[] {
  const workloads = parts.flatMap((part) => (part.kind === 'workload' ? [part.name] : []));
  const pools = parts.flatMap((part) => (part.kind === 'pool' ? [part.name] : []));
  return Array.from({ length: draw.between(2, 12) }, () => ({
    atMs: draw.between(0, activeMs),
    ...generateIncident(draw, workloads, pools),
  })).toSorted((a, b) => a.atMs - b.atMs);
}

/** Drawn apart from the rest, which therefore stays the same for a seed. */
function generateLaterParts(seed: number, parts: readonly Part[]): readonly Part[] {
  const draw = createDraws(seed ^ LATER_PARTS);
  const deployments = parts.flatMap((part) =>
    part.kind === 'workload' && !part.isStateful && !part.isProtected ? [part.name] : [],
  );
  const later: Part[] = [];
  if (draw.chance(0.5)) later.push({ kind: 'free-moves' });
  for (const workload of deployments)
    if (draw.chance(0.15)) later.push({ kind: 'restart-when-blocked', workload });
  return later;
}

const LATER_PARTS = 0x5bd1_e995;

const ROWS: readonly [CorruptibleRow, ...CorruptibleRow[]] = [
  'NodeClaim',
  'NodeClaim',
  'Launch',
  'Launch',
  'Command',
  'Commit',
  'Nomination',
];

/** Drawn apart from the rest, which therefore stays the same for a seed. */
function generateSpoiltRows(seed: number, activeMs: number): readonly Incident[] {
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

type Action = Incident extends infer One
  ? One extends Incident
    ? Omit<One, 'atMs'>
    : never
  : never;

function generateIncident(
  draw: Draws,
  workloads: readonly string[],
  pools: readonly string[],
): Action {
  const pick = draw.between(0, 100);
  const pool = pools[pick % pools.length] ?? 'general';
  const forMs = draw.between(1, 8) * MINUTE_MS;
  const actions: readonly [() => Action, ...(() => Action)[]] = [
    () => ({ kind: 'scale', workload: pickOne(workloads, pick), replicas: draw.between(0, 10) }),
    () => ({ kind: 'scale', workload: pickOne(workloads, pick), replicas: draw.between(0, 10) }),
    () => ({ kind: 'scale', workload: pickOne(workloads, pick), replicas: draw.between(0, 10) }),
    () => ({ kind: 'delete-node', pick }),
    () => ({ kind: 'remove-node', pick }),
    () => ({ kind: 'delete-claim', pick }),
    () => ({ kind: 'terminate-instance', pick }),
    () => ({ kind: 'interrupt', pick, isRebalance: draw.chance(0.3) }),
    () => ({ kind: 'taint-node', pick, forMs }),
    () => ({ kind: 'hold-node', pick, forMs }),
    () => ({ kind: 'delete-pod', pick }),
    () => ({ kind: 'shortage', of: generateShortage(draw), forMs }),
    () => ({ kind: 'refuse-launches', pool, forMs, isUncertain: draw.chance(0.4) }),
    () => ({ kind: 'spot-prices', factor: draw.of([0.5, 2, 3]) }),
    () => ({ kind: 'drift', pool }),
    () => ({ kind: 'owner', owner: draw.of(['karpenter', 'another-stack']), forMs }),
  ];
  return draw.of(actions)();
}

const pickOne = (names: readonly string[], pick: number): string =>
  names[pick % names.length] ?? 'web';

const generateShortage = (draw: Draws) => ({
  ...(draw.chance(0.5) && { zone: draw.of(ZONES) }),
  ...(draw.chance(0.5) && { capacityType: draw.of(['spot', 'on-demand'] as const) }),
  ...(draw.chance(0.4) && { instanceType: draw.of(['m7i.large', 'm7i.2xlarge']) }),
});

const SERVICES: readonly [Service, ...Service[]] = ['api', 'ec2', 'table', 'queue'];

function generateFaults(draw: Draws, activeMs: number): readonly Fault[] {
  return Array.from({ length: draw.between(1, 7) }, () => {
    const isWholeTime = draw.chance(0.4);
    const fromMs = isWholeTime ? 0 : draw.between(0, activeMs);
    const toMs = isWholeTime ? activeMs : fromMs + draw.between(30, 360) * SECOND_MS;
    return { fromMs, toMs: Math.min(toMs, activeMs), ...generateFault(draw) };
  });
}

type FaultSource = Fault extends infer One
  ? One extends Fault
    ? Omit<One, 'fromMs' | 'toMs'>
    : never
  : never;

function generateFault(draw: Draws): FaultSource {
  const service = draw.of(SERVICES);
  const moment = draw.of<'before' | 'after'>(['before', 'after']);
  const sources: readonly [() => FaultSource, ...(() => FaultSource)[]] = [
    () => ({ kind: 'crash', moment, probability: draw.of([0.005, 0.02, 0.1]) }),
    () => ({ kind: 'crash', moment, probability: draw.of([0.005, 0.02, 0.1]) }),
    () => ({ kind: 'error', service, moment, probability: draw.of([0.02, 0.2, 1]) }),
    () => ({ kind: 'error', service, moment, probability: draw.of([0.02, 0.2]) }),
    () => ({ kind: 'slow', service, ms: draw.between(1, 15) * SECOND_MS, probability: 0.1 }),
    () => ({ kind: 'lose-message', probability: draw.of([0.1, 0.5, 0.9]) }),
    () => ({ kind: 'repeat-message', copies: draw.between(2, 4), probability: draw.of([0.2, 1]) }),
    () => ({ kind: 'delay-message', ms: draw.between(5, 120) * SECOND_MS, probability: 0.3 }),
    () => ({ kind: 'partial-launch', probability: 0.7 }),
    () => ({ kind: 'hidden-instances', probability: 1 }),
  ];
  return draw.of(sources)();
}
