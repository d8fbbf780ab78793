import type { EpochMs } from '../model/time.ts';

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
