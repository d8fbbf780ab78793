import * as z from 'zod';
import type { KubeletExpressions, KubeletSettings } from '../../model/nodes/node-class.ts';
import { parseQuantity, toResources } from '../../model/quantity.ts';

/** `spec.kubelet` of an EC2NodeClass. The API server stores any field. */
export type WrittenKubelet = Readonly<Record<string, unknown>>;

const count = z.int().min(0).optional().catch(undefined);
const amounts = z
  .record(z.string(), z.union([z.string(), z.number()]))
  .optional()
  .catch(undefined);

/**
 * The fields that change a node's allocatable resources. A field of the wrong type counts as
 * absent; a launch would be refused.
 */
const roomSchema = z.object({
  maxPods: count,
  podsPerCore: count,
  kubeReserved: amounts,
  systemReserved: amounts,
  evictionHard: z.record(z.string(), z.string()).optional().catch(undefined),
});

export function readKubelet(kubelet: WrittenKubelet): KubeletSettings {
  const { maxPods, podsPerCore, kubeReserved, systemReserved, evictionHard } = roomSchema.parse(kubelet);
  const expressions = readExpressions(kubelet);
  return {
    ...(maxPods !== undefined && { maxPods }),
    ...(podsPerCore !== undefined && { podsPerCore }),
    ...(kubeReserved && { kubeReserved: toResources(kubeReserved) }),
    ...(systemReserved && { systemReserved: toResources(systemReserved) }),
    ...(evictionHard && { evictionHard }),
    ...(expressions && { expressions }),
  };
}

/** Reads texts in fields for numbers or quantities. */
export function readExpressions(kubelet: WrittenKubelet): KubeletExpressions | undefined {
  const { maxPods } = kubelet;
  const kubeReserved = reservedExpressions(kubelet, 'kubeReserved');
  const systemReserved = reservedExpressions(kubelet, 'systemReserved');
  if (typeof maxPods !== 'string' && !kubeReserved && !systemReserved) return undefined;
  return {
    ...(typeof maxPods === 'string' && { maxPods }),
    ...(kubeReserved && { kubeReserved }),
    ...(systemReserved && { systemReserved }),
  };
}

function reservedExpressions(
  kubelet: WrittenKubelet,
  field: 'kubeReserved' | 'systemReserved',
): Readonly<Record<string, string>> | undefined {
  const reserved = reservedSchema.parse(kubelet[field]);
  const texts = Object.entries(reserved).flatMap(([name, amount]) =>
    isExpression(amount) ? [[name, amount] as const] : [],
  );
  return texts.length > 0 ? Object.fromEntries(texts) : undefined;
}

const reservedSchema = z.record(z.string(), z.unknown()).catch({});

/**
 * A text that is not a quantity is an expression. A text with a leading sign is an invalid
 * quantity.
 */
export const isExpression = (amount: unknown): amount is string =>
  typeof amount === 'string' && parseQuantity(amount) === undefined && !amount.startsWith('-');
