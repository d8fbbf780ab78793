import type { ScenarioGaps } from '../scenario-coverage.ts';

export const offerings: ScenarioGaps = {
  O5: 'There are no sequence numbers: each decision reads the shortages anew, a few dozen rows at most.',
  O20: 'A type without a price has no offering, so that there is nothing that an overlay could change.',
};
