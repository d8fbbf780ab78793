import { createExplainer, createSnapshotExplainer, type Explainer } from '../../../shared/explain/explain.ts';
import { observeDrain } from '../../../shared/explain/node-fixes.ts';
import { listLastingObstacles } from '../../../shared/lifecycle/termination/blocked-drain.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { formatNodeHealth } from '../../../shared/model/explanations/node-health.ts';
import { formatRemoval } from '../../../shared/model/explanations/phrases.ts';
import type { Reason } from '../../../shared/model/explanations/reasons.ts';
import { getOrCreate } from '../../../shared/model/memo.ts';
import type { DisruptionCommand } from '../../../shared/model/plans.ts';
import type { Evidence, Explanation, WorkloadRow } from '../../explanation.ts';
import { formatDuration, formatNodeUsd, formatPercent, plural } from '../../format.ts';
import type { Amounts, NodeView, PodView } from '../../views.ts';
import { dominantShare, sumAmounts } from '../amounts.ts';
import type { LaunchAnswer } from '../decision-index.ts';
import { type ConsoleFacts, reasonSentence } from '../facts.ts';
import { nodeViews } from '../nodes.ts';
import { podViews } from '../pods.ts';
import { launchEvidence } from './explain-launch.ts';
import { phase } from './pod-phases.ts';
import { plain } from './pod-question.ts';

/** Undefined if no node has this name or this Kubernetes name. */
export function explainNode(facts: ConsoleFacts, name: string): Explanation | undefined {
  const pods = podViews(facts);
  const node = nodeViews(facts, pods).find((view) => view.name === name || view.node === name);
  if (!node) return undefined;

  const launch = facts.decisions.launchOf(node.name);
  const claim = facts.snapshot.claims.find((candidate) => candidate.name === node.name);
  const stay = facts.decisions.stayOf(node.name);
  const onIt = pods.filter((pod) => pod.node === node.name);
  const decision = stay?.decision ?? launch?.decision;
  return {
    subject: { kind: 'node', name: node.name },
    question: 'Why is this node here?',
    facts: factsOf(node, facts.clock.now),
    ...verdictOf(facts, node),
    evidence: [
      ...(launch ? launchEvidence(launch, claim?.launch) : []),
      ...(launch ? boundElsewhere(launch, pods, node.name) : []),
      ...(onIt.length > 0 ? [whatIsOnIt(onIt)] : []),
      ...whereMoneyGoes(node),
      lifeOf(facts, node),
    ],
    ...(decision === undefined ? {} : { decision }),
  };
}

const factsOf = (node: NodeView, now: number): string[] => [
  ...(node.capacityType === undefined ? [] : [node.capacityType]),
  node.instanceType,
  node.zone,
  ...(node.hourlyUsd === undefined ? [] : [`${formatNodeUsd(node.hourlyUsd)}/h`]),
  formatDuration(now - node.bornAt),
  ...(node.pool === undefined ? [] : [`NodePool ${node.pool}`]),
];

type NodeVerdict = Pick<Explanation, 'verdict' | 'tone' | 'until'>;

const calm = (text: string): NodeVerdict => ({ verdict: plain(text), tone: 'calm' });

function verdictOf(facts: ConsoleFacts, node: NodeView): NodeVerdict {
  const until = node.note?.until === undefined ? {} : { until: node.note.until };
  switch (node.state) {
    case 'starting':
      return {
        ...calm('until' in until ? 'It is starting, ready in about' : 'It is starting.'),
        ...until,
      };
    case 'registered':
      return calm(`It has joined and is not ready for pods: ${node.note?.text ?? 'it settles'}.`);
    case 'interrupted':
      return {
        verdict: plain('until' in until ? 'EC2 takes it back; it is gone in' : 'EC2 takes it back.'),
        tone: 'warn',
        ...until,
      };
    case 'draining':
      return { ...calm(removalText(facts, node)), tone: 'warn' };
    case 'not-ready':
      return { verdict: plain(healthText(facts, node)), tone: 'bad' };
    case 'not-ours':
      return calm('It was not launched by Mortise, which leaves it alone and uses its free room.');
    case 'empty':
    case 'drifted':
    case 'held':
    case 'ready':
      return facts.proposal?.candidates.includes(node.name)
        ? explainProposal(facts.proposal)
        : explainStay(facts, node);
  }
}

