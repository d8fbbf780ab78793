import type { LaunchPhase, TryLaunchReport } from '../documents/try-launch.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { secondsText } from './timeline.ts';

const SENTENCES: Readonly<Record<LaunchPhase, string>> = {
  'pod-created': 'pod created',
  'event-seen': 'kube-scheduler found no node',
  decided: 'decided, NodeClaim committed',
  'fleet-requested': 'CreateFleet called',
  'fleet-answered': 'CreateFleet answered',
  running: 'instance running',
  registered: 'node registered',
  ready: 'node ready',
  bound: 'pod bound',
};

const DURATION_WIDTH = 8;

/** Describes for the prompt what is going to be created. */
export const planText = ({
  nodePool,
  instanceType,
  namespace,
}: {
  readonly nodePool: string;
  readonly instanceType?: string;
  readonly namespace: string;
}): string =>
  `to create: a pod in namespace ${namespace}, which needs a new node of NodePool ${nodePool}` +
  `${instanceType === undefined ? '' : ` of type ${instanceType}`}; pod and node are removed again\n`;

/** Formats one line per phase, then the outcome with its next step. */
export function tryLaunchText(report: TryLaunchReport, { paint }: Terminal): string {
  const { nodePool, instanceType, capacityType, zone, phases, failure, findings } = report;
  const head = [report.nodeClaim ?? `NodePool ${nodePool}`, instanceType, capacityType, zone];
  const total = phases.reduce((sum, { ms = 0 }) => sum + ms, 0);
  return [
    head.filter(Boolean).join(' '),
    ...phases.map(({ name, at, ms }) => {
      const took = (ms === undefined ? '' : secondsText(ms)).padStart(DURATION_WIDTH);
      return `${at.slice(11, 21)}${took}  ${SENTENCES[name]}`;
    }),
    ...(report.outcome === 'bound' ? [`${paint('good', 'ok')}: the pod is bound; ${secondsText(total)} in all`] : []),
    ...(failure
      ? [
          `${paint('bad', 'failed')} at ${failure.phase}: ${failure.what} (${failure.code})`,
          ...(failure.why === undefined ? [] : [`  why: ${failure.why.replaceAll('\n', '\n       ')}`]),
          `  fix: ${failure.fix}`,
        ]
      : []),
    ...findings.map(({ status, evidence, fix }) => `  ${status}: ${evidence}${fix ? `; ${fix}` : ''}`),
    ...(report.outcome === 'interrupted' ? ['interrupted'] : []),
    ...(report.remaining.length === 0
      ? ['pod and node are removed']
      : report.remaining.map((sentence) => `not removed: ${sentence}`)),
    ...(report.report === undefined ? [] : [`report without names: ${report.report}`]),
    '',
  ].join('\n');
}
