import type { DisruptionCommand } from '../model/plans.ts';

/** Disruption commands under way, so that budgets hold and a dead run is taken up again. */
export interface Commands {
  list(): Promise<readonly DisruptionCommand[]>;
  /** Stores a new command; one with the same id replaces nothing. */
  add(command: DisruptionCommand): Promise<void>;
  /** No error if absent. */
  remove(id: string): Promise<void>;
}
