import { closedUntil } from './objects.ts';

/** A question, and the expected answer of `mortise explain`. */
export interface Question {
  readonly title: string;
  /** The Deployment of the pod that waits, or the Node. */
  readonly of: string;
  readonly outcome: 'pending' | 'stays' | 'goes' | 'not-ours';
  readonly verdict: RegExp;
  /** The reason: of the pod's own NodePool, or of the node. */
  readonly reason: RegExp | undefined;
  readonly evidence: string;
  /** The beginning of the first fix; undefined if no single change helps. */
  readonly fix: string | undefined;
  /** A line of the evidence that quotes Karpenter, where Karpenter runs. */
  readonly reported?: RegExp;
}

const WAITS = / waits since .*: needs 1 cpu, 1Gi memory$/;
const NEEDS = 'needs: 1 cpu, 1Gi memory';
const pending = { outcome: 'pending', verdict: WAITS, evidence: NEEDS } as const;

const allow = (key: string, values: string): string => `allow ${key} ${values} instead of `;
const ZONE_KEY = 'topology.kubernetes.io/zone';

export const POD_QUESTIONS: readonly Question[] = [
  {
    ...{ title: 'too large', of: 'too-large', outcome: 'pending' },
    verdict: / waits since .*: needs 12 cpu, 1Gi memory$/,
    reason: /^needs 12 cpu; largest type m5\.2xlarge has 7\.\d+$/,
    evidence:
      'offerings of too-large: 9 allowed by the NodePool, 9 by the pod, 0 large enough, 0 available, 0 within limits',
    fix: allow('karpenter.k8s.aws/instance-cpu', '< 17'),
  },
  {
    ...{ title: 'taint', of: 'taint', ...pending },
    reason: /^taint dedicated=gpu:NoSchedule not tolerated$/,
    fix: 'let Deployment taint tolerate dedicated=gpu:NoSchedule',
  },
  {
    ...{ title: 'affinity', of: 'affinity', ...pending },
    reason: /^must not share topology\.kubernetes\.io\/zone with app=db; us-east-1a, us-east-1b, us-east-1c taken$/,
    fix: 'prefer instead of require the anti-affinity over topology.kubernetes.io/zone in Deployment affinity',
  },
  {
    ...{ title: 'zone', of: 'zone', ...pending },
    reason: /^pod needs topology\.kubernetes\.io\/zone In \[us-east-1b\], pool gives In \[us-east-1a\]$/,
    fix: allow(ZONE_KEY, 'In [us-east-1a, us-east-1b]'),
  },
  {
    ...{ title: 'limit', of: 'limit', ...pending },
    reason: /^cpu 0 of 1 in use; smallest fitting node m5\.\w+ adds \d$/,
    evidence: 'available, 0 within limits',
    fix: 'raise limits.cpu of NodePool limit to ',
  },
  {
    ...{ title: 'spread', of: 'spread', ...pending },
    reason: /: maxSkew 1, counts us-east-1a 1, us-east-1b 1, us-east-1c 0, no node can be in us-east-1c$/,
    fix: allow(ZONE_KEY, 'In [us-east-1a, us-east-1b, us-east-1c]'),
  },
  {
    ...{ title: 'volume zone', of: 'volume-zone', ...pending },
    reason:
      /^pod needs topology\.kubernetes\.io\/zone In \[us-east-1c\] for its volumes, pool gives In \[us-east-1a, us-east-1b\]$/,
    fix: allow(ZONE_KEY, 'In [us-east-1a, us-east-1b, us-east-1c]'),
  },
  {
    ...{ title: 'no capacity', of: 'no-capacity', ...pending },
    reason: /^m5\.large on-demand us-east-1a, us-east-1b, us-east-1c out of capacity until 20\S+Z$/,
    evidence: '3 large enough, 0 available',
    reported: /^InsufficientCapacityError .*: NodeClaim no-capacity-\w+ event: .* m5\.large capacity/,
    // A type of the same architecture and the same capacity type.
    fix: 'allow node.kubernetes.io/instance-type In [m5.large, c',
  },
];

const stays = (name: string, type = 'm5.xlarge') => ({
  of: name,
  outcome: 'stays' as const,
  verdict: new RegExp(`^${name} stays: ${type} on-demand us-east-1a, \\$0\\.\\d+/h, `),
  evidence: `NodePool: ${name}`,
});

/**
 * @param now - when the objects were created
 * @param restsUntil - when the drifted node is tried again
 */
export const listNodeQuestions = (now: number, restsUntil: string): readonly Question[] => [
  {
    ...{ title: 'PDB', ...stays('pdb') },
    reason: /^default\/guard allows 0 disruptions \(minAvailable 1, healthy 1\)$/,
    evidence: 'pods: 2: default/guard, default/mover-pdb',
    fix: 'set minAvailable of PodDisruptionBudget default/guard to 0',
    reported: /^DisruptionBlocked .*: Pdb prevents pod evictions/,
  },
  {
    ...{ title: 'do-not-disrupt', ...stays('do-not-disrupt') },
    reason: /^pod default\/kept carries do-not-disrupt until it is removed$/,
    fix: 'remove karpenter.sh/do-not-disrupt from pod kept of namespace default',
  },
  {
    ...{ title: 'budget closed until', ...stays('budget-closed') },
    reason: new RegExp(`^budget 0 allows no disruption for Underutilized, next window opens at ${closedUntil(now)}$`),
    fix: `wait until ${closedUntil(now)}`,
  },
  {
    ...{ title: 'window', ...stays('window') },
    reason: /^budget 0 allows no disruption for Underutilized$/,
    fix: 'set disruption.budgets[0].nodes of NodePool window to 1',
  },
  {
    ...{ title: 'drift waiting', ...stays('drift-waiting') },
    reason: new RegExp(
      `^drifted; a replacement of NodePool drift-waiting did not come up, tried again at ${restsUntil}$`,
    ),
    fix: `wait until ${restsUntil}`,
  },
  {
    ...{ title: 'not cheaper', ...stays('not-cheaper', 'c5.large') },
    reason: /^best is c5\.large at \$0\.\d+\/h, now \$0\.\d+\/h$/,
    reported: /^Unconsolidatable .*: Can't replace with a cheaper node$/,
    // The NodePool allows one type only.
    fix: 'allow node.kubernetes.io/instance-type In [c5.large, ',
  },
  {
    ...{ title: 'too young', ...stays('too-young') },
    reason: /^last pod change \S+ ago, needs 2h$/,
    fix: 'wait until 20',
  },
  {
    ...{ title: 'not ours', of: 'workers-a', outcome: 'not-ours' },
    verdict: /^workers-a stays: m5\.2xlarge us-east-1a, .*; node group workers launched it$/,
    reason: undefined,
    evidence: 'without it: its pods fit the other nodes, so it is not needed now',
    fix: undefined,
  },
];

/** The node of the question "drift waiting", where Karpenter has begun to replace it. */
const REPLACED_BY_KARPENTER: Question = {
  ...{ title: 'drift under way', ...stays('drift-waiting'), outcome: 'goes' },
  verdict: /^drift-waiting goes: m5\.xlarge on-demand us-east-1a, /,
  reason: /^Karpenter disrupts it \(Drifted\): Waiting on readiness to continue disruption$/,
  reported: /^Drifted .*: NodePoolDrifted$/,
  fix: undefined,
};

/** The questions about nodes that Karpenter runs, of which no record of ours exists. */
export const listKarpenterQuestions = (questions: readonly Question[]): readonly Question[] =>
  questions.map((question) => (question.of === REPLACED_BY_KARPENTER.of ? REPLACED_BY_KARPENTER : question));
