/** Sizes of a cluster: about 100, 1,000 and 5,000 nodes with 30 pods each. */
export const SIZES = ['small', 'medium', 'large'] as const;
export type Size = (typeof SIZES)[number];

export const SIZED_FUNCTIONS = [
  'provisioning',
  'disruption',
  'sweep',
  'nodeLifecycle',
  'interruption',
  'nodeClass',
] as const;

type Memory = Readonly<Record<(typeof SIZED_FUNCTIONS)[number], number>>;

/** One full vCPU. More memory adds a second one, which JavaScript hardly uses. */
const ONE_CPU_MIB = 1769;

/**
 * MiB of each function, so that a cold start takes at most 60 % of its memory and time. Measured by
 * `npm run e2e:scale` (docs/decisions/0042): reading the whole cluster takes 200, 300 and 600 MiB and 1.3, 5.3 and
 * 23 s of one CPU; a step of a claim takes 76 MiB and 0.25 s at every size. SDK and plan come on top.
 */
const SMALL: Memory = {
  provisioning: ONE_CPU_MIB,
  disruption: ONE_CPU_MIB,
  sweep: 1024,
  nodeLifecycle: 512,
  interruption: 512,
  nodeClass: 512,
};

export const MEMORY_MIB: Readonly<Record<Size, Memory>> = {
  small: SMALL,
  medium: { ...SMALL, sweep: ONE_CPU_MIB, interruption: 1024 },
  large: {
    ...SMALL,
    provisioning: 3008,
    disruption: 3008,
    sweep: 3008,
    interruption: ONE_CPU_MIB,
  },
};
