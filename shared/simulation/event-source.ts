import type { Node } from '../model/nodes/node.ts';
import { isTerminal } from '../model/pods/disruption-pods.ts';
import type { Pod } from '../model/pods/pod.ts';
import { isDaemon } from '../model/pods/workload.ts';
import { SECOND_MS } from '../model/time.ts';
import type { Hint } from '../ports/work-queue.ts';
import { isPoweredOn, type SimInstance, type SimInstances } from './cloud/instances.ts';
import type { ApiServer } from './control-plane/api-server.ts';
import { isNodeLeaving } from './control-plane/node-writes.ts';
import type { SimWorkQueue } from './work-queue.ts';
import type { VirtualClock } from './world.ts';

export interface EventSourceParts {
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly instances: SimInstances;
  readonly queue: SimWorkQueue;
}

/** From a change to the handler: webhook, queue and hint merging. */
const HINT_DELAY_MS = 500;
/**
 * After this time kube-scheduler has bound the pods that the new node takes; only the others are
 * planned again.
 */
const RETRY_MS = 5 * SECOND_MS;
const PERIOD_MS = 60 * SECOND_MS;

/** Turns changes into hints, as the admission webhook and EventBridge do. */
export function startEventSource({ clock, api, instances, queue }: EventSourceParts): void {
  /**
   * Claim names by provider id; kept after the instance is gone, because its Node is deleted later.
   */
  const claims = new Map<string, string>();

  const hint = (what: Hint): void => queue.put(what, clock.now() + HINT_DELAY_MS);
  const hintClaim = (node: Node | undefined): void => {
    const claim = claims.get(node?.providerId ?? '');
    if (claim !== undefined) hint({ topic: 'claim', claim });
  };

  api.nodes.watch(({ before, after }) => {
    if (!before || !after || isRelevantChange(before, after)) hintClaim(after ?? before);
    if (after && hasLostTaint(before, after)) {
      // kube-scheduler retries and repeats FailedScheduling for the pods that still do not fit.
      queue.put({ topic: 'plan' }, clock.now() + RETRY_MS);
    }
  });
  instances.watch(({ before, after }) => {
    if (after) claims.set(after.providerId, after.claim.name);
    if (before && before.state !== after?.state) {
      hint({ topic: 'claim', claim: before.claim.name, ...(hasEnded(after) && { inDoubt: true }) });
    }
  });
  api.pods.watch(({ before, after }) => {
    const pod = after ?? before;
    if (!pod) return;
    const isDeparture = hasLeftNode(before, after);
    const node = isDeparture ? api.nodes.get(pod.nodeName ?? '') : undefined;
    if (node && isNodeLeaving(node)) hintClaim(node);

    if (isDaemon(pod)) return;
    if (isNewlyUnschedulable(before, after)) hint({ topic: 'plan' });
  });
}

/** EventBridge reports such instances as shutting down or terminated. */
const hasEnded = (instance: SimInstance | undefined): boolean => !isPoweredOn(instance);

/** Scheduled hints: a sweep and a disruption check every minute find what events missed. */
export function startSchedules(clock: VirtualClock, queue: SimWorkQueue): void {
  const tick = (): void => {
    queue.put({ topic: 'sweep' });
    queue.put({ topic: 'disrupt' });
    clock.schedule(clock.now() + PERIOD_MS, tick);
  };
  clock.schedule(clock.now() + PERIOD_MS, tick);
}

const hasLostTaint = (before: Node | undefined, after: Node): boolean =>
  before !== undefined && after.ready && after.taints.length < before.taints.length;

/**
 * The changes that the webhook's match conditions let through. Label changes are not among them:
 * they are our own writes.
 */
const isRelevantChange = (before: Node, after: Node): boolean =>
  before.ready !== after.ready || before.deletionAt !== after.deletionAt || after.taints.length < before.taints.length;

const isNewlyUnschedulable = (before: Pod | undefined, after: Pod | undefined): boolean =>
  before?.unschedulableSince === undefined && after?.unschedulableSince !== undefined;

const hasLeftNode = (before: Pod | undefined, after: Pod | undefined): boolean =>
  before?.nodeName !== undefined && !isTerminal(before) && (!after || isTerminal(after));