function healthText({ snapshot: { nodes } }: ConsoleFacts, view: NodeView): string {
  const node = nodes.find(({ name }) => name === view.node);
  return `It is ${(node && formatNodeHealth(node)) ?? 'NotReady'}.`;
}

function removalText({ snapshot }: ConsoleFacts, { name }: NodeView): string {
  const claim = snapshot.claims.find((one) => one.name === name);
  if (!claim) return 'It is going away.';
  const { removal, blockedDrain } = claim;
  const reason = removal === undefined ? 'It is going away.' : `It is going away: ${formatRemoval(claim)}.`;
  // The claims of a cluster that the console only reads have no report of the drain.
  const obstacles = listLastingObstacles(claim, observeDrain(claim, snapshot)).map(
    ({ pod, why, remedy }) => `${pod}: ${why}; ${remedy}.`,
  );
  const blocked = blockedDrain?.text ?? obstacles.slice(0, MAX_OBSTACLES).join(' ');
  return blocked === '' ? reason : `${reason} ${blocked}`;
}

/** The sentence stays readable; the evidence lists the pods. */
const MAX_OBSTACLES = 2;

const paybackText = ({ price }: DisruptionCommand): string =>
  price ? `, pays back in ${formatDuration(price.paybackMs)}` : '';

function explainProposal(command: DisruptionCommand): NodeVerdict {
  const { replacements, savingHourlyUsd } = command;
  const by = replacements.map(({ cheapest }) => `${cheapest.instanceType} ${cheapest.capacityType}`);
  const how = by.length > 0 ? `replace it by ${by.join(' and ')}` : 'remove it: its pods fit elsewhere';
  const saves = `${formatNodeUsd(savingHourlyUsd)}/h${paybackText(command)}`;
  return calm(`The planner would ${how}. That saves ${saves}.`);
}

/**
 * Commands under way come first, because they are newer than the verdict that led to them. The verdict is decided
 * on the cluster as it is now, as `mortise explain` does on its export: the last recorded one may be a minute old.
 */
function explainStay(facts: ConsoleFacts, { name }: NodeView): NodeVerdict {
  const { decisions, commands, snapshot } = facts;
  const command = commands.find(({ candidates }) => candidates.includes(name));
  if (command) {
    const then = command.replacements.length > 0 ? 'once its replacement is ready' : 'next';
    return calm(`It goes ${then}: saves ${formatNodeUsd(command.savingHourlyUsd)}/h${paybackText(command)}.`);
  }
  const now = explainerOf(snapshot, commands).explain({ kind: 'nodeclaim', name });
  const [{ reason } = { reason: undefined }] = now?.reasons ?? [];
  if (now && reason && (now.outcome === 'stays' || now.outcome === 'goes')) return sayOutcome(now.outcome, reason);
  const verdict = decisions.stayOf(name)?.verdict;
  return verdict ? sayOutcome(verdict.outcome, verdict.reason) : calm('No disruption decision has looked at it yet.');
}

/** In larger clusters a plan of all removals takes seconds: each node is then looked at alone. */
const MAX_PLANNED_NODES = 200;

const explainers = new WeakMap<ClusterSnapshot, Explainer>();

const explainerOf = (snapshot: ClusterSnapshot, running: readonly DisruptionCommand[]): Explainer =>
  getOrCreate(explainers, snapshot, () => {
    const input = { kind: 'disruption', snapshot, running } as const;
    const planned =
      snapshot.claims.length <= MAX_PLANNED_NODES
        ? createExplainer([{ id: 'page', at: snapshot.takenAt, input }])
        : undefined;
    return planned ?? createSnapshotExplainer(snapshot, running);
  });

const sayOutcome = (outcome: 'stays' | 'goes', reason: Reason): NodeVerdict =>
  calm(`${outcome === 'stays' ? 'It stays' : 'It goes'}: ${reasonSentence(reason)}.`);

