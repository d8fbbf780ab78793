import { SQSClient } from '@aws-sdk/client-sqs';
import { createModelSource } from '../../console/model-source.ts';
import type { Log } from '../../shared/aws/log.ts';
import { logCalls } from '../../shared/composition/log-calls.ts';
import { dispatch } from '../../shared/controllers/dispatch.ts';
import { reconcileInterruption } from '../../shared/controllers/interruption/reconcile.ts';
import { instrumentPorts } from '../../shared/controllers/metrics/instrument-ports.ts';
import { recordNotice } from '../../shared/controllers/metrics/interruption-metrics.ts';
import { createObjectMetrics } from '../../shared/controllers/metrics/objects/object-metrics.ts';
import type { Clock, GaugeSample, Ports, Telemetry } from '../../shared/ports/ports.ts';
import type { Hint, InterruptionNotice } from '../../shared/ports/work-queue.ts';
import type { Answer } from '../answer.ts';
import { toClientSettings } from '../cluster/aws-flags.ts';
import type { ClusterChoice } from '../cluster/reach-cluster.ts';
import { type DecisionTap, tapDecisions } from '../console/decision-tap.ts';
import { createLiveFeed } from '../console/live-feed.ts';
import { serveConsole } from '../console/serve-console.ts';
import type { Invocation } from '../invocation.ts';
import { VERSION } from '../version.ts';
import { type ControllerRuntime, createControllerRuntime } from './controller-runtime.ts';
import { type ControllerSettings, readControllerSettings } from './controller-settings.ts';
import { startDryRun } from './dry-run.ts';
import { createHintQueue, createQueueObserver, type HintQueue, sweepFirst } from './hint-queue.ts';
import { createCheckSource, createNoticeSource, createScheduleSource, createWatchSource } from './hint-sources.ts';
import { createLineLog, type LogFormat } from './log.ts';
import { findNoticeQueue } from './notice-queue.ts';
import { type ProbePorts, type Probes, serveProbes } from './probes.ts';
import { createPrometheus, type Prometheus } from './prometheus.ts';
import { type RunningController, runController } from './run-controller.ts';

export interface ControllerRequest extends ClusterChoice {
  readonly dryRun: boolean;
  readonly takeOver: boolean;
  readonly graceMs: number;
  readonly format: LogFormat;
  readonly quiet: boolean;
  /** Serves the console too; a port of its own, or the first free one from 7070. */
  readonly console?: { readonly port?: number };
}

const clock: Clock = { now: () => Date.now() };

/**
 * Runs a cluster's controllers in this process until it is stopped.
 *
 * @throws CliError - the cluster cannot be reached, a setting is wrong, a port is taken
 */
export async function startController(request: ControllerRequest, { io, progress }: Invocation): Promise<Answer> {
  const { format, quiet, graceMs, dryRun } = request;
  const settings = readControllerSettings(io.env);
  const minLevel = quiet ? 'error' : settings.logLevel;
  const log = createLineLog(io.stdout, { clock, format, minLevel });
  progress.report('reaching the cluster');
  const metrics = createPrometheus();
  const connected = await createControllerRuntime(request, {
    telemetry: metrics.telemetry,
    mode: 'controller',
    act: !dryRun,
    clock,
    log,
    env: io.env,
  });
  const noticeQueue = await findNoticeQueue(
    io.env,
    connected.stack?.interruptionQueue,
    new SQSClient(toClientSettings({ ...request, region: connected.reached.server.region })),
  );
  const tap = tapDecisions(connected.ports.decisionLog);
  const runtime = { ...connected, ports: { ...connected.ports, decisionLog: tap.decisionLog } };
  gaugeVersion(metrics.telemetry);
  let running: RunningController | undefined;
  const probes = createProbes(() => running, metrics);
  const servers = await serveProbes(settings, probes);
  const page = request.console && (await servePage(runtime, request.console, dryRun ? undefined : tap));

  return {
    kind: 'Controller',
    source: { cluster: runtime.reached.server.cluster },
    complete: true,
    warnings: listWarnings(runtime, noticeQueue),
    result: {
      act: !dryRun,
      ...(runtime.stack && { stack: runtime.stack.name }),
      ...servers.ports,
      ...(page && { console: page.url }),
    },
    names: [],
    text: () => `${toStartText(runtime, servers.ports)}${page ? `Console: ${page.url}\n` : ''}`,
    graceMs,
    async afterwards(stop) {
      running = await startRunning(request, { runtime, log, metrics, settings, noticeQueue });
      await waitForAbort(stop);
      await running.stop(graceMs);
      await runtime.ports.decisionLog.flush?.();
      runtime.view.close();
      await page?.close();
      await servers.close();
      log({ level: 'info', message: 'stopped', fields: {} });
    },
  };
}

interface ServedPage {
  readonly url: string;
  close(): Promise<void>;
}

