import type { Log } from '../../shared/aws/log.ts';
import { dispatch } from '../../shared/controllers/dispatch.ts';
import { deduplicateEvents } from '../../shared/controllers/support/deduplicate-events.ts';
import { sweep } from '../../shared/controllers/sweep.ts';
import type { Clock, DecisionLog, Ports } from '../../shared/ports/ports.ts';
import type { Hint, WorkQueue } from '../../shared/ports/work-queue.ts';
import { schedule, watchSource } from './hint-sources.ts';
import { dryPorts, tellIn } from './dry-ports.ts';
import { createHintQueue } from './hint-queue.ts';
import { logJournal, summaryOf } from './decision-log-lines.ts';
import type { ControllerHome } from './controller-runtime.ts';
import { type RunningController, runController } from './run-controller.ts';

export interface ShadowParts {
  readonly home: Pick<ControllerHome, 'ports' | 'view'>;
  readonly log: Log;
  readonly clock: Clock;
}

/** What is decided. The rest is carrying out, and nothing is carried out. */
const isDecided = ({ topic }: Hint): boolean => DECISIONS.has(topic);
const DECISIONS: ReadonlySet<Hint['topic']> = new Set(['class', 'plan', 'disrupt']);

const EVERY_MINUTE: readonly Hint[] = [{ topic: 'class' }, { topic: 'plan' }, { topic: 'disrupt' }];

/**
 * Decides beside whoever owns the cluster, and acts on nothing. Each decision begins with what is
 * true, for what the last one asked for did not happen.
 */
export async function runShadow({ home, log, clock }: ShadowParts): Promise<RunningController> {
  const tell = onlyNews(tellIn(log));
  const journal = deduplicateEvents(newDecisions(logJournal(log, false)));
  const queue = createHintQueue({
    clock,
    async work(hint) {
      if (!isDecided(hint)) return;
      const ports = await dryPorts({ ...home.ports, queue: decided, decisionLog: journal }, tell);
      await adoptQuietly(ports);
      await dispatch(ports, hint);
    },
    observer: {
      started: () => {},
      worked(hint, _, error) {
        if (error === undefined) return;
        log({ level: 'error', message: 'turn failed', fields: { hint, error: String(error) } });
      },
    },
  });
  const decided: WorkQueue = {
    send: async (hint, at) => (isDecided(hint) ? queue.send(hint, at) : undefined),
  };
  return await runController({
    clock,
    log,
    queue,
    takeOver: false,
    sources: [watchSource(home, { clock, log }), schedule(EVERY_MINUTE)],
  });
}

/**
 * Adopts what runs without a record, as Karpenter's nodes do: in memory, and no news turn after turn.
 * It is shown no pods, for a sweep plans for those that wait.
 */
const adoptQuietly = (ports: Ports): Promise<void> =>
  sweep({
    ...ports,
    cluster: {
      ...ports.cluster,
      observe: async () => ({ ...(await ports.cluster.observe()), pods: [] }),
    },
    queue: { send: async () => {} },
    decisionLog: { recordDecision: async () => {}, recordEvent: async () => {} },
  });

/** The same pods pend and the same node is idle, minute after minute: said once. */
function newDecisions(journal: DecisionLog): DecisionLog {
  const last = new Map<string, string>();
  return {
    recordEvent: (event) => journal.recordEvent(event),
    async recordDecision(decision) {
      const content = JSON.stringify(summaryOf(decision), withoutNames);
      if (last.get(decision.kind) === content) return;
      last.set(decision.kind, content);
      await journal.recordDecision(decision);
    },
  };
}

/** A claim that was not made is planned anew under another name. */
const withoutNames = (key: string, value: unknown): unknown => (key === 'claim' ? '' : value);

const MOST_TOLD = 10_000;

function onlyNews(tell: ReturnType<typeof tellIn>): ReturnType<typeof tellIn> {
  const told = new Set<string>();
  return (what, fields) => {
    const line = JSON.stringify([what, fields]);
    if (told.has(line)) return;
    if (told.size >= MOST_TOLD) told.clear();
    told.add(line);
    tell(what, fields);
  };
}
