import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Topic } from '../../shared/ports/work-queue.ts';
import { TIMEOUTS } from '../timeouts.ts';

/**
 * AWS recommends at least five for queues that invoke functions: fewer would discard throttled
 * messages.
 */
const MAX_RECEIVE_COUNT = 5;
/**
 * A message of a crashed invocation returns this long after the function's timeout. The consumers of
 * FIFO queues shorten that to half a minute, because the whole group waits for it (`keepHidden`).
 */
const SLACK = Duration.seconds(30);

/** One queue per topic of hints. */
export type QueueName = Topic;

export interface WorkQueuesProps {
  /** Undefined for SQS' own key. */
  readonly key?: IKey;
}

/**
 * One queue of hints per consumer: an event filter on a shared queue would delete what it does not
 * match.
 *
 * `plan` and `disrupt` are FIFO with one group each: one run at a time, and deduplication turns a
 * storm of hints into few messages. The others are standard: the record's version keeps the steps
 * of a claim apart. A FIFO queue cannot delay a single message, so that wake-ups for those two
 * travel through `sweep`.
 */
export class WorkQueues extends Construct {
  readonly plan: Queue;
  readonly disrupt: Queue;
  readonly claim: Queue;
  readonly sweep: Queue;
  readonly interruption: Queue;
  readonly class: Queue;
  /** Dead-letter queues by the name of their source queue. */
  readonly deadLetters: Readonly<Record<QueueName, Queue>>;

  /** Encryption settings of all queues. */
  readonly safety: QueueProps;

  constructor(scope: Construct, id: string, { key }: WorkQueuesProps = {}) {
    super(scope, id);
    this.safety = {
      enforceSSL: true,
      ...(key
        ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key }
        : { encryption: QueueEncryption.SQS_MANAGED }),
    };
    const deadLetters = (name: string, props: QueueProps = {}): Queue =>
      new Queue(this, `${name}DeadLetters`, {
        ...this.safety,
        retentionPeriod: Duration.days(14),
        ...props,
      });
    this.deadLetters = {
      plan: deadLetters('Plan', { fifo: true }),
      disrupt: deadLetters('Disrupt', { fifo: true }),
      claim: deadLetters('Claim'),
      sweep: deadLetters('Sweep'),
      interruption: deadLetters('Interruption'),
      class: deadLetters('Class'),
    };

    this.plan = this.add('plan', {
      fifo: true,
      visibilityTimeout: TIMEOUTS.provisioning.plus(SLACK),
    });
    this.disrupt = this.add('disrupt', {
      fifo: true,
      // EventBridge Scheduler cannot set a deduplication id; ticks differ in their content.
      contentBasedDeduplication: true,
      visibilityTimeout: TIMEOUTS.disruption.plus(SLACK),
    });
    this.claim = this.add('claim', {
      // Six function timeouts, so that throttled batches are not lost.
      visibilityTimeout: Duration.seconds(6 * TIMEOUTS.nodeLifecycle.toSeconds()),
    });
    this.sweep = this.add('sweep', {
      visibilityTimeout: TIMEOUTS.sweep.plus(SLACK),
      // The queue delays wake-ups for up to 15 minutes; a lost tick is replaced within a minute.
      retentionPeriod: Duration.hours(1),
    });
    this.interruption = this.add('interruption', {
      // A spot notice lasts two minutes. With six timeouts a failed message would never be retried
      // in time.
      visibilityTimeout: TIMEOUTS.interruption.plus(Duration.seconds(10)),
      retentionPeriod: Duration.hours(1),
    });
    this.class = this.add('class', {
      visibilityTimeout: TIMEOUTS.nodeClass.plus(SLACK),
      // A lost tick is replaced within minutes.
      retentionPeriod: Duration.hours(1),
    });
  }

  private add(name: QueueName, props: QueueProps): Queue {
    return new Queue(this, name.charAt(0).toUpperCase() + name.slice(1), {
      ...this.safety,
      deadLetterQueue: { queue: this.deadLetters[name], maxReceiveCount: MAX_RECEIVE_COUNT },
      ...props,
    });
  }
}
