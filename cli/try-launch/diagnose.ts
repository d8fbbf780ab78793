import type { EC2Client } from '@aws-sdk/client-ec2';
import { findAwaitedCondition } from '../describe/live-claim.ts';
import type { Check } from '../documents/doctor.ts';
import type { LaunchFailure, LaunchPhase } from '../documents/try-launch.ts';
import { CliError } from '../errors.ts';
import { findBootProblem, readConsole, tailOf } from '../logs/console-output.ts';
import { ENDED } from './launch-progress.ts';
import { instanceIdOf, type Observation, type SeenEvent } from './observe-launch.ts';

export interface Evidence {
  /** The phase that was not reached. */
  readonly phase: LaunchPhase;
  readonly observed: Observation;
  /** Findings of doctor that are not `ok`. */
  readonly findings: readonly Check[];
  /** The text of `mortise explain pod`; undefined if it cannot explain. */
  readonly explanation?: string;
  /** The console of the instance; undefined if there is none. */
  readonly console?: string;
}

/** Names what went wrong and the next step, by the first evidence that is certain. */
export function diagnose({ phase, ...evidence }: Evidence): LaunchFailure {
  const failure = DIAGNOSES[GROUPS[phase]](evidence);
  return { ...failure, phase };
}

type Diagnosis = (evidence: Omit<Evidence, 'phase'>) => Omit<LaunchFailure, 'phase'>;

type PhaseGroup = 'decision' | 'launch' | 'join' | 'ready' | 'binding';

const GROUPS: Readonly<Record<LaunchPhase, PhaseGroup>> = {
  'pod-created': 'decision',
  'event-seen': 'decision',
  decided: 'decision',
  'fleet-requested': 'launch',
  'fleet-answered': 'launch',
  running: 'join',
  registered: 'join',
  ready: 'ready',
  bound: 'binding',
};

/** Evidence of EC2 that its answer, and not the plan, is the cause. */
const QUOTA = /VcpuLimitExceeded|VCPULimitExceeded|MaxSpotInstanceCountExceeded|MaxFleetCountExceeded/;
const CAPACITY = /Insufficient\w*Capacity|UnfulfillableCapacity|EC2 has no /;

