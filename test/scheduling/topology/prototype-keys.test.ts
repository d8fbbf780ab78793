import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aNode, aPod, aPodSpec, aRunningPod, aSelector, nodeLabels } from '../../support/builders.ts';
import '../../support/properties.ts';
import { listPodNodes } from '../../simulation/a-cluster.ts';
import {
  aCluster,
  affinityTo,
  aPool,
  aPoolRequiring,
  createPods,
  HOSTNAME,
  need,
  requesting,
  requiringNode,
  spreadOver,
  tiny,
} from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

/** Names that every plain object inherits; all of them are valid label keys or look like one. */
const PROTOTYPE_KEYS = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];
const prototypeKey = fc.constantFrom(...PROTOTYPE_KEYS);

const KINDS = {
  spread: (key: string) => ({ topologySpread: [spreadOver(key)] }),
  affinity: (key: string) => ({ podAffinity: [affinityTo('web', key)] }),
  'anti-affinity': (key: string) => ({ podAntiAffinity: [affinityTo('web', key)] }),
  'spread by pods of a revision': (key: string) => ({
    topologySpread: [spreadOver(HOSTNAME, { matchLabelKeys: [key] })],
  }),
  'required node label': (key: string) => requiringNode(need(key, 'Exists')),
  'forbidden node label': (key: string) => requiringNode(need(key, 'DoesNotExist')),
  'node selector': (key: string) => ({ nodeSelector: { [key]: 'here' } }),
  'extended resource': (key: string) => ({ requests: requesting(0.1, 0, { [key]: 1 }) }),
};
const kind = fc.constantFrom(...Object.values(KINDS));

describe('keys that plain objects inherit', () => {
  it('lead to the same plan as any other key that no node has', () => {
    fc.assert(
      fc.property(prototypeKey, kind, fc.nat(6), fc.boolean(), (key, specFor, count, hasNode) => {
        const planWith = (name: string) => {
          const first = provision(aCluster(), ...(hasNode ? [tiny('running')] : []));
          const { plan, pending } = provision(first.after, ...createPods(count, 'a', specFor(name)));
          return [pending, plan.claims.map(({ pods }) => pods), plan.placements];
        };
        expect(planWith(key)).toEqual(planWith('unknown-key'));
      }),
      { numRuns: 60 },
    );
  });

  it.each(['constructor', 'toString', 'valueOf'])(
    'are domains like any other if a NodePool sets the label %s',
    (key) => {
      const pool = aPoolRequiring(need(key, 'In', 'left', 'right'));
      const { pending, launched } = provision(aCluster({ pools: [pool] }), ...createPods(4, 'a', KINDS.spread(key)));
      expect(pending).toEqual([]);
      expect(new Set(launched.map(({ labels }) => labels[key]))).toEqual(new Set(['left', 'right']));
    },
  );

  it('may name a NodePool and a namespace', () => {
    const pods = createPods(2, 'a').map((pod) => ({ ...pod, namespace: 'constructor' }));
    const { pending } = provision(aCluster({ pools: [aPool({ name: 'constructor' })], namespaces: {} }), ...pods);
    expect(pending).toEqual([]);
  });

  it('are unknown to the simulated scheduler unless a node has the label', async () => {
    for (const key of PROTOTYPE_KEYS) {
      for (const [name, specFor] of Object.entries(KINDS)) {
        const pods = ['one', 'two', 'three'].map((podName) =>
          aPod({ name: podName, spec: aPodSpec({ ...specFor(key), requests: requesting(0.1) }) }),
        );
        const ordinary = pods.map((pod) => ({
          ...pod,
          spec: aPodSpec({ ...specFor('unknown-key'), requests: requesting(0.1) }),
        }));
        expect(await listPodNodes([aNode()], pods), `${name} ${key}`).toEqual(await listPodNodes([aNode()], ordinary));
      }
    }
  });
});

describe('a running pod whose required anti-affinity names a key that no node has', () => {
  const hermit = aRunningPod('node-1', {
    name: 'hermit',
    labels: { app: 'hermit' },
    spec: aPodSpec({
      podAntiAffinity: [{ ...affinityTo('web', 'example.com/rack'), selector: aSelector() }],
    }),
  });
  const full = aNode({ labels: nodeLabels({ [HOSTNAME]: 'node-1' }) });

  it('does not keep other pods pending', () => {
    const { pending } = provision(aCluster({ nodes: [full], pods: [hermit] }), ...createPods(3, 'web'));
    expect(pending).toEqual([]);
  });

  it('does not keep other pods pending if a NodePool can set the key but its node lacks it', () => {
    const pools = [aPool(), { ...aPoolRequiring(need('example.com/rack', 'In', 'r1')), name: 'racks' }];
    const { pending } = provision(aCluster({ nodes: [full], pods: [hermit], pools }), ...createPods(3, 'web'));
    expect(pending).toEqual([]);
  });
});
