import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { ZONES } from '../../support/builders.ts';
import { createDraws, type Draws } from './draws.ts';
import {
  generateFullPool,
  generateLaterParts,
  generateReadFaults,
  generateRepair,
  generateSpoiltRows,
  generateStateIncidents,
  generateTableIncidents,
  generateWatchFaults,
} from './generate-additions.ts';
import {
  type Action,
  type Fault,
  type FaultSource,
  type ForeignFlavour,
  type History,
  type Incident,
  listNames,
  type Part,
  type Runtime,
  SERVICES,
  type WorkloadPart,
} from './history.ts';

const MIN_ACTIVE_MS = 8 * MINUTE_MS;
const MAX_ACTIVE_MS = 20 * MINUTE_MS;

/** Generates the history of a seed. Equal seeds give equal histories. */
export function generateHistory(seed: number, runtime: Runtime = 'functions'): History {
  const basic = generateBasicHistory(seed);
  const { activeMs } = basic;
  const repair = generateRepair(seed, activeMs);
  const full = generateFullPool(seed, activeMs);
  const parts = [...basic.parts, ...repair.parts];
  const all = [...parts, ...full.parts];
  return {
    ...basic,
    parts: runtime === 'controller' ? [...all, { kind: 'controller' }] : all,
    incidents: [
      ...basic.incidents,
      ...generateStateIncidents(seed, activeMs, parts),
      ...generateTableIncidents(seed, activeMs),
      ...repair.incidents,
      ...full.incidents,
    ],
    faults: [...basic.faults, ...generateReadFaults(seed, activeMs), ...generateWatchFaults(seed, activeMs, runtime)],
  };
}

/** The history of a seed without changes of state under the controllers and without old reads. */
export function generateBasicHistory(seed: number): History {
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

function generateIncidents(draw: Draws, activeMs: number, parts: readonly Part[]): readonly Incident[] {
  const workloads = listNames(parts, 'workload');
  const pools = listNames(parts, 'pool');
  return Array.from({ length: draw.between(2, 12) }, () => ({
    atMs: draw.between(0, activeMs),
    ...generateIncident(draw, workloads, pools),
  })).toSorted((a, b) => a.atMs - b.atMs);
}

function generateIncident(draw: Draws, workloads: readonly string[], pools: readonly string[]): Action {
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

const pickOne = (names: readonly string[], pick: number): string => names[pick % names.length] ?? 'web';

const generateShortage = (draw: Draws) => ({
  ...(draw.chance(0.5) && { zone: draw.of(ZONES) }),
  ...(draw.chance(0.5) && { capacityType: draw.of(['spot', 'on-demand'] as const) }),
  ...(draw.chance(0.4) && { instanceType: draw.of(['m7i.large', 'm7i.2xlarge']) }),
});

function generateFaults(draw: Draws, activeMs: number): readonly Fault[] {
  return Array.from({ length: draw.between(1, 7) }, () => {
    const isWholeTime = draw.chance(0.4);
    const fromMs = isWholeTime ? 0 : draw.between(0, activeMs);
    const toMs = isWholeTime ? activeMs : fromMs + draw.between(30, 360) * SECOND_MS;
    return { fromMs, toMs: Math.min(toMs, activeMs), ...generateFault(draw) };
  });
}

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
    () => ({ kind: 'hidden-instances', ms: 25 * SECOND_MS, probability: 1 }),
  ];
  return draw.of(sources)();
}
