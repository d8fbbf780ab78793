import type { ScenarioGaps } from '../scenario-coverage.ts';

export const templates: ScenarioGaps = {
  T30: 'A class whose profile is missing is not ready, and nothing is launched from it (launch of a class that is gone).',
};