const DIAGNOSES: Readonly<Record<PhaseGroup, Diagnosis>> = {
  decision: ({ observed, findings, explanation }) => {
    const refusal = findRefusal(observed.events);
    if (refusal) return refusalOf(refusal.note);
    const finding = findFinding(findings, 'pools', 'nodes', 'foreign', 'stack', 'hook', 'cluster');
    const why = explanation?.trim();
    const planned = observed.events.find(
      ({ reason, reporter }) => reason === 'FailedScheduling' && reporter === 'mortise',
    );
    if (planned) {
      const isOfClass = finding?.group === 'pools' || finding?.group === 'nodes';
      return {
        code: 'no-place',
        what: 'Mortise has no node for the pod',
        why: isOfClass ? finding.evidence : (why ?? planned.note),
        fix: (isOfClass && finding.fix) || 'mortise explain names the changes that help',
      };
    }
    if (!observed.events.some(({ reason }) => reason === 'FailedScheduling')) {
      return {
        code: 'not-reported',
        what: 'kube-scheduler reports no pod that waits',
        why: 'without its Event FailedScheduling nothing calls Mortise',
        fix: 'kubectl get events: does kube-scheduler run?',
      };
    }
    return {
      code: 'not-decided',
      what: 'Mortise decides nothing for the pod',
      ...((finding?.evidence ?? why) && { why: finding?.evidence ?? why }),
      fix: finding?.fix ?? 'the logs of the functions EventIntake and Provisioning',
    };
  },
  launch: ({ observed }) => {
    const text = [findRefusal(observed.events)?.note, ...(observed.claim ? [awaitedText(observed)] : [])].join(' ');
    return refusalOf(text.trim());
  },
  join: ({ observed, findings, console }) => {
    const id = (observed.claim && instanceIdOf(observed.claim)) ?? 'the instance';
    const entry = findings.find(({ id: check, status }) => check === 'nodes/access-entry' && status === 'fail');
    const sign = console === undefined ? undefined : findBootProblem(console);
    const shown = console === undefined ? undefined : tailOf(console);
    const logs = `mortise logs node ${observed.claim?.name ?? id} shows the boot`;
    if (entry || sign === 'no-access-entry') {
      return {
        code: 'no-access-entry',
        what: 'the API server does not accept the node',
        why: entry?.evidence ?? shown,
        fix: entry?.fix ?? 'create an access entry of type EC2_LINUX for the role of the node',
      };
    }
    if (sign === 'no-route') {
      return {
        code: 'no-route',
        what: 'the node does not reach the API server',
        why: shown,
        fix: 'give the subnet a route to the endpoint of the cluster (NAT gateway, or its private endpoint), and let the security group of the cluster accept the node on port 443',
      };
    }
    if (sign === 'wrong-ami') {
      return {
        code: 'wrong-ami',
        what: 'the image of the instance is no image of EKS',
        why: 'its boot starts neither nodeadm nor a kubelet',
        fix: 'correct spec.amiSelectorTerms of the EC2NodeClass, such as alias: al2023@latest',
      };
    }
    if (observed.instanceState !== undefined && ENDED.has(observed.instanceState)) {
      return {
        code: 'instance-ended',
        what: `${id} is ${observed.instanceState}`,
        why: 'it ended before it joined: often a volume whose key its launcher may not use',
        fix: `aws ec2 describe-instances --instance-ids ${id} shows StateReason`,
      };
    }
    return {
      code: 'never-joined',
      what: `${id} runs and does not join`,
      why: shown ?? 'its console shows nothing yet',
      fix: logs,
    };
  },
  ready: ({ observed: { node } }) => {
    const taint = node?.taints.find((one) => !one.startsWith('node.kubernetes.io/'));
    if (node?.isReady && taint !== undefined) {
      return {
        code: 'taint-remains',
        what: `the taint ${taint} stays on the node`,
        why: 'a startupTaint, or a taint of a DaemonSet, which its controller has not removed',
        fix: `start what removes ${taint.split(/[=:]/)[0]}, or take it out of spec.template.spec.startupTaints`,
      };
    }
    return {
      code: 'node-not-ready',
      what: 'the node joined and is not Ready',
      why: node?.notReadyWhy ?? 'its Node is gone',
      fix: 'kubectl get pods -n kube-system -o wide: the VPC CNI must run on the node',
    };
  },
  binding: ({ observed }) => {
    const said = observed.events.findLast(({ reason }) => reason === 'FailedScheduling');
    return {
      code: 'not-bound',
      what: 'the node is ready, and the pod is not bound to it',
      ...(said && { why: said.note }),
      fix: 'kubectl describe node shows taints and room',
    };
  },
};

const findFinding = (findings: readonly Check[], ...groups: readonly string[]) =>
  groups
    .map((group) => findings.find((one) => one.group === group && one.status !== 'ok'))
    .find((finding) => finding !== undefined);

const findRefusal = (events: readonly SeenEvent[]): SeenEvent | undefined =>
  events.findLast(({ reason }) => reason === 'InsufficientCapacityError');

function awaitedText({ claim }: Observation): string {
  const awaited = claim && findAwaitedCondition(claim.conditions, false);
  return awaited ? `${awaited.reason}: ${awaited.message}` : '';
}

function refusalOf(text: string): Omit<LaunchFailure, 'phase'> {
  const why = text === '' ? {} : { why: text };
  if (QUOTA.test(text)) {
    return {
      ...{ code: 'no-quota', what: 'the account has no quota for the instance', ...why },
      fix: 'raise "Running On-Demand Standard instances" (L-1216C47A) or "All Standard Spot Instance Requests" (L-34B43A08) of EC2 in Service Quotas',
    };
  }
  if (CAPACITY.test(text)) {
    return {
      ...{ code: 'no-capacity', what: 'EC2 has no capacity', ...why },
      fix: 'without --instance-type, or allow more instance types and zones in the NodePool',
    };
  }
  return {
    ...{ code: 'launch-failed', what: 'EC2 refuses the launch', ...why },
    fix: 'mortise doctor, and the log of the function Provisioning',
  };
}

/** Reads the console for a diagnosis, which does not fail with it. */
export async function readConsoleOf(ec2: Pick<EC2Client, 'send'>, { claim }: Observation): Promise<string | undefined> {
  const id = claim && instanceIdOf(claim);
  if (id === undefined) return undefined;
  try {
    return await readConsole(ec2, id);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return undefined;
  }
}
