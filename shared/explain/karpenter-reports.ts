import { formatShortDuration } from '../model/duration.ts';
import type { Reason } from '../model/explanations/reasons.ts';
import type { KarpenterReport } from '../model/karpenter-report.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { UnavailableOffering } from '../model/offerings/instance-type.ts';
import { type EpochMs, MINUTE_MS } from '../model/time.ts';
import type { DecisionFacts } from './decisions.ts';
import type { Evidence, ExplainedReason, Subject } from './explanation.ts';

/*
 * On a cluster that Karpenter runs, Karpenter knows what no object of the planner's input says: which
 * launches EC2 refused, and how far a disruption is that it has begun.
 */

const NO_CAPACITY = 'InsufficientCapacityError';
/** So long Karpenter does not ask EC2 again for an offering without capacity. */
const UNAVAILABLE_MS = 3 * MINUTE_MS;
/** EC2's sentence; Karpenter passes it on. It names no capacity type, and spot has another one. */
const SHORTAGE = /sufficient (\S+) capacity in the Availability Zone you requested \(([a-z0-9-]+)\)/g;

/** Finds the offerings that EC2 has no capacity for. */
export function findReportedShortages(
  reports: readonly KarpenterReport[],
  now: EpochMs,
): readonly UnavailableOffering[] {
  return reports
    .filter(({ reason, at }) => reason === NO_CAPACITY && at + UNAVAILABLE_MS > now)
    .flatMap(({ text, at }) =>
      [...text.matchAll(SHORTAGE)].map(([, instanceType = '', zone = '']) => ({
        ...{ instanceType, zone, capacityType: 'on-demand' as const },
        until: at + UNAVAILABLE_MS,
      })),
    );
}

const MAX_REPORTS = 6;

/** Quotes what Karpenter says about the object, the newest first. */
export function describeReports(
  subject: Subject,
  reasons: readonly ExplainedReason[],
  { reports, snapshot }: DecisionFacts,
): readonly Evidence[] {
  const isAbout = matchSubject(subject, reasons, snapshot.claims);
  return reports
    .filter(isAbout)
    .slice(0, MAX_REPORTS)
    .map(({ reason, text, at, count }) => {
      const times = count > 1 ? `${count} times, ` : '';
      const age = formatShortDuration(Math.max(0, snapshot.takenAt - at));
      return {
        label: 'Karpenter',
        text: `${reason} (${times}${age} ago)${text === '' ? '' : `: ${text}`}`,
      };
    });
}

type Matcher = (report: KarpenterReport) => boolean;

function matchSubject(
  { kind, name }: Subject,
  reasons: readonly ExplainedReason[],
  claims: readonly NodeClaim[],
): Matcher {
  switch (kind) {
    case 'pod': {
      // Karpenter deletes a NodeClaim without capacity; only its name shows the NodePool.
      const pools = reasons.flatMap(({ object, reason }) => (reason.code === 'ice' ? object : []));
      return (report) => isOn(report, 'pod', name) || pools.some((pool) => isLaunchOf(report, pool));
    }
    case 'nodepool':
      return (report) => isOn(report, 'nodepool', name) || isLaunchOf(report, name);
    case 'node':
    case 'nodeclaim': {
      const claim = claims.find((one) => (kind === 'node' ? one.nodeName : one.name) === name);
      // Karpenter says the same of the Node and of its NodeClaim.
      return (report) => (claim ? isOn(report, 'nodeclaim', claim.name) : isOn(report, kind, name));
    }
  }
}

const isOn = (report: KarpenterReport, kind: KarpenterReport['kind'], name: string): boolean =>
  report.kind === kind && report.name === name;

/** NodeClaims are named after their NodePool: `general-x7k2p`. */
const isLaunchOf = ({ kind, name, reason }: KarpenterReport, pool: string): boolean =>
  kind === 'nodeclaim' &&
  reason === NO_CAPACITY &&
  name.startsWith(`${pool}-`) &&
  !name.slice(pool.length + 1).includes('-');

/** The steps of a disruption, as Events. */
const STEPS: ReadonlySet<string> = new Set([
  'DisruptionLaunching',
  'DisruptionWaitingReadiness',
  'DisruptionTerminating',
]);

/** Why and how far Karpenter disrupts the node; undefined if it does not. */
export function findDisruption({ name }: NodeClaim, { reports }: DecisionFacts): Reason | undefined {
  const own = reports.filter((report) => isOn(report, 'nodeclaim', name));
  const begun = own.find(({ source, reason }) => source === 'condition' && reason === 'DisruptionReason');
  if (!begun) return undefined;
  const step = own.find(({ source, reason, at }) => source === 'event' && STEPS.has(reason) && at >= begun.at);
  const state = step?.text ?? 'its replacement is not ready yet';
  return { code: 'disrupted-by-karpenter', fields: { why: begun.text, state } };
}
