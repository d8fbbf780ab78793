import { findDueRepair } from '../disruption/repair/repair-policies.ts';
import { type DrainObstacle, listLastingObstacles } from '../lifecycle/termination/blocked-drain.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { formatShortDuration } from '../model/duration.ts';
import { formatNodeHealth } from '../model/explanations/node-health.ts';
import { formatCount, formatHourlyUsd, formatNames, formatRemoval } from '../model/explanations/phrases.ts';
import { explainChoice } from '../model/explanations/plan-text.ts';
import { formatReason } from '../model/explanations/reasons.ts';
import { INSTANCE_TYPE_LABEL, ZONE_LABEL } from '../model/labels.ts';
import type { Node } from '../model/nodes/node.ts';
import { type NodeClaim, phaseOf } from '../model/nodes/node-claim.ts';
import { findReboot, isRebooting } from '../model/nodes/reboot.ts';
import { computeRebootDeadline } from '../model/nodes/reboot-deadline.ts';
import { formatOffering } from '../model/offerings/instance-type.ts';
import { ownValue } from '../model/own-value.ts';
import type { DisruptionCommand, NodeVerdict } from '../model/plans.ts';
import { listCommands } from '../model/plans.ts';
import { isReschedulable, isTerminal } from '../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../model/pods/pod.ts';
import { findTriedRestart } from '../model/pods/restarts.ts';
import { isDaemon } from '../model/pods/workload.ts';
import { addResources, NO_RESOURCES, PODS, type Resources } from '../model/resources.ts';
import { isReplacingFirst } from '../model/settings.ts';
import { type EpochMs, formatInstant } from '../model/time.ts';
import type { DecisionFacts, PlannedLaunch } from './decisions.ts';
import type { Alternative, Evidence, Explanation, Subject } from './explanation.ts';
import { findDisruption } from './karpenter-reports.ts';
import { findDrainFixes, findNodeFixes, observeDrain } from './node-fixes.ts';
import { wouldPodsFitElsewhere } from './other-nodes.ts';
import { describeClaimPhases } from './phases.ts';

type NodeAnswer = Omit<Explanation, 'subject'>;

/**
 * @param kind - if the name is that of a Node, or of a NodeClaim
 * @returns undefined if there is no such object
 */
export function explainNode(facts: DecisionFacts, kind: 'node' | 'nodeclaim', name: string): Explanation | undefined {
  const { claims, nodes } = facts.snapshot;
  const subject: Subject = { kind, name };
  const claim = claims.find((one) => (kind === 'node' ? one.nodeName : one.name) === name);
  const node = nodes.find((one) => one.name === (claim ? claim.nodeName : name));
  if (claim) return { subject, ...withHealth(answerClaim(claim, name, facts), node, facts, claim) };
  return kind === 'node' && node ? { subject, ...withHealth(answerForeign(node, facts), node, facts) } : undefined;
}

/** The first line of an unhealthy node says so, because every other fact matters less. */
function withHealth(
  answer: NodeAnswer,
  node: Node | undefined,
  { snapshot }: DecisionFacts,
  claim?: NodeClaim,
): NodeAnswer {
  // A Node that has not joined completely is not ready yet.
  const isStarting = answer.outcome === 'starting';
  const health = node && !isStarting ? formatNodeHealth(node) : undefined;
  if (!node || health === undefined) return answer;
  const repair = describeRepair(node, claim, snapshot);
  return {
    ...answer,
    verdict: `${health}: ${answer.verdict}`,
    evidence: [...(repair === undefined ? [] : [{ label: 'repair', text: repair }]), ...answer.evidence],
  };
}