/** @param tap - the decisions of this controller; undefined if the console plans by itself */
async function servePage(
  { reached: { api, server }, ports }: ControllerRuntime,
  { port }: { readonly port?: number },
  tap: DecisionTap | undefined,
): Promise<ServedPage> {
  const { cluster, region } = server;
  const { decisions, events } = tap ?? {};
  const feed = createLiveFeed({
    ...{ api, clock, cluster, region },
    ...(decisions && events && { records: { ports, decisions, events } }),
  });
  const { url, close } = await serveConsole(createModelSource(feed), port);
  return {
    url,
    async close() {
      feed.stop();
      await close();
    },
  };
}

interface StartParts {
  readonly runtime: ControllerRuntime;
  readonly log: Log;
  readonly metrics: Prometheus;
  readonly settings: ControllerSettings;
  /** URL of the queue with EC2's notices; undefined if there is none. */
  readonly noticeQueue: string | undefined;
}

async function startRunning(request: ControllerRequest, parts: StartParts): Promise<RunningController> {
  const { runtime, log, metrics, settings, noticeQueue } = parts;
  if (request.dryRun) return await startDryRun({ runtime, log, clock });

  const { telemetry } = metrics;
  const inner: Ports = { ...runtime.ports, queue: { send: (hint, at) => queue.send(hint, at) } };
  const objectMetrics = createObjectMetrics(telemetry, clock);
  const instrumented = objectMetrics.instrument(instrumentPorts(inner, telemetry));
  const ports = settings.logLevel === 'debug' ? logCalls(instrumented, log, clock) : instrumented;
  const work = (hint: Hint): Promise<void> => dispatch(ports, hint, settings.provisioning);
  const adopting = runtime.stack ? undefined : sweepFirst(work);
  const queue = createHintQueue({
    clock,
    work: adopting?.work ?? work,
    observer: createQueueObserver(telemetry, log),
  });
  const noticeParts = {
    onNotice: (notice: InterruptionNotice): Promise<void> => {
      recordNotice(telemetry, notice, clock.now());
      return reconcileInterruption(ports, notice);
    },
    onDeleted: () => telemetry.count('karpenter_interruption_deleted_messages_total', {}),
  };
  const notices =
    noticeQueue === undefined
      ? []
      : [createNoticeSource({ ...noticeParts, queue: noticeQueue, flags: request, clock, log })];
  const running = await runController({
    clock,
    log,
    queue,
    ownership: ports.ownership,
    takeOver: request.takeOver,
    ...(adopting && { onOwner: adopting.forget }),
    sources: [
      createWatchSource(runtime, { clock, log }),
      createScheduleSource(EVERY_MINUTE),
      createCheckSource(runtime.endDeletedCluster(settings.deletedClusterAfterMs), (error) =>
        log({
          level: 'error',
          message: 'deleted cluster not handled',
          fields: { error: String(error) },
        }),
      ),
      ...notices,
    ],
  });
  metrics.onScrape(() => {
    // Another process observes the cluster while this one stands by. Gauges of both would add up.
    if (!running.isOwner()) {
      objectMetrics.clear();
      metrics.clearGauges();
      gaugeVersion(telemetry);
    }
    objectMetrics.gauge();
    telemetry.gauge('workqueue_depth', toDepthSamples(queue));
    const value = running.isOwner() ? 1 : 0;
    telemetry.gauge('leader_election_master_status', [{ labels: { name: 'mortise' }, value }]);
  });
  return running;
}

const gaugeVersion = (telemetry: Telemetry): void =>
  telemetry.gauge('karpenter_build_info', [{ labels: { version: VERSION }, value: 1 }]);

const toDepthSamples = (queue: HintQueue): readonly GaugeSample<'workqueue_depth'>[] =>
  Object.entries(queue.depth()).map(([name, value]) => ({ labels: { name }, value }));

/** Equal to the stack's schedules. */
const EVERY_MINUTE: readonly Hint[] = [{ topic: 'sweep' }, { topic: 'disrupt' }, { topic: 'class' }];

function createProbes(running: () => RunningController | undefined, metrics: Prometheus): Probes {
  return {
    // Always healthy: a restart does not help if the cluster is unreachable.
    health: () => undefined,
    readiness() {
      const current = running();
      return current ? current.readiness() : 'not started yet';
    },
    async metrics() {
      return { contentType: metrics.contentType, text: await metrics.page() };
    },
  };
}

function listWarnings({ stack, reached }: ControllerRuntime, noticeQueue: string | undefined): readonly string[] {
  const { cluster } = reached.server;
  const unnoticed = 'no queue: spot interruptions arrive without notice; set INTERRUPTION_QUEUE';
  return [
    ...(stack ? [] : [`no stack serves ${cluster}: records live in memory and end with this process`]),
    ...(noticeQueue === undefined ? [unnoticed] : []),
  ];
}

const toStartText = ({ reached }: ControllerRuntime, { metricsPort, healthPort }: ProbePorts): string =>
  `controller of ${reached.server.cluster}, ${reached.where}\n` +
  `http://127.0.0.1:${healthPort}/healthz /readyz, http://127.0.0.1:${metricsPort}/metrics\n`;

const waitForAbort = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
