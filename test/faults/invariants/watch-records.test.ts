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
  ['counts claims whose Nodes are there', ['first', 'second'], ['disruption-budget']],
  ['does not count a leaving claim whose Node is gone', ['second'], []],
  ['allows a claim whose own Node is gone to leave', ['first'], []],
])('the disruption budget %s', async (_, nodes, expected) => {
  const history = { seed: 1, activeMs: 0, parts: [], incidents: [], faults: [] };
  const open = createCluster(history);
  const log = createViolationLog(() => NOON);
  const { nodeClaims } = watchRecords(history, open, open.world.ports, log);
  for (const name of nodes) open.api.nodes.put(name, aNode({ name, providerId: `i-${name}` }));

  await nodeClaims.save(aDriftedClaim('first'), 0);
  await nodeClaims.save(aDriftedClaim('second'), 0);

  expect(log.violations.map(({ invariant }) => invariant)).toEqual(expected);
});

it.each([
  ['a launch beyond it', 'p-1', ['price-cap']],
  ['no node that Mortise adopts', 'adopted', []],
])('the price cap forbids %s', async (_, decision, expected) => {
  const caps = { kind: 'launch-caps', launchesPerMinute: 9, hourlyUsd: 1 } as const;
  const history = { seed: 1, activeMs: 0, parts: [caps], incidents: [], faults: [] };
  const log = createViolationLog(() => NOON);
  const open = createCluster(history);
  const { nodeClaims } = watchRecords(history, open, open.world.ports, log);
  const aClaim = (name: string, over: Partial<NodeClaim> = {}): NodeClaim =>
    aNodeClaim({ name, launch: aLaunch({ providerId: `i-${name}`, hourlyUsd: 0.6 }), ...over });

  await nodeClaims.save(aClaim('first'), 0);
  await nodeClaims.save(aClaim('second', { decision }), 0);

  expect(log.violations.map(({ invariant }) => invariant)).toEqual(expected);
});
