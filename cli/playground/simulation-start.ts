import type { DecisionSettings } from '../../shared/model/settings.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import type { SimWorld } from '../../shared/simulation/world.ts';

/** A cluster in memory that is ready to run. */
export interface SimulationStart {
  readonly world: SimWorld;
  readonly settings: DecisionSettings;
  readonly startsAt: EpochMs;
  /** Where it comes from, for the answer. */
  readonly source: Readonly<Record<string, unknown>>;
  /** False if no price of the region is known. */
  readonly isPriced: boolean;
  /** Where its prices come from: on-demand ones, the spot prices at the start. */
  readonly prices: string;
  readonly warnings: readonly string[];
}
