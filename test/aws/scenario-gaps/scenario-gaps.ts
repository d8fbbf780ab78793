/** Reasons, by scenario, why no test shows it. */
export type ScenarioGaps = Readonly<Record<string, string>>;
