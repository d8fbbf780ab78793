import { listAllowedStretches } from '../../shared/disruption/budget-stretches.ts';
import { computeRolloutProgress, describeRollout } from '../../shared/disruption/rollout/rollout-progress.ts';
import {
  countInitialized,
  describeHours,
  describeOnDemandShare,
  listLimits,
} from '../../shared/explain/explain-node-pool.ts';
import { CAPACITY_TYPE_LABEL } from '../../shared/model/labels.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { DisruptionReason, NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { UnavailableOffering } from '../../shared/model/offerings/instance-type.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import { formatRequirementSpec } from '../../shared/model/requirements/requirement-specs.ts';
import { DAY_MS, type EpochMs } from '../../shared/model/time.ts';
import type { BudgetRow, NodeClassView, PoolsView, PoolView } from '../screen-views.ts';
import type { NodeView, UnavailableView } from '../views.ts';
import { sumAmounts } from './amounts.ts';
import type { ConsoleFacts } from './facts.ts';
import { nodeViews } from './nodes.ts';
import { podViews } from './pods.ts';

const REASONS: readonly DisruptionReason[] = ['Empty', 'Underutilized', 'Drifted', 'Unhealthy'];

/** Describes every NodePool at one instant, highest weight first. */
export function poolsView(facts: ConsoleFacts): PoolsView {
  const nodes = nodeViews(facts, podViews(facts));
  const at = facts.clock.now;
  return {
    at,
    to: at + DAY_MS,
    pools: facts.snapshot.pools
      .toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))
      .map((pool) => poolView(facts, pool, nodes)),
  };
}

function poolView(facts: ConsoleFacts, pool: NodePool, all: readonly NodeView[]): PoolView {
  const claims = facts.snapshot.claims.filter((claim) => claim.pool === pool.name);
  const names = new Set(claims.map(({ name }) => name));
  const nodes = all.filter(({ name }) => names.has(name));
  const registered = nodes.filter(({ state }) => state !== 'starting');
  const hours = describeHours(pool, facts.clock.now);
  const onDemand = describeOnDemandShare(pool, claims);
  const leaving = new Set(facts.commands.flatMap(({ candidates }) => candidates));
  return {
    name: pool.name,
    weight: pool.weight,
    nodeClass: pool.nodeClass.name,
    ...resourcesOf(pool, facts),
    ...(pool.replicas !== undefined && { replicas: pool.replicas }),
    ...(!pool.ready && { notReady: whyNotReady(pool) }),
    requirements: listRequirements(pool),
    nodes: nodes.length,
    hourlyUsd: nodes.reduce((sum, { hourlyUsd = 0 }) => sum + hourlyUsd, 0),
    requested: sumAmounts(registered.map(({ requested }) => requested)),
    allocatable: sumAmounts(registered.map(({ allocatable }) => allocatable)),
    limits: listLimits(pool, claims),
    budgets: listBudgets(pool, claims, facts.clock.now),
    inProgress: claims.filter(({ name, deletingAt }) => deletingAt !== undefined || leaving.has(name)).length,
    drifted: claims.flatMap(({ name, drift }) => (drift ? [{ node: name, text: drift.text }] : [])),
    ...rolloutOf(pool, facts),
    ...(hours !== undefined && { hours }),
    ...(onDemand !== undefined && { onDemand }),
    unavailable: listUnavailable(pool, facts),
  };
}

function rolloutOf(pool: NodePool, { snapshot }: ConsoleFacts): Pick<PoolView, 'rollout'> {
  const progress = computeRolloutProgress(pool, snapshot);
  return progress ? { rollout: describeRollout(progress) } : {};
}

/** The AMIs and subnets of the pool's EC2NodeClass, those with the fewest free addresses first. */
function resourcesOf({ nodeClass }: NodePool, { nodeClasses, snapshot }: ConsoleFacts) {
  const resolved = (nodeClasses ?? snapshot.nodeClasses)?.find(({ name }) => name === nodeClass.name);
  if (!resolved || resolved.images.length + resolved.subnets.length === 0) return {};
  const resources: NodeClassView = {
    images: resolved.images.map(({ id, name }) => ({ id, name })),
    subnets: resolved.subnets
      .map(({ id, zone, freeAddresses }) => ({
        ...{ id, zone },
        ...(freeAddresses !== undefined && { freeAddresses }),
      }))
      .toSorted((a, b) => (a.freeAddresses ?? 0) - (b.freeAddresses ?? 0)),
  };
  return { resources };
}

const whyNotReady = ({ notReady, deleting }: NodePool): string => {
  if (deleting) return 'It is being deleted.';
  return notReady ? `${notReady.condition}: ${notReady.message}` : 'It is not ready.';
};

const listRequirements = ({ requirements }: NodePool): readonly string[] =>
  requirements.map((spec) => `${spec.key} ${formatRequirementSpec(spec)}`);

function listBudgets(pool: NodePool, claims: readonly NodeClaim[], now: number): readonly BudgetRow[] {
  const initialized = countInitialized(claims);
  return REASONS.map((reason) => ({
    reason,
    stretches: listAllowedStretches(pool, reason, initialized, { from: now, to: now + DAY_MS }).map(
      ({ from, to, nodes }) => ({ from, to, ...(Number.isFinite(nodes) && { nodes }) }),
    ),
  }));
}

/** Offerings without capacity that the pool could otherwise use. */
function listUnavailable(pool: NodePool, { snapshot, clock }: ConsoleFacts) {
  const types = new Set((ownValue(snapshot.instanceTypes, pool.name) ?? []).map(({ name }) => name));
  const zones = ownValue(snapshot.zones ?? {}, pool.name);
  const capacityTypes = pool.requirements.find(
    ({ key, operator }) => key === CAPACITY_TYPE_LABEL && operator === 'In',
  )?.values;
  const concerns = ({ instanceType, zone, capacityType }: UnavailableOffering): boolean =>
    (instanceType === undefined || types.has(instanceType)) &&
    (zone === undefined || zones === undefined || zones.includes(zone)) &&
    (capacityType === undefined || capacityTypes === undefined || capacityTypes.includes(capacityType));
  return describeUnavailable(snapshot.unavailable.filter(concerns), clock.now);
}

/** Describes the offerings that have no capacity at `now`. */
const describeUnavailable = (offerings: readonly UnavailableOffering[], now: EpochMs): readonly UnavailableView[] =>
  offerings
    .filter(({ until }) => until > now)
    .map((offering) => ({ text: formatPart(offering), until: offering.until }));

const formatPart = ({ instanceType, capacityType, zone, isShifted }: UnavailableOffering): string =>
  [instanceType ?? 'every type', capacityType, zone, isShifted && '(zonal shift)'].filter(Boolean).join(' ');
