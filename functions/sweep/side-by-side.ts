/** Does all of it, however each goes, and then fails with the first that failed. */
export async function sideBySide(...works: readonly (() => Promise<void>)[]): Promise<void> {
  const outcomes = await Promise.allSettled(works.map((work) => work()));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
