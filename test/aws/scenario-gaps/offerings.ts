import type { ScenarioGaps } from '../scenario-coverage.ts';

export const offerings: ScenarioGaps = {};
