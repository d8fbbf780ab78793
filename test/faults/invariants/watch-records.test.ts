import { expect, it } from 'vitest';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { aLaunch, aNode, aNodeClaim, NOON } from '../../support/builders.ts';
import { createCluster } from '../cluster/create-cluster.ts';
import { createViolationLog } from './violations.ts';
import { watchRecords } from './watch-records.ts';

const aDriftedClaim = (name: string): NodeClaim =>
  aNodeClaim({
    name,
    launch: aLaunch({ providerId: `i-${name}` }),
    deletingAt: NOON,
    removal: 'Drifted',
  });

/** The default pool allows one disruption; two claims leave. */
it.each([
  ['counts a claim whose Node is there', true, ['disruption-budget']],
  ['does not count a claim whose Node is gone', false, []],
])('the disruption budget %s', async (_, hasNode, expected) => {
  const history = { seed: 1, activeMs: 0, parts: [], incidents: [], faults: [] };
  const open = createCluster(history);
  const log = createViolationLog(() => NOON);
  const { nodeClaims } = watchRecords(history, open, log);
  if (hasNode) open.api.nodes.put('first', aNode({ name: 'first', providerId: 'i-first' }));

  await nodeClaims.save(aDriftedClaim('first'), 0);
  await nodeClaims.save(aDriftedClaim('second'), 0);

  expect(log.violations.map(({ invariant }) => invariant)).toEqual(expected);
});
