import {
  DescribeInstanceAttributeCommand,
  type EC2Client,
  type Instance,
  paginateDescribeInstances,
} from '@aws-sdk/client-ec2';
import { textAt } from '../json.ts';
import type { AdminClient } from './admin-client.ts';
import { type NodeConfig, readNodeConfig } from './node-config.ts';
import { nodeManifest, nodeNameOf, nodeStatus } from './node-manifest.ts';
import { createPodDouble } from './pod-double.ts';

/** Delays of a simulated node; real nodes take about half a minute. */
export interface NodePace {
  /** From the launch to the Node object. */
  readonly registerMs: number;
  /** From the Node object to Ready. */
  readonly readyMs: number;
  /** From a pod's binding until it runs, and from its deletion until it is removed. */
  readonly podMs: number;
  /** Between two looks at EC2. */
  readonly pollMs: number;
  /** Between two renewals of a Node's Lease. */
  readonly heartbeatMs: number;
}

/** Simulates kubelets and the cloud controller: one Node per instance, by its user data. */
export interface KubeletDouble {
  /** Polls EC2 now. */
  poll(): void;
  /** Boots an instance again: its Node is not ready for a moment, and its pods are started again. */
  reboot(instanceId: string): void;
  /** Runs the pods of a Node that was created by hand, and renews its Lease. */
  serve(node: string): void;
  /** Instances without a Node because of their user data, with the error. */
  readonly failures: ReadonlyMap<string, string>;
  /** The time of each Node's Ready condition, by name. */
  readonly readyAt: ReadonlyMap<string, number>;
  readonly pods: ReadonlyMap<string, PodTimes>;
  /** Breaks the boot of all instances that have not joined, until `undefined`. */
  breakBoot(next: BootFault | undefined): void;
  /** Returns the text that an instance has written to its console. */
  console(instanceId: string): string;
  end(): void;
}

/** Times of the first watch event for each state, on this machine's clock. */
export interface PodTimes {
  readonly createdAt: number;
  readonly boundAt?: number;
  readonly node?: string;
  readonly runningAt?: number;
}

/** No way to the API server, a kubelet that it refuses, or an image without the programs of a node. */
export type BootFault = 'no-route' | 'refused' | 'other-image';

interface Served {
  readonly instance: Instance;
  readonly name: string;
  readonly config: NodeConfig;
  readonly bootId: string;
}

/** Instances with one of these tags get a Node: those of Mortise, and those of a scenario. */
const SERVED_TAGS = ['mortise.sh/launch', 'lab/kubelet'];
/** A kubelet waits up to 7 s between attempts to register. */
const REGISTER_AGAIN_MS = 5_000;
const NODES = '/api/v1/nodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

