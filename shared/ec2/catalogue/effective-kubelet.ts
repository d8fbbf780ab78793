import type {
  ComputeSize,
  EC2NodeClass,
  KubeletSettings,
  NodeSize,
} from '../../model/nodes/node-class.ts';
import type { ComputedReserves } from '../../model/offerings/instance-type.ts';
import { toResources } from '../../model/quantity.ts';
import type { SizeSettings } from '../../model/settings.ts';
import type { Ec2Type } from './ec2-types.ts';
import { computeMaxPods } from './max-pods.ts';

type SizedClass = Pick<EC2NodeClass, 'amiFamily' | 'kubelet' | 'networkInterfaces'>;

export interface EffectiveKubeletSettings extends Pick<SizeSettings, 'reservedEnis'> {
  /** Absent: expressions count for nothing. */
  readonly compute?: ComputeSize;
}

export interface EffectiveKubelet {
  /** In numbers alone. */
  readonly kubelet: KubeletSettings;
  /** Of what was computed. */
  readonly reserves?: ComputedReserves;
}

/**
 * The kubelet's sizes for one type: what the class computes has become numbers.
 *
 * @returns absent: nobody can tell how many pods nodes of this type would run
 */
export function computeEffectiveKubelet(
  type: Ec2Type,
  nodeClass: SizedClass,
  { reservedEnis, compute }: EffectiveKubeletSettings,
): EffectiveKubelet | undefined {
  const { expressions, ...written } = nodeClass.kubelet;
  if (!expressions || !compute) return { kubelet: written };

  const defaultSize = toNodeSize(type, nodeClass, reservedEnis);
  const pods =
    expressions.maxPods === undefined ? written.maxPods : compute(expressions.maxPods, defaultSize);
  if (expressions.maxPods !== undefined && !isPodCount(pods)) return undefined;
  const counted = { ...written, ...(pods !== undefined && { maxPods: pods }) };
  const size = {
    ...defaultSize,
    maxPods: computeMaxPods(type, { ...nodeClass, kubelet: counted }, reservedEnis),
  };
  const kubeReserved = evaluateReserves(expressions.kubeReserved, size, compute);
  const systemReserved = evaluateReserves(expressions.systemReserved, size, compute);
  return {
    kubelet: {
      ...counted,
      ...withComputed('kubeReserved', written.kubeReserved, kubeReserved),
      ...withComputed('systemReserved', written.systemReserved, systemReserved),
    },
    reserves: { ...(kubeReserved && { kubeReserved }), ...(systemReserved && { systemReserved }) },
  };
}

/** Of the type as nodes of the class run it where the class's kubelet says nothing. */
export const toNodeSize = (
  type: Ec2Type,
  nodeClass: Omit<SizedClass, 'kubelet'>,
  reservedEnis: number,
): NodeSize => ({
  instanceType: type.name,
  vcpus: type.cpu,
  memoryMib: type.memoryMib,
  enis: type.enis,
  ipsPerEni: type.ipv4PerEni,
  maxPods: computeMaxPods(type, { ...nodeClass, kubelet: {} }, reservedEnis),
});

/** Kubernetes counts pods in 32 bits. */
const isPodCount = (pods: number | undefined): boolean =>
  pods !== undefined && pods >= 0 && pods < 2 ** 31;

/** What fails or is negative is left out: the node keeps what it usually does. */
function evaluateReserves(
  expressions: Readonly<Record<string, string>> | undefined,
  size: NodeSize,
  compute: ComputeSize,
): Readonly<Record<string, string>> | undefined {
  if (!expressions) return undefined;
  return Object.fromEntries(
    Object.entries(expressions).flatMap(([resource, expression]) => {
      const amount = compute(expression, size);
      return amount === undefined || amount < 0
        ? []
        : [[resource, formatQuantity(resource, amount)]];
    }),
  );
}

/**
 * Expressions count CPU in millicores, memory in MiB and disk in GiB. The first two are rounded up, so
 * that types which differ little share a launch template.
 */
function formatQuantity(resource: string, amount: number): string {
  switch (resource) {
    case 'cpu':
      return `${roundUp(amount, 10)}m`;
    case 'memory':
      return `${roundUp(amount, 16)}Mi`;
    case 'ephemeral-storage':
      return `${amount}Gi`;
    default:
      return `${amount}`;
  }
}

const roundUp = (amount: number, step: number): number => Math.ceil(amount / step) * step;

const withComputed = (
  field: 'kubeReserved' | 'systemReserved',
  written: KubeletSettings['kubeReserved'],
  texts: Readonly<Record<string, string>> | undefined,
): Pick<KubeletSettings, typeof field> =>
  texts ? { [field]: { ...written, ...toResources(texts) } } : {};
