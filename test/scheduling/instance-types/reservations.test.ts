import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import {
  RESERVATION_ID_LABEL,
  RESERVATION_INTERRUPTIBLE_LABEL,
  RESERVATION_TYPE_LABEL,
} from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { InstanceType, Offering } from '../../../shared/model/offerings/instance-type.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { createPlan } from '../../../shared/scheduling/create-plan.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { solve } from '../../../shared/scheduling/search/solve.ts';
import {
  aCluster,
  affinityTo,
  aPool,
  CAPACITY,
  createOfferings,
  createPods,
  fakeType,
  HOSTNAME,
  need,
  offering,
  requesting,
  tiny,
  Z1,
  ZONE,
} from '../support/fixture.ts';
import { listLaunchedTypes, type ProvisionOutcome, provision } from '../support/provision.ts';

const large = fakeType('large', { cpus: 6, gib: 6 });
const medium = fakeType('medium', { cpus: 3, gib: 3 });
const small = fakeType('small', { cpus: 2, gib: 2 });
const TYPES = [large, medium, small];
const ON_DEMAND = TYPES.flatMap((type) => createOfferings(type)).filter(
  ({ capacityType }) => capacityType === 'on-demand',
);

/** A reservation in zone 1 at almost no cost. */
const reserved = (type: InstanceType, id: string, free = 1, nodeClass?: string): Offering => {
  const onDemand = ON_DEMAND.find(({ instanceType }) => instanceType === type.name);
  return {
    ...offering(type, 'reserved', Z1, (onDemand?.hourlyUsd ?? 0) / 100_000),
    reservation: {
      id,
      kind: 'default',
      isInterruptible: false,
      free,
      ...(nodeClass === undefined ? {} : { nodeClass }),
    },
  };
};

const clusterWith = (reservations: readonly Offering[], over: Partial<ClusterSnapshot> = {}): ClusterSnapshot =>
  aCluster({ types: TYPES, priced: [...ON_DEMAND, ...reservations], ...over });

/** EC2 counts launched instances itself. */
const afterwards = ({ after }: ProvisionOutcome): ClusterSnapshot => {
  const held = after.claims.flatMap(reservationOf);
  return {
    ...after,
    offerings: after.offerings.map((one) =>
      one.reservation ? { ...one, reservation: { ...one.reservation, free: freeOf(one.reservation, held) } } : one,
    ),
  };
};
const freeOf = ({ id, free }: { id: string; free: number }, held: readonly string[]): number =>
  free - held.filter((one) => one === id).length;

const reservationOf = ({ requirements }: NodeClaim): readonly string[] =>
  requirements.find(({ key }) => key === RESERVATION_ID_LABEL)?.values ?? [];

/** Type and reservation of each claim: `small cr-1`, or `small` without a reservation. */
const claimsOf = ({ plan }: ProvisionOutcome): string[] =>
  plan.claims.map(({ claim, cheapest }) => [cheapest.instanceType, ...reservationOf(claim)].join(' ')).toSorted();

const apart = { podAntiAffinity: [affinityTo('web', HOSTNAME)] };
const WEB = { app: 'web' };

