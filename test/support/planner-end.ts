/** Stands for the end of the planner's process: no code handles it. */
export class PlannerEnded extends Error {
  override readonly name = 'PlannerEnded';
}

export const ends = (): never => {
  throw new PlannerEnded();
};

/**
 * Waits for a run of the planner.
 *
 * @returns false if the planner ended
 * @throws every other error of the run
 */
export async function hasPlanned(run: Promise<unknown>): Promise<boolean> {
  try {
    await run;
    return true;
  } catch (error) {
    if (!(error instanceof PlannerEnded)) throw error;
    return false;
  }
}
