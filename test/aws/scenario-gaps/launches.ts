import type { ScenarioGaps } from './scenario-gaps.ts';

export const launches: ScenarioGaps = {
  L10: 'Capacity of a NodeOverlay is a type’s, in every zone: there are no groups of offerings with sizes of their own, and a launch takes the types that the plan has chosen.',
};
