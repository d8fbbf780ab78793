import type { Ports } from './ports.ts';
import type { Topic } from './work-queue.ts';

/**
 * The topics that each function sends. The types of its ports accept no others, and the stack grants
 * `sqs:SendMessage` on exactly these queues.
 *
 * The intake is public: it may write to no queue whose messages are trusted.
 */
export const HINT_SENDERS = {
  eventIntake: ['plan', 'disrupt', 'claim', 'class'],
  clusterSetup: ['sweep'],
  poll: ['plan'],
  provisioning: ['plan', 'claim', 'sweep'],
  nodeLifecycle: ['plan', 'disrupt', 'claim', 'sweep', 'class'],
  disruption: ['plan', 'disrupt', 'claim', 'sweep', 'class'],
  interruption: ['plan', 'disrupt', 'claim', 'sweep', 'interruption'],
  sweep: ['plan', 'disrupt', 'claim', 'sweep'],
  nodeClass: ['plan', 'class'],
} as const satisfies Readonly<Record<string, readonly Topic[]>>;

export type HintSender = keyof typeof HINT_SENDERS;
export type TopicsOf<S extends HintSender> = (typeof HINT_SENDERS)[S][number];
export const listHintSenders = (): readonly HintSender[] =>
  Object.keys(HINT_SENDERS).filter((name): name is HintSender => name in HINT_SENDERS);

/** The ports of a function. */
export type PortsOf<S extends HintSender> = Ports<TopicsOf<S>>;
