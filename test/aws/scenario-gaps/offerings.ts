import type { ScenarioGaps } from '../scenario-coverage.ts';

export const offerings: ScenarioGaps = {
  O5: 'Not shown yet.',
  O6: 'Not shown yet.',
  O14: 'Not shown yet.',
  O15: 'Not shown yet.',
  O16: 'Not shown yet.',
  O17: 'Not shown yet.',
  O20: 'Not shown yet.',
  O22: 'Not shown yet.',
  O23: 'Not shown yet.',
  O24: 'Not shown yet.',
};