function describeRepair(
  node: Node,
  claim: NodeClaim | undefined,
  { settings }: DecisionFacts['snapshot'],
): string | undefined {
  if (!claim || claim.deletingAt !== undefined || isRebooting(claim)) return undefined;
  if (settings?.gates.NodeRepair !== true) {
    return 'off (feature gate NodeRepair): the node stays until it is deleted, or empty';
  }
  const isLegacy = !isReplacingFirst(settings);
  const at = findDueRepair(node, Number.POSITIVE_INFINITY, isLegacy, claim.reboots?.at(-1)?.endedAt)?.dueAt;
  return at === undefined
    ? 'on, but this condition replaces no node'
    : `due at ${formatInstant(at)}, unless ${isLegacy ? '' : 'a budget or an annotation keeps it, or '}more than 20 % of the nodes of its NodePool are unhealthy`;
}

const ON_CHANGE = { text: 'It is looked at again when pods or nodes change, and each minute.' };

function answerClaim(claim: NodeClaim, name: string, facts: DecisionFacts): NodeAnswer {
  const phase = phaseOf(claim);
  const evidence = describeClaim(claim, facts);
  const about = { evidence, reasons: [], fixes: [] };
  const line = describeLaunch(claim, name, facts.now);
  const goes = { ...about, outcome: 'goes', verdict: `${name} goes: ${line}` } as const;
  const { deletingAt } = claim;
  if (deletingAt !== undefined) {
    return { ...goes, ...answerLeaving({ ...claim, deletingAt }, facts, evidence), outcome: 'leaving' };
  }
  const reboot = findReboot(claim);
  if (reboot) {
    const isThere = facts.snapshot.nodes.some((node) => node.name === claim.nodeName);
    const at = computeRebootDeadline(reboot, isThere);
    return {
      ...about,
      outcome: 'stays',
      verdict: `${name} reboots: ${line}`,
      evidence: [
        { label: 'reboot', text: `for ${reboot.cause}, since ${formatInstant(reboot.requestedAt)}` },
        ...evidence,
      ],
      next: at
        ? { text: `If it gets no further, it is replaced at ${formatInstant(at)}.`, at }
        : { text: 'Its pods leave, then EC2 reboots the instance.' },
    };
  }
  if (phase !== 'initialized') {
    return {
      ...about,
      outcome: 'starting',
      verdict: `${name} starts (${phase}): ${line}`,
      next: { text: describeStart(phase) },
    };
  }
  const reason = findDisruption(claim, facts);
  if (reason) {
    return {
      ...goes,
      reasons: [{ object: claim.name, reason }],
      next: { text: 'Karpenter drains it as soon as what replaces it is ready.' },
    };
  }
  const command = facts.running.find(({ candidates }) => candidates.includes(claim.name));
  if (command) {
    return {
      ...goes,
      alternative: toAlternative(command, facts),
      next: {
        text:
          command.replacements.length > 0
            ? 'Its pods leave once its replacement is ready.'
            : 'Its pods leave next; then EC2 terminates the instance.',
      },
    };
  }
  return answerInitialized(claim, name, facts, { evidence, line });
}

/** The cluster of the explanation may be newer than the last report of the drain. */
function answerLeaving(
  claim: NodeClaim & { readonly deletingAt: EpochMs },
  facts: DecisionFacts,
  evidence: readonly Evidence[],
): Pick<NodeAnswer, 'evidence' | 'fixes' | 'next'> {
  const { snapshot } = facts;
  const obstacles = listLastingObstacles(claim, observeDrain(claim, snapshot));
  const reported = claim.blockedDrain?.text;
  const blocked =
    obstacles.length > 0
      ? obstacles.slice(0, MAX_PODS).map(({ pod, why, remedy }) => `${pod}: ${why}; ${remedy}`)
      : reported === undefined
        ? []
        : [reported];
  return {
    evidence: [
      {
        label: phaseOf(claim),
        text: `${formatRemoval(claim)}, since ${formatInstant(claim.deletingAt)}`,
      },
      ...blocked.map((text) => ({ label: 'blocked', text })),
      ...describeRestarts(claim, snapshot.pods),
      ...evidence,
    ],
    fixes: obstacles.slice(0, MAX_PODS).flatMap((one) => findDrainFixes(facts, claim, one)),
    next: describeEndOfDrain(claim, obstacles),
  };
}

