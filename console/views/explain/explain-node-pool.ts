import { OWN_REFUSALS } from '../../../shared/explain/explain-node-pool.ts';
import type { Evidence, Explanation, ReasonRow } from '../../explanation.ts';
import { formatCount, formatTime, formatUsd, plural } from '../../format.ts';
import type { BudgetRow, PoolView } from '../../screen-views.ts';
import type { ConsoleFacts } from '../facts.ts';
import { reasonSentence } from '../facts.ts';
import { podViews } from '../pods.ts';
import { poolsView } from '../pool-views.ts';
import { groupStays } from './group-stays.ts';
import { plain } from './pod-question.ts';

/** Undefined if there is no NodePool of this name. */
export function explainNodePool(facts: ConsoleFacts, name: string): Explanation | undefined {
  const pool = poolsView(facts).pools.find((view) => view.name === name);
  if (!pool) return undefined;
  return {
    subject: { kind: 'nodepool', name },
    question: 'What does this NodePool do?',
    facts: factsOf(pool),
    ...withWaiting(verdictOf(pool), countWaiting(facts, name)),
    evidence: [
      ...limitEvidence(pool),
      budgetEvidence(pool, facts.clock.now),
      ...rolloutEvidence(pool),
      ...nodeEvidence(facts, name),
      ...refusalEvidence(facts, name),
    ],
  };
}

const factsOf = ({ weight, nodeClass, nodes, hourlyUsd }: PoolView): string[] => [
  `weight ${weight}`,
  `EC2NodeClass ${nodeClass}`,
  plural(nodes, 'node'),
  `${formatUsd(hourlyUsd)}/h`,
];

function verdictOf({ notReady, replicas, limits }: PoolView): Pick<Explanation, 'verdict' | 'tone'> {
  if (notReady !== undefined) {
    return { verdict: plain(`It launches nothing. ${notReady}`), tone: 'bad' };
  }
  const reached = limits.filter(({ share }) => share >= 1);
  if (reached.length > 0) {
    const named = reached.map(({ resource, used, limit }) => `${resource} ${used} of ${limit}`);
    return { verdict: plain(`It is at its limit: ${named.join(', ')} in use.`), tone: 'warn' };
  }
  const text =
    replicas === undefined
      ? 'It launches nodes for pending pods that it can run.'
      : `It keeps ${plural(replicas, 'node')}, whatever pods there are.`;
  return { verdict: plain(text), tone: 'calm' };
}

/** Counts the pending pods that wait for the NodePool itself: for its limit, or for its EC2NodeClass. */
const countWaiting = (facts: ConsoleFacts, name: string): number =>
  podViews(facts).filter(({ key, state }) => {
    const answer = state === 'pending' ? facts.decisions.podAnswer(key) : undefined;
    if (answer?.outcome !== 'unplaced') return false;
    const [reason] = answer.unplaced.pools.find(({ pool }) => pool === name)?.reasons ?? [];
    return reason !== undefined && OWN_REFUSALS.has(reason.code);
  }).length;

function withWaiting<T extends Pick<Explanation, 'verdict'>>(answer: T, waiting: number): T {
  if (waiting === 0) return answer;
  const count = `${plural(waiting, 'pod')} ${waiting === 1 ? 'waits' : 'wait'} for it.`;
  return { ...answer, verdict: { ...answer.verdict, text: `${answer.verdict.text} ${count}` } };
}

const limitEvidence = ({ limits }: PoolView): Evidence[] =>
  limits.length === 0
    ? []
    : [
        {
          kind: 'reasons',
          title: 'Limits in use',
          rows: limits.map(({ resource, used, limit }) => ({
            subject: resource,
            texts: [`${used} of ${limit}`],
          })),
        },
      ];

const budgetEvidence = ({ budgets, inProgress }: PoolView, now: number): Evidence => ({
  kind: 'reasons',
  title: `Nodes that may be disrupted, ${formatCount(inProgress)} in progress`,
  rows: budgets.map((row) => budgetRow(row, now)),
});

const rolloutEvidence = ({ rollout }: PoolView): Evidence[] =>
  rollout === undefined ? [] : [{ kind: 'text', title: 'Rollout', sentences: [plain(`${rollout}.`)] }];

function budgetRow({ reason, stretches }: BudgetRow, now: number): ReasonRow {
  const current = stretches.find(({ from, to }) => from <= now && now < to) ?? stretches[0];
  const next = stretches.find(({ from }) => from > now);
  const allowed = (nodes: number | undefined) => (nodes === undefined ? 'any number' : `${nodes}`);
  const later = next ? `, ${allowed(next.nodes)} from ${formatTime(next.from)}` : '';
  return { subject: reason, texts: [`${allowed(current?.nodes)}${later}`] };
}

function nodeEvidence({ snapshot, decisions }: ConsoleFacts, name: string): Evidence[] {
  const verdicts = snapshot.claims
    .filter(({ pool }) => pool === name)
    .flatMap((claim) => decisions.stayOf(claim.name)?.verdict ?? []);
  const sentences = groupStays(verdicts);
  return sentences.length === 0 ? [] : [{ kind: 'text', title: 'Why its nodes stay or go', sentences }];
}

/** More pods would say the same. */
const MAX_PODS = 8;

/** Pending pods, and why this pool launches nothing for them. */
function refusalEvidence(facts: ConsoleFacts, name: string): Evidence[] {
  const rows = podViews(facts).flatMap(({ key, state }): ReasonRow[] => {
    const answer = state === 'pending' ? facts.decisions.podAnswer(key) : undefined;
    if (answer?.outcome !== 'unplaced') return [];
    const [reason] = answer.unplaced.pools.find(({ pool }) => pool === name)?.reasons ?? [];
    if (!reason) return [];
    return [{ subject: key, object: { kind: 'pod', name: key }, texts: [reasonSentence(reason)] }];
  });
  return rows.length === 0
    ? []
    : [
        {
          kind: 'reasons',
          title: 'Pending pods that it cannot run',
          rows: rows.slice(0, MAX_PODS),
        },
      ];
}
