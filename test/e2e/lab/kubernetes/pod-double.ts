import { listAt, textAt, valueAt } from '../json.ts';
import { limitRequests } from '../limit-requests.ts';
import type { AdminClient } from './admin-client.ts';

/** A pod with this annotation never ends, as on a kubelet that cannot unmount its volume. */
export const NEVER_ENDS = 'lab/never-ends';

/** An API server on two cores times out with more requests at once. */
const MAX_REQUESTS = 24;

/** Starts and ends pods as kubelets do, without containers. */
export interface PodDouble {
  /** Handles a watch event of a pod. Repeated events are harmless. */
  handle(type: string, pod: unknown): void;
  /** Starts the containers of the pods of a node again, after its reboot. */
  restart(node: string): Promise<void>;
}

export function createPodDouble(
  parts: {
    readonly kube: AdminClient;
    readonly warn: (what: string) => (error: unknown) => void;
    /** True if the double serves the node of this name. */
    readonly isServed: (node: string) => boolean;
  },
  /** From a pod's binding until it runs, and from the end of its containers until it is removed. */
  podMs: number,
): PodDouble {
  const { kube, warn, isServed } = parts;
  const limit = limitRequests(MAX_REQUESTS);
  const started = new Set<string>();
  const ending = new Map<string, Ending>();

  function start(uid: string, path: string, pod: unknown): void {
    if (started.has(uid)) return;
    started.add(uid);
    setTimeout(() => {
      limit(() => kube.patch(`${path}/status`, runningStatus(pod))).then(
        () => complete(uid, path, pod),
        (error: unknown) => {
          // The next event of the pod repeats the attempt.
          started.delete(uid);
          warn(`starting ${path}`)(error);
        },
      );
    }, podMs);
  }

  /** Reports the success of a pod whose containers only sleep, as those of a Job. */
  function complete(uid: string, path: string, pod: unknown): void {
    const ms = timeToSucceed(pod);
    if (!Number.isFinite(ms)) return;
    setTimeout(() => {
      if (!started.has(uid) || ending.has(uid)) return;
      kube.patch(`${path}/status`, succeededStatus(pod)).catch(warn(`completing ${path}`));
    }, ms);
  }

  function end(uid: string, path: string, pod: unknown): void {
    if (valueAt(pod, 'metadata', 'annotations', NEVER_ENDS) !== undefined) return;
    const now = Date.now();
    const previous = ending.get(uid);
    const toldAt = previous?.toldAt ?? now;
    const removeAt = Math.max(now + podMs, Math.min(deadlineOf(pod, now), toldAt + timeToStop(pod) + podMs));
    // A later deletion may shorten the grace period, never extend it.
    if (previous && previous.removeAt <= removeAt) return;
    if (previous) clearTimeout(previous.timer);
    const timer = setTimeout(() => {
      // Kubernetes' pod garbage collector removes the pods of a Node that is gone.
      if (!isServed(textAt(pod, 'spec', 'nodeName'))) return;
      limit(() => kube.remove(path, { gracePeriodSeconds: 0, preconditions: { uid } })).catch(warn(`ending ${path}`));
    }, removeAt - now);
    ending.set(uid, { toldAt, removeAt, timer });
  }

  return {
    handle(type, pod) {
      const uid = textAt(pod, 'metadata', 'uid');
      if (type === 'DELETED') {
        clearTimeout(ending.get(uid)?.timer);
        ending.delete(uid);
        started.delete(uid);
        return;
      }
      if (!isServed(textAt(pod, 'spec', 'nodeName'))) return;
      const path = pathOf(pod);
      if (valueAt(pod, 'metadata', 'deletionTimestamp') !== undefined) end(uid, path, pod);
      else if (textAt(pod, 'status', 'phase') === 'Pending') start(uid, path, pod);
    },
    async restart(node) {
      const pods = await kube.list('/api/v1/pods');
      const running = pods.filter(
        (pod) => textAt(pod, 'spec', 'nodeName') === node && textAt(pod, 'status', 'phase') === 'Running',
      );
      await Promise.all(running.map((pod) => limit(() => kube.patch(`${pathOf(pod)}/status`, runningStatus(pod)))));
    },
  };
}

interface Ending {
  /** When the kubelet first saw the deletion. */
  readonly toldAt: number;
  readonly removeAt: number;
  readonly timer: NodeJS.Timeout;
}

const pathOf = (pod: unknown): string =>
  `/api/v1/namespaces/${textAt(pod, 'metadata', 'namespace')}/pods/${textAt(pod, 'metadata', 'name')}`;

