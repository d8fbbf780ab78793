import type { ComputeSize, EC2NodeClass, KubeletSettings, NodeSize } from '../../model/nodes/node-class.ts';
import type { ComputedReserves } from '../../model/offerings/instance-type.ts';
import { toResources } from '../../model/quantity.ts';
import type { SizeSettings } from '../../model/settings.ts';
import type { Ec2Type } from './ec2-types.ts';
import { computeMaxPods } from './max-pods.ts';

type SizedClass = Pick<EC2NodeClass, 'amiFamily' | 'kubelet' | 'networkInterfaces'>;

export interface EffectiveKubeletSettings extends Pick<SizeSettings, 'reservedEnis'> {
  /** Undefined while expressions are ignored. */
  readonly compute?: ComputeSize;
}

export interface EffectiveKubelet {
  /** The kubelet settings without expressions. */
  readonly kubelet: KubeletSettings;
  /** The computed reserves. */
  readonly reserves?: ComputedReserves;
}

/**
 * Evaluates the expressions of the kubelet settings for one type.
 *
 * @returns undefined if the expression for `maxPods` fails for this type
 */
export function computeEffectiveKubelet(
  type: Ec2Type,
  nodeClass: SizedClass,
  { reservedEnis, compute }: EffectiveKubeletSettings,
): EffectiveKubelet | undefined {
  const { expressions, ...written } = nodeClass.kubelet;
  if (!expressions || !compute) return { kubelet: written };

  const defaultSize = toNodeSize(type, nodeClass, reservedEnis);
  const pods = expressions.maxPods === undefined ? written.maxPods : compute(expressions.maxPods, defaultSize);
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

/** The size of the type with the kubelet's defaults, which expressions are evaluated with. */
export const toNodeSize = (type: Ec2Type, nodeClass: Omit<SizedClass, 'kubelet'>, reservedEnis: number): NodeSize => ({
  instanceType: type.name,
  vcpus: type.cpu,
  memoryMib: type.memoryMib,
  enis: type.enis,
  ipsPerEni: type.ipv4PerEni,
  maxPods: computeMaxPods(type, { ...nodeClass, kubelet: {} }, reservedEnis),
});

/** Kubernetes counts pods in 32 bits. */
const isPodCount = (pods: number | undefined): boolean => pods !== undefined && pods >= 0 && pods < 2 ** 31;

/** Leaves out results that fail or are negative; the node then keeps its default. */
function evaluateReserves(
  expressions: Readonly<Record<string, string>> | undefined,
  size: NodeSize,
  compute: ComputeSize,
): Readonly<Record<string, string>> | undefined {
  if (!expressions) return undefined;
  return Object.fromEntries(
    Object.entries(expressions).flatMap(([resource, expression]) => {
      const amount = compute(expression, size);
      return amount === undefined || amount < 0 ? [] : [[resource, formatQuantity(resource, amount)]];
    }),
  );
}

/**
 * Expressions return millicores, MiB and GiB. CPU and memory are rounded up, so that similar types
 * share a launch template.
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
): Pick<KubeletSettings, typeof field> => (texts ? { [field]: { ...written, ...toResources(texts) } } : {});