export function startKubeletDouble(
  parts: {
    readonly ec2: EC2Client;
    readonly kube: AdminClient;
    readonly say: (line: string) => void;
    /** True if EKS lets the kubelet of an instance in. */
    readonly isAuthenticated: (instance: Instance) => Promise<boolean>;
  },
  pace: NodePace,
): KubeletDouble {
  const { ec2, kube, say, isAuthenticated } = parts;
  const served = new Map<string, Served>();
  const joinedIds = new Set<string>();
  const failures = new Map<string, string>();
  const readyAt = new Map<string, number>();
  const pods = new Map<string, PodTimes>();
  const ending = new AbortController();
  let bootFault: BootFault | undefined;
  let isReconciling = false;
  let isStale = false;

  const handMade = new Set<string>();
  const nodeNames = (): readonly string[] => [...[...served.values()].map(({ name }) => name), ...handMade];

  const warn = (what: string) => (error: unknown) => say(`${what}: ${String(error)}`);

  const podDouble = createPodDouble({ kube, warn, isServed: (node) => nodeNames().includes(node) }, pace.podMs);

  async function join(instance: Instance): Promise<void> {
    const id = instance.InstanceId ?? '';
    try {
      await pause(pace.registerMs);
      const config = readNodeConfig(await userDataOf(ec2, id));
      const name = nodeNameOf(instance);
      // Pods may be bound as soon as the Node exists.
      const one = { instance, name, config, bootId: crypto.randomUUID() };
      served.set(id, one);
      await register(instance, nodeManifest(instance, config));
      await becomeReady(one);
      readyAt.set(name, Date.now());
    } catch (error) {
      failures.set(id, String(error));
      say(`no node for ${id}: ${String(error)}`);
    }
  }

  async function becomeReady({ instance, name, config, bootId }: Served): Promise<void> {
    await kube.patchNodeStatus(name, nodeStatus(instance, config, bootId, false));
    await renewLease(name);
    await pause(pace.readyMs);
    await kube.patchNodeStatus(name, nodeStatus(instance, config, bootId, true));
  }

  async function reboot(id: string): Promise<void> {
    const one = served.get(id);
    if (!one) return;
    const rebooted = { ...one, bootId: crypto.randomUUID() };
    served.set(id, rebooted);
    await pause(pace.registerMs);
    await becomeReady(rebooted);
    await podDouble.restart(one.name);
  }

  /** Creates the Node. A kubelet repeats this until the API server accepts its Node. */
  async function register(instance: Instance, node: object): Promise<void> {
    const id = instance.InstanceId ?? '';
    // A terminated instance is not served any more.
    while (served.has(id)) {
      try {
        if (bootFault !== undefined) throw new Error(BOOT_ERRORS[bootFault]);
        if (!(await isAuthenticated(instance))) throw new Error('Unauthorized');
        await kube.create(NODES, node);
        failures.delete(id);
        return;
      } catch (error) {
        if (!failures.has(id)) say(`the Node of ${id} was refused: ${String(error)}`);
        failures.set(id, String(error));
        await pause(REGISTER_AGAIN_MS);
      }
    }
    throw new Error('the instance was terminated');
  }

  /** Deletes the Node of a terminated instance, as the cloud controller does. */
  async function leave(id: string): Promise<void> {
    const removedNode = served.get(id);
    served.delete(id);
    if (removedNode) await kube.remove(`${NODES}/${removedNode.name}`);
  }

  async function reconcileInstances(): Promise<void> {
    const instances = await runningInstances(ec2);
    const ids = new Set(instances.map(({ InstanceId }) => InstanceId ?? ''));
    for (const instance of instances) {
      const id = instance.InstanceId ?? '';
      if (joinedIds.has(id)) continue;
      joinedIds.add(id);
      void join(instance);
    }
    await Promise.all([...served.keys()].filter((id) => !ids.has(id)).map(leave));
  }

  /** Runs one poll at a time; a call during a poll causes one more poll after it. */
  function poll(): void {
    isStale = true;
    if (!isReconciling) void reconcileWhileStale();
  }

  async function reconcileWhileStale(): Promise<void> {
    isReconciling = true;
    while (isStale) {
      isStale = false;
      await reconcileInstances().catch(warn('looking at EC2'));
    }
    isReconciling = false;
  }

  /** Renews the Lease, which belongs to the Node and is deleted with it. */
  async function renewLease(name: string): Promise<void> {
    const uid = textAt(await kube.get(`${NODES}/${name}`), 'metadata', 'uid');
    const metadata = { name, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] };
    const spec = {
      holderIdentity: name,
      leaseDurationSeconds: 40,
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    await kube.create(LEASES, lease).catch(() => kube.patch(`${LEASES}/${name}`, lease));
  }

  /** A kubelet that is not authenticated any more renews nothing, and its Node turns NotReady. */
  async function beat(): Promise<void> {
    const alive = await Promise.all(
      [...served.values()].map(async ({ instance, name }) => ((await isAuthenticated(instance)) ? [name] : [])),
    );
    for (const name of [...alive.flat(), ...handMade]) renewLease(name).catch(() => undefined);
  }

  function notePod(pod: unknown): void {
    const key = `${textAt(pod, 'metadata', 'namespace')}/${textAt(pod, 'metadata', 'name')}`;
    const now = Date.now();
    const before = pods.get(key) ?? { createdAt: now };
    const node = textAt(pod, 'spec', 'nodeName');
    const isRunning = textAt(pod, 'status', 'phase') === 'Running';
    pods.set(key, {
      ...before,
      ...(node !== '' && before.boundAt === undefined && { boundAt: now, node }),
      ...(isRunning && before.runningAt === undefined && { runningAt: now }),
    });
  }

  kube.watch(
    '/api/v1/pods',
    (type, pod) => {
      notePod(pod);
      podDouble.handle(type, pod);
    },
    ending.signal,
  );
  const pollTimer = setInterval(poll, pace.pollMs);
  const heart = setInterval(() => {
    beat().catch(warn('a heartbeat'));
  }, pace.heartbeatMs);
  return {
    poll,
    reboot(id) {
      reboot(id).catch(warn(`rebooting ${id}`));
    },
    serve(node) {
      handMade.add(node);
      renewLease(node).catch(warn(`the Lease of ${node}`));
    },
    failures,
    readyAt,
    pods,
    breakBoot(next) {
      bootFault = next;
    },
    console: (id) => consoleOf(failures.get(id)),
    end() {
      ending.abort();
      clearInterval(pollTimer);
      clearInterval(heart);
    },
  };
}

const BOOT_ERRORS: Readonly<Record<BootFault, string>> = {
  'no-route': 'dial tcp 10.0.0.7:443: i/o timeout',
  refused: 'Unauthorized',
  'other-image': 'no kubelet',
};

/** The lines of an image of EKS, or of another one. */
const consoleOf = (failure: string | undefined): string =>
  [
    '[  OK  ] Reached target cloud-init.target.',
    ...(failure?.includes(BOOT_ERRORS['other-image'])
      ? []
      : [
          'nodeadm[1402]: {"level":"info","msg":"Configuring kubelet"}',
          ...(failure === undefined
            ? []
            : [`kubelet[1688]: E "Unable to register node with API server" err="${failure}"`]),
        ]),
    'ip-10-0-0-9 login:',
  ].join('\n');

async function runningInstances(ec2: EC2Client): Promise<readonly Instance[]> {
  const instances: Instance[] = [];
  const Filters = [
    { Name: 'tag-key', Values: SERVED_TAGS },
    { Name: 'instance-state-name', Values: ['running'] },
  ];
  for await (const page of paginateDescribeInstances({ client: ec2 }, { Filters })) {
    instances.push(...(page.Reservations ?? []).flatMap(({ Instances = [] }) => Instances));
  }
  return instances;
}

async function userDataOf(ec2: EC2Client, InstanceId: string): Promise<string> {
  const command = new DescribeInstanceAttributeCommand({ InstanceId, Attribute: 'userData' });
  return (await ec2.send(command)).UserData?.Value ?? '';
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
