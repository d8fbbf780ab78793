import type { Ec2Type } from './ec2-types.ts';

/** EC2 sells a vCPU for about the price of 8 GiB: r types cost that much more than c types. */
const GIB_PER_CPU = 8;
/** A node with an accelerator is for pods that request it, so it weighs more than one for other pods. */
const CPUS_PER_ACCELERATOR = 32;
/** Bare metal takes longer to start than a virtual instance of the same size. */
const METAL_FACTOR = 1.1;
/** The newer of two generations of equal size is faster. */
const SHARE_PER_GENERATION = 0.01;
/**
 * The scale of on-demand prices per vCPU and hour, so that the planner's costs of a node and of a move keep
 * their proportion to it.
 */
const SCALE = 0.04;

/**
 * Weighs a type by its vCPUs and memory, for regions in which no price is known. Weights compare types;
 * they are not dollars and are never shown as such.
 */
export function weighType(type: Ec2Type): number {
  const accelerators = [...type.gpus, ...type.accelerators].reduce((sum, { count }) => sum + Math.max(1, count), 0);
  const size = type.cpu + type.memoryMib / 1024 / GIB_PER_CPU + accelerators * CPUS_PER_ACCELERATOR;
  const metal = type.hypervisor === '' ? METAL_FACTOR : 1;
  const generation = Number(/\d+/.exec(type.family.replace(/^u-\d+tb/, ''))?.[0] ?? 0);
  return Math.round(size * metal * (1 - SHARE_PER_GENERATION * generation) * SCALE * 1e6) / 1e6;
}
