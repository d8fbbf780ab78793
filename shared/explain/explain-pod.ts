import { explainDaemonWait } from '../disruption/drift/daemon-shortage.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { formatShortDuration } from '../model/duration.ts';
import { formatAwaitedFinalizers, formatHourlyUsd } from '../model/explanations/phrases.ts';
import { formatFix } from '../model/explanations/plan-text.ts';
import { formatReason, type Reason } from '../model/explanations/reasons.ts';
import { formatUnselected, rankRefusals } from '../model/explanations/refusals.ts';
import { type NodeClaim, phaseOf } from '../model/nodes/node-claim.ts';
import { formatOffering } from '../model/offerings/instance-type.ts';
import { ownValue } from '../model/own-value.ts';
import type { Fix, Funnel, ProvisioningPlan, Unplaced } from '../model/plans.ts';
import { isTerminal } from '../model/pods/disruption-pods.ts';
import { type Pod, type PodKey, podKey } from '../model/pods/pod.ts';
import { isDaemon } from '../model/pods/workload.ts';
import { formatAmount } from '../model/quantity.ts';
import { PODS } from '../model/resources.ts';
import { formatInstant } from '../model/time.ts';
import { isOptedOut } from '../scheduling/input/plan-batch.ts';
import type { DecisionFacts } from './decisions.ts';
import { type Evidence, type ExplainedFix, type ExplainedReason, type Explanation, withFixId } from './explanation.ts';
import { formatPatch } from './patches.ts';
import { describePodPhases } from './phases.ts';

type PodAnswer = Omit<Explanation, 'subject'>;

/** @returns undefined if there is no such pod */
export function explainPod(facts: DecisionFacts, key: PodKey): Explanation | undefined {
  const pod = facts.snapshot.pods.find((one) => podKey(one) === key);
  if (!pod) return undefined;
  const subject = { kind: 'pod', name: key } as const;
  return {
    subject,
    ...(answerEnding(pod) ?? (pod.nodeName === undefined ? answerPending(pod, facts) : answerBound(pod, facts))),
  };
}

const NOTHING_WRONG = { reasons: [], evidence: [], fixes: [] } as const;
const ON_CHANGE = {
  text: 'It is planned again when pods, nodes or NodePools change, and each minute.',
};

/** @returns undefined for a pod that needs its node, or one */
function answerEnding(pod: Pod): PodAnswer | undefined {
  const { nodeName, phase, deletionAt } = pod;
  const key = podKey(pod);
  if (deletionAt !== undefined) {
    const awaited = formatAwaitedFinalizers(pod);
    const what = nodeName === undefined ? 'is being deleted' : `is leaving ${nodeName}`;
    const graceEnd = `Its grace period ends at ${formatInstant(deletionAt)}.`;
    return {
      ...NOTHING_WRONG,
      outcome: 'leaving',
      verdict: awaited === undefined ? `${key} ${what}` : `${key} ${what}, waits for ${awaited}`,
      next:
        awaited === undefined
          ? { text: graceEnd, at: deletionAt }
          : { text: `No node is launched for it. It is gone when ${awaited} is removed.` },
    };
  }
  if (!isTerminal(pod)) return undefined;
  return {
    ...NOTHING_WRONG,
    outcome: 'leaving',
    verdict: `${key} has finished: ${phase}`,
    next: { text: 'Nothing has to happen: a finished pod needs no node.' },
  };
}

function answerBound(pod: Pod, { snapshot, launchOf }: DecisionFacts): PodAnswer {
  const { nodeName = '' } = pod;
  if (snapshot.nodes.every(({ name }) => name !== nodeName)) return answerWithoutNode(pod);
  const claim = snapshot.claims.find((one) => one.nodeName === nodeName);
  const where = claim?.launch ? `${nodeName} (${formatOffering(claim.launch)}, NodePool ${claim.pool})` : nodeName;
  const isRunning = pod.phase !== 'Pending';
  const isLaunchedFor = claim && launchOf(claim.name)?.planned.pods.includes(podKey(pod));
  return {
    ...NOTHING_WRONG,
    outcome: isRunning ? 'runs' : 'waiting',
    verdict: `${podKey(pod)} ${isRunning ? 'runs on' : 'starts on'} ${where}`,
    evidence: [
      { label: 'requests', text: formatRequests(pod) },
      ...(isLaunchedFor ? [{ label: 'node', text: 'was launched for it' }] : []),
      describePodPhases(pod, claim),
    ],
    next: { text: isRunning ? describeStay(pod) : 'The kubelet starts its containers.' },
  };
}

/** A node that launches itself, or that the pod named, has no claim and need not exist. */
const answerWithoutNode = (pod: Pod): PodAnswer => ({
  ...NOTHING_WRONG,
  outcome: 'held',
  verdict: `${podKey(pod)} is bound to ${pod.nodeName}, which does not exist`,
  reasons: [{ object: '', reason: toHeldReason({ why: `it is bound to ${pod.nodeName}, which does not exist` }) }],
  evidence: [{ label: 'requests', text: formatRequests(pod) }],
  next: {
    text: 'No node is launched for a pod that is bound. The pod garbage collector deletes it, and its owner makes another.',
  },
});

