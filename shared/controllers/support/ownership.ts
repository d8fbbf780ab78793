import type { Ports } from '../../ports/ports.ts';

type Asked = Pick<Ports, 'ownership'>;

/** Whether this home may change the cluster now. On stand-by, others see to what it leaves alone. */
export const isOwner = async ({ ownership }: Asked): Promise<boolean> =>
  (await ownership.claim()).outcome === 'owner';

/**
 * The same, said aloud where it is not: once a minute, for the sweep asks.
 *
 * @throws whatever the cluster answers with: who cannot be asked leaves nobody the owner
 */
export async function isOwnerOrSaysWhyNot({
  ownership,
  journal,
  clock,
}: Pick<Ports, 'ownership' | 'journal' | 'clock'>): Promise<boolean> {
  const standing = await ownership.claim();
  if (standing.outcome === 'owner') return true;
  const { owner, why } = standing;
  await journal.happened({ kind: 'stand-by', at: clock.now(), owner, why });
  return false;
}

/**
 * A notice comes once, whoever reads it. One for a cluster that another home of the same stack owns
 * goes to the record that both share; what belongs to others is none of ours.
 */
export async function mayTakeNotice({ ownership }: Asked): Promise<boolean> {
  const standing = await ownership.claim();
  return standing.outcome === 'owner' || standing.why === 'another-home';
}