/** The time at which the kubelet kills the containers: the end of the grace period. */
function deadlineOf(pod: unknown, now: number): number {
  const at = Date.parse(textAt(pod, 'metadata', 'deletionTimestamp'));
  return Number.isNaN(at) ? now : at;
}

/**
 * Computes how long the containers of a pod take to stop by themselves: their preStop hooks, and
 * without end if PID 1 ignores SIGTERM. A shell or `sleep` as PID 1 has no handler for it.
 */
function timeToStop(pod: unknown): number {
  const containers = listAt(pod, 'spec', 'containers');
  return Math.max(
    0,
    ...containers.map((container) => {
      const isDeaf = /\bsleep\b/.test(commandOf(container));
      return isDeaf ? Number.POSITIVE_INFINITY : preStopMs(container);
    }),
  );
}

/**
 * Computes how long the containers of a pod run until all have exited with success: those that
 * sleep for some seconds and are not restarted. Other containers run without end.
 */
function timeToSucceed(pod: unknown): number {
  const policy = textAt(pod, 'spec', 'restartPolicy');
  if (policy !== 'Never' && policy !== 'OnFailure') return Number.POSITIVE_INFINITY;
  const seconds = listAt(pod, 'spec', 'containers').map((container) =>
    Number(/\bsleep (\d+)/.exec(commandOf(container))?.[1] ?? Number.POSITIVE_INFINITY),
  );
  return Math.max(...seconds) * 1000;
}

const commandOf = (container: unknown): string =>
  [...listAt(container, 'command'), ...listAt(container, 'args')].join(' ');

function preStopMs(container: unknown): number {
  const preStop = valueAt(container, 'lifecycle', 'preStop');
  const script = listAt(preStop, 'exec', 'command').join(' ');
  const seconds = /\bsleep (\d+)/.exec(script)?.[1] ?? valueAt(preStop, 'sleep', 'seconds') ?? 0;
  return Number(seconds) * 1000;
}

/** No process listens in the lab, so an HTTP readiness probe always fails. */
const hasFailingProbe = (container: unknown): boolean => valueAt(container, 'readinessProbe', 'httpGet') !== undefined;

/** The current time, as the API server writes it. */
const currentTime = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

const conditionAt =
  (at: string) =>
  (type: string, isTrue: boolean, reason?: string): object => ({
    type,
    status: isTrue ? 'True' : 'False',
    lastTransitionTime: at,
    ...(reason !== undefined && { reason }),
  });

/** Builds the status of a pod whose containers run. */
function runningStatus(pod: unknown): object {
  const startedAt = currentTime();
  const containers = listAt(pod, 'spec', 'containers');
  const isReady = !containers.some(hasFailingProbe);
  const condition = conditionAt(startedAt);
  return {
    status: {
      phase: 'Running',
      startTime: startedAt,
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
      conditions: [
        // A merge patch replaces the whole list, so kube-scheduler's own condition is repeated.
        condition('PodScheduled', true),
        condition('Initialized', true),
        condition('ContainersReady', isReady),
        condition('Ready', isReady),
      ],
      containerStatuses: containers.map((container) => ({
        name: textAt(container, 'name'),
        image: textAt(container, 'image'),
        imageID: 'lab',
        containerID: 'lab://1',
        ready: !hasFailingProbe(container),
        started: true,
        restartCount: countStarts(pod, textAt(container, 'name')),
        state: { running: { startedAt } },
      })),
    },
  };
}

/** How often a container was started before. */
function countStarts(pod: unknown, container: string): number {
  const status = listAt(pod, 'status', 'containerStatuses').find((one) => textAt(one, 'name') === container);
  return status === undefined ? 0 : Number(valueAt(status, 'restartCount')) + 1;
}

/** Builds the status of a pod whose containers have exited with success. */
function succeededStatus(pod: unknown): object {
  const finishedAt = currentTime();
  const condition = conditionAt(finishedAt);
  return {
    status: {
      phase: 'Succeeded',
      conditions: [
        condition('PodScheduled', true),
        condition('Initialized', true, 'PodCompleted'),
        condition('ContainersReady', false, 'PodCompleted'),
        condition('Ready', false, 'PodCompleted'),
      ],
      containerStatuses: listAt(pod, 'spec', 'containers').map((container) => ({
        name: textAt(container, 'name'),
        image: textAt(container, 'image'),
        imageID: 'lab',
        containerID: 'lab://1',
        ready: false,
        started: false,
        restartCount: 0,
        state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt } },
      })),
    },
  };
}
