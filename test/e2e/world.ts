import { paginateDescribeInstances } from '@aws-sdk/client-ec2';
import { textAt, valueAt } from './lab/json.ts';
import type { Lab } from './lab/start-lab.ts';
import { waitUntil } from './lab/wait-until.ts';
import type { ClaimView, PodOptions, PodView, PoolOptions, World } from './scenario.ts';

export const NODE_CLASS = 'default';
const POOL_LABEL = 'karpenter.sh/nodepool';
const MINUTE_MS = 60_000;

export async function createWorld({ kubectl, kube, cloud }: Lab, id: string): Promise<World> {
  const apply = (object: object): Promise<string> => kubectl(['apply', '-f', '-'], object);
  // A namespace that is still being deleted would take everything that is created in it.
  await kubectl(['wait', '--for=delete', `namespace/${id}`, '--timeout=120s']);
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } });

  const pods = async (): Promise<readonly PodView[]> => (await kube.list(`/api/v1/namespaces/${id}/pods`)).map(podView);
  const claims = async (): Promise<readonly ClaimView[]> =>
    (await kube.list('/apis/karpenter.sh/v1/nodeclaims')).filter(isOfPool(id)).map(claimView);
  const nodes = async (): Promise<readonly string[]> =>
    (await kube.list('/api/v1/nodes')).filter(isOfPool(id)).map((node) => textAt(node, 'metadata', 'name'));
  const instances = (): Promise<readonly string[]> => instancesOf(cloud, id);

  return {
    id,
    pods,
    claims,
    nodes,
    instances,
    pool: async (options) => {
      await apply(poolManifest(id, options));
    },
    deployment: async (name, replicas, options) => {
      await apply(deploymentManifest(id, name, replicas, options));
    },
    scale: async (name, replicas) => {
      await kubectl(['scale', '-n', id, `deployment/${name}`, `--replicas=${replicas}`]);
    },
    waitForRunning: (count, timeoutMs = 2 * MINUTE_MS) =>
      waitUntil(
        `${count} running pods of ${id}`,
        async () => {
          const runningPods = (await pods()).filter(({ isRunning, isEnding }) => isRunning && !isEnding);
          return runningPods.length >= count && runningPods;
        },
        { timeoutMs, everyMs: 250 },
      ),
    async waitForNodes(count, timeoutMs = 2 * MINUTE_MS) {
      let last = '';
      const hasCount = async (): Promise<boolean> => {
        const counts = await Promise.all([claims(), nodes(), instances()]);
        last = counts.map(({ length }) => length).join(' claims, ');
        return counts.every(({ length }) => length === count);
      };
      await waitUntil(`${count} claims, nodes and instances of ${id}`, hasCount, {
        timeoutMs,
        everyMs: 500,
      }).catch((cause: unknown) => {
        throw new Error(`${String(cause)}: there are ${last} (claims, nodes, instances)`, {
          cause,
        });
      });
    },
  };
}

const isOfPool =
  (id: string) =>
  (object: unknown): boolean =>
    textAt(object, 'metadata', 'labels', POOL_LABEL) === id;

async function instancesOf({ ec2 }: Lab['cloud'], pool: string): Promise<readonly string[]> {
  const Filters = [
    { Name: `tag:${POOL_LABEL}`, Values: [pool] },
    { Name: 'instance-state-name', Values: ['pending', 'running', 'shutting-down'] },
  ];
  const ids: string[] = [];
  for await (const { Reservations = [] } of paginateDescribeInstances({ client: ec2 }, { Filters })) {
    const instances = Reservations.flatMap(({ Instances = [] }) => Instances);
    ids.push(...instances.map(({ InstanceId = '' }) => InstanceId));
  }
  return ids;
}

const podView = (pod: unknown): PodView => ({
  name: textAt(pod, 'metadata', 'name'),
  node: textAt(pod, 'spec', 'nodeName'),
  isRunning: textAt(pod, 'status', 'phase') === 'Running',
  isEnding: valueAt(pod, 'metadata', 'deletionTimestamp') !== undefined,
});

const claimView = (claim: unknown): ClaimView => ({
  name: textAt(claim, 'metadata', 'name'),
  node: textAt(claim, 'status', 'nodeName'),
  providerId: textAt(claim, 'status', 'providerID'),
  isEnding: valueAt(claim, 'metadata', 'deletionTimestamp') !== undefined,
});

function poolManifest(name: string, options: PoolOptions = {}): object {
  const { capacityTypes = ['on-demand'], instanceTypes, terminationGracePeriod, limits } = options;
  const { nodeClass = NODE_CLASS, budget = '100%' } = options;
  const { labels = {}, consolidationPolicy = 'WhenEmpty', consolidateAfter = 'Never' } = options;
  const oneOf = (key: string, values: readonly string[]) => ({ key, operator: 'In', values });
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      template: {
        metadata: { labels },
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: nodeClass },
          requirements: [
            oneOf('karpenter.sh/capacity-type', capacityTypes),
            oneOf('kubernetes.io/arch', ['amd64']),
            // As in most pools: no burstable types, no old generations.
            oneOf('karpenter.k8s.aws/instance-category', ['c', 'm', 'r']),
            { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
            ...(instanceTypes ? [oneOf('node.kubernetes.io/instance-type', instanceTypes)] : []),
          ],
          ...(terminationGracePeriod !== undefined && { terminationGracePeriod }),
        },
      },
      ...(limits && { limits }),
      disruption: { consolidationPolicy, consolidateAfter, budgets: [{ nodes: budget }] },
    },
  };
}

function deploymentManifest(
  namespace: string,
  name: string,
  replicas: number,
  { cpu = '500m', memory = '256Mi', annotations = {}, spec = {} }: PodOptions = {},
): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations },
        spec: {
          nodeSelector: { [POOL_LABEL]: namespace },
          terminationGracePeriodSeconds: 5,
          containers: [{ name: 'main', image: 'main', resources: { requests: { cpu, memory } } }],
          ...spec,
        },
      },
    },
  };
}

/** Names of the nodes on which the listed pods run. */
export const nodesOf = (pods: readonly PodView[]): readonly string[] => [...new Set(pods.map(({ node }) => node))];
