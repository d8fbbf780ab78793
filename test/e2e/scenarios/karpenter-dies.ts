import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { toPartition } from '../../../shared/aws/dynamodb/table/partitions.ts';
import { listAt, valueAt } from '../lab/json.ts';
import { type KarpenterNode, startKarpenterDouble, TERMINATION_FINALIZER } from '../lab/kubernetes/karpenter-double.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { watchRepeatedly } from '../lab/watch-repeatedly.ts';
import { expect, type Scenario, type World } from '../scenario.ts';
import { NODE_CLASS } from '../world.ts';

const PODS = 3;
const MIN_AVAILABLE = 2;

export const karpenterDies: Scenario = {
  name: 'Karpenter dies in the middle of a drain, and Mortise completes it',
  id: 'karpenter-dies',
  async run(lab, world) {
    const karpenter = await startKarpenterDouble(lab);
    try {
      await world.pool();
      const launched = await karpenter.launch({
        pool: world.id,
        nodeClass: NODE_CLASS,
        instanceType: 'm5.xlarge',
      });
      await lab.kubectl(['apply', '-f', '-'], {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { namespace: world.id, name: 'web' },
        spec: { minAvailable: MIN_AVAILABLE, selector: { matchLabels: { app: 'web' } } },
      });
      await world.deployment('web', PODS, { cpu: '700m' });
      await world.waitForRunning(PODS);

      const watch = watchTakeOver(lab, world, launched);
      await karpenter.startDrain(launched, world.id);
      karpenter.die();
      const diedAt = Date.now();
      await waitUntil(
        'the end of the instance, its Node and its NodeClaim',
        async () => {
          const { node, claim, isEnding } = await look(lab, launched);
          return isEnding && node === undefined && claim === undefined;
        },
        { timeoutMs: 300_000, everyMs: 500 },
      );
      const endedMs = Date.now() - diedAt;
      await world.waitForRunning(PODS);
      const { faults, fewestRunning, adoptedAt } = await watch.end();
      expect(faults.length === 0, faults.join('\n'));
      expect(fewestRunning >= MIN_AVAILABLE, `a budget was broken: ${fewestRunning} pods ran`);
      expect(adoptedAt !== undefined, 'the claim was never adopted');
      return { adoptedMs: adoptedAt - diedAt, endedMs, fewestRunning };
    } finally {
      await karpenter.cleanUp();
    }
  },
};

interface TakeOver {
  /** Steps that happened in a wrong order. */
  readonly faults: readonly string[];
  readonly fewestRunning: number;
  readonly adoptedAt?: number;
}

/** Watches the order of adoption, drain, termination and release. */
function watchTakeOver(lab: Lab, world: World, launched: KarpenterNode): { end(): Promise<TakeOver> } {
  const faults = new Set<string>();
  let fewestRunning = Number.POSITIVE_INFINITY;
  let adoptedAt: number | undefined;

  async function watchOnce(): Promise<void> {
    const pods = await world.pods();
    const running = pods.filter(({ isRunning, isEnding }) => isRunning && !isEnding);
    fewestRunning = Math.min(fewestRunning, running.length);
    // The objects are read first: what they have lost must have been allowed by then.
    const { node, claim, isEnding, isAdopted } = await look(lab, launched);
    if (isAdopted) adoptedAt ??= Date.now();
    for (const [kind, object] of [
      ['Node', node],
      ['NodeClaim', claim],
    ] as const) {
      const isHeld = listAt(object, 'metadata', 'finalizers').includes(TERMINATION_FINALIZER);
      if (!isHeld && !isAdopted) faults.add(`the ${kind} was released before the adoption`);
      if (!isHeld && !isEnding) faults.add(`the ${kind} was released while the instance ran`);
    }
    const remaining = pods.filter((pod) => pod.node === launched.node && !pod.isEnding);
    if (isEnding && remaining.length > 0) faults.add('the instance ended before its pods');
  }

  const watch = watchRepeatedly(watchOnce, 250);
  return {
    async end() {
      await watch.end();
      return {
        faults: [...faults],
        fewestRunning,
        ...(adoptedAt !== undefined && { adoptedAt }),
      };
    },
  };
}

/** Reads Node and NodeClaim first, then the instance and the record. */
async function look({ kube, cloud, deployment }: Lab, { node, claim, instance }: KarpenterNode) {
  const read = async (path: string, name: string): Promise<unknown> =>
    (await kube.list(path)).find((one) => valueAt(one, 'metadata', 'name') === name);
  const objects = {
    node: await read('/api/v1/nodes', node),
    claim: await read('/apis/karpenter.sh/v1/nodeclaims', claim),
  };
  const [{ Reservations = [] }, { Item }] = await Promise.all([
    cloud.ec2.send(new DescribeInstancesCommand({ InstanceIds: [instance] })),
    cloud.dynamo.send(
      new GetItemCommand({
        TableName: deployment.output('StateTable'),
        Key: {
          pk: { S: toPartition(`Cluster#${CLUSTER}`, 'Claim', claim) },
          sk: { S: `Claim#${claim}` },
        },
      }),
    ),
  ]);
  const state = Reservations[0]?.Instances?.[0]?.State?.Name ?? 'terminated';
  return {
    ...objects,
    isEnding: state === 'terminated' || state === 'shutting-down',
    isAdopted: Item !== undefined,
  };
}
