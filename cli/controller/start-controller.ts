import type { Log } from '../../shared/aws/log.ts';
import { dispatch } from '../../shared/controllers/dispatch.ts';
import { reconcileInterruption } from '../../shared/controllers/interruption/reconcile.ts';
import { withSharedLists } from '../../shared/controllers/support/claim-decorators.ts';
import { instrumentPorts } from '../../shared/controllers/metrics/instrument-ports.ts';
import { recordNotice } from '../../shared/controllers/metrics/interruption-metrics.ts';
import type { Clock, Ports, GaugeSample } from '../../shared/ports/ports.ts';
import type { Hint, InterruptionNotice } from '../../shared/ports/work-queue.ts';
import type { Answer } from '../answer.ts';
import type { Invocation } from '../invocation.ts';
import { VERSION } from '../version.ts';
import { type ControllerSettings, controllerSettings } from './controller-settings.ts';
import { noticeSource, schedule, watchSource } from './hint-sources.ts';
import { createHintQueue, type HintQueue, observeQueue } from './hint-queue.ts';
import { type LogFormat, lineLog } from './log.ts';
import { type ControllerHome, openHome } from './controller-runtime.ts';
import { type ProbePorts, type Probes, servedProbes } from './probes.ts';
import { type Prometheus, prometheus } from './prometheus.ts';
import type { ClusterChoice } from '../cluster/reach-cluster.ts';
import { type RunningController, runController } from './run-controller.ts';
import { runShadow } from './dry-run.ts';

export interface ControllerRequest extends ClusterChoice {
  readonly dryRun: boolean;
  readonly takeOver: boolean;
  readonly graceMs: number;
  readonly format: LogFormat;
  readonly quiet: boolean;
}

const clock: Clock = { now: () => Date.now() };

/**
 * Takes a cluster's controllers into this process, until it is told to stop.
 *
 * @throws CliError - the cluster cannot be reached, a setting is wrong, a port is taken
 */
export async function startController(
  request: ControllerRequest,
  { io, progress }: Invocation,
): Promise<Answer> {
  const { format, quiet, graceMs, dryRun } = request;
  const settings = controllerSettings(io.env);
  const least = quiet ? 'error' : settings.logLevel;
  const log = lineLog(io.stdout, { clock, format, least });
  progress.report('reaching the cluster');
  const home = await openHome(request, {
    mode: 'controller',
    act: !dryRun,
    clock,
    log,
    env: io.env,
  });
  const figures = prometheus();
  let running: RunningController | undefined;
  const probes = probesOf(() => running, figures);
  figures.telemetry.gauge('karpenter_build_info', [{ labels: { version: VERSION }, value: 1 }]);
  const servers = await servedProbes(settings, probes);

  return {
    kind: 'Controller',
    source: { cluster: home.reached.server.cluster },
    complete: true,
    warnings: warningsOf(home),
    result: { act: !dryRun, ...(home.stack ? { stack: home.stack.name } : {}), ...servers.ports },
    names: [],
    text: () => startText(home, servers.ports),
    graceMs,
    async afterwards(stop) {
      running = await begin(request, { home, log, figures, settings });
      await aborted(stop);
      await running.stop(graceMs);
      home.view.close();
      await servers.close();
      log({ level: 'info', message: 'stopped', fields: {} });
    },
  };
}

interface Parts {
  readonly home: ControllerHome;
  readonly log: Log;
  readonly figures: Prometheus;
  readonly settings: ControllerSettings;
}

async function begin(request: ControllerRequest, parts: Parts): Promise<RunningController> {
  const { home, log, figures, settings } = parts;
  if (request.dryRun) return await runShadow({ home, log, clock });

  const { telemetry } = figures;
  const inner: Ports = { ...home.ports, queue: { send: (hint, at) => queue.send(hint, at) } };
  const ports = instrumentPorts(inner, telemetry);
  const queue = createHintQueue({
    clock,
    work: (hint) => dispatch(ports, hint, settings.provisioning),
    observer: observeQueue(telemetry, log),
  });
  figures.onScrape(() => telemetry.gauge('workqueue_depth', depthsOf(queue)));
  const answering = { ...ports, nodeClaims: withSharedLists(ports.nodeClaims) };
  const noticeParts = {
    answer: (notice: InterruptionNotice): Promise<void> => {
      recordNotice(telemetry, notice, clock.now());
      return reconcileInterruption(answering, notice);
    },
    onDeleted: () => telemetry.count('karpenter_interruption_deleted_messages_total', {}),
  };
  const notices = home.stack
    ? [
        noticeSource({
          ...noticeParts,
          queue: home.stack.interruptionQueue,
          flags: request,
          clock,
          log,
        }),
      ]
    : [];
  const running = await runController({
    clock,
    log,
    queue,
    ownership: ports.ownership,
    takeOver: request.takeOver,
    sources: [watchSource(home, { clock, log }), schedule(EVERY_MINUTE), ...notices],
  });
  figures.onScrape(() => {
    const value = running.isOwner() ? 1 : 0;
    telemetry.gauge('leader_election_master_status', [{ labels: { name: 'mortise' }, value }]);
  });
  return running;
}

const depthsOf = (queue: HintQueue): readonly GaugeSample<'workqueue_depth'>[] =>
  Object.entries(queue.depth()).map(([name, value]) => ({ labels: { name }, value }));

/** As the stack's schedules. */
const EVERY_MINUTE: readonly Hint[] = [
  { topic: 'sweep' },
  { topic: 'disrupt' },
  { topic: 'class' },
];

function probesOf(running: () => RunningController | undefined, figures: Prometheus): Probes {
  return {
    // Whoever answers at all is well: a cluster that is away is not cured by a new process.
    health: () => undefined,
    readiness() {
      const current = running();
      return current ? current.readiness() : 'not started yet';
    },
    async metrics() {
      return { contentType: figures.contentType, text: await figures.page() };
    },
  };
}

function warningsOf({ stack, reached }: ControllerHome): readonly string[] {
  const { cluster } = reached.server;
  if (stack) return [];
  return [
    `no stack serves ${cluster}: records live in memory and end with this process, and nobody tells of spot interruptions`,
  ];
}

const startText = ({ reached }: ControllerHome, { metricsPort, healthPort }: ProbePorts): string =>
  `controller of ${reached.server.cluster}, ${reached.where}\n` +
  `http://127.0.0.1:${healthPort}/healthz /readyz, http://127.0.0.1:${metricsPort}/metrics\n`;

const aborted = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
