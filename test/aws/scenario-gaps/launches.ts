import type { ScenarioGaps } from '../scenario-coverage.ts';

export const launches: ScenarioGaps = {
  L10: 'Overlays change what the planner sees; the launch takes the types of the claim as they are.',
};
