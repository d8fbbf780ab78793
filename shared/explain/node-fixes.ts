import { type DrainObstacle, listLastingObstacles } from '../lifecycle/termination/blocked-drain.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { formatReason, type Reason } from '../model/explanations/reasons.ts';
import { DO_NOT_DISRUPT_ANNOTATION } from '../model/labels.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../model/plans.ts';
import { podKey } from '../model/pods/pod.ts';
import { formatInstant, parseInstant, SECOND_MS } from '../model/time.ts';
import { withPool } from '../scheduling/explanation/fix-proposal.ts';
import { proposeCheaperTypes } from './cheaper-types.ts';
import type { DecisionFacts } from './decisions.ts';
import { type ExplainedFix, withFixId } from './explanation.ts';
import type { NodeProposal, Question } from './node-proposal.ts';
import { mergePatch } from './patches.ts';

/** A change with which the node goes, or another reason keeps it. */
export interface NodeFix {
  readonly fix: ExplainedFix;
  /** The command that would then be started; undefined if another reason keeps the node. */
  readonly command?: DisruptionCommand;
}

/** Reasons that users give. They are told how to end them, also if the planner would keep the node anyway. */
const OBSTACLES: ReadonlySet<Reason['code']> = new Set(['blocked-by-do-not-disrupt', 'blocked-by-pdb']);

/** Finds changes with which the node goes, best first. Each is tried by deciding again. */
export function findNodeFixes(facts: DecisionFacts, claim: NodeClaim, reason: Reason): readonly NodeFix[] {
  const pool = facts.snapshot.pools.find(({ name }) => name === claim.pool);
  const question = pool && { snapshot: facts.snapshot, claim, pool, reason, judge: facts.judge };
  const proposals = question ? propose(question) : [];
  return proposals.flatMap(({ fix, snapshot }) => {
    const { command, verdict } = facts.judge(claim.name, snapshot);
    if (command?.candidates.includes(claim.name)) {
      return [{ fix: withFixId({ ...fix, hourlyUsd: -command.savingHourlyUsd }), command }];
    }
    const next = verdict?.reason;
    if (!next || next.code === reason.code || !OBSTACLES.has(reason.code)) return [];
    const text = `${fix.text}; then: ${formatReason(next)}`;
    return fix.kind === 'wait' ? [] : [{ fix: withFixId({ ...fix, text, hourlyUsd: 0 }) }];
  });
}

/** Finds the changes with which a pod that holds up a drain may leave. Each is tried on the pods of the node. */
export function findDrainFixes(
  { snapshot }: DecisionFacts,
  claim: NodeClaim,
  { pod, reason }: DrainObstacle,
): readonly ExplainedFix[] {
  if (!reason) return [];
  const proposals = proposeForDrain({ snapshot, claim, reason });
  return proposals.flatMap(({ fix, snapshot: changed }) =>
    listLastingObstacles(claim, observeDrain(claim, changed)).some((one) => one.pod === pod)
      ? []
      : [withFixId({ ...fix, hourlyUsd: -(claim.launch?.hourlyUsd ?? 0) })],
  );
}

const proposeForDrain = (question: Omit<Question, 'pool' | 'judge'>): readonly NodeProposal[] =>
  question.reason.code === 'blocked-by-pdb' ? proposeBudgetChange(question) : proposeAnnotationRemoval(question);

/** The pods on the claim's node, with the budgets. */
export const observeDrain = ({ nodeName }: NodeClaim, { pods, podDisruptionBudgets, takenAt }: ClusterSnapshot) => ({
  pods: pods.filter((pod) => pod.nodeName !== undefined && pod.nodeName === nodeName),
  budgets: podDisruptionBudgets,
  now: takenAt,
});

type Propose = (question: Question) => readonly NodeProposal[];

