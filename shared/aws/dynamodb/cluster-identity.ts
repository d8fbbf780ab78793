import { createHash } from 'node:crypto';
import type { ClusterIdentity } from '../../ports/cluster.ts';

/** @param certificateAuthority - PEM; line breaks do not matter, for every tool sets its own */
export const identityOf = (certificateAuthority: string): ClusterIdentity => ({
  certificateAuthority: createHash('sha256')
    .update(certificateAuthority.replaceAll(/\s/g, ''))
    .digest('hex'),
});
