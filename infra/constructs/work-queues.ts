import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { TIMEOUTS } from '../timeouts.ts';

/** AWS' advice for queues that feed functions: less would give up on messages that were throttled. */
const MOST_RECEIVES = 5;
/** What dies is back this long after its function's limit: a FIFO group stands still until then. */
const SLACK = Duration.seconds(30);

export type QueueName = 'plan' | 'disrupt' | 'claim' | 'sweep' | 'interruption' | 'class';

export interface WorkQueuesProps {
  /** Absent: SQS' own. */
  readonly key?: IKey;
}

/**
 * One queue of hints per consumer, for a filter on a shared queue deletes what it does not match.
 *
 * `plan` and `disrupt` are FIFO, one group each: one run at a time, and a storm of hints is few
 * messages. The others are standard: records keep the steps of a claim apart. A FIFO queue cannot hold
 * one message back, so wake-ups for those two travel through `sweep`.
 */
export class WorkQueues extends Construct {
  readonly plan: Queue;
  readonly disrupt: Queue;
  readonly claim: Queue;
  readonly sweep: Queue;
  readonly interruption: Queue;
  readonly class: Queue;
  /** By the name of the queue that they come from. */
  readonly deadLetters: Readonly<Record<QueueName, Queue>>;

  /** How messages are kept secret. */
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
      // The schedule cannot name a deduplication id; its ticks differ by what they carry.
      contentBasedDeduplication: true,
      visibilityTimeout: TIMEOUTS.disruption.plus(SLACK),
    });
    this.claim = this.add('claim', {
      // Six function timeouts, so that throttled batches are not lost.
      visibilityTimeout: Duration.seconds(6 * TIMEOUTS.nodeLifecycle.toSeconds()),
    });
    this.sweep = this.add('sweep', {
      visibilityTimeout: TIMEOUTS.sweep.plus(SLACK),
      // It holds wake-ups back for up to 15 minutes; a lost tick is replaced within a minute.
      retentionPeriod: Duration.hours(1),
    });
    this.interruption = this.add('interruption', {
      // A spot notice is two minutes long. With six timeouts it would never be tried again in time.
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
      deadLetterQueue: { queue: this.deadLetters[name], maxReceiveCount: MOST_RECEIVES },
      ...props,
    });
  }
}