/** Waiting comes first: what time resolves needs no change. */
const PROPOSALS: Readonly<Partial<Record<Reason['code'], readonly Propose[]>>> = {
  'blocked-by-pdb': [proposeBudgetChange],
  'blocked-restart': [proposeBudgetChange],
  'blocked-by-do-not-disrupt': [proposeWaiting, proposeAnnotationRemoval],
  'budget-exhausted': [proposeMoreNodes],
  'budget-closed': [proposeOpening, proposeMoreNodes],
  'window-spread': [proposeWaiting],
  'consolidate-after': [proposeWaiting],
  'not-paid-back': [proposeWaiting],
  'still-paying-back': [proposeWaiting],
  nominated: [proposeWaiting],
  'drift-backoff': [proposeWaiting],
  'consolidation-disabled': [proposeConsolidation],
  'not-worth-disruption': [proposeConsolidation],
  'no-cheaper-replacement': [proposeCheaperTypes],
};

const propose: Propose = (question) =>
  (PROPOSALS[question.reason.code] ?? []).flatMap((proposeChange) => proposeChange(question));

function proposeWaiting({ snapshot, reason: { fields } }: Question): NodeProposal[] {
  const until = fields.at ?? fields.until ?? '';
  const at = Date.parse(until);
  return Number.isNaN(at) ? [] : [createWait(snapshot, at)];
}

/** The clock of the changed cluster is a second later: times are formatted without milliseconds. */
const createWait = (snapshot: ClusterSnapshot, at: number): NodeProposal => ({
  snapshot: { ...snapshot, takenAt: at + SECOND_MS },
  fix: {
    kind: 'wait',
    object: '',
    path: '',
    to: formatInstant(at),
    text: `wait until ${formatInstant(at)}`,
  },
});

function proposeBudgetChange({ snapshot, reason: { fields } }: Pick<Question, 'snapshot' | 'reason'>): NodeProposal[] {
  const { podDisruptionBudgets } = snapshot;
  const budget = podDisruptionBudgets.find((one) => podKey(one) === fields.pdb);
  if (!budget) return [];
  const { namespace, name, minAvailable, maxUnavailable, currentHealthy, desiredHealthy } = budget;
  const path = minAvailable === undefined ? 'maxUnavailable' : 'minAvailable';
  // Too few healthy pods allow no eviction either; then the pods are to be repaired.
  if (currentHealthy < desiredHealthy) return [];
  const to = path === 'minAvailable' ? Math.max(0, currentHealthy - 1) : 1;
  const changed = { ...budget, [path]: `${to}`, disruptionsAllowed: 1 };
  return [
    {
      snapshot: {
        ...snapshot,
        podDisruptionBudgets: podDisruptionBudgets.map((one) => (one === budget ? changed : one)),
      },
      fix: {
        kind: 'change-pdb',
        object: `PodDisruptionBudget/${namespace}/${name}`,
        path: `spec.${path}`,
        from: minAvailable ?? maxUnavailable ?? '1',
        to: `${to}`,
        text: `set ${path} of PodDisruptionBudget ${namespace}/${name} to ${to}`,
        patch: mergePatch(`poddisruptionbudget ${name} -n ${namespace}`, { spec: { [path]: to } }),
      },
    },
  ];
}

