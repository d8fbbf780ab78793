import { HOSTNAME_LABEL } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { Launch, NodeClaim } from '../../model/nodes/node-claim.ts';
import { drawMs } from '../../model/random.ts';
import type { Taint } from '../../model/requirements/taints.ts';
import { isSameTaint, UNREGISTERED_TAINT } from '../../model/requirements/taints.ts';
import type { Resources } from '../../model/resources.ts';
import { MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import { isPoweredOn, type SimInstance, type SimInstances } from '../cloud/instances.ts';
import type { ApiServer } from '../control-plane/api-server.ts';
import { putPod } from '../control-plane/api-server.ts';
import { uidOf } from '../generated-names.ts';
import type { VirtualClock } from '../world.ts';

export interface KubeletParts {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly instances: SimInstances;
  readonly region: string;
  /** Default: capacity and allocatable as launched. */
  readonly nodeSize?: ReportedNodeSize;
  readonly extraCapacity?: ExtraCapacity;
}

/** The resources that a node reports. */
export type ReportedNodeSize = (launch: Launch) => Pick<Launch, 'capacity' | 'allocatable'>;

/** The resources that device plugins offer on a node, once it is ready. */
export type ExtraCapacity = (claim: NodeClaim, launch: Launch) => Resources;

const NOT_READY: readonly Taint[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
];
const UNREACHABLE: readonly Taint[] = [
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
];
/** Grace period of the node lifecycle controller for a silent kubelet. */
const NODE_MONITOR_GRACE_MS = 50 * SECOND_MS;
/** Time between a ready node and the removal of its startup taints. */
const STARTUP_TAINT_MS = 5 * SECOND_MS;

/** From the launch to the registration of the Node. Bare metal first tests its whole memory. */
const BOOT_MS = [25 * SECOND_MS, 40 * SECOND_MS] as const;
const BARE_METAL_BOOT_MS = [8 * MINUTE_MS, 15 * MINUTE_MS] as const;

const bootRangeOf = ({ instanceType }: Pick<Launch, 'instanceType'>) =>
  /\.metal/.test(instanceType) ? BARE_METAL_BOOT_MS : BOOT_MS;

/** Creates a Node for each instance that starts, and marks it unreachable when its kubelet stops. */
export function startKubelets(parts: KubeletParts): void {
  const { seed, clock, api, instances, region, nodeSize = (launch: Launch) => launch } = parts;
  let nodeCount = 0;

  instances.watch(({ before, after }) => {
    if (after?.state === 'pending' && !before) {
      const bootMs = drawMs(seed, `boot ${after.claim.name}`, ...bootRangeOf(after.launch));
      clock.schedule(clock.now() + bootMs, () => createNode(after));
    }
    if (before && after && after.reboots !== before.reboots) bootAgain(after);
    if (isPoweredOn(before) && !isPoweredOn(after)) {
      clock.schedule(clock.now() + NODE_MONITOR_GRACE_MS, () => markUnreachable(before?.providerId ?? ''));
    }
  });

  function createNode({ providerId, claim, launch }: SimInstance): void {
    if (!isPoweredOn(instances.get(providerId))) return;
    const { capacity, allocatable } = nodeSize(launch);
    const name = takeNodeName();
    api.nodes.put(name, {
      name,
      uid: uidOf(seed, `Node ${name}`),
      providerId,
      createdAt: clock.now(),
      labels: { ...launch.labels, [HOSTNAME_LABEL]: name },
      annotations: {},
      taints: [UNREGISTERED_TAINT, ...NOT_READY],
      capacity,
      allocatable,
      ready: false,
      finalizers: [],
    });
    clock.schedule(clock.now() + drawMs(seed, `ready ${claim.name}`, 3_000, 8_000), () =>
      becomeReady(name, claim.startupTaints, parts.extraCapacity?.(claim, launch) ?? {}),
    );
  }

  /** The Node is told of the reboot by the kubelet, once it runs again. */
  function bootAgain({ providerId, claim, launch, reboots = 0 }: SimInstance): void {
    const draw = `reboot ${reboots} ${claim.name}`;
    clock.schedule(clock.now() + drawMs(seed, draw, ...bootRangeOf(launch)), () => {
      const node = api.nodes.list().find((candidate) => candidate.providerId === providerId);
      if (!node) return;
      const { troubles: _, ...healthyNode } = node;
      const { capacity, allocatable } = nodeSize(launch);
      const taints = [...withoutTaints(node.taints, NOT_READY), ...NOT_READY];
      api.nodes.put(node.name, { ...healthyNode, capacity, allocatable, taints, ready: false, bootId: draw });
      clock.schedule(clock.now() + drawMs(seed, `ready ${draw}`, 3_000, 8_000), () =>
        becomeReady(node.name, [], parts.extraCapacity?.(claim, launch) ?? {}),
      );
    });
  }

  /** Nodes that exist from the start may have such names too. */
  function takeNodeName(): string {
    nodeCount += 1;
    const name = buildNodeName(nodeCount, region);
    return api.nodes.get(name) ? takeNodeName() : name;
  }

  function becomeReady(name: string, startupTaints: readonly Taint[], extraCapacity: Resources): void {
    const node = api.nodes.get(name);
    if (!node || !isPoweredOn(instances.get(node.providerId ?? ''))) return;
    api.nodes.put(name, {
      ...node,
      ready: true,
      taints: withoutTaints(node.taints, NOT_READY),
      capacity: { ...node.capacity, ...extraCapacity },
      allocatable: { ...node.allocatable, ...extraCapacity },
    });
    if (startupTaints.length > 0) {
      clock.schedule(clock.now() + STARTUP_TAINT_MS, () => liftStartupTaints(name, startupTaints));
    }
  }

  /**
   * Removes startup taints. Their owners, network agents for example, are part of the simulated
   * node.
   */
  function liftStartupTaints(name: string, startupTaints: readonly Taint[]): void {
    const node = api.nodes.get(name);
    if (!node || node.deletionAt !== undefined) return;
    const remainingTaints = withoutTaints(node.taints, startupTaints);
    const isRegistered = !node.taints.some((taint) => isSameTaint(taint, UNREGISTERED_TAINT));
    if (remainingTaints.length < node.taints.length) api.nodes.put(name, { ...node, taints: remainingTaints });
    // Startup taints are added at registration, which has not happened yet.
    else if (!isRegistered) {
      clock.schedule(clock.now() + STARTUP_TAINT_MS, () => liftStartupTaints(name, startupTaints));
    }
  }

  function markUnreachable(providerId: string): void {
    const node = api.nodes.list().find((candidate) => candidate.providerId === providerId);
    if (!node) return;
    const taints = [...withoutTaints(node.taints, UNREACHABLE), ...UNREACHABLE];
    api.nodes.put(node.name, { ...node, ready: false, taints });
    for (const pod of [...api.pods.onNode(node.name).values()]) {
      if (pod.ready) putPod(api.pods, { ...pod, ready: false });
    }
  }
}

const withoutTaints = (taints: Node['taints'], removed: readonly Taint[]): readonly Taint[] =>
  taints.filter((taint) => !removed.some((other) => isSameTaint(taint, other)));

/** A node name in EKS's format: the private IP address, counted up from 10.0.1.0. */
function buildNodeName(nodeCount: number, region: string): string {
  const domain = region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`;
  return `ip-10-0-${1 + Math.floor(nodeCount / 250)}-${1 + (nodeCount % 250)}.${domain}`;
}
