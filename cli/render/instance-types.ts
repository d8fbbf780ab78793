import type { InstanceTypes } from '../documents/instance-types.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { countText } from './numbers.ts';
import { tableText } from './table.ts';

const HEAD = ['TYPE', 'ARCH', 'CPU', 'MEMORY', 'PODS', 'ON-DEMAND', 'SPOT FROM'];
/** Fits one screen. */
const USUAL_RESULTS = 20;

type ShownType = InstanceTypes['types'][number];

interface Shown {
  readonly showExcluded: boolean;
  readonly maxResults: number | undefined;
  readonly isWide: boolean;
}

/** Lists the accepted types, then the reasons against the others. */
export function instanceTypesText(
  result: InstanceTypes,
  { showExcluded, maxResults = USUAL_RESULTS, isWide }: Shown,
  terminal: Terminal,
): string {
  const shown = terminal.all ? result.types : result.types.slice(0, maxResults);
  const hidden = result.matching - shown.length;
  const head = isWide ? [...HEAD, ...WIDE_HEAD] : HEAD;
  const rows = shown.map((type) => (isWide ? [...rowOf(type), ...wideRowOf(type)] : rowOf(type)));
  return [
    shown.length > 0 ? tableText(head, rows, terminal) : '',
    hidden > 0 ? `and ${countText(hidden)} more, --all\n` : '',
    `${summaryOf(result)}\n`,
    showExcluded ? excludedText(result, terminal) : '',
  ].join('');
}

/** Explains one type: its offerings, or the reason why it is excluded. */
export function whyText({ types, excluded }: InstanceTypes, terminal: Terminal): string {
  const [type] = types;
  const lines = type
    ? [
        `${type.name} ${terminal.paint('good', 'fits')}`,
        ...type.offerings.map(
          ({ zone, capacityType, hourlyUsd }) =>
            `  ${capacityType} ${zone} ${hourlyUsd === undefined ? 'not priced' : priceText(hourlyUsd)}`,
        ),
      ]
    : excluded.map(
        ({ name, reason }) => `${name} ${terminal.paint('bad', 'excluded')}: ${reason.code}: ${reason.text}`,
      );
  return lines.map((line) => `${line}\n`).join('');
}

const rowOf = (type: ShownType): readonly string[] => [
  type.name,
  type.arch,
  type.allocatable.cpu ?? '0',
  `${type.allocatable.memory ?? '0'}${type.learned ? '*' : ''}`,
  type.allocatable.pods ?? '0',
  type.onDemandHourlyUsd === undefined ? '-' : priceText(type.onDemandHourlyUsd),
  type.spotFrom ? `${priceText(type.spotFrom.hourlyUsd)} ${type.spotFrom.zone}` : '-',
];

/** Bandwidths in Mbit/s as in the labels; local disks in decimal gigabytes. */
const WIDE_HEAD = ['NETWORK', 'EBS', 'NVME', 'GPUS', 'ZONES'];

function wideRowOf({ labels, offerings }: ShownType): readonly string[] {
  const label = (name: string): string => labels[`karpenter.k8s.aws/instance-${name}`] ?? '-';
  const gpus = label('gpu-count');
  const zones = new Set(offerings.map(({ zone }) => zone.slice(-1)));
  return [
    label('network-bandwidth'),
    label('ebs-bandwidth'),
    label('local-nvme'),
    gpus === '-' ? '-' : `${gpus} ${label('gpu-name')}`,
    [...zones].toSorted().join(','),
  ];
}

/** Four digits, because small types cost less than a cent. */
const priceText = (usd: number): string => `$${usd.toFixed(4)}`;

function summaryOf({ matching, total, excludedBy }: InstanceTypes): string {
  const reasons = Object.entries(excludedBy)
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([code, count]) => `${countText(count)} ${code}`);
  const counts = `${countText(matching)} of ${countText(total)}`;
  return reasons.length === 0 ? counts : `${counts}; excluded ${reasons.join(', ')}`;
}

const excludedText = ({ excluded }: InstanceTypes, terminal: Terminal): string =>
  tableText(
    ['EXCLUDED', 'REASON', 'WHY'],
    excluded.map(({ name, reason }) => [name, reason.code, reason.text]),
    terminal,
  );
