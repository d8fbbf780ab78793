import { formatShortDuration } from '../../model/duration.ts';
import { DEFAULT_BATCH_WINDOW } from '../../model/settings.ts';
import { duration, TRUE_OR_FALSE } from '../forms.ts';
import type { SettingTable } from '../setting.ts';

/** How pending pods are collected before a plan. */
export const BATCHES = {
  idleMs: {
    variable: 'BATCH_IDLE_DURATION',
    option: 'batchIdleMs',
    unit: 'ms',
    controller: 'variable',
    form: duration('1s'),
    usual: formatShortDuration(DEFAULT_BATCH_WINDOW.idleMs),
    meaning: 'Mortise plans for pending pods when no new one has appeared for this time.',
  },
  maxMs: {
    variable: 'BATCH_MAX_DURATION',
    option: 'batchMaxMs',
    unit: 'ms',
    controller: 'variable',
    form: duration('10s'),
    usual: formatShortDuration(DEFAULT_BATCH_WINDOW.maxMs),
    meaning: 'The longest time that a pending pod waits for others before Mortise plans.',
  },
  anticipate: {
    variable: 'ANTICIPATE',
    option: 'anticipate',
    form: TRUE_OR_FALSE,
    usual: 'true',
    meaning: 'Whether nodes are launched for pods that their owner has still to create.',
  },
} as const satisfies SettingTable;