function describeEndOfDrain(
  { drainDeadline, drainedAt }: NodeClaim,
  [obstacle]: readonly DrainObstacle[],
): NodeAnswer['next'] {
  if (drainDeadline === undefined || drainedAt !== undefined) {
    return obstacle
      ? { text: `Nothing happens until a change lets ${obstacle.pod} leave.` }
      : { text: 'Its pods leave, then EC2 terminates the instance.' };
  }
  const at = formatInstant(drainDeadline);
  return { text: `Pods that remain are deleted by ${at} regardless.`, at: drainDeadline };
}

/** One line for each restart that the drain has tried because of a pod that is still there. */
function describeRestarts(claim: NodeClaim, pods: readonly Pod[]): readonly Evidence[] {
  const staying = pods.filter(
    (pod) => pod.nodeName !== undefined && pod.nodeName === claim.nodeName && !isTerminal(pod),
  );
  const lines = staying.flatMap((pod) => {
    const { owner, at, obstacle } = findTriedRestart(pod, claim) ?? {};
    if (owner === undefined || at === undefined) return [];
    return obstacle === undefined
      ? `waits for the rollout of ${owner} in ${pod.namespace}, restarted at ${formatInstant(at)}`
      : `${podKey(pod)} cannot be restarted elsewhere: ${obstacle}`;
  });
  return [...new Set(lines)].map((text) => ({ label: 'restart', text }));
}

const describeStart = (phase: string): string =>
  phase === 'launching' || phase === 'launched'
    ? 'Its kubelet registers the Node; after 15 minutes without one, the instance is replaced.'
    : 'It is initialized when its kubelet is Ready and its startup taints are gone.';

interface Described {
  readonly evidence: readonly Evidence[];
  readonly line: string;
}

function answerInitialized(
  claim: NodeClaim,
  name: string,
  facts: DecisionFacts,
  { evidence, line }: Described,
): NodeAnswer {
  const recorded = facts.disruption();
  const recordedVerdict = recorded && findVerdict(claim, recorded.plan);
  const { verdict, command } = recordedVerdict?.verdict ? recordedVerdict : facts.judge(claim.name);
  const decision = recordedVerdict?.verdict && recorded?.id !== undefined ? { decision: recorded.id } : {};
  const stays = { ...decision, outcome: 'stays', verdict: `${name} stays: ${line}`, evidence, fixes: [] } as const;
  if (!verdict) {
    const why = facts.snapshot.pools.some((pool) => pool.name === claim.pool)
      ? 'no reason to disrupt it was found'
      : `its NodePool ${claim.pool || '(none)'} does not exist`;
    return { ...stays, reasons: [], evidence: [{ label: 'disruption', text: why }, ...evidence], next: ON_CHANGE };
  }
  const reasons = [{ object: claim.name, reason: verdict.reason }];
  if (verdict.outcome === 'goes') {
    return {
      ...stays,
      outcome: 'goes',
      verdict: `${name} goes: ${line}`,
      reasons,
      ...(command && { alternative: toAlternative(command, facts) }),
      next: {
        text: 'After 15 s the decision is checked again, then its replacement is launched, if it needs one.',
      },
    };
  }
  const fixes = findNodeFixes(facts, claim, verdict.reason);
  const [best] = fixes;
  return {
    ...stays,
    reasons,
    fixes: fixes.map(({ fix }) => fix),
    ...(best?.command && { alternative: toAlternative(best.command, facts) }),
    next: describeNext(verdict, best?.fix.kind === 'wait' ? best.fix.to : undefined, facts.now),
  };
}

function findVerdict({ name }: NodeClaim, plan: NonNullable<ReturnType<DecisionFacts['disruption']>>['plan']) {
  return {
    verdict: plan.verdicts.find((one) => one.claim === name),
    command: listCommands(plan).find(({ candidates }) => candidates.includes(name)),
  };
}

function describeNext({ lookAgainAt }: NodeVerdict, waits: string | undefined, now: EpochMs): NodeAnswer['next'] {
  const at = lookAgainAt ?? (waits === undefined ? undefined : Date.parse(waits));
  return at === undefined || at <= now ? ON_CHANGE : { text: `It is looked at again at ${formatInstant(at)}.`, at };
}

