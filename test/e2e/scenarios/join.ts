import { listAt, textAt } from '../lab/json.ts';
import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect, percentile, type Scenario } from '../scenario.ts';
import { ONE_OF_A_KIND } from './single-pod.ts';

const NODES = 10;
const MAX_P50_MS = 1_000;
const UNREGISTERED = 'karpenter.sh/unregistered';

export const join: Scenario = {
  name: 'the unregistered taint goes within a second of the node being ready',
  id: 'join',
  async run(lab, world) {
    await world.pool();
    const watch = watchTaints(lab);
    try {
      for (let node = 1; node <= NODES; node += 1) {
        await world.deployment('web', node, { spec: ONE_OF_A_KIND });
        await world.waitForRunning(node);
      }
      const nodes = await world.nodes();
      const times = await waitUntil('the end of all taints', () => {
        const complete = nodes.flatMap((name) => timesOf(lab, watch.nodes, name));
        return complete.length === NODES && complete;
      });
      const readyToUntainted = times.map(({ readyAt, untaintedAt }) => untaintedAt - readyAt);
      const joinedToUntainted = times.map(({ joinedAt, untaintedAt }) => untaintedAt - joinedAt);
      const p50Ms = percentile(readyToUntainted, 0.5);
      expect(p50Ms <= MAX_P50_MS, `half of the nodes kept the taint for ${p50Ms} ms or more`);
      return {
        nodes: NODES,
        readyToUntaintedP50Ms: p50Ms,
        readyToUntaintedMaxMs: Math.max(...readyToUntainted),
        joinedToUntaintedP50Ms: percentile(joinedToUntainted, 0.5),
        joinedToUntaintedMaxMs: Math.max(...joinedToUntainted),
      };
    } finally {
      watch.end();
    }
  },
};

interface TaintTimes {
  /** The first watch event with the taint. */
  readonly joinedAt: number;
  /** The first watch event without it. */
  readonly untaintedAt?: number;
}

interface TaintWatch {
  readonly nodes: ReadonlyMap<string, TaintTimes>;
  end(): void;
}

/** Records when each node has the taint, on this machine's clock. */
function watchTaints({ kube }: Lab): TaintWatch {
  const nodes = new Map<string, TaintTimes>();
  const ending = new AbortController();
  kube.watch(
    '/api/v1/nodes',
    (_, node) => {
      const name = textAt(node, 'metadata', 'name');
      const before = nodes.get(name);
      const isTainted = listAt(node, 'spec', 'taints').some((taint) => textAt(taint, 'key') === UNREGISTERED);
      if (isTainted && !before) nodes.set(name, { joinedAt: Date.now() });
      if (!isTainted && before && before.untaintedAt === undefined)
        nodes.set(name, { ...before, untaintedAt: Date.now() });
    },
    ending.signal,
  );
  return { nodes, end: () => ending.abort() };
}

function timesOf(
  { nodes: { readyAt } }: Lab,
  taints: ReadonlyMap<string, TaintTimes>,
  name: string,
): readonly (Required<TaintTimes> & { readonly readyAt: number })[] {
  const ready = readyAt.get(name);
  const { joinedAt, untaintedAt } = taints.get(name) ?? {};
  if (ready === undefined || joinedAt === undefined || untaintedAt === undefined) return [];
  return [{ joinedAt, untaintedAt, readyAt: ready }];
}
