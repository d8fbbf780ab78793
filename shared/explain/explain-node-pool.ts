import { computeAllowedDisruptions, findNextOpening } from '../disruption/budgets.ts';
import { computeRolloutProgress, describeRollout } from '../disruption/rollout/rollout-progress.ts';
import { formatCount, formatNames, formatPods } from '../model/explanations/phrases.ts';
import { formatReason, type Reason } from '../model/explanations/reasons.ts';
import type { Launch, NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import { findOffHours } from '../model/nodes/pool-hours.ts';
import { formatOnDemandShare } from '../model/offerings/on-demand-share.ts';
import { ownValue } from '../model/own-value.ts';
import type { NodeVerdict } from '../model/plans.ts';
import { type Pod, podKey } from '../model/pods/pod.ts';
import { formatAmount } from '../model/quantity.ts';
import { CPU, NODES } from '../model/resources.ts';
import { type EpochMs, formatInstant } from '../model/time.ts';
import type { DecisionFacts } from './decisions.ts';
import { toExplainedFix } from './explain-pod.ts';
import type { Evidence, ExplainedFix, Explanation } from './explanation.ts';
import { describeSpotShare, type OfferedNode } from './spot-share.ts';

/** @returns undefined if there is no such NodePool */
export function explainNodePool(facts: DecisionFacts, name: string): Explanation | undefined {
  const { snapshot } = facts;
  const pool = snapshot.pools.find((one) => one.name === name);
  if (!pool) return undefined;
  const claims = snapshot.claims.filter((one) => one.pool === name);
  const isOwn = (claim: string): boolean => claims.some((one) => one.name === claim);
  const hourlyUsd = claims.reduce((sum, { launch }) => sum + (launch?.hourlyUsd ?? 0), 0);
  const opening = findNextOpening(pool, 'Underutilized', countInitialized(claims), snapshot.takenAt);
  const price = snapshot.unpriced ? 'not priced' : `$${hourlyUsd.toFixed(4)}/h`;
  const nodes = formatCount(claims.length, 'node');
  const state = pool.ready
    ? 'is ready'
    : `is not ready (${pool.notReady ? `${pool.notReady.condition}: ${pool.notReady.message}` : 'unknown'})`;
  const waiting = findWaiting(pool, facts);
  const plan = facts.disruption();
  const removing = plan?.plan.command?.candidates.some(isOwn);
  return {
    subject: { kind: 'nodepool', name },
    outcome: pool.ready ? 'ready' : 'not-ready',
    verdict: `NodePool ${name} ${state}: ${nodes}, ${price}`,
    reasons: pool.ready ? [] : [{ object: name, reason: toNotReadyReason(pool) }],
    evidence: [
      ...listEvidence(
        'replicas',
        pool.replicas === undefined
          ? undefined
          : `keeps ${formatCount(pool.replicas, 'node')}, whatever pods there are`,
      ),
      ...describeLimits(pool, claims),
      ...listEvidence('hours', describeHours(pool, snapshot.takenAt)),
      ...listEvidence('on demand', describeOnDemandShare(pool, claims)),
      ...listEvidence('spot', describeSpotShare(listOffered(claims, snapshot.pods))),
      ...describeBudgets(pool, claims, snapshot.takenAt),
      ...describeProgress(pool, facts),
      ...groupVerdicts((plan?.plan.verdicts ?? []).filter(({ claim }) => isOwn(claim))),
      ...(waiting ? [{ label: 'waiting', text: waiting.text }] : []),
      ...describeRefusals(pool, facts),
    ],
    fixes: waiting?.fixes ?? [],
    next:
      opening === undefined
        ? {
            text: removing ? 'One of its nodes is about to be removed or replaced.' : 'No node is about to be removed.',
          }
        : { text: `Its disruption budget opens at ${formatInstant(opening)}.`, at: opening },
    ...(plan?.id !== undefined && { decision: plan.id }),
  };
}

function toNotReadyReason({ notReady }: NodePool): Reason {
  const { condition = 'Ready', message = 'not reported yet' } = notReady ?? {};
  return { code: 'pool-not-ready', fields: { condition, message } };
}

/** Refusals that a change of the NodePool or its EC2NodeClass ends. */
const OWN_REFUSALS: ReadonlySet<Reason['code']> = new Set([
  'limit-reached',
  'off-hours',
  'pool-not-ready',
  'pool-has-no-types',
  'pods-not-received',
]);

/** Lists the groups of pods that the last plan places nowhere, with the first reason of the NodePool. */
const listRefused = (name: string, { provisioning }: DecisionFacts) =>
  (provisioning()?.plan.unplaced ?? []).flatMap((unplaced) => {
    const reason = unplaced.pools.find(({ pool }) => pool === name)?.reasons[0];
    return reason && !unplaced.waits ? [{ unplaced, reason }] : [];
  });

/** Names pods that wait although the NodePool could launch nodes: it has none that they can use. */
const describeRefusals = ({ name }: NodePool, facts: DecisionFacts): Evidence[] =>
  listRefused(name, facts)
    .filter(({ reason }) => !OWN_REFUSALS.has(reason.code))
    .slice(0, MAX_REFUSALS)
    .map(({ unplaced, reason }) => ({
      label: 'refuses',
      text: `${formatPods(unplaced.pods)}: ${formatReason(reason)}`,
    }));

const MAX_REFUSALS = 8;

/** Finds the pods of the last plan that wait because of the NodePool itself, and the changes that help. */
function findWaiting(
  { name, nodeClass }: NodePool,
  facts: DecisionFacts,
): { readonly text: string; readonly fixes: readonly ExplainedFix[] } | undefined {
  const { snapshot } = facts;
  const groups = listRefused(name, facts).filter(({ reason }) => OWN_REFUSALS.has(reason.code));
  const keys = groups.flatMap(({ unplaced }) => unplaced.pods);
  const [first] = groups;
  if (!first) return undefined;
  const objects = new Set([`NodePool/${name}`, `EC2NodeClass/${nodeClass.name}`]);
  const byKey = new Map(snapshot.pods.map((pod) => [podKey(pod), pod]));
  const fixes = groups.flatMap(({ unplaced: { pods, fix, otherFixes = [] } }) => {
    const pod = byKey.get(pods[0] ?? '');
    const own = pod && [fix ?? [], ...otherFixes].flat().find((one) => objects.has(one.object));
    return pod && own ? [toExplainedFix(own, pod, facts)] : [];
  });
  return {
    text: `${keys.length === 1 ? '1 pod waits' : `${keys.length} pods wait`} for ${first.reason.code === 'limit-reached' ? 'its limit' : 'it'}: ${formatNames(keys)}`,
    fixes: [...new Map(fixes.map((fix) => [fix.text, fix])).values()].slice(0, MAX_FIXES),
  };
}

/** Each group of equal pods may need another change. */
const MAX_FIXES = 3;

export interface LimitInUse {
  readonly resource: string;
  readonly used: string;
  readonly limit: string;
  readonly share: number;
}

/** @param claims - those of the NodePool */
export const listLimits = ({ limits }: NodePool, claims: readonly NodeClaim[]): readonly LimitInUse[] =>
  Object.entries(limits).map(([resource, limit]) => {
    const used =
      resource === NODES
        ? claims.length
        : claims.reduce((sum, { launch }) => sum + (ownValue(launch?.capacity, resource) ?? 0), 0);
    return {
      resource,
      used: formatAmount(resource, used),
      limit: formatAmount(resource, limit),
      share: limit > 0 ? used / limit : 1,
    };
  });

function describeLimits(pool: NodePool, claims: readonly NodeClaim[]): readonly Evidence[] {
  const limits = listLimits(pool, claims);
  return limits.length === 0
    ? [{ label: 'limits', text: 'none' }]
    : limits.map(({ resource, used, limit }) => ({ label: `limit ${resource}`, text: `${used} of ${limit} in use` }));
}

export const listEvidence = (label: string, text: string | undefined): Evidence[] =>
  text === undefined ? [] : [{ label, text }];

/** @returns undefined for a pool that always works */
export function describeHours(pool: NodePool, now: EpochMs): string | undefined {
  if (!pool.hours) return undefined;
  const off = findOffHours(pool, now);
  return off
    ? `off until ${formatInstant(off.until)}, at most ${off.nodes} nodes`
    : `on; outside of its hours at most ${pool.hours.offHoursNodes} nodes`;
}

/** @returns undefined for a pool that keeps no part on demand */
export function describeOnDemandShare({ onDemandShare }: NodePool, claims: readonly NodeClaim[]): string | undefined {
  if (!onDemandShare) return undefined;
  const launches = claims.flatMap(({ launch }) => launch ?? []);
  const sumCpus = (some: readonly Launch[]): string =>
    formatAmount(
      CPU,
      some.reduce((sum, { capacity }) => sum + (ownValue(capacity, CPU) ?? 0), 0),
    );
  const onDemand = sumCpus(launches.filter(({ capacityType }) => capacityType !== 'spot'));
  const share = formatOnDemandShare(onDemandShare, 'vCPUs');
  return `${onDemand} of ${sumCpus(launches)} vCPUs, keeps ${share}`;
}

function listOffered(claims: readonly NodeClaim[], pods: readonly Pod[]): OfferedNode[] {
  const podsByNode = Map.groupBy(pods, ({ nodeName }) => nodeName);
  return claims.flatMap(({ launch, nodeName }) =>
    launch ? [{ ...launch, podCount: podsByNode.get(nodeName ?? '')?.length ?? 0 }] : [],
  );
}

/** Counts the nodes that disruption budgets are shares of. */
export const countInitialized = (claims: readonly NodeClaim[]): number =>
  claims.filter(({ initializedAt, terminatingAt }) => initializedAt !== undefined && terminatingAt === undefined)
    .length;

function describeBudgets(pool: NodePool, claims: readonly NodeClaim[], now: number): Evidence[] {
  const reasons = ['Empty', 'Underutilized', 'Drifted', 'Unhealthy'] as const;
  const texts = reasons.map((reason) => {
    const { nodes } = computeAllowedDisruptions(pool, reason, countInitialized(claims), now);
    return `${reason} ${nodes === Infinity ? 'any number' : nodes}`;
  });
  return [{ label: 'may be disrupted at a time', text: texts.join(', ') }];
}

function describeProgress(pool: NodePool, { snapshot }: DecisionFacts): Evidence[] {
  const progress = computeRolloutProgress(pool, snapshot);
  return progress ? [{ label: 'rollout', text: describeRollout(progress) }] : [];
}

const VERBS = { stays: ['stays', 'stay'], goes: ['goes', 'go'] } as const;

/** Groups nodes by the reason why they stay or go, the largest group first. Reasons of one group differ in details. */
export function groupVerdicts(verdicts: readonly NodeVerdict[]): Evidence[] {
  const groups = Map.groupBy(verdicts, ({ outcome, reason }) => `${outcome} ${reason.code}`);
  return [...groups]
    .toSorted(([a, first], [b, second]) => second.length - first.length || (a < b ? -1 : 1))
    .flatMap(([, members]) => {
      const [first] = members;
      if (!first) return [];
      const isOne = members.length === 1;
      const names = formatNames(members.map(({ claim }) => claim));
      const example = isOne ? '' : `, such as ${first.claim}`;
      return [
        {
          label: `${formatCount(members.length, 'node')} ${VERBS[first.outcome][isOne ? 0 : 1]}`,
          text: `${names}${example}: ${formatReason(first.reason)}`,
        },
      ];
    });
}