function toAlternative(
  { candidates, replacements, savingHourlyUsd }: DisruptionCommand,
  { snapshot: { claims, pods, unpriced } }: DecisionFacts,
): Alternative {
  const nodes = claims.flatMap(({ name, nodeName }) =>
    candidates.includes(name) && nodeName !== undefined ? [nodeName] : [],
  );
  const moved = nodes.reduce((sum, node) => sum + listMovingPods(node, pods).length, 0);
  const hourlyUsd = replacements.reduce((sum, { cheapest }) => sum + cheapest.hourlyUsd, 0);
  const types = replacements.map(({ cheapest }) => formatOffering(cheapest));
  const count = moved === 1 ? '1 pod fits' : `${moved} pods fit`;
  const where = types.length > 0 ? `${count} ${types.join(' and ')}` : `${count} other nodes`;
  const saving = savingHourlyUsd === 0 ? '' : `, saves $${savingHourlyUsd.toFixed(4)}/h`;
  return {
    ...(!unpriced && { hourlyUsd, savingHourlyUsd }),
    text: moved === 0 ? `no pods move${saving}` : `${where}${saving}`,
  };
}

/** @param shown - the name that the sentence has already */
function describeLaunch({ launch, name, createdAt }: NodeClaim, shown: string, now: number): string {
  const named = name === shown ? '' : `${name}, `;
  if (!launch) return `${named}not launched yet`;
  const age = formatShortDuration(now - createdAt);
  return `${named}${formatOffering(launch)}, ${formatHourlyUsd(launch.hourlyUsd, 4)}, ${age} old`;
}

function describeClaim(claim: NodeClaim, { snapshot, launchOf }: DecisionFacts): Evidence[] {
  const { nodeName } = claim;
  const pods = nodeName === undefined ? [] : listMovingPods(nodeName, snapshot.pods);
  const launch = launchOf(claim.name);
  return [
    { label: 'NodePool', text: claim.pool === '' ? 'none: a standalone NodeClaim' : claim.pool },
    ...(nodeName === undefined ? [] : [{ label: 'pods', text: describePods(pods) }]),
    ...(claim.drift ? [{ label: 'drifted', text: claim.drift.text }] : []),
    ...(launch ? describeChoice(claim, launch, snapshot) : []),
    ...describeShares(claim, snapshot),
    describeClaimPhases(claim),
  ];
}

/** Why the node was launched, and the pods of its launch that kube-scheduler bound to nodes that had room first. */
function describeChoice(
  { nodeName, instanceTypes }: NodeClaim,
  { planned, replaces }: PlannedLaunch,
  snapshot: ClusterSnapshot,
): Evidence[] {
  const { cheapest, nextBest, pods, anticipated = [], headroom = [] } = planned;
  const needs = [
    ...(pods.length > 0 ? [formatCount(pods.length, 'pod')] : []),
    ...(anticipated.length > 0 ? [`${formatCount(anticipated.length, 'pod')} to come`] : []),
    ...(headroom.length > 0 ? [`${formatCount(headroom.length, 'placeholder')} of CapacityBuffers`] : []),
  ];
  const why = replaces ? `in place of ${formatNames(replaces)}` : `for ${needs.join(' and ')}`;
  const next = nextBest ? `; next best ${formatOffering(nextBest)}, ${formatHourlyUsd(nextBest.hourlyUsd, 4)}` : '';
  const choice = explainChoice(planned);
  const planFor = new Set([...pods, ...anticipated]);
  const elsewhere = replaces
    ? []
    : snapshot.pods.filter((pod) => planFor.has(podKey(pod)) && (pod.nodeName ?? nodeName) !== nodeName);
  return [
    {
      label: 'chosen',
      text: `${cheapest.hourlyUsd === 0 ? 'smallest' : 'cheapest'} of ${formatCount(instanceTypes.length, 'type')} ${why}${next}${choice === '' ? '' : `. ${choice}`}`,
    },
    ...(elsewhere.length > 0
      ? [
          {
            label: 'elsewhere',
            text: `${elsewhere.length} of these pods are on nodes that had room first: ${formatNames([...new Set(elsewhere.map((pod) => pod.nodeName ?? ''))])}`,
          },
        ]
      : []),
  ];
}

