import type { Log } from '../../shared/aws/log.ts';
import { dispatch } from '../../shared/controllers/dispatch.ts';
import { deduplicateEvents } from '../../shared/controllers/support/deduplicate-events.ts';
import type { DecisionLog } from '../../shared/ports/decision-log.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { Hint, WorkQueue } from '../../shared/ports/work-queue.ts';
import { withLiveFacts } from '../live/observe-live-cluster.ts';
import type { ControllerRuntime } from './controller-runtime.ts';
import { createDecisionLogLines, summarizeDecision } from './decision-log-lines.ts';
import { createActionReport, createDryPorts } from './dry-ports.ts';
import { createHintQueue } from './hint-queue.ts';
import { createScheduleSource, createWatchSource } from './hint-sources.ts';
import { type RunningController, runController } from './run-controller.ts';

export interface DryRunParts {
  readonly runtime: Pick<ControllerRuntime, 'ports' | 'view'>;
  readonly log: Log;
  readonly clock: Clock;
}

/** Hints that lead to a decision; all others would only carry out one. */
const isDecision = ({ topic }: Hint): boolean => DECISION_TOPICS.has(topic);
const DECISION_TOPICS: ReadonlySet<Hint['topic']> = new Set(['class', 'plan', 'disrupt']);

const EVERY_MINUTE: readonly Hint[] = [{ topic: 'class' }, { topic: 'plan' }, { topic: 'disrupt' }];

/**
 * Decides without acting, beside the owner of the cluster. Each decision starts from the real
 * state, because the actions of the previous one did not happen.
 */
export async function startDryRun({ runtime, log, clock }: DryRunParts): Promise<RunningController> {
  const report = reportOnce(createActionReport(log));
  const eventRecorder = deduplicateEvents(logChangedDecisions(createDecisionLogLines(log, false)));
  const queue = createHintQueue({
    clock,
    async work(hint) {
      if (!isDecision(hint)) return;
      const real = { ...runtime.ports, queue: decisionQueue, decisionLog: eventRecorder };
      await dispatch(await createDryPorts(withLiveFacts(real), report), hint);
    },
    observer: {
      started: () => {},
      worked(hint, _, error) {
        if (error === undefined) return;
        log({ level: 'error', message: 'turn failed', fields: { hint, error: String(error) } });
      },
    },
  });
  const decisionQueue: WorkQueue = {
    send: async (hint, at) => (isDecision(hint) ? queue.send(hint, at) : undefined),
  };
  return await runController({
    clock,
    log,
    queue,
    takeOver: false,
    sources: [createWatchSource(runtime, { clock, log }), createScheduleSource(EVERY_MINUTE)],
  });
}

/**
 * Logs a decision only if it differs from the previous one of its kind: the same pods stay pending
 * minute after minute.
 */
function logChangedDecisions(eventRecorder: DecisionLog): DecisionLog {
  const last = new Map<string, string>();
  return {
    ...eventRecorder,
    async recordDecision(decision) {
      const content = JSON.stringify(summarizeDecision(decision), omitClaimNames);
      if (last.get(decision.kind) === content) return;
      last.set(decision.kind, content);
      await eventRecorder.recordDecision(decision);
    },
  };
}

/** A claim that was not created gets a new name in the next plan. */
const omitClaimNames = (key: string, value: unknown): unknown => (key === 'claim' ? '' : value);

const MAX_REMEMBERED = 10_000;

function reportOnce(report: ReturnType<typeof createActionReport>): ReturnType<typeof createActionReport> {
  const reported = new Set<string>();
  return (what, fields) => {
    const line = JSON.stringify([what, fields]);
    if (reported.has(line)) return;
    if (reported.size >= MAX_REMEMBERED) reported.clear();
    reported.add(line);
    report(what, fields);
  };
}
