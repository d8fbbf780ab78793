import type { Account } from './account.ts';
import type { MotoWorld } from './world.ts';

/** What an act did, as figures for whoever reads the run. */
export type Outcome = Readonly<Record<string, unknown>>;

/** One part of the run: it throws where something is not as it has to be. */
export type Act = (world: MotoWorld, account: Account) => Promise<Outcome>;
