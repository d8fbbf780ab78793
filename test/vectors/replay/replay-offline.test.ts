import { describe, expect, it } from 'vitest';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { Pod, PodSpec } from '../../../shared/model/pods/pod.ts';
import {
  aDaemonSet,
  aNode,
  aPod,
  aPodSpec,
  aSelector,
  aSnapshot,
  nodeLabels,
  resources,
  ZONES,
} from '../../support/builders.ts';
import { replayOffline } from './replay-offline.ts';

const node = (name: string, cpus: number, zone: string = ZONES[0]) =>
  aNode({
    name,
    labels: nodeLabels({ [ZONE_LABEL]: zone, [HOSTNAME_LABEL]: name }),
    allocatable: resources(cpus, 4 * cpus, { pods: 10 }),
  });

const pod = (name: string, cpus: number, spec: Partial<PodSpec> = {}, labels = { app: 'web' }) =>
  aPod({
    name,
    labels,
    spec: aPodSpec({ requests: resources(cpus, cpus, { pods: 1 }), ...spec }),
  });

/** Plans all pods onto the first node. The simulated scheduler may choose other nodes. */
const replay = (
  pods: readonly Pod[],
  over: Parameters<typeof aSnapshot>[0] = {},
  nodes = [node('n1', 4), node('n2', 4)],
) =>
  replayOffline('one', aSnapshot({ ...over, pods, nodes }), {
    claims: [],
    placements: [{ target: 'n1', pods: pods.map(({ name }) => `default/${name}`) }],
    unplaced: [],
    hourlyUsd: 0,
  });

const listUnbound = (...args: Parameters<typeof replay>) => {
  const { unbound } = replay(...args);
  return Object.fromEntries(Object.entries(unbound).map(([order, pods]) => [order, pods.map((one) => one.pod)]));
};
const NO_UNBOUND_PODS = { planned: [], reversed: [], shuffled: [] };

const term = (key: string, app = 'web') => ({
  key,
  selector: aSelector({ app }),
  matchLabelKeys: [],
  namespaces: [],
});

describe('replayOffline', () => {
  it('binds all pods if there is room in every order', () => {
    expect(listUnbound([pod('a', 1), pod('b', 2), pod('c', 3)])).toEqual(NO_UNBOUND_PODS);
  });

  it('spreads small pods over the nodes, so that a large pod finds none', () => {
    const { planned, reversed } = replay([pod('a', 1), pod('b', 1), pod('large', 4)]).unbound;

    expect(planned).toEqual([{ pod: 'default/large', why: '0/2 nodes are available: 2 Insufficient cpu' }]);
    expect(reversed).toEqual([]);
  });

  it('compares only some of a hundred nodes and more, from the node on where the search before ended', () => {
    const nodes = Array.from({ length: 150 }, (_, index) => node(`n${index + 1}`, index === 149 ? 4 : 1));
    const large = pod('large', 4);

    expect(listUnbound([pod('a', 1), large], {}, nodes).planned).toEqual([]);
    expect(listUnbound([pod('a', 1), pod('b', 1), large], {}, nodes).planned).toEqual(['default/large']);
  });

  it('binds the pods of DaemonSets before the pods of the plan', () => {
    expect(listUnbound([pod('a', 4)], { daemonSets: [aDaemonSet()] }).planned).toEqual(['default/a']);
  });

  it('keeps pods with anti-affinity apart in every order', () => {
    const apart = { podAntiAffinity: [term(ZONE_LABEL)] };
    const other = pod('b', 1);

    expect(listUnbound([pod('a', 1, apart), other]).planned).toEqual(['default/b']);
    expect(listUnbound([pod('a', 1, apart), other]).reversed).toEqual(['default/a']);
  });

  it('retries a pod that must join another pod that is bound later', () => {
    const follower = pod('b', 1, { podAffinity: [term(HOSTNAME_LABEL)] }, { app: 'follower' });

    expect(listUnbound([follower, pod('a', 1)])).toEqual(NO_UNBOUND_PODS);
  });

  it('enforces topology spread over the domains of all nodes', () => {
    const spread: Partial<PodSpec> = {
      topologySpread: [
        {
          key: ZONE_LABEL,
          maxSkew: 1,
          whenUnsatisfiable: 'DoNotSchedule',
          selector: aSelector(),
          matchLabelKeys: [],
          nodeAffinityPolicy: 'Honor',
          nodeTaintsPolicy: 'Ignore',
        },
      ],
    };
    const pods = ['a', 'b', 'c', 'd'].map((name) => pod(name, 1, spread));
    const nodes = [node('n1', 4), node('n2', 1, ZONES[1])];

    expect(listUnbound(pods, {}, nodes).planned).toEqual(['default/d']);
  });

  it('binds only one pod with the same host port on each node', () => {
    const port = { hostPorts: [{ port: 80, protocol: 'TCP', ip: '' }] };
    const pods = ['a', 'b', 'c'].map((name) => pod(name, 1, port));

    expect(listUnbound(pods).planned).toEqual(['default/c']);
  });

  it("prefers the nodes that a pod's preferred node affinity matches", () => {
    const preference: Partial<PodSpec> = {
      preferredNodeTerms: [{ weight: 1, term: [{ key: HOSTNAME_LABEL, operator: 'In', values: ['n2'] }] }],
    };
    const pods = [pod('a', 1, preference), pod('b', 1, preference), pod('large', 4)];

    expect(listUnbound(pods).planned).toEqual([]);
  });
});
