import type { Fault } from './broken-cluster.ts';
import { POD_FAULTS } from './faults-of-pods.ts';
import { POOL_FAULTS } from './faults-of-pools.ts';

/** By kind. */
export const FAULTS: Readonly<Record<string, Fault>> = { ...POD_FAULTS, ...POOL_FAULTS };
