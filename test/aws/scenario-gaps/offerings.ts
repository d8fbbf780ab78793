import type { ScenarioGaps } from '../scenario-coverage.ts';

export const offerings: ScenarioGaps = {
  O5: 'There are no sequence numbers: each decision reads the shortages anew, a few dozen rows at most.',
};