function proposeAnnotationRemoval(question: Omit<Question, 'pool' | 'judge'>): NodeProposal[] {
  const { snapshot, claim, reason } = question;
  const { object = '' } = reason.fields;
  const key = object.replace(/^(?:pod|node) /, '');
  const [namespace = '', name = ''] = key.split('/');
  const isPod = object.startsWith('pod ');
  const isClaim = object === 'its NodeClaim';
  const { keptByHand: _, ...freed } = claim;
  const target = isPod ? `pod ${name} -n ${namespace}` : isClaim ? `nodeclaim ${claim.name}` : `node ${key}`;
  const named = isPod ? `Pod/${key}` : isClaim ? `NodeClaim/${claim.name}` : `Node/${key}`;
  return [
    {
      snapshot: {
        ...snapshot,
        pods: snapshot.pods.map((pod) => (isPod && podKey(pod) === key ? withoutAnnotation(pod) : pod)),
        nodes: snapshot.nodes.map((node) => (!isPod && !isClaim && node.name === key ? withoutAnnotation(node) : node)),
        claims: isClaim ? snapshot.claims.map((one) => (one.name === claim.name ? freed : one)) : snapshot.claims,
      },
      fix: {
        kind: 'remove-annotation',
        object: named,
        path: 'metadata.annotations',
        key: DO_NOT_DISRUPT_ANNOTATION,
        to: 'nothing',
        text: `remove ${DO_NOT_DISRUPT_ANNOTATION} from ${target.replace(' -n ', ' of namespace ')}`,
        patch: `kubectl annotate ${target} ${DO_NOT_DISRUPT_ANNOTATION}-`,
      },
    },
  ];
}

function withoutAnnotation<T extends { readonly annotations: Readonly<Record<string, string>> }>(object: T): T {
  const { [DO_NOT_DISRUPT_ANNOTATION]: _, ...annotations } = object.annotations;
  return { ...object, annotations };
}

/** A budget with a schedule closes for a while. Then the pool is left alone on purpose. */
function proposeOpening({ snapshot, reason: { fields } }: Question): NodeProposal[] {
  return fields.opensAt === undefined ? [] : [createWait(snapshot, parseInstant(fields.opensAt))];
}

function proposeMoreNodes({ snapshot, pool, reason: { fields } }: Question): NodeProposal[] {
  const to = `${Number(fields.disrupting) + 1}`;
  const index = pool.disruption.budgets.findIndex(({ nodes }) => nodes === fields.budget);
  const budget = pool.disruption.budgets[index];
  if (!budget) return [];
  const budgets = pool.disruption.budgets.with(index, { ...budget, nodes: to });
  const changed = { ...pool, disruption: { ...pool.disruption, budgets } };
  const path = `/spec/disruption/budgets/${index}/nodes`;
  const operations = [{ op: 'replace', path, value: to }];
  return [
    {
      snapshot: withPool(snapshot, changed),
      fix: {
        kind: 'raise-budget',
        object: `NodePool/${pool.name}`,
        path: `spec.disruption.budgets[${index}].nodes`,
        from: budget.nodes,
        to,
        text: `set disruption.budgets[${index}].nodes of NodePool ${pool.name} to ${to}`,
        patch: `kubectl patch nodepool ${pool.name} --type json -p '${JSON.stringify(operations)}'`,
      },
    },
  ];
}

const CONSOLIDATE_AFTER_MS = 30 * SECOND_MS;

function proposeConsolidation({ snapshot, pool }: Question): NodeProposal[] {
  const { disruption } = pool;
  const isOff = disruption.consolidateAfterMs === 'Never';
  const policy = 'WhenEmptyOrUnderutilized' as const;
  const consolidateAfterMs = isOff ? CONSOLIDATE_AFTER_MS : disruption.consolidateAfterMs;
  const fields = {
    ...(disruption.policy !== policy && { consolidationPolicy: policy }),
    ...(isOff && { consolidateAfter: '30s' }),
  };
  const named = Object.entries(fields).map(([name, value]) => `${name} to ${value}`);
  const [path = 'consolidationPolicy'] = Object.keys(fields);
  return [
    {
      snapshot: withPool(snapshot, {
        ...pool,
        disruption: { ...disruption, policy, consolidateAfterMs },
      }),
      fix: {
        kind: 'enable-consolidation',
        object: `NodePool/${pool.name}`,
        path: `spec.disruption.${path}`,
        from: isOff ? 'Never' : disruption.policy,
        to: isOff ? '30s' : policy,
        text: `set ${named.join(' and ')} in disruption of NodePool ${pool.name}`,
        patch: mergePatch(`nodepool ${pool.name}`, { spec: { disruption: fields } }),
      },
    },
  ];
}
