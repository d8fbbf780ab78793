import type { ScenarioGaps } from '../scenario-coverage.ts';

export const discovery: ScenarioGaps = {
  D9: 'Not shown yet.',
  D24: 'Not shown yet.',
  D42: 'Not shown yet.',
  D43: 'Not shown yet.',
};
