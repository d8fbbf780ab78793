import type { Resources } from '../../shared/model/resources.ts';
import { CPU, MEMORY, MIB, PODS } from '../../shared/model/resources.ts';
import type { Amounts } from '../views.ts';

export const NO_AMOUNTS: Amounts = { cpuMilli: 0, memoryMib: 0, gpu: 0, pods: 0 };

const isAccelerator = (resource: string): boolean =>
  resource.endsWith('/gpu') || resource.startsWith('aws.amazon.com/neuron');

export function amountsOf(resources: Resources): Amounts {
  const accelerators = Object.keys(resources).filter(isAccelerator);
  return {
    cpuMilli: resources[CPU] ?? 0,
    memoryMib: (resources[MEMORY] ?? 0) / MIB,
    gpu: accelerators.reduce((sum, name) => sum + (resources[name] ?? 0), 0),
    pods: resources[PODS] ?? 0,
  };
}

export const sumAmounts = (all: readonly Amounts[]): Amounts =>
  all.reduce(
    (sum, { cpuMilli, memoryMib, gpu, pods }) => ({
      cpuMilli: sum.cpuMilli + cpuMilli,
      memoryMib: sum.memoryMib + memoryMib,
      gpu: sum.gpu + gpu,
      pods: sum.pods + pods,
    }),
    NO_AMOUNTS,
  );

/** Computes the largest of the requested shares of CPU, memory and GPU, at most 1. */
export function dominantShare(requests: Amounts, allocatable: Amounts): number {
  const shares = (['cpuMilli', 'memoryMib', 'gpu'] as const).map((resource) =>
    allocatable[resource] > 0 ? requests[resource] / allocatable[resource] : 0,
  );
  return Math.min(1, Math.max(...shares));
}