/** Divides the node, and so its price, by the resource of which its pods request the largest part. */
function describeShares({ nodeName, launch }: NodeClaim, { nodes, pods }: ClusterSnapshot): Evidence[] {
  const node = nodes.find(({ name }) => name === nodeName);
  const { allocatable = NO_RESOURCES } = node ?? launch ?? {};
  const onIt = pods.filter((pod) => nodeName !== undefined && pod.nodeName === nodeName && !isTerminal(pod));
  const used = findLargestShare(onIt, allocatable);
  if (!node || used === undefined) return [];
  const daemons = Math.min(used, findLargestShare(onIt.filter(isDaemon), allocatable) ?? 0);
  const rows = [
    { label: 'pods', share: used - daemons },
    { label: 'DaemonSets', share: daemons },
    { label: 'free', share: 1 - used },
  ];
  const text = rows.map(({ label, share }) => `${label} ${Math.round(share * 100)} %`).join(', ');
  return [{ label: 'its price is for', text, figures: { kind: 'shares', rows } }];
}

/** @returns undefined if nothing is allocatable */
function findLargestShare(pods: readonly Pod[], { [PODS]: _, ...allocatable }: Resources): number | undefined {
  const requested = addResources(...pods.map(({ spec }) => spec.requests));
  const shares = Object.entries(allocatable).flatMap(([name, amount]) =>
    amount > 0 ? [(ownValue(requested, name) ?? 0) / amount] : [],
  );
  return shares.length === 0 ? undefined : Math.min(1, Math.max(...shares));
}

const listMovingPods = (nodeName: string, pods: readonly Pod[]): readonly Pod[] =>
  pods.filter((pod) => pod.nodeName === nodeName && isReschedulable(pod));

const MAX_PODS = 3;

function describePods(pods: readonly Pod[]): string {
  if (pods.length === 0) return 'none besides DaemonSets';
  const names = pods.slice(0, MAX_PODS).map(podKey).join(', ');
  return pods.length > MAX_PODS ? `${pods.length}: ${names} and others` : `${pods.length}: ${names}`;
}

const NODE_GROUP_LABELS = ['eks.amazonaws.com/nodegroup', 'alpha.eksctl.io/nodegroup-name'];

/** Explains a node that no NodePool launched, such as one of a managed node group. */
function answerForeign(node: Node, facts: DecisionFacts): NodeAnswer {
  const { pods } = facts.snapshot;
  const group = NODE_GROUP_LABELS.map((label) => node.labels[label]).find(Boolean);
  const owner = group === undefined ? 'no NodePool launched it' : `node group ${group} launched it`;
  const type = node.labels[INSTANCE_TYPE_LABEL] ?? 'unknown type';
  const age = formatShortDuration(facts.now - node.createdAt);
  const moving = listMovingPods(node.name, pods);
  const elsewhere = wouldPodsFitElsewhere(facts.snapshot, node.name, moving);
  return {
    outcome: 'not-ours',
    verdict: `${node.name} stays: ${type} ${node.labels[ZONE_LABEL] ?? ''}, ${age} old; ${owner}`,
    reasons: [],
    evidence: [
      { label: 'pods', text: describePods(moving) },
      {
        label: 'without it',
        text: elsewhere.fit
          ? 'its pods fit the other nodes, so it is not needed now'
          : `its pods do not fit the other nodes: ${elsewhere.reason ? formatReason(elsewhere.reason) : 'no room'}`,
      },
    ],
    fixes: [],
    next: {
      text:
        group === undefined
          ? 'Whatever created it removes it. Its free room is used.'
          : `Its node group decides: Cluster Autoscaler, or its desired size. Its free room is used.`,
    },
  };
}
