import { describe, expect, it } from 'vitest';
import type { ClusterIdentities } from '../../shared/ports/cluster.ts';
import { NOON } from '../support/builders.ts';

/** What all that know whose records they are keep. @param create - an empty one for each test */
export function clusterIdentitiesContract(
  adapter: string,
  create: () => Promise<ClusterIdentities>,
): void {
  describe(`ClusterIdentities: ${adapter}`, () => {
    it('remember the first who said who they are', async () => {
      const identities = await create();
      const first = { certificateAuthority: 'aa', arn: 'arn:aws:eks:a', createdAt: NOON };

      expect(await identities.remember(first)).toEqual(first);
      expect(await identities.remember({ certificateAuthority: 'bb' })).toEqual(first);
      expect(await identities.remember(first)).toEqual(first);
    });
  });
}
