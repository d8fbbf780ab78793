import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { aSelector, NOON, ZONES } from '../../support/builders.ts';
import { aFleet, decide, type FleetNode, web } from '../fleet.ts';

const ZONE = 'topology.kubernetes.io/zone';
const [A = '', B = ''] = ZONES;

/** A pod that must run in a zone with a pod of the database. */
const client: Pod = web('client', 0.5, {
  podAffinity: [{ key: ZONE, selector: aSelector({ app: 'db' }), matchLabelKeys: [], namespaces: [] }],
});

const database = (name: string): Pod => ({
  ...web(name, 2, { nodeSelector: { [ZONE]: B } }),
  labels: { app: 'db' },
});

/** The client could have a smaller node, but only in zone B. */
const fleet = (...others: readonly FleetNode[]) =>
  aFleet([{ name: 'client', type: 'large', zone: A, pods: [client] }, ...others]);

const leaving: FleetNode = {
  name: 'leaving',
  type: 'large',
  zone: B,
  pods: [database('db-1')],
  claim: { deletingAt: NOON },
};

describe('pods of a node that is being removed', () => {
  it('are not joined by pods with affinity: they are about to be elsewhere', () => {
    expect(decide(fleet(leaving)).gone).toEqual([]);
  });

  it('do not keep pods from joining others of their zone that stay', () => {
    const staying = { name: 'staying', zone: B, pods: [database('db-2')] };

    expect(decide(fleet(leaving, staying)).gone).toEqual(['client']);
  });
});
