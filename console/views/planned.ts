import { listAllowedStretches } from '../../shared/disruption/budget-stretches.ts';
import { needsValidation, VALIDATION_DELAY_MS } from '../../shared/disruption/validation-delay.ts';
import { countInitialized } from '../../shared/explain/explain-node-pool.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import { DAY_MS, type EpochMs } from '../../shared/model/time.ts';
import { plural } from '../format.ts';
import type { PlannedStep } from '../timeline-views.ts';
import type { NodeView } from '../views.ts';
import type { ConsoleFacts } from './facts.ts';

/** More steps cannot be read; the earliest come first. */
const MAX_STEPS = 200;
/** Steps that are later than this are left out. */
const AHEAD_MS = DAY_MS;

/**
 * Lists what is known to come in the day after the instant of the facts: nodes that become ready or go,
 * commands that wait, expiry, and changes of the disruption budgets. Steps without a time are last.
 */
export function plannedSteps(
  { snapshot, commands, clock }: Pick<ConsoleFacts, 'snapshot' | 'commands' | 'clock'>,
  nodes: readonly NodeView[],
): readonly PlannedStep[] {
  const views = new Map(nodes.map((node) => [node.name, node]));
  const leaving = new Set(commands.flatMap(({ candidates }) => candidates));
  const steps = [
    ...commands.flatMap((command) => commandSteps(command, views)),
    ...nodes.filter(({ name }) => !leaving.has(name)).flatMap(nodeStep),
    ...snapshot.claims.flatMap(expiryStep),
    ...snapshot.pools.flatMap((pool) => budgetStep(pool, snapshot.claims, clock.now)),
  ];
  return steps
    .filter(({ at }) => at === undefined || (at > clock.now && at <= clock.now + AHEAD_MS))
    .toSorted((a, b) => (a.at ?? Infinity) - (b.at ?? Infinity))
    .slice(0, MAX_STEPS);
}

interface StepOfNode extends Pick<PlannedStep, 'kind' | 'text'> {
  readonly at?: EpochMs | undefined;
}

const aboutNode = (node: string, { at, ...step }: StepOfNode): PlannedStep => ({
  ...step,
  ...(at !== undefined && { at }),
  node,
  objects: [{ kind: 'node', name: node }],
});

/** A command is validated again after a wait; then its nodes go, after their replacements. */
function commandSteps(command: DisruptionCommand, views: ReadonlyMap<string, NodeView>): readonly PlannedStep[] {
  const { candidates, replacements, decidedAt, validatedAt } = command;
  const isWaiting = validatedAt === undefined && needsValidation(command);
  const what = replacements.length > 0 ? 'is replaced' : 'is removed';
  return candidates
    .filter((name) => views.has(name))
    .map((name) =>
      isWaiting
        ? aboutNode(name, {
            kind: 'goes',
            at: decidedAt + VALIDATION_DELAY_MS,
            text: `${name} ${what}, if a second check agrees`,
          })
        : aboutNode(name, {
            kind: 'goes',
            text: `${name} ${what}${replacements.length > 0 ? ' once its replacement is ready' : ''}`,
          }),
    );
}

function nodeStep({ name, state, note }: NodeView): readonly PlannedStep[] {
  switch (state) {
    case 'starting':
    case 'registered':
      return [aboutNode(name, { kind: 'ready', at: note?.until, text: `${name} becomes ready` })];
    case 'draining':
    case 'interrupted':
      return [aboutNode(name, { kind: 'goes', at: note?.until, text: `${name} is gone at the latest` })];
    case 'empty':
      return note?.until === undefined
        ? []
        : [
            aboutNode(name, {
              kind: 'goes',
              at: note.until,
              text: `${name} goes if it stays empty`,
            }),
          ];
    case 'drifted':
    case 'held':
    case 'not-ours':
    case 'not-ready':
    case 'ready':
      return [];
  }
}

function expiryStep({ name, createdAt, expireAfterMs, deletingAt }: NodeClaim) {
  if (expireAfterMs === undefined || deletingAt !== undefined) return [];
  return [aboutNode(name, { kind: 'expires', at: createdAt + expireAfterMs, text: `${name} expires` })];
}

/** The next time at which the budgets of a pool allow another number of nodes. */
function budgetStep(pool: NodePool, claims: readonly NodeClaim[], now: EpochMs): readonly PlannedStep[] {
  const nodes = countInitialized(claims.filter((claim) => claim.pool === pool.name));
  const window = { from: now, to: now + DAY_MS };
  const next = listAllowedStretches(pool, 'Underutilized', nodes, window)[1];
  if (!next) return [];
  const allowed = Number.isFinite(next.nodes) ? plural(next.nodes, 'node') : 'all nodes';
  return [
    {
      kind: 'budget',
      at: next.from,
      text: `budgets of ${pool.name} allow ${next.nodes === 0 ? 'no disruption' : `${allowed} at a time`}`,
      objects: [{ kind: 'nodepool', name: pool.name }],
    },
  ];
}
