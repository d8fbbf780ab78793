import type { EpochMs } from '../model/time.ts';

/** What tells that pods wait. */
export type EventSource = 'hook' | 'poll' | 'controller';

export type HooksState =
  | { readonly state: 'placed'; readonly since: EpochMs }
  /** They come back by themselves only if the breaker took them. */
  | {
      readonly state: 'withdrawn';
      readonly since: EpochMs;
      readonly by: 'breaker' | 'operator';
      readonly why: string;
    }
  | { readonly state: 'none' };

/** How the cluster was set up, and how its hooks are. */
export interface Installation {
  readonly release: string;
  readonly eventSource: EventSource;
  /** Why that source, in a sentence. */
  readonly why: string;
  /** Whether the hooks' way out of the cluster is the customer's own network. */
  readonly isEgressRouted: boolean;
  readonly hasOtherHooks: boolean;
  readonly hooks: HooksState;
}

/** Written by who sets up the cluster, read by all. */
export interface Installations {
  find(): Promise<Installation | undefined>;
  save(installation: Installation): Promise<void>;
}
