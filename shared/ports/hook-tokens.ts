import type { EpochMs } from '../model/time.ts';

/** The last part of the address that the API server calls. A secret: never logged, never stored. */
export interface HookToken {
  readonly text: string;
  readonly createdAt: EpochMs;
}

/** While one token takes the place of another there are two. */
export interface TokenPair {
  readonly current: HookToken;
  readonly next?: HookToken;
}

/** Where the token is kept. Only who sets up the cluster can read it. */
export interface HookTokens {
  read(): Promise<TokenPair>;
  /** Makes the token that will be next; the one that is there stays. */
  propose(): Promise<HookToken>;
  /** The next token becomes the current one, which is forgotten. No error without a next one. */
  promote(): Promise<void>;
}
