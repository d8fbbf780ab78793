import type { EpochMs } from '../model/time.ts';

/** Where to look, and no more: the receiver reads the state back. */
export type Hint =
  | { readonly topic: 'plan' }
  /** `generation`: of a wake-up, which another may have replaced. */
  | {
      readonly topic: 'claim';
      readonly claim: string;
      readonly generation?: number;
      /** EC2 said something of its instance: it is asked, however well the node looks. */
      readonly inDoubt?: true;
    }
  | { readonly topic: 'disrupt' }
  /** `tries`: how often it has failed since its tick. Absent: not yet. */
  | { readonly topic: 'sweep'; readonly tries?: number }
  /** What the EC2NodeClasses stand for. */
  | { readonly topic: 'class' }
  | { readonly topic: 'interruption'; readonly notice: InterruptionNotice };

export interface InterruptionNotice {
  readonly kind:
    | 'spot-interruption'
    /** The owner of a capacity reservation wants it back. */
    | 'reservation-interruption'
    | 'rebalance-recommendation'
    /** EC2 or Health will stop or restart it, days or hours from now. */
    | 'scheduled-change'
    /** It stops or has stopped, ends or has ended: EC2 shows it, so these are hints and no more. */
    | 'instance-stopped'
    | 'instance-terminated'
    /** Its Node has changed. */
    | 'state-change';
  /** EC2's events do not tell the zone: it may be empty here, as in `aws:////i-0123`. */
  readonly providerId: string;
  readonly at: EpochMs;
}

/** Hints may come twice, late or not at all; equal ones may be merged into the earliest. */
export interface WorkQueue {
  send(hint: Hint, at?: EpochMs): Promise<void>;
}

/** The one wake-up of a claim that counts; messages of earlier generations are void. */
export interface WakeUp {
  readonly generation: number;
  readonly at: EpochMs;
}

/** Queues cannot take a message back: so what is in them is compared with what is meant. */
export interface WakeUps {
  find(claim: string): Promise<WakeUp | undefined>;
  /** @returns whether it is the next generation: somebody else may have been quicker */
  save(claim: string, wakeUp: WakeUp): Promise<boolean>;
}

/** How far the one loop that polls has come. */
export interface PollState {
  /** Each loop has its own: messages of older ones are dropped. */
  readonly generation: number;
  /** The turn that comes next. */
  readonly turn: number;
  /** When a turn was last taken, or the loop was begun. */
  readonly at: EpochMs;
  /** A loop that nobody renews ends here. */
  readonly until: EpochMs;
}

/** The word from one turn of the loop to the next. */
export interface PollMessage extends Pick<PollState, 'generation' | 'turn' | 'until'> {
  /** The pods that waited a turn ago, as one short text. */
  readonly waiting: string;
}

/** The state of the loop, which exists once however many are started. */
export interface PollLoop {
  find(): Promise<PollState | undefined>;
  /** @returns false: the loop has moved on since `seen`, and stays as it is */
  replace(next: PollState, seen: PollState | undefined): Promise<boolean>;
  /** @returns false: it is not this message's turn, and it never will be again */
  take(message: PollMessage, at: EpochMs): Promise<boolean>;
  /** @param at - as soon as that, to the second */
  send(message: PollMessage, at: EpochMs): Promise<void>;
}
