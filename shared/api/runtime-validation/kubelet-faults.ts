import { parseGoDuration } from '../../model/duration.ts';
import { parseQuantity } from '../../model/quantity.ts';
import { matchesSafely } from '../admission/patterns.ts';
import { listStructuralObjections } from '../admission/structure.ts';
import { listUnknownFields } from '../admission/unknown-fields.ts';
import { type FieldPath, quote } from '../finding.ts';
import { isRecord } from '../schema/schema.ts';
import { createFault, type Fault } from './fault.ts';
import { KUBELET, MANAGED_FIELDS } from './kubelet-fields.ts';

type Kubelet = Readonly<Record<string, unknown>>;

const AT: FieldPath = ['spec', 'kubelet'];

/**
 * KU-01: fields that are not in the newest kubelet we know. A newer kubelet may have them, so they are a
 * warning and keep no class from launches.
 */
export const listUnknownKubeletFields = (kubelet: Kubelet): readonly Fault[] =>
  listUnknownFields(KUBELET, kubelet, AT).map(({ path, what, fix }) =>
    createFault('KU-01', path, `${what}: a kubelet without it does not start`, fix),
  );

/** KU-01 to KU-06: settings with which the kubelet, and so the node, would not start. */
export function listKubeletFaults(kubelet: Kubelet): readonly Fault[] {
  const shape = shapeFaults(kubelet);
  // Values of the wrong type are not checked further.
  return shape.length > 0 ? shape : [...ownedFaults(kubelet), ...valueFaults(kubelet)];
}

const shapeFaults = (kubelet: Kubelet): readonly Fault[] =>
  listStructuralObjections(KUBELET, kubelet, matchesSafely, AT).map(({ path, what, why, fix }) =>
    createFault('KU-01', path, `${what}: ${why}`, fix),
  );

const ownedFaults = (kubelet: Kubelet): readonly Fault[] =>
  Object.hasOwn(kubelet, 'registerWithTaints')
    ? [
        createFault(
          'KU-02',
          [...AT, 'registerWithTaints'],
          'taints of a new node are written for you',
          'write them as taints or startupTaints of the NodePool',
        ),
      ]
    : [];

const valueFaults = (kubelet: Kubelet): readonly Fault[] => [
  ...EVICTION_MAPS.flatMap((field) => evictionFaults(kubelet, field)),
  ...gracePeriodFaults(kubelet),
  ...RESERVED_MAPS.flatMap((field) => reservedFaults(kubelet, field)),
  ...numberFaults(kubelet),
];

const SIGNALS: ReadonlySet<string> = new Set([
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
]);
const EVICTION_MAPS = ['evictionHard', 'evictionSoft', 'evictionSoftGracePeriod', 'evictionMinimumReclaim'] as const;

const entriesOf = (kubelet: Kubelet, field: string): readonly (readonly [string, string])[] => {
  const map = kubelet[field];
  return isRecord(map) ? Object.entries(map).map(([key, value]) => [key, `${value}`] as const) : [];
};

const evictionFaults = (kubelet: Kubelet, field: (typeof EVICTION_MAPS)[number]): readonly Fault[] =>
  entriesOf(kubelet, field).flatMap(([signal, value]) => {
    const path = [...AT, field, signal];
    if (!SIGNALS.has(signal)) {
      const fix = `write one of ${[...SIGNALS].join(', ')}`;
      return [createFault('KU-03', path, `${quote(signal)} is no eviction signal`, fix)];
    }
    const isDuration = field === 'evictionSoftGracePeriod';
    if (isDuration ? isGracePeriod(value) : isThreshold(value)) return [];
    return isDuration
      ? [createFault('KU-03', path, `${quote(value)} is no duration from 0 up`, 'write 1m30s, for example')]
      : [
          createFault(
            'KU-03',
            path,
            `${quote(value)} is no threshold`,
            'write a share from 0% to 100%, or an amount from 0 up',
          ),
        ];
  });

const isGracePeriod = (text: string): boolean => (parseGoDuration(text) ?? -1) >= 0;

