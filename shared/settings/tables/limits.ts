import { DEFAULT_DELETED_AFTER_MS, DEFAULT_LAUNCH_CAPS } from '../../model/settings.ts';
import { MINUTE_MS } from '../../model/time.ts';
import { wholeNumber } from '../forms.ts';
import type { SettingTable } from '../setting.ts';

const CAP = wholeNumber(1, 9_999_999);

/** Limits of the whole cluster, in addition to the limits of its NodePools. */
export const CAPS = {
  launchesPerMinute: {
    variable: 'LAUNCHES_PER_MINUTE',
    option: 'launchesPerMinute',
    controller: 'variable',
    form: CAP,
    byDefault: `${DEFAULT_LAUNCH_CAPS.launchesPerMinute}`,
    meaning: 'The most nodes that the cluster launches in a minute. The limits of the NodePools apply as well.',
  },
  hourlyUsd: {
    variable: 'MAX_HOURLY_USD',
    option: 'maxHourlyUsd',
    controller: 'variable',
    form: CAP,
    byDefault: `${DEFAULT_LAUNCH_CAPS.hourlyUsd}`,
    meaning: 'The most that all instances of the cluster may cost in an hour, at the prices of their launch.',
  },
  maxNodes: {
    variable: 'MAX_NODES',
    option: 'maxNodes',
    controller: 'variable',
    form: CAP,
    byDefault: '3 × peak of the last day, at least 20',
    meaning:
      'The most nodes that the cluster may have at the same time. The default rises as nodes become ready. It does not apply if `MAX_HOURLY_USD` is set.',
  },
} as const satisfies SettingTable;

export const DELETED_CLUSTERS = {
  afterMinutes: {
    variable: 'DELETED_CLUSTER_AFTER_MINUTES',
    option: 'deletedClusterAfterMinutes',
    controller: 'variable',
    form: wholeNumber(10, 99_999, 'minutes'),
    usual: `${DEFAULT_DELETED_AFTER_MS / MINUTE_MS}`,
    meaning:
      'If EKS does not find the cluster for this time, Mortise terminates its instances and deletes its launch templates and instance profiles.',
  },
} as const satisfies SettingTable;
