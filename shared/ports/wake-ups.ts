import type { EpochMs } from '../model/time.ts';

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
