import type { ScenarioGaps } from '../scenario-coverage.ts';

export const interruption: ScenarioGaps = {
  N13: 'Not shown yet.',
  N19: 'Not shown yet.',
};