function describeStay({ owner, labels }: Pod): string {
  const profile = ownValue(labels, FARGATE_PROFILE_LABEL);
  if (profile !== undefined) return `Nothing has to happen. Fargate profile ${profile} gives it a node of its own.`;
  return owner?.kind === 'Node'
    ? 'Nothing has to happen. It is a static pod: the kubelet starts it from a file, and it stays until its node goes.'
    : 'Nothing has to happen.';
}

const FARGATE_PROFILE_LABEL = 'eks.amazonaws.com/fargate-profile';

function answerPending(pod: Pod, facts: DecisionFacts): PodAnswer {
  const held = findHold(pod, facts.snapshot);
  if (held) return answerHeld(pod, facts, held);
  const key = podKey(pod);
  const recorded = facts.provisioning();
  if (recorded && mentions(recorded.plan, key)) {
    return { ...answerPlanned(pod, recorded.plan, facts), decision: recorded.id };
  }
  return answerPlanned(pod, facts.planFor(key), facts);
}

interface Hold {
  readonly why: string;
  readonly next: string;
}

/** Finds why no planner looks at the pod. */
export function findHold(pod: Pod, snapshot: ClusterSnapshot): Hold | undefined {
  const { spec, nominatedNodeName } = pod;
  const gates = spec.schedulingGates.join(', ');
  if (gates !== '') {
    return {
      why: `its scheduling gates (${gates}) hold it back`,
      next: `It is scheduled when the controller of the gates removes them.`,
    };
  }
  const profile = ownValue(pod.labels, FARGATE_PROFILE_LABEL);
  if (profile !== undefined) {
    return {
      why: `Fargate profile ${profile} runs it`,
      next: 'Fargate gives it a node of its own. No NodePool launches one for it.',
    };
  }
  if (nominatedNodeName !== undefined) {
    return {
      why: `pods of lower priority make room for it on ${nominatedNodeName}`,
      next: 'kube-scheduler binds it when they are gone.',
    };
  }
  if (isDaemon(pod)) return explainDaemonWait(pod, snapshot);
  return isOptedOut(pod)
    ? {
        why: 'it selects only nodes that no NodePool launches',
        next: 'It waits for such a node, which no NodePool provides.',
      }
    : undefined;
}

export const toHeldReason = ({ why }: Pick<Hold, 'why'>): Reason => ({ code: 'pod-not-considered', fields: { why } });

function answerHeld(pod: Pod, { now }: DecisionFacts, hold: Hold): PodAnswer {
  return {
    ...NOTHING_WRONG,
    outcome: 'held',
    verdict: `${waitText(pod, now)}: ${hold.why}`,
    reasons: [{ object: '', reason: toHeldReason(hold) }],
    next: { text: hold.next },
  };
}

function answerPlanned(pod: Pod, plan: ProvisioningPlan, facts: DecisionFacts): PodAnswer {
  const key = podKey(pod);
  const unplaced = plan.unplaced.find(({ pods }) => pods.includes(key));
  if (unplaced) return answerUnplaced(pod, unplaced, facts);
  const planned = plan.claims.find(({ pods }) => pods.includes(key));
  const evidence = [{ label: 'needs', text: formatRequests(pod) }];
  const waits = waitText(pod, facts.now);
  const isUnderWay = facts.snapshot.claims.some(({ name }) => name === planned?.claim.name);
  if (planned && !isUnderWay) {
    const { cheapest, claim } = planned;
    const price = formatHourlyUsd(cheapest.hourlyUsd, 4);
    return {
      ...NOTHING_WRONG,
      outcome: 'waiting',
      verdict: `${waits}: NodePool ${claim.pool} launches ${formatOffering(cheapest)} for it, ${price}`,
      evidence,
      next: { text: 'The node is usually ready within a minute.' },
    };
  }
  const target = planned?.claim.name ?? plan.placements.find(({ pods }) => pods.includes(key))?.target;
  if (target !== undefined) return answerPlaced(pod, target, evidence, facts);
  return {
    ...NOTHING_WRONG,
    outcome: 'waiting',
    verdict: `${waits}: no decision about it yet`,
    evidence,
    next: ON_CHANGE,
  };
}

function answerPlaced(
  pod: Pod,
  target: string,
  evidence: readonly Evidence[],
  { snapshot, now }: DecisionFacts,
): PodAnswer {
  const waits = waitText(pod, now);
  const claim = snapshot.claims.find(({ name, nodeName }) => [name, nodeName].includes(target));
  const isReady = !claim || phaseOf(claim) === 'initialized';
  return {
    ...NOTHING_WRONG,
    outcome: 'waiting',
    verdict: isReady
      ? `${waits}: it fits ${target}`
      : `${waits}: ${target} is under way for it (${describePhase(claim, now)})`,
    evidence: [...evidence, ...(isReady ? [] : [describePodPhases(pod, claim)])],
    next: {
      text: isReady ? 'kube-scheduler binds it.' : 'The node is usually ready within a minute.',
    },
  };
}