/** kube-scheduler binds where it likes: often to the node of a launch that is ready first. */
function boundElsewhere({ planned, replaces }: LaunchAnswer, pods: readonly PodView[], self: string): Evidence[] {
  if (replaces) return [];
  const plannedPods = new Set([...planned.pods, ...(planned.anticipated ?? [])]);
  const others = pods.filter(({ key, node }) => plannedPods.has(key) && (node ?? self) !== self);
  if (others.length === 0) return [];
  const nodes = [...Map.groupBy(others, ({ node }) => node ?? '')]
    .map(([name, bound]) => ({ name, count: bound.length }))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  const counts = nodes.map(({ name, count }) => `${count} on ${name}`).join(', ');
  return [
    {
      kind: 'text',
      title: 'Pods of its launch that run elsewhere',
      sentences: [
        {
          text: `kube-scheduler bound ${others.length} of the ${plural(plannedPods.size, 'pod')} to other nodes, which had room first: ${counts}. A spread over zones with DoNotSchedule and minDomains makes pods wait for their zone.`,
          objects: nodes.map(({ name }) => ({ kind: 'node' as const, name })),
        },
      ],
    },
  ];
}

function whatIsOnIt(pods: readonly PodView[]): Evidence {
  const byWorkload = Map.groupBy(pods, ({ namespace, workload }) => `${namespace}/${workload}`);
  const rows = [...byWorkload.values()].flatMap((members): WorkloadRow[] => {
    const [first] = members;
    if (!first) return [];
    const { cpuMilli, memoryMib } = sumAmounts(members.map(({ requests }) => requests));
    return [
      {
        namespace: first.namespace,
        workload: first.workload,
        pods: members.length,
        ...{ cpuMilli, memoryMib },
      },
    ];
  });
  return {
    kind: 'workloads',
    title: 'What is on it',
    rows: rows.toSorted((a, b) => b.cpuMilli - a.cpuMilli || (a.workload < b.workload ? -1 : 1)),
  };
}

function whereMoneyGoes({ hourlyUsd, requested, daemon, allocatable }: NodeView): Evidence[] {
  if (hourlyUsd === undefined || allocatable.cpuMilli === 0) return [];
  const all = dominantShare(requested, allocatable);
  const daemons = Math.min(all, dominantShare(daemon, allocatable));
  const row = (label: string, share: number) => ({ label, share, hourlyUsd: share * hourlyUsd });
  return [
    {
      kind: 'shares',
      title: `Where its ${formatNodeUsd(hourlyUsd)}/h goes`,
      rows: [row('pods', all - daemons), row('DaemonSets', daemons), row('free', 1 - all)],
    },
    {
      kind: 'text',
      title: 'Requested of allocatable',
      sentences: [plain(shares(requested, allocatable))],
    },
  ];
}

const shares = (requested: Amounts, allocatable: Amounts): string =>
  [
    `CPU ${formatPercent(requested.cpuMilli / allocatable.cpuMilli)}`,
    `memory ${formatPercent(requested.memoryMib / allocatable.memoryMib)}`,
    ...(allocatable.gpu > 0 ? [`GPU ${requested.gpu} of ${allocatable.gpu}`] : []),
    `pods ${requested.pods} of ${allocatable.pods}`,
  ].join(' · ');

function lifeOf({ snapshot: { claims, nodes } }: ConsoleFacts, { name, node }: NodeView): Evidence {
  const claim = claims.find((candidate) => candidate.name === name);
  const created = claim?.createdAt ?? nodes.find((candidate) => candidate.name === node)?.createdAt;
  return {
    kind: 'phases',
    title: 'Its life',
    rows: [
      phase(claim ? 'decided' : 'created', created),
      ...(claim
        ? [
            ...(claim.launch?.calledAt === undefined ? [] : [phase('CreateFleet called', claim.launch.calledAt)]),
            phase('launched', claim.launch?.at),
            phase('registered', claim.registeredAt),
            phase('ready', claim.initializedAt),
            ...(claim.podRunningAt === undefined ? [] : [phase('first pod running', claim.podRunningAt)]),
          ]
        : []),
      ...(claim?.deletingAt === undefined ? [] : [phase('draining', claim.deletingAt)]),
      ...(claim?.terminatingAt === undefined ? [] : [phase('terminating', claim.terminatingAt)]),
    ],
  };
}
