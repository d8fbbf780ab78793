import type { ScenarioGaps } from '../scenario-coverage.ts';

export const interruption: ScenarioGaps = {
  N19: 'Not shown yet.',
};