function isThreshold(text: string): boolean {
  const share = /^([0-9]+(?:[.][0-9]+)?)%$/.exec(text);
  if (share) return Number(share[1]) <= 100;
  const amount = parseQuantity(text);
  return amount !== undefined && amount.nanos >= 0n;
}

function gracePeriodFaults(kubelet: Kubelet): readonly Fault[] {
  const [soft, periods] = ['evictionSoft', 'evictionSoftGracePeriod'].map(
    (field) => new Set(entriesOf(kubelet, field).map(([signal]) => signal)),
  );
  const lacking = (has: ReadonlySet<string>, lacks: ReadonlySet<string>, field: string) =>
    [...has]
      .filter((signal) => !lacks.has(signal))
      .map((signal) =>
        createFault(
          'KU-04',
          [...AT, field],
          `${signal} is missing: a soft threshold and its grace period go together`,
          `add ${signal}`,
        ),
      );
  return soft && periods
    ? [...lacking(soft, periods, 'evictionSoftGracePeriod'), ...lacking(periods, soft, 'evictionSoft')]
    : [];
}

const RESERVED_MAPS = ['systemReserved', 'kubeReserved'] as const;
const RESERVABLE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pid']);

const reservedFaults = (kubelet: Kubelet, field: string): readonly Fault[] =>
  entriesOf(kubelet, field).flatMap(([name, amount]) => {
    const path = [...AT, field, name];
    if (!RESERVABLE.has(name)) {
      return [
        createFault('KU-05', path, `${quote(name)} cannot be reserved`, `write of ${[...RESERVABLE].join(', ')}`),
      ];
    }
    return amount.startsWith('-')
      ? [createFault('KU-05', path, 'less than nothing cannot be reserved', 'take the sign out')]
      : [];
  });

const COUNTS = ['maxPods', 'podsPerCore', 'evictionMaxPodGracePeriod'] as const;
const PERCENTAGES = ['imageGCHighThresholdPercent', 'imageGCLowThresholdPercent'] as const;

function numberFaults(kubelet: Kubelet): readonly Fault[] {
  const numberOf = (field: string): number | undefined => {
    const value = kubelet[field];
    return typeof value === 'number' ? value : undefined;
  };
  const [high, low] = PERCENTAGES.map(numberOf);
  return [
    ...COUNTS.filter((field) => (numberOf(field) ?? 0) < 0).map((field) =>
      createFault('KU-06', [...AT, field], `${field} cannot be negative`, 'write 0 or more'),
    ),
    ...PERCENTAGES.filter((field) => {
      const value = numberOf(field) ?? 0;
      return value < 0 || value > 100;
    }).map((field) => createFault('KU-06', [...AT, field], `${field} is no percentage`, 'write 0 to 100')),
    ...(high !== undefined && low !== undefined && high <= low
      ? [
          createFault(
            'KU-06',
            [...AT, 'imageGCHighThresholdPercent'],
            'images are removed from the high threshold down to the low one: high must be larger',
            `write more than ${low}`,
          ),
        ]
      : []),
  ];
}

/** KU-10: settings that nodes of the AMI family do not support. */
export function listFamilyFaults(kubelet: Kubelet, family: string): readonly Fault[] {
  if (family === 'AL2023' || family === 'Custom') return [];
  const unmanaged = Object.keys(kubelet).filter(
    (field) => !MANAGED_FIELDS.has(field) && Object.hasOwn(KUBELET.properties ?? {}, field),
  );
  const { clusterDNS, podsPerCore } = kubelet;
  const only = `nodes of family ${family} cannot be told`;
  return [
    ...unmanaged.map((field) =>
      createFault('KU-10', [...AT, field], `${field}: ${only}`, 'take it out, or use AL2023'),
    ),
    ...(family === 'Bottlerocket' && podsPerCore !== undefined
      ? [createFault('KU-10', [...AT, 'podsPerCore'], `podsPerCore: ${only}`, 'use maxPods')]
      : []),
    ...(Array.isArray(clusterDNS) && clusterDNS.length > 1
      ? [createFault('KU-10', [...AT, 'clusterDNS'], `more than one DNS server: ${only}`, 'keep one')]
      : []),
  ];
}