describe('capacity reservations', () => {
  it('provide one instance per node, and the remaining pods wait for the next plan', () => {
    const cluster = clusterWith([reserved(medium, 'cr-m'), reserved(small, 'cr-s')]);

    const first = provision(cluster, ...createPods(3, 'web', { requests: requesting(1.8) }));
    expect(claimsOf(first)).toEqual(['medium cr-m', 'small cr-s']);
    expect(first.pending).toHaveLength(1);

    const second = provision(afterwards(first));
    expect(claimsOf(second)).toEqual(['small']);
    expect(second.pending).toEqual([]);
  });

  it.each([
    ['cr-1', ['small cr-2']],
    ['cr-2', ['small cr-1']],
    [undefined, ['small']],
  ])('that EC2 interrupts (%s) bar neither their siblings nor on-demand capacity', (reservationId, launched) => {
    const part = { instanceType: 'small', zone: Z1, capacityType: 'reserved', until: Infinity } as const;
    const unavailable = [reservationId === undefined ? part : { ...part, reservationId }];
    const cluster = clusterWith([reserved(small, 'cr-1'), reserved(small, 'cr-2')], { unavailable });

    expect(claimsOf(provision(cluster, ...createPods(1, 'web', { requests: requesting(1.8) })))).toEqual(launched);
  });

  it('are used by one of two NodePools that share them, while the other waits', () => {
    const pools = ['np-1', 'np-2'].map((name) => aPool({ name }));
    const pods = pools.map(({ name }) =>
      tiny(name, { ...apart, nodeSelector: { 'karpenter.sh/nodepool': name } }, WEB),
    );

    const first = provision(clusterWith([reserved(small, 'cr-s')], { pools }), ...pods);
    expect(claimsOf(first)).toEqual(['small cr-s']);
    expect(first.pending).toHaveLength(1);

    const second = provision(afterwards(first));
    expect(claimsOf(second)).toEqual(['small']);
  });

  it('serve two NodePools if each NodeClass has its own', () => {
    const classOf = (name: string) => ({ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name });
    const pools = ['a', 'b'].map((name) => aPool({ name, nodeClass: classOf(name) }));
    const pods = pools.map(({ name }) =>
      tiny(name, { ...apart, nodeSelector: { 'karpenter.sh/nodepool': name } }, WEB),
    );
    const reservations = ['a', 'b'].map((name) => reserved(small, `cr-${name}`, 1, name));

    const outcome = provision(clusterWith(reservations, { pools }), ...pods);

    expect(outcome.plan.claims.map(({ claim }) => [claim.pool, ...reservationOf(claim)]).toSorted()).toEqual([
      ['a', 'cr-a'],
      ['b', 'cr-b'],
    ]);
  });

  it('are all used if one type has reservations of one and of two instances', () => {
    const cluster = clusterWith([reserved(small, 'cr-1'), reserved(small, 'cr-2', 2)]);

    const first = provision(cluster, ...createPods(4, 'web', apart, WEB));
    expect(claimsOf(first)).toEqual(['small cr-1', 'small cr-2', 'small cr-2']);

    expect(claimsOf(provision(afterwards(first)))).toEqual(['small']);
  });

  it('keep a pod from using a lighter NodePool', () => {
    const classOf = (name: string) => ({ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name });
    const pools = [
      aPool({ name: 'heavy', weight: 100, nodeClass: classOf('heavy') }),
      aPool({ name: 'light', weight: 50, nodeClass: classOf('light') }),
    ];
    const reservations = ['heavy', 'light'].map((name) => reserved(small, `cr-${name}`, 1, name));

    const cluster = clusterWith(reservations, { pools });
    const first = provision(cluster, ...createPods(2, 'web', apart, WEB));
    expect(claimsOf(first)).toEqual(['small cr-heavy']);

    const second = provision(afterwards(first));
    expect(second.plan.claims.map(({ claim }) => claim.pool)).toEqual(['heavy']);
    expect(claimsOf(second)).toEqual(['small']);
  });

  it('explain to a waiting pod what it waits for, without a refusal', () => {
    const { plan } = provision(clusterWith([reserved(small, 'cr-s')]), ...createPods(2, 'web', apart, WEB));
    const [waiting] = plan.unplaced;

    expect(waiting?.waits).toBe(true);
    expect(waiting?.pools.flatMap(({ reasons }) => reasons.map(formatReason))).toEqual([
      'waits for the next plan: this one takes the last of reservation cr-s',
    ]);
  });

  it('do not make a waiting pod give up a preference', () => {
    const classOf = (name: string) => ({ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name });
    const pools = ['np-1', 'np-2'].map((name) => aPool({ name, nodeClass: classOf(name) }));
    const reservations = ['np-1', 'np-2'].map((name) => reserved(small, `cr-${name}`, 1, name));
    const liked = [{ weight: 1, term: [need('karpenter.sh/nodepool', 'In', 'np-1')] }];
    const pods = createPods(2, 'web', { ...apart, preferredNodeTerms: liked }, WEB);

    const first = provision(clusterWith(reservations, { pools }), ...pods);
    expect(claimsOf(first)).toEqual(['small cr-np-1']);

    const second = provision(afterwards(first));
    expect(second.plan.claims.map(({ claim }) => claim.pool)).toEqual(['np-1']);
    expect(claimsOf(second)).toEqual(['small']);
  });

  it('provide one node to pods that must share a node', () => {
    const pods = createPods(
      2,
      'web',
      {
        podAffinity: [affinityTo('web', ZONE)],
        nodeSelector: { [ZONE]: Z1, [CAPACITY]: 'reserved' },
      },
      WEB,
    );
    const outcome = provision(clusterWith([reserved(small, 'cr-s')]), ...pods);

    expect(claimsOf(outcome)).toEqual(['small cr-s']);
    expect(outcome.pending).toEqual([]);
  });

  it('are reduced by a claim that is not launched yet, while EC2 counts launched claims', () => {
    const cluster = clusterWith([reserved(small, 'cr-s', 2)]);
    const { plan } = provision(cluster, tiny('a', apart, WEB));
    const starting = plan.claims.map(({ claim }) => claim);

    const next = provision({ ...cluster, claims: starting }, ...createPods(3, 'web', apart, WEB));
    // One pod fits onto the planned claim, one gets the last instance, one waits.
    expect(claimsOf(next)).toEqual(['small cr-s']);
    expect(next.plan.placements.flatMap(({ pods }) => pods)).toHaveLength(1);
    expect(next.pending).toHaveLength(1);
  });

  it('have the lower of two different counts', () => {
    const classes = ['a', 'b'];
    const classOf = (name: string) => ({ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name });
    const pools = classes.map((name) => aPool({ name, nodeClass: classOf(name) }));
    const reservations = [reserved(small, 'cr-s', 5, 'a'), reserved(small, 'cr-s', 3, 'b')];

    const outcome = provision(clusterWith(reservations, { pools }), ...createPods(6, 'web', apart, WEB));
    expect(claimsOf(outcome)).toEqual(['small cr-s', 'small cr-s', 'small cr-s']);
  });

  it('are left to another node of the plan if they are too small for the first', () => {
    const pods = [
      tiny('big', { ...apart, requests: requesting(2.5) }, WEB),
      tiny('little', { ...apart, requests: requesting(1.5) }, WEB),
    ];
    const cluster = clusterWith([reserved(medium, 'cr-m'), reserved(small, 'cr-s')]);
    expect(claimsOf(provision(cluster, ...pods))).toEqual(['medium cr-m', 'small cr-s']);
  });

  it('are not waited for in a simulation', () => {
    const pods = createPods(2, 'web', apart, WEB);
    const cluster = { ...clusterWith([reserved(small, 'cr-s')]), pods };
    const problem = prepare(cluster);

    const plan = createPlan(problem, pods, solve(problem, pods), 'simulated');

    expect(plan.unplaced).toEqual([]);
    expect(plan.claims.map(({ claim }) => reservationOf(claim)).toSorted()).toEqual([[], ['cr-s']]);
  });

  it('are not used if the feature gate is off', () => {
    const settings = {
      ...DEFAULT_SETTINGS,
      gates: { ...DEFAULT_GATES, ReservedCapacity: false },
    };
    const cluster = clusterWith([reserved(small, 'cr-s')], { settings });
    const outcome = provision(cluster, tiny('a'));

    expect(claimsOf(outcome)).toEqual(['small']);
    expect(outcome.plan.claims[0]?.cheapest.capacityType).toBe('on-demand');
  });

  it('go to the pods that would cost most elsewhere', () => {
    const pods = [
      ...createPods(2, 'little', { ...apart, requests: requesting(0.5) }, WEB),
      tiny('big', { ...apart, requests: requesting(5) }, WEB),
    ];
    const outcome = provision(clusterWith([reserved(large, 'cr-l')]), ...pods);
    const [claim] = outcome.plan.claims;

    expect(claim?.pods).toEqual(['default/big']);
  });

  it('can be required by id, and the pod then gets no other', () => {
    const cluster = clusterWith([reserved(small, 'cr-1'), reserved(medium, 'cr-2')]);
    const named = tiny('a', { nodeSelector: { [RESERVATION_ID_LABEL]: 'cr-2' } });
    expect(claimsOf(provision(cluster, named))).toEqual(['medium cr-2']);

    const unknown = tiny('b', { nodeSelector: { [RESERVATION_ID_LABEL]: 'cr-3' } });
    expect(provision(cluster, unknown).pending).toEqual(['b']);
  });

  it('are written to the claim with one type, one zone and the labels of one reservation', () => {
    const { plan } = provision(clusterWith([reserved(small, 'cr-s')]), tiny('a'));
    const [{ claim } = { claim: undefined }] = plan.claims;

    expect(claim?.instanceTypes).toEqual(['small']);
    expect(claim?.requirements).toEqual(
      expect.arrayContaining([
        { key: ZONE, operator: 'In', values: [Z1] },
        { key: CAPACITY, operator: 'In', values: ['reserved'] },
        { key: RESERVATION_ID_LABEL, operator: 'In', values: ['cr-s'] },
        { key: RESERVATION_TYPE_LABEL, operator: 'In', values: ['default'] },
        { key: RESERVATION_INTERRUPTIBLE_LABEL, operator: 'In', values: ['false'] },
      ]),
    );
  });

  it('give equal plans for equal clusters', () => {
    const reservations = TYPES.flatMap((type, index) => [
      reserved(type, `cr-${index}`, 2),
      reserved(type, `cr-x${index}`, 1),
    ]);
    const pods = Array.from({ length: 30 }, (_, index) =>
      tiny(`p${index}`, { requests: requesting(0.3 + (index % 5) * 0.4) }),
    );
    const cluster = { ...clusterWith(reservations), pods };
    const mirrored = {
      ...cluster,
      pods: pods.toReversed(),
      offerings: cluster.offerings.toReversed(),
    };

    expect(planProvisioning(mirrored, 'd').claims.map(({ claim }) => claim)).toEqual(
      planProvisioning(cluster, 'd').claims.map(({ claim }) => claim),
    );
    expect(listLaunchedTypes(provision(clusterWith(reservations), ...pods)).length).toBeGreaterThan(0);
  });
});
