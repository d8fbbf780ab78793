import type { EpochMs } from '../model/time.ts';

/** Names what to look at. The handler re-reads the state; the hint itself is never trusted. */
export type Hint =
  | { readonly topic: 'plan' }
  /** `generation` belongs to a wake-up, which a later one may have replaced. */
  | {
      readonly topic: 'claim';
      readonly claim: string;
      readonly generation?: number;
      /**
       * An event of EC2 reported that the instance stopped or ended. The controller asks EC2 even if
       * the node looks healthy.
       */
      readonly inDoubt?: true;
      /** EC2 did not list the instance, which no Node has joined for. The controller asks EC2. */
      readonly isUnlisted?: true;
    }
  | { readonly topic: 'disrupt' }
  /**
   * `tries` counts failures since the scheduled sweep; `undefined` means none. `from` is the part at
   * which a sweep goes on that another one had no time for.
   */
  | { readonly topic: 'sweep'; readonly tries?: number; readonly from?: number }
  /** Resolve the EC2NodeClasses again. */
  | { readonly topic: 'class' }
  | { readonly topic: 'interruption'; readonly notice: InterruptionNotice };

export interface InterruptionNotice {
  readonly kind:
    | 'spot-interruption'
    /** The owner of the capacity reservation reclaims it. */
    | 'reservation-interruption'
    | 'rebalance-recommendation'
    /** EC2 or AWS Health will stop or restart the instance in some hours or days. */
    | 'scheduled-change'
    /** The instance is stopping, stopped, shutting down or terminated. EC2's own state decides. */
    | 'instance-stopped'
    | 'instance-terminated'
    /** The Node has changed. */
    | 'state-change';
  /** Events of EC2 do not name the zone, which may be empty here: `aws:////i-0123`. */
  readonly providerId: string;
  readonly at: EpochMs;
}

/** A change of a Node, as the public intake reports it. */
export type NodeChange = InterruptionNotice & { readonly kind: 'state-change' };

export type Topic = Hint['topic'];
type HintsByTopic = { readonly [T in Topic]: Extract<Hint, { topic: T }> };
export type HintOf<T extends Topic> = HintsByTopic[T];

/**
 * Hints may arrive twice, late or never. Equal hints may be merged into the earliest one.
 *
 * @typeParam T - the topics that the holder may send; `hint-senders.ts` lists those of each function
 */
export interface WorkQueue<T extends Topic = Topic> {
  // A property, because a method would accept arguments of a narrower type.
  readonly send: (hint: HintOf<T>, at?: EpochMs) => Promise<void>;
}

/** The current wake-up of a claim. Messages with an earlier generation are ignored. */
export interface WakeUp {
  readonly generation: number;
  readonly at: EpochMs;
}

/**
 * Wake-ups of claims. SQS cannot take a message back, so receivers compare its generation with the
 * stored one.
 */
export interface WakeUps {
  find(claim: string): Promise<WakeUp | undefined>;
  /**
   * @returns false if another writer has stored this generation already
   */
  save(claim: string, wakeUp: WakeUp): Promise<boolean>;
}

/** The progress of the polling loop. */
export interface PollState {
  /** Each loop has its own generation: messages of older loops are dropped. */
  readonly generation: number;
  /** The number of the next iteration. */
  readonly turn: number;
  /** When the last iteration ran, or the loop started. */
  readonly at: EpochMs;
  /** The loop ends here unless it is renewed. */
  readonly until: EpochMs;
}

/** The message that one iteration of the loop sends to the next. */
export interface PollMessage extends Pick<PollState, 'generation' | 'turn' | 'until'> {
  /** A fingerprint of the pods that were pending one iteration ago. */
  readonly waiting: string;
}

/** The polling loop. Only one loop runs, however many are started. */
export interface PollLoop {
  find(): Promise<PollState | undefined>;
  /**
   * @returns false if the loop has advanced since `seen`; it then stays unchanged
   */
  replace(next: PollState, seen: PollState | undefined): Promise<boolean>;
  /**
   * @returns false if the loop has moved on: the message is outdated and must be dropped
   */
  take(message: PollMessage, at: EpochMs): Promise<boolean>;
  /**
   * @param at - the earliest delivery, in whole seconds
   */
  send(message: PollMessage, at: EpochMs): Promise<void>;
}