const describePhase = (claim: NodeClaim, now: number): string =>
  `${phaseOf(claim)}, requested ${formatShortDuration(now - claim.createdAt)} ago`;

function answerUnplaced(pod: Pod, unplaced: Unplaced, facts: DecisionFacts): PodAnswer {
  const { now } = facts;
  const fixes = findFixes(pod, unplaced, facts).map((fix) => toExplainedFix(fix, pod, facts));
  const [first] = fixes;
  const equalPods = unplaced.pods.filter((key) => key !== podKey(pod));
  const wait = first?.kind === 'wait' ? Date.parse(first.to) : undefined;
  return {
    outcome: unplaced.waits ? 'waiting' : 'pending',
    verdict: `${waitText(pod, now)}: needs ${formatRequests(pod)}`,
    reasons: listReasons(unplaced),
    ...(equalPods.length > 0 && { equalPods }),
    evidence: listEvidence(pod, unplaced),
    fixes,
    next:
      first === undefined || wait === undefined || Number.isNaN(wait)
        ? ON_CHANGE
        : { text: describeWait(first, wait), at: wait },
  };
}

const describeWait = ({ object, path }: ExplainedFix, at: number): string =>
  path === 'hours'
    ? `${object.replace('/', ' ')} may launch nodes again at ${formatInstant(at)}.`
    : `EC2 is asked again at ${formatInstant(at)}.`;

/** The fixes of the plan, or of one for this owner's pods if the plan had no work left for them. */
function findFixes(pod: Pod, unplaced: Unplaced, facts: DecisionFacts): readonly Fix[] {
  const fixes = listFixes(unplaced);
  if (fixes.length > 0 || unplaced.waits) return fixes;
  const key = podKey(pod);
  const own = facts.planForOwner(key).unplaced.find(({ pods }) => pods.includes(key));
  return own ? listFixes(own) : [];
}

const listFixes = ({ fix, otherFixes = [] }: Unplaced): readonly Fix[] => (fix ? [fix, ...otherFixes] : []);

export function toExplainedFix(fix: Fix, pod: Pod, { snapshot }: DecisionFacts): ExplainedFix {
  const patch = formatPatch(fix, pod, snapshot.pools);
  return withFixId({ ...fix, text: formatFix(fix), ...(patch !== undefined && { patch }) });
}

function listReasons({ pools }: Unplaced): readonly ExplainedReason[] {
  if (pools.length === 0) {
    return [{ object: '', reason: { code: 'no-usable-pool', fields: { count: '0' } } }];
  }
  return rankRefusals(pools).near.flatMap(({ pool, reasons }) => reasons.map((reason) => ({ object: pool, reason })));
}

const MAX_NODES = 3;

function listEvidence(pod: Pod, { pods, pools, nodes }: Unplaced): readonly Evidence[] {
  const { near, unselected } = rankRefusals(pools);
  const more = formatUnselected(unselected);
  return [
    { label: 'needs', text: formatRequests(pod) },
    ...(pods.length > 1 ? [{ label: 'equal pods', text: `${pods.length}, this one included` }] : []),
    ...near.flatMap(({ pool, funnel }) => (funnel ? [describeFunnel(pool, funnel)] : [])),
    ...(more === undefined ? [] : [{ label: 'NodePools', text: more }]),
    ...nodes.slice(0, MAX_NODES).map(({ node, reason }) => ({
      label: `node ${node}`,
      text: formatReason(reason),
    })),
  ];
}

function describeFunnel(pool: string, funnel: Funnel): Evidence {
  const rows = [
    { label: 'allowed by the NodePool', count: funnel.allowedByPool },
    { label: 'by the pod', count: funnel.allowedByPod },
    { label: 'large enough', count: funnel.fitting },
    { label: 'available', count: funnel.available },
    { label: 'within limits', count: funnel.withinLimits },
  ];
  return {
    label: `offerings of ${pool}`,
    text: rows.map(({ label, count }) => `${count} ${label}`).join(', '),
    figures: { kind: 'funnel', rows },
  };
}

function waitText(pod: Pod, now: number): string {
  const since = pod.unschedulableSince ?? pod.createdAt;
  return `${podKey(pod)} waits since ${formatInstant(since)} (${formatShortDuration(now - since)})`;
}

const formatRequests = ({ spec: { requests } }: Pod): string =>
  Object.entries(requests)
    .filter(([resource, amount]) => resource !== PODS && amount > 0)
    .map(([resource, amount]) => `${formatAmount(resource, amount)} ${resource}`)
    .join(', ') || 'nothing';

const mentions = ({ claims, placements, unplaced }: ProvisioningPlan, key: PodKey): boolean =>
  [...claims, ...placements, ...unplaced].some(({ pods }) => pods.includes(key));
